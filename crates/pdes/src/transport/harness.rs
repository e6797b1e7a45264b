//! Checks of every implementation of [`Transport`], for tests of those in other crates too.

use super::Transport;

const MEETINGS: u64 = 200;

/// Brings words and letters of many sizes to many meetings, and looks at what comes back. To be called in all processes at
/// once.
///
/// # Panics
/// When something else comes back than the trait says.
pub fn check(transport: &mut dyn Transport) {
    let (own, count) = (transport.process(), transport.processes());
    for meeting in 0..MEETINGS {
        let turn = (own as u64 + meeting) % count as u64;
        let mut words = [100 + turn, meeting, u64::MAX - turn];
        let mut letters: Vec<_> = (0..count).map(|to| letter(own, to, meeting)).collect();
        let mut received = Vec::new();
        let met = transport
            .meet(&mut words, &mut letters, &mut |from, letter| received.push((from, letter.to_vec())));
        assert_eq!(met, Ok(()));
        assert_eq!(words, [100, meeting, u64::MAX - (count as u64 - 1)]);
        assert!(letters.iter().all(Vec::is_empty));
        let expected = (0..count).map(|from| (from, letter(from, own, meeting)));
        let expected: Vec<_> = expected.filter(|(_, letter)| !letter.is_empty()).collect();
        assert_eq!(received, expected);
    }
}

/// To one process in five nothing, to the others letters of several sizes.
fn letter(from: usize, to: usize, meeting: u64) -> Vec<u8> {
    let size = 50 * ((from + to + meeting as usize) % 5);
    vec![(from * 16 + to) as u8; size]
}
