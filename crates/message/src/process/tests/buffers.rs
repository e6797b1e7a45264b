//! Buffers for buffered sends: which one a message takes, how much room is left, and when flushes are complete.
//!
//! A message of n bytes takes n + 96 of them until its data have left the node. The interface needs 1 ns for each byte.

use super::*;

fn process() -> Process {
    Process::new(Rank::new(0), 1, Costs::default())
}

/// The most bytes of a message that has room, or `None` where none has.
fn room(process: &mut Process, of: CommunicatorId) -> Option<u64> {
    let has = |process: &mut Process, bytes| process.check_room(of, bytes).is_ok();
    let (mut fits, mut too_long): (u64, u64) = (has(process, 0).then_some(0)?, 1 << 20);
    while fits + 1 < too_long {
        let middle = fits.midpoint(too_long);
        if has(process, middle) { fits = middle } else { too_long = middle }
    }
    Some(fits)
}

#[test]
fn the_nearest_buffer_is_taken() {
    let mut process = process();
    let own = BufferOf::Communicator(CommunicatorId::SELF);
    assert_eq!(room(&mut process, WORLD), None);
    // Attached, and what then has room: on the world, on the communicator with a buffer of its own.
    for (of, bytes, on_world, on_self) in [
        (BufferOf::Session(3), 1000, 904, 904),
        (BufferOf::Session(0), 1100, 1004, 1004),
        (BufferOf::Process, 500, 404, 404),
        (own, 96, 404, 0),
    ] {
        process.attach_buffer(of, Some(bytes)).unwrap();
        let found = [WORLD, CommunicatorId::SELF].map(|id| room(&mut process, id));
        assert_eq!(found, [Some(on_world), Some(on_self)], "{of:?}");
        let again = process.attach_buffer(of, None).unwrap_err();
        assert!(matches!(again, MpiError::Buffer(_)), "{again}");
    }
    // With the buffer of its own full, a communicator does not take another's.
    process.take_room(CommunicatorId::SELF, 0).unwrap();
    assert_eq!([WORLD, CommunicatorId::SELF].map(|id| room(&mut process, id)), [Some(404), None]);
    for of in [own, BufferOf::Process, BufferOf::Session(0)] {
        process.detach_buffer(of).unwrap();
        assert!(process.detach_buffer(of).is_err(), "{of:?} is detached already");
    }
    assert_eq!([WORLD, CommunicatorId::SELF].map(|id| room(&mut process, id)), [Some(904); 2]);
    process.detach_buffer(BufferOf::Session(3)).unwrap();
    process.attach_buffer(BufferOf::Process, None).unwrap();
    assert_eq!(room(&mut process, WORLD), Some((1 << 20) - 1), "one as long as needed");
}

/// Messages of 100 and 300 bytes leave at 100 and 400 ns. A flush waits for those that were there before it.
#[test]
fn room_comes_back_when_a_message_has_left() {
    let network = Ideal { bandwidth: Bandwidth::new(1e9), ..Ideal::default() };
    let note = |at: u64, expected: u64| {
        let note = step(move |process, _, notes| {
            let flushed: Vec<bool> =
                notes.requests.iter().map(|&id| process.is_complete(id).expect("a request")).collect();
            notes.seen.push(format!("{at} {flushed:?}"));
            assert_eq!(room(process, WORLD), Some(expected), "at {at} ns");
        });
        [until(at), note]
    };
    let flush = || {
        step(|process, _, notes| {
            notes.requests.push(process.flush_buffer(BufferOf::Process).expect("one is there"))
        })
    };
    let send = |bytes: usize| {
        step(move |process, actions, _| {
            let sent =
                process.send(actions, Mode::Buffered, WORLD, 1, 0, vec![0; bytes]).expect("there is room");
            assert!(sent.is_none(), "it is complete at once");
        })
    };
    let attach =
        step(|process, _, _| process.attach_buffer(BufferOf::Process, Some(1000)).expect("none before"));
    let sender = [attach, flush(), send(100), flush(), send(300), flush()];
    let notes = [
        note(0, 1000 - 196 - 396 - 96),
        note(99, 1000 - 196 - 396 - 96),
        note(101, 1000 - 396 - 96),
        note(399, 1000 - 396 - 96),
        note(401, 1000 - 96),
    ];
    let sender = sender.into_iter().chain(notes.into_iter().flatten()).collect();
    let receiver = vec![receive(0, 0, 300), receive(0, 0, 300), wait(0), wait(1)];
    let (outcome, seen) = run_on(&network, Costs::default(), vec![sender, receiver]);
    assert_eq!(outcome, Outcome::Finished, "{seen:?}");
    let expected = [
        "0 [true, false, false]",
        "99 [true, false, false]",
        "101 [true, true, false]",
        "399 [true, true, false]",
        "401 [true, true, true]",
    ];
    assert_eq!(seen[0], expected);
}
