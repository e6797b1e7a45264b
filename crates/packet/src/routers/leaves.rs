//! When packets leave an output buffer of more than two places.
//!
//! Each output has a ring of the instants at which the packets before the last two leave, behind the place of the oldest one.

/// How many words an output needs.
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
