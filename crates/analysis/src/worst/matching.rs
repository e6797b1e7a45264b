//! Largest matchings of pairs of nodes.

use std::collections::VecDeque;

/// Most of the pairs that have different senders and different receivers, in the order of senders, in which the pairs come. Each sender
/// takes a receiver that is free, or one whose sender can change to another. O(senders x pairs), mostly O(pairs).
pub(super) fn largest_matching(pairs: &[(u32, u32)], nodes: usize) -> Vec<(u32, u32)> {
    let of_sender: Vec<&[(u32, u32)]> = pairs.chunk_by(|one, next| one.0 == next.0).collect();
    let mut taken: Vec<Option<usize>> = vec![None; nodes];
    let mut matched: Vec<Option<u32>> = vec![None; of_sender.len()];
    for (sender, pairs) in of_sender.iter().enumerate() {
        if let Some(&(_, free)) = pairs.iter().find(|(_, receiver)| taken[*receiver as usize].is_none()) {
            (taken[free as usize], matched[sender]) = (Some(sender), Some(free));
        }
    }
    // By receiver: the sender that has reached it, and in the search of which sender.
    let mut reached = vec![(usize::MAX, 0); nodes];
    for first in (0..of_sender.len()).filter(|&sender| matched[sender].is_none()).collect::<Vec<_>>() {
        let mut queue = VecDeque::from([first]);
        'search: while let Some(sender) = queue.pop_front() {
            for &(_, receiver) in of_sender[sender] {
                if reached[receiver as usize].0 == first {
                    continue;
                }
                reached[receiver as usize] = (first, sender);
                if let Some(other) = taken[receiver as usize] {
                    queue.push_back(other);
                    continue;
                }
                let mut next = Some(receiver);
                while let Some(receiver) = next {
                    let sender = reached[receiver as usize].1;
                    taken[receiver as usize] = Some(sender);
                    next = matched[sender].replace(receiver);
                }
                break 'search;
            }
        }
    }
    let of_sender = of_sender.iter().zip(matched);
    of_sender.filter_map(|(pairs, receiver)| Some((pairs[0].0, receiver?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The largest number of pairs that can be chosen, by trying all choices of one sender after the other.
    fn tried(pairs: &[(u32, u32)], used: u32) -> usize {
        let Some(&(sender, _)) = pairs.first() else { return 0 };
        let count = pairs.iter().take_while(|pair| pair.0 == sender).count();
        let (own, rest) = pairs.split_at(count);
        let free = own.iter().filter(|(_, receiver)| used & 1 << receiver == 0);
        let with = free.map(|(_, receiver)| 1 + tried(rest, used | 1 << receiver)).max();
        with.unwrap_or(0).max(tried(rest, used))
    }

    proptest! {
        #[test]
        fn no_matching_is_larger(pairs in prop::collection::btree_set((0_u32..7, 0_u32..7), 0..20)) {
            let pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
            let found = largest_matching(&pairs, 7);
            prop_assert!(found.iter().all(|pair| pairs.contains(pair)));
            for (number, one) in found.iter().enumerate() {
                prop_assert!(found[..number].iter().all(|other| one.0 != other.0 && one.1 != other.1));
            }
            prop_assert_eq!(found.len(), tried(&pairs, 0));
        }
    }
}
