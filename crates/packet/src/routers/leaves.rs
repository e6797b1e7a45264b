//! When packets leave an output buffer of more than two places.
//!
//! Each output has a ring of the instants at which the packets before the last two leave, behind the place of the oldest one.

/// Number of words that an output needs.
pub(super) fn words(output_buffer: usize) -> usize {
    match output_buffer {
        0..=2 => 0,
        more => more - 1,
    }
}

/// Puts an instant into the ring of `size` places of an output, and takes out the oldest one.
pub(super) fn exchange(leaves: &mut [u64], output: usize, size: usize, instant: u64) -> u64 {
    let (oldest, ring) =
        leaves[output * (size + 1)..][..=size].split_first_mut().expect("there is one word at least");
    let before = std::mem::replace(&mut ring[*oldest as usize], instant);
    *oldest = if *oldest as usize + 1 == size { 0 } else { *oldest + 1 };
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// For each of three outputs the ring is a queue of so many instants, all 0 in the beginning. With the two of the last
    /// packets, which a port keeps itself, there is one for each place of the buffer.
    #[test]
    fn a_ring_is_a_queue() {
        for output_buffer in [3, 4, 9] {
            let size = output_buffer - 2;
            let mut leaves = vec![0; 3 * words(output_buffer)];
            let mut queues = vec![VecDeque::from(vec![0; size]); 3];
            for step in 0..60_u64 {
                let output = (step * step % 3) as usize;
                queues[output].push_back(100 + step);
                let expected = queues[output].pop_front();
                assert_eq!(
                    Some(exchange(&mut leaves, output, size, 100 + step)),
                    expected,
                    "{output_buffer} places"
                );
            }
        }
        assert_eq!([1, 2].map(words), [0, 0]);
    }
}
