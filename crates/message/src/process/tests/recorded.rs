//! What is reported of messages: when a receive took each, and what remains of those that nobody received.

use super::*;
use crate::SendChoices;
use weir_network::SendOptions;
use weir_network::harness::Recorded;
use weir_network::record::{Keep, Requested};

/// Three messages of a byte arrive at 1,000 ns. A receive for the first is posted before; the second is taken by one that is
/// posted at 5,000 ns; the third by none.
#[test]
fn messages_are_taken_when_their_receive_is_posted() {
    let network = Ideal { latency: Duration::from_ns(1000), ..Ideal::default() };
    let send = |tag| send(Mode::Standard, 1, tag, b"x");
    let scripts = vec![
        vec![send(1), send(2), send(3)],
        vec![receive(0, 1, 1), wait(0), until(5000), receive(0, 2, 1), wait(1)],
    ];
    let mut ranks = scripted(&Costs::default(), scripts, &Notes::default);
    let requested = Requested { messages: Keep::Yes, ..Requested::default() };
    let mut reported = Recorded { requested, ..Recorded::default() };
    let placement = Placement::one_per_node(2);
    let ended = network.run(&mut ranks, RunContext::new(&placement).recorder(Some(&mut reported)));
    assert_eq!(ended.outcome, Outcome::Finished);
    let in_ns = |time: Time| time.as_ps() / 1000;
    reported.messages.sort_by_key(|message| message.sequence);
    let found: Vec<(u64, Option<u64>)> =
        reported.messages.iter().map(|message| (in_ns(message.arrived), message.taken.map(in_ns))).collect();
    assert_eq!(found, [(1000, Some(1000)), (1000, Some(5000)), (1000, None)]);
}

#[test]
fn what_nobody_received_is_listed_with_its_communicator() {
    let scripts = vec![
        vec![step(|process, actions, _| {
            let copy = process.duplicate(WORLD).expect("the world");
            for (communicator, tag, data) in [(copy, 4, &b"abc"[..]), (WORLD, 5, b"d")] {
                process.send(actions, Mode::Standard, communicator, 1, tag, data).expect("valid");
            }
        })],
        vec![
            step(|process, _, _| _ = process.duplicate(WORLD).expect("the world")),
            Box::new(|process, _, notes| {
                let in_words = |message: Vec<(&str, String)>| {
                    message
                        .iter()
                        .map(|(name, value)| format!("{name} {value}"))
                        .collect::<Vec<_>>()
                        .join(", ")
                };
                let listed: Vec<String> = process.unreceived().map(in_words).collect();
                let all = listed.len() == 2;
                if all {
                    notes.seen.extend(listed);
                }
                all
            }),
        ],
    ];
    let (outcome, seen) = run(1000, scripts);
    assert_eq!(outcome, Outcome::Finished);
    let expected = [
        "source 0, tag 4, communicator dup of MPI_COMM_WORLD, bytes 3",
        "source 0, tag 5, communicator MPI_COMM_WORLD, bytes 1",
    ];
    assert_eq!(seen[1], expected);
}

#[test]
fn communicators_have_names_until_they_are_freed() {
    let mut process = Process::new(Rank::new(0), 2, Costs::default());
    let copy = process.duplicate(WORLD).expect("the world");
    let context = |process: &Process, id| process.communicator(id).expect("it is there").context;
    let contexts = [WORLD, copy].map(|id| context(&process, id));
    assert_eq!(
        contexts.map(|context| process.communicator_name(context)),
        ["MPI_COMM_WORLD", "dup of MPI_COMM_WORLD"]
    );
    process.free(copy).expect("it is there");
    assert_eq!(process.communicator_name(contexts[1]), "a communicator that is freed");
}

/// Only what differs from what the machine would do goes with a message.
#[test]
fn ways_that_say_nothing_are_left_out() {
    let mut process = Process::new(Rank::new(0), 2, Costs::default());
    for (way, found) in [
        (SendOptions::default(), None),
        (SendOptions::default().with_nic(Some(2)), Some(SendOptions::default().with_nic(Some(2)))),
        (SendOptions::default(), None),
    ] {
        process.choose(SendChoices { way, ..SendChoices::default() });
        assert_eq!(process.chosen_way().map(|way| *way), found);
    }
}
