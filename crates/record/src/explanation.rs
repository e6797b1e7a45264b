//! Reasons for which a run did not finish, as part of the summary.

use crate::counts::StuckChannel;
use crate::json::Fields;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use weir_network::{Outcome, Peer, Waiting};
use weir_units::Rank;

/// The word for an outcome in `summary.json`.
pub fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Finished => "finished",
        Outcome::Deadlock(_) => "deadlock",
        Outcome::Aborted { .. } => "aborted",
        Outcome::Limit(_) => "limit",
    }
}

/// Who waits for whom, who aborted and why, or which limit was reached; `None` for a run that finished. Where packets have
/// stopped moving, `stuck` is the circle of virtual channels in which they wait for each other; else it is empty.
pub(crate) fn explanation(outcome: &Outcome, stuck: &[StuckChannel]) -> Option<Value> {
    match outcome {
        Outcome::Finished => None,
        Outcome::Deadlock(waiting) => {
            let mut fields = Fields::default();
            fields.add_any("channels", stuck);
            fields.add_any("cycle", waiting_cycle(waiting));
            fields.add("waiting", waiting.iter().map(waiting_rank).collect::<Vec<_>>());
            Some(Value::Object(fields.0))
        }
        Outcome::Aborted { rank, why } => Some(json!({ "rank": rank, "why": why })),
        Outcome::Limit(which) => Some(json!({ "limit": which })),
    }
}

fn waiting_rank(waiting: &Waiting) -> Value {
    let peer = match waiting.peer {
        Peer::Rank(rank) => json!(rank),
        Peer::Any => json!("any"),
        Peer::Several => json!("several"),
    };
    let details: Map<String, Value> =
        waiting.details.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({ "rank": waiting.rank, "call": waiting.call, "peer": peer, "details": details })
}

/// A circle among the ranks that wait: each waits for the one behind it, and the last one for the first. It is the one
/// that is reached from the lowest rank, and begins with its own lowest rank. `None` if there is no circle of ranks that
/// wait for one other each. O(w log w) for w waiting ranks.
pub fn waiting_cycle(waiting: &[Waiting]) -> Option<Vec<Rank>> {
    let pair = |of: &Waiting| if let Peer::Rank(peer) = of.peer { Some((of.rank, peer)) } else { None };
    let next: BTreeMap<Rank, Rank> = waiting.iter().filter_map(pair).collect();
    // Of each rank: the rank from which it was first reached.
    let mut reached: BTreeMap<Rank, Rank> = BTreeMap::new();
    for &start in next.keys() {
        let mut at = start;
        while let Some(&peer) = next.get(&at).filter(|_| !reached.contains_key(&at)) {
            reached.insert(at, start);
            at = peer;
        }
        if reached.get(&at) == Some(&start) {
            return Some(circle_through(at, &next));
        }
    }
    None
}

fn circle_through(rank: Rank, next: &BTreeMap<Rank, Rank>) -> Vec<Rank> {
    let mut circle = vec![rank];
    let mut at = next[&rank];
    while at != rank {
        circle.push(at);
        at = next[&at];
    }
    let lowest = circle.iter().enumerate().min_by_key(|(_, rank)| **rank).map_or(0, |(place, _)| place);
    circle.rotate_left(lowest);
    circle
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks and whom they wait for; `None` stands for anybody.
    #[track_caller]
    fn check(waits: &[(u32, Option<u32>)], expected: Option<&[u32]>) {
        let waiting: Vec<Waiting> = waits
            .iter()
            .map(|&(rank, peer)| Waiting {
                rank: Rank(rank),
                call: "await message".into(),
                peer: peer.map_or(Peer::Any, |peer| Peer::Rank(Rank(peer))),
                details: Vec::new(),
            })
            .collect();
        let cycle = waiting_cycle(&waiting).map(|cycle| cycle.iter().map(|rank| rank.0).collect::<Vec<_>>());
        assert_eq!(cycle.as_deref(), expected, "{waits:?}");
    }

    #[test]
    fn circles_by_hand() {
        check(&[], None);
        check(&[(0, Some(1)), (1, Some(0))], Some(&[0, 1]));
        // 0 waits for 3, which is in the circle 1, 3, 2.
        check(&[(0, Some(3)), (1, Some(3)), (2, Some(1)), (3, Some(2))], Some(&[1, 3, 2]));
        // 1 has ended: no rank waits in a circle.
        check(&[(0, Some(1)), (2, Some(0))], None);
        // 0 waits for 2, which waits for anybody; 3 and 4 wait for each other.
        check(&[(0, Some(2)), (2, None), (3, Some(4)), (4, Some(3))], Some(&[3, 4]));
        check(&[(5, Some(5))], Some(&[5]));
        check(&[(0, Some(1)), (1, Some(2)), (2, None), (3, Some(1))], None);
    }

    #[test]
    fn a_long_circle_is_found_in_one_go() {
        let waits: Vec<_> = (0..100_000).map(|rank| (rank, Some((rank + 1) % 100_000))).collect();
        check(&waits, Some(&(0..100_000).collect::<Vec<_>>()));
    }
}
