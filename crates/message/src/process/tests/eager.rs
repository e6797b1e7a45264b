//! Eager messages in a row: one asks at half of what is allowed, while its sender goes on, and a full run waits.

use super::*;
use proptest::prelude::*;

fn at_most(most: u32) -> Costs {
    Costs { eager_messages: most, ..Costs::default() }
}

fn kept() -> Step {
    step(|process, _, notes| notes.seen.push(process.unexpected().to_string()))
}

/// Sends of one byte, each of which is waited for, with the tags 0, 1, ...
fn sends(count: i32) -> Vec<Step> {
    (0..count).flat_map(|i| [send(Mode::Standard, 1, i, b"x"), wait(i as usize)]).collect()
}

/// A rank that only sends waits after as many messages as it may send in a row: no more than those are ever kept for a
/// rank that does not receive, beside the request to send of the one after them.
#[test]
fn a_receiver_keeps_no_more_than_the_eager_messages_in_a_row() {
    for most in [1, 2, 3, 9, 19] {
        // The probe takes the first message out as soon as the request to send is there.
        let probe = vec![match_message(0, most as i32), kept()];
        let (outcome, seen) = run_at(at_most(most), vec![sends(20), probe]);
        let waits = format!("step {}", 2 * most + 1);
        let Outcome::Deadlock(waiting) = outcome else { panic!("{outcome:?}") };
        assert_eq!((waiting[0].call.as_str(), seen[1][1].as_str()), (waits.as_str(), &*most.to_string()));
    }
}

/// Eight may be sent in a row, and the ninth waits. It goes on when the fifth has been received, which has asked, as well as when
/// it has been received itself; when any other has been, it does not.
#[test]
fn a_full_run_goes_on_when_the_message_that_asked_is_received() {
    for (tag, goes_on) in (0..9).map(|tag| (tag, tag == 4 || tag == 8)) {
        let scripts = vec![sends(9), vec![match_message(0, 8), receive_matched_or(tag, 8), wait(0)]];
        let (outcome, seen) = run_at(at_most(8), scripts);
        assert_eq!(seen[1].last().expect("it receives"), &format!("0 {tag} [120]"));
        assert_eq!(outcome == Outcome::Finished, goes_on, "{tag}: {outcome:?}");
    }
}

/// Receives the message with a tag, which has been taken out of the queue if it is this one.
fn receive_matched_or(tag: i32, matched: i32) -> Step {
    if tag != matched {
        return receive(0, tag, 1);
    }
    step(|process, actions, notes| {
        let id = notes.messages[0];
        notes.requests.push(process.receive_matched(actions, id, 1).expect("it is matched"));
    })
}

#[test]
fn ready_messages_in_a_row_ask_too() {
    let sends = (0..7).flat_map(|i| [send(Mode::Ready, 1, i, b"x"), wait(i as usize)]).collect();
    let receives = (0..7).map(|i| receive(0, i, 1)).chain([wait(6)]).collect();
    let (outcome, seen) = run_at(at_most(2), vec![sends, receives]);
    assert_eq!((outcome, seen[1].as_slice()), (Outcome::Finished, &["0 6 [120]".to_owned()][..]));
}

/// How ranks of a ring send to the right and receive from the left.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// A send, then a receive.
    Blocking,
    /// A send whose request is waited for after the receive.
    Nonblocking,
    /// A send in a buffer.
    Buffered,
    /// Both under one request.
    Exchange,
}

/// A ring of ranks: each sends a batch of messages to the right and receives one from the left, as often as it is to.
fn ring(size: i32, way: Way, batch: usize, times: usize) -> Vec<Vec<Step>> {
    let of_rank = |rank: i32| {
        let (right, left) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut steps = vec![step(|process, _, _| {
            process.attach_buffer(BufferOf::Process, None).expect("none before");
        })];
        for _ in 0..times {
            for _ in 0..batch {
                steps.push(match way {
                    Way::Exchange => exchange(right, b"x", left, 1),
                    Way::Buffered => send(Mode::Buffered, right, 0, b"x"),
                    Way::Blocking | Way::Nonblocking => send(Mode::Standard, right, 0, b"x"),
                });
                if !matches!(way, Way::Nonblocking) {
                    steps.push(end_last());
                }
            }
            if matches!(way, Way::Exchange) {
                continue;
            }
            for _ in 0..batch {
                steps.extend([receive(left, 0, 1), end_last()]);
            }
            if matches!(way, Way::Nonblocking) {
                steps.extend((0..batch).map(|_| end_last()));
            }
        }
        steps
    };
    (0..size).map(of_rank).collect()
}

/// Waits for the request that was made last.
fn end_last() -> Step {
    Box::new(|process, _, notes| {
        let id = *notes.requests.last().expect("there is one");
        let is_over = process.is_complete(id).expect("it is a request");
        if is_over {
            notes.requests.pop();
            process.finish(id).expect("it is complete");
        }
        is_over
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Ranks that send and receive in turn end, whatever the latency, as long as no receiver is behind by more than half of
    /// what is allowed.
    #[test]
    fn rings_end(
        size in 2_i32..6,
        way in prop_oneof![
            Just(Way::Blocking), Just(Way::Nonblocking), Just(Way::Buffered), Just(Way::Exchange)
        ],
        most in 2_u32..40,
        share in 1_usize..20,
        latency_ns in prop_oneof![Just(0_u64), 1_u64..3000],
        overhead_ns in prop_oneof![Just(0_u64), 1_u64..100],
    ) {
        let batch = share.min(most as usize / 2);
        let costs = Costs { eager_messages: most, ..Costs::of_overhead(Duration::from_ns(overhead_ns)) };
        let network = Ideal { latency: Duration::from_ns(latency_ns), ..Ideal::default() };
        let (outcome, _) = run_on(&network, costs, ring(size, way, batch, 100 / batch + 1));
        prop_assert_eq!(outcome, Outcome::Finished);
    }
}

/// Two ranks that send each other more than is allowed before they receive anything wait for each other.
#[test]
fn what_nobody_receives_before_it_is_sent_ends_at_the_bound() {
    let ended = |batch| run_at(at_most(16), ring(2, Way::Blocking, batch, 1)).0;
    assert_eq!(ended(16), Outcome::Finished);
    let Outcome::Deadlock(waiting) = ended(17) else { panic!("it has to wait") };
    assert_eq!(waiting.len(), 2);
}
