//! Graphs of work written by hand and drawn: when they are over, and that lists are graphs of one stream. Costs of messages are those of
//! the file `by_hand`.

use crate::by_hand::profile;
use crate::logged::{replay, setting};
use proptest::prelude::*;
use std::sync::Arc;
use weir_capi::harness::Machine;
use weir_formats::graph::{GraphFile, read_text};
use weir_network::harness::Recorded;
use weir_network::record::{Keep, MessageTimes, Requested};
use weir_network::{Ended, Outcome, RunContext};
use weir_operations::{Task, Tasks};
use weir_replay::{GraphReplay, GraphSetting};

fn graph(ranks: usize, lines: &str) -> GraphFile {
    let text = format!("weir-graph 1\nranks {ranks}\n{}\n", lines.replace(';', "\n"));
    read_text(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"))
}

/// Carries out a graph; the messages that it sends, too.
fn run(graph: &GraphFile, window: usize) -> (Ended, Vec<MessageTimes>) {
    run_tasks(graph, window, Box::new(Arc::clone(&graph.tasks).tasks()))
}

/// The tasks of a graph, of which nothing is known before they are read.
struct AllAtOnce<T>(T);

impl<T: Tasks> Tasks for AllAtOnce<T> {
    fn ranks(&self) -> usize {
        self.0.ranks()
    }

    fn next(&mut self, rank: usize) -> Result<Option<Task>, String> {
        self.0.next(rank)
    }

    fn unread_wait_for(&self, _: usize) -> Option<u64> {
        None
    }
}

fn run_tasks(graph: &GraphFile, window: usize, tasks: Box<dyn Tasks + Send>) -> (Ended, Vec<MessageTimes>) {
    let machine = Machine::timed(graph.tasks.ranks());
    let setting = GraphSetting { replay: setting(&machine), window };
    let mut ranks = GraphReplay::all(tasks, &graph.communicators, setting);
    let requested = Requested { messages: Keep::Yes, ..Requested::default() };
    let mut kept = Recorded { requested, ..Recorded::default() };
    let context = RunContext::new(&machine.placement).recorder(Some(&mut kept));
    let ended = machine.network.run(&mut ranks, context);
    if ended.outcome == Outcome::Finished {
        assert_eq!(ranks.iter().map(GraphReplay::done).sum::<u64>(), graph.tasks.len());
    }
    (ended, kept.messages)
}

/// When a graph is over, in nanoseconds.
fn end_of(ranks: usize, lines: &str) -> u64 {
    let (ended, _) = run(&graph(ranks, lines), 100);
    assert_eq!(ended.outcome, Outcome::Finished, "{lines}");
    ended.at.as_ps() / 1000
}

#[test]
fn ends_by_hand() {
    // A message of 8 bytes is received 1032 ns after it was sent.
    for (lines, end) in [
        ("", 0),
        ("0 compute 5 us", 5000),
        // One after the other on one stream, side by side on two.
        ("0 compute 5 us; 0 compute 3 us", 8000),
        ("0 compute 5 us; 0 compute 3 us stream 1", 5000),
        // Ready at once, but a stream does one thing at a time.
        ("0 compute 5 us stream 1; 0 compute 3 us stream 1 requires", 8000),
        ("0 send 1 8; 1 recv 0 8", 1032),
        ("0 compute 2 us; 0 send 1 8; 1 recv 0 8", 3032),
        // The send need not wait for what another stream computes.
        ("0 compute 2 us stream 1; 0 send 1 8; 1 recv 0 8; 1 compute 1 us", 2032),
        ("0 compute 2 us stream 1; 0 send 1 8 requires 0; 1 recv 0 8", 3032),
        // The beginning of a task is enough.
        ("0 compute 2 us stream 1; 0 compute 9 us stream 2 begun 0; 0 send 1 8 begun 1; 1 recv 0 8", 9000),
        // The processor computes: a send that is ready meanwhile waits for it.
        ("0 compute 2 us; 0 send 1 8 requires; 1 recv 0 8", 3032),
        ("0 send 1 8; 1 recv 0 8; 1 send 0 8; 0 recv 1 8", 2064),
        ("0 barrier; 1 compute 4 us; 1 barrier", 5020),
    ] {
        assert_eq!(end_of(2, lines), end, "{lines}");
    }
}

#[test]
fn deadlocks_name_who_is_awaited() {
    let (ended, _) = run(&graph(2, "0 recv 1 8 tag 3; 1 recv 0 8 tag 3; 1 send 0 8"), 100);
    let Outcome::Deadlock(waiting) = ended.outcome else { panic!("{:?}", ended.outcome) };
    let calls: Vec<&str> = waiting.iter().map(|one| one.call.as_str()).collect();
    assert_eq!(calls, ["recv (task 0)", "recv (task 0)"]);
}

/// A send that waits for nothing stands behind more tasks that wait than are read.
#[test]
fn a_full_window_is_named() {
    let lines = "0 recv 1 8; 0 compute 1 us; 0 compute 1 us; 0 send 1 8 requires; 1 recv 0 8; 1 send 0 8";
    let (ended, _) = run(&graph(2, lines), 3);
    assert_eq!(ended.outcome, Outcome::Finished);
    let (ended, _) = run(&graph(2, lines), 2);
    let Outcome::Deadlock(waiting) = ended.outcome else { panic!("{:?}", ended.outcome) };
    let window = ("window", "2 tasks, and no more are read before one of them begins".to_owned());
    assert!(waiting[0].details.contains(&window), "{waiting:?}");
    assert!(!waiting[1].details.iter().any(|(what, _)| *what == "window"), "{waiting:?}");
}

/// What a rank does in a step of the lists that are drawn: work, and a message to the rank so many places on.
type Drawn = (u64, u32, u64);

/// The same steps of four ranks as lines of a profile or of a graph: each rank sends, and then receives.
fn lines(steps: &[Drawn]) -> String {
    let mut lines = String::new();
    for rank in 0..4_u32 {
        for &(work, by, bytes) in steps {
            let (to, from) = ((rank + by) % 4, (rank + 4 - by) % 4);
            let work = work * u64::from(rank + 1);
            // An event of a profile has work of its own before it.
            lines +=
                &format!("{rank} compute {work} ns; {rank} send {to} {bytes}; {rank} recv {from} {bytes};");
        }
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A list is a graph of one stream: the same messages at the same times, however small the window.
    #[test]
    fn lists_are_graphs_of_one_stream(
        steps in proptest::collection::vec((0..3000_u64, 1..4_u32, 0..60_u64), 1..6),
        window in 1..4_usize,
    ) {
        let lines = lines(&steps);
        let machine = Machine::timed(4);
        let (listed, _) = replay(&profile(4, &lines), &machine, setting(&machine));
        let graph = graph(4, &lines);
        let (ended, messages) = run(&graph, window);
        prop_assert_eq!(&ended.outcome, &Outcome::Finished);
        prop_assert_eq!(ended.at, listed.at);
        prop_assert_eq!(ended.traffic.messages, listed.traffic.messages);
        let (again, same) = run(&graph, 1000);
        prop_assert_eq!((ended.digest, messages), (again.digest, same));
        // Written and read again, it is the same.
        let mut text = Vec::new();
        graph.write(&mut text).unwrap();
        let read = read_text(text.as_slice()).unwrap();
        prop_assert_eq!(run(&read, window).0.digest, ended.digest);
    }

    /// Streams that do not know of each other are over when the longest of them is.
    #[test]
    fn streams_are_side_by_side(
        tasks in proptest::collection::vec((0..5_u32, 0..3000_u64), 0..30),
        window in 1..40_usize,
    ) {
        let lines: Vec<String> =
            tasks.iter().map(|(stream, time)| format!("0 compute {time} ns stream {stream}")).collect();
        let mut sums = [0; 5];
        tasks.iter().for_each(|(stream, time)| sums[*stream as usize] += time);
        let (ended, _) = run(&graph(1, &lines.join(";")), window.max(tasks.len()));
        prop_assert_eq!(ended.at.as_ps() / 1000, sums.into_iter().max().unwrap());
    }
    /// Tasks are read when they may begin: everything is as if all of them had been read at once.
    #[test]
    fn nothing_hangs_on_when_tasks_are_read(
        drawn in proptest::collection::vec(
            (0..2_u32, 0..4_u8, 0..3_u32, 0..2000_u64, proptest::option::weighted(0.4, proptest::collection::vec((1..9_u64, any::<bool>()), 0..4))),
            1..60,
        ),
    ) {
        let mut lines = Vec::new();
        let mut counts = [0_u64; 2];
        for (rank, kind, stream, number, requires) in drawn {
            let count = counts[rank as usize];
            let other = 1 - rank;
            let mut line = match kind {
                0 => format!("{rank} send {other} {number}"),
                1 => format!("{rank} recv {other} 2000"),
                _ => format!("{rank} compute {number} ns"),
            };
            line += &format!(" stream {stream}");
            if let Some(requires) = requires {
                let of = |is_begun: bool| {
                    let numbers = requires.iter().filter(|(back, begun)| *begun == is_begun && *back <= count);
                    numbers.map(|(back, _)| format!(" {}", count - back)).collect::<String>()
                };
                let begun = of(true);
                line += &format!(" requires{}", of(false));
                if !begun.is_empty() {
                    line += &format!(" begun{begun}");
                }
            }
            counts[rank as usize] += 1;
            lines.push(line);
        }
        let graph = graph(2, &lines.join(";"));
        let (ended, messages) = run(&graph, 1000);
        let all = Box::new(AllAtOnce(Arc::clone(&graph.tasks).tasks()));
        let (at_once, same) = run_tasks(&graph, 1000, all);
        prop_assert_eq!((&ended.outcome, ended.at, messages), (&at_once.outcome, at_once.at, same));
        prop_assert_eq!(ended.digest, at_once.digest);
    }
}
