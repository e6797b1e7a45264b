//! Rarer ways of messages, between ranks on a network without latency.

use super::{Exchange, Process};
use crate::window::Until;
use crate::{
    Body, BufferOf, CommunicatorId, Costs, MessageId, Mode, MpiError, PartitionChannel, RequestId, Status,
};
use weir_network::causes::Ledger;
use weir_network::{Actions, Event, Ideal, Outcome, Peer, Placement, Program, RunContext, Waiting};
use weir_units::{Bandwidth, Bytes, Duration, Rank, Time};

mod accounted;
mod agreement;
mod buffers;
mod costs;
mod eager;
mod explained;
mod observed;
mod progress;
mod recorded;
mod requests;
mod windows;

const WORLD: CommunicatorId = CommunicatorId::WORLD;

/// What a rank remembers between its steps.
#[derive(Default)]
struct Notes {
    requests: Vec<RequestId>,
    messages: Vec<MessageId>,
    channel: Option<PartitionChannel>,
    /// What its work is multiplied by, if by anything.
    work: u64,
    /// The memory of its window, and the data that it has got from those of others.
    memory: [u8; 8],
    fetched: Vec<u8>,
    /// What it has seen; the test looks at this.
    seen: Vec<String>,
}

/// A step of a rank; called at every event until it says that it is done.
type Step = Box<dyn FnMut(&mut Process, &mut Actions<Body>, &mut Notes) -> bool>;

struct Scripted {
    process: Process,
    steps: Vec<Step>,
    next: usize,
    notes: Notes,
}

impl Program for Scripted {
    type Body = Body;

    fn react(&mut self, event: Event<Body>, actions: &mut Actions<Body>) {
        self.process.begin_event(actions);
        match event {
            Event::Start | Event::Timer { .. } => {}
            Event::Arrived(message) => self.process.arrived(actions, message),
            Event::Departed { sequence } => self.process.departed(actions, sequence),
        }
        windows::serve(&mut self.process, actions, &mut self.notes);
        while let Some(step) = self.steps.get_mut(self.next)
            && step(&mut self.process, actions, &mut self.notes)
        {
            self.next += 1;
        }
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        Some(self.process.ledger())
    }

    fn waiting(&self) -> Option<Waiting> {
        (self.next < self.steps.len()).then(|| {
            let has_window = self.process.is_window(windows::WINDOW).is_ok();
            let explained = || self.process.explain_window(windows::WINDOW, Until::Granted);
            let (peer, details) = if has_window { explained() } else { (Peer::Any, vec![]) };
            Waiting { rank: self.process.rank(), call: format!("step {}", self.next), peer, details }
        })
    }
}

fn step(mut run: impl FnMut(&mut Process, &mut Actions<Body>, &mut Notes) + 'static) -> Step {
    Box::new(move |process, actions, notes| {
        run(process, actions, notes);
        true
    })
}

/// Waits for request `index` of the notes and notes what it brings.
fn wait(index: usize) -> Step {
    Box::new(move |process, _, notes| {
        let id = notes.requests[index];
        if !process.is_complete(id).expect("it is a request") {
            return false;
        }
        let completion = process.finish(id).expect("it is complete");
        let Status { source, tag, cancelled, error, .. } = completion.status;
        let error = error.map_or_else(String::new, |error| format!(" {error}"));
        let cancelled = if cancelled { " cancelled" } else { "" };
        notes.seen.push(format!("{source} {tag} {:?}{cancelled}{error}", completion.data.bytes()));
        true
    })
}

fn send(mode: Mode, to: i32, tag: i32, data: &'static [u8]) -> Step {
    step(move |process, actions, notes| {
        let sent = process.send(actions, mode, WORLD, to, tag, data).expect("a valid send");
        notes.requests.push(sent.unwrap_or_else(|| process.completed()));
    })
}

fn receive(from: i32, tag: i32, capacity: u64) -> Step {
    step(move |process, actions, notes| {
        notes.requests.push(process.receive(actions, WORLD, from, tag, capacity).expect("a valid receive"));
    })
}

/// Sends and receives with tag 4, under one request.
fn exchange(to: i32, data: &'static [u8], from: i32, capacity: u64) -> Step {
    step(move |process, actions, notes| {
        let data = data.into();
        let exchange = Exchange { to, send_tag: 4, data, from, receive_tag: 4, capacity };
        notes.requests.push(process.exchange(actions, WORLD, exchange).expect("valid"));
    })
}

/// Waits until this instant, in ns.
fn until(ns: u64) -> Step {
    let (then, mut is_set) = (Time::from_ps(1000 * ns), false);
    Box::new(move |_, actions, _| {
        if !std::mem::replace(&mut is_set, true) && actions.now() < then {
            actions.set_timer(then, ns);
        }
        actions.now() >= then
    })
}

/// Notes the rank's clock, in ns.
fn clock() -> Step {
    step(|process, _, notes| notes.seen.push((process.clock().as_ps() / 1000).to_string()))
}

/// Waits until a message with this tag is there, and takes it out of the queue.
fn match_message(from: i32, tag: i32) -> Step {
    Box::new(move |process, _, notes| {
        let selector = process.selector(WORLD, from, tag).expect("valid");
        let Some((id, status)) = process.match_message(&selector) else { return false };
        notes.messages.push(id);
        notes.seen.push(format!("found {} bytes", status.bytes));
        true
    })
}

/// Runs a script per rank; how it ended and what each has seen.
fn run(eager_limit: u64, scripts: Vec<Vec<Step>>) -> (Outcome, Vec<Vec<String>>) {
    run_at(Costs { eager_limit: Bytes(eager_limit), ..Costs::default() }, scripts)
}

fn run_at(costs: Costs, scripts: Vec<Vec<Step>>) -> (Outcome, Vec<Vec<String>>) {
    run_on(&Ideal::default(), costs, scripts)
}

fn run_on(network: &Ideal, costs: Costs, scripts: Vec<Vec<Step>>) -> (Outcome, Vec<Vec<String>>) {
    let placement = Placement::one_per_node(scripts.len());
    run_placed(network, &placement, costs, scripts)
}

fn run_placed(
    network: &Ideal,
    placement: &Placement,
    costs: Costs,
    scripts: Vec<Vec<Step>>,
) -> (Outcome, Vec<Vec<String>>) {
    let mut ranks = scripted(&costs, scripts, &Notes::default);
    let ended = network.run(&mut ranks, RunContext::new(placement));
    (ended.outcome, ranks.into_iter().map(|rank| rank.notes.seen).collect())
}

/// A rank for each script.
fn scripted(costs: &Costs, scripts: Vec<Vec<Step>>, notes: &dyn Fn() -> Notes) -> Vec<Scripted> {
    let size = scripts.len();
    let script = |(rank, steps)| {
        let process = Process::new(Rank::new(rank), size, costs.clone());
        Scripted { process, steps, next: 0, notes: notes() }
    };
    scripts.into_iter().enumerate().map(script).collect()
}

/// The same scripts with eager messages, by rendezvous, and with both in turn end well, and rank 1 sees this.
#[track_caller]
fn check(scripts: impl Fn() -> Vec<Vec<Step>>, expected: &[&str]) {
    for (limit, eager_messages) in [(1000, 100), (0, 100), (1000, 1)] {
        let costs = Costs { eager_limit: Bytes(limit), eager_messages, ..Costs::default() };
        let (outcome, seen) = run_at(costs, scripts());
        assert_eq!(outcome, Outcome::Finished, "eager limit {limit}, {eager_messages} in a row: {seen:?}");
        assert_eq!(seen[1], expected, "eager limit {limit}, {eager_messages} in a row");
    }
}

/// A send is withdrawn until somebody has taken it.
#[test]
fn a_send_that_nobody_has_taken_is_withdrawn() {
    let cancelled = |first: Vec<Step>, more: Vec<Step>| {
        let cancel =
            step(|process, actions, notes| process.cancel(actions, notes.requests[0]).expect("a request"));
        let sender = [send(Mode::Synchronous, 0, 1, b"x"), cancel, wait(0)];
        let (outcome, seen) = run(0, vec![first, sender.into_iter().chain(more).collect()]);
        assert_eq!(outcome, Outcome::Finished);
        seen
    };
    let seen = cancelled(vec![receive(1, 2, 1), wait(0)], vec![send(Mode::Synchronous, 0, 2, b"y"), wait(1)]);
    assert_eq!(seen, [vec!["1 2 [121]"], vec!["-1 -2 [] cancelled", "-1 -2 []"]]);
    let seen = cancelled(vec![receive(1, 1, 1), wait(0)], vec![]);
    assert_eq!(seen, [["1 1 [120]"], ["-1 -2 []"]]);
}

#[test]
fn an_exchange_is_one_request() {
    let both = |peer, data| vec![exchange(peer, data, peer, 2), wait(0)];
    check(|| vec![both(1, b"to"), both(0, b"fro")], &["0 4 [116, 111]"]);
}

/// Three partitions of two bytes, the last ready first; the receiver cuts them in two and looks at the second half.
#[test]
fn partitions_go_when_they_are_ready() {
    let scripts = || {
        let ready = |number: u32, data: &'static [u8]| {
            step(move |process, actions, notes| {
                let channel = notes.channel.expect("made before");
                process.partition_ready(actions, notes.requests[0], &channel, number, data);
            })
        };
        let sender = vec![
            step(|process, actions, notes| {
                let channel = process.partitioned_send(WORLD, 1, 5).expect("valid");
                notes.requests.push(process.start_partitioned_send(actions, &channel, 3));
                notes.channel = Some(channel);
            }),
            ready(2, b"EF"),
            ready(1, b"CD"),
            receive(1, 6, 0),
            wait(1),
            ready(0, b"AB"),
            wait(0),
        ];
        let receiver = vec![
            step(|process, actions, notes| {
                let channel = process.partitioned_receive(WORLD, 0, 5).expect("valid");
                notes.requests.push(process.start_partitioned_receive(actions, &channel, vec![0; 6].into()));
            }),
            Box::new(|process: &mut Process, _: &mut Actions<Body>, notes: &mut Notes| {
                let Some(half) = process.partition(notes.requests[0], 3..6).expect("a request") else {
                    return false;
                };
                notes.seen.push(format!("{half:?}"));
                assert_eq!(process.partition(notes.requests[0], 0..3), Ok(None));
                true
            }) as Step,
            send(Mode::Standard, 0, 6, b""),
            wait(0),
        ];
        vec![sender, receiver]
    };
    check(scripts, &["[68, 69, 70]", "0 5 [65, 66, 67, 68, 69, 70]"]);
}

/// Sends so many partitions of these bytes, one after the other, and then a plain message with tag 6.
fn partitioned_send(partitions: u32, data: &'static [u8]) -> Vec<Step> {
    let start = step(move |process, actions, notes| {
        let channel = process.partitioned_send(WORLD, 1, 5).expect("valid");
        let request = process.start_partitioned_send(actions, &channel, partitions as usize);
        (0..partitions).for_each(|number| process.partition_ready(actions, request, &channel, number, data));
        notes.requests.push(request);
    });
    vec![start, wait(0), send(Mode::Standard, 1, 6, b"")]
}

/// Receives partitions into so much room, then the plain message; notes how many messages lie there unasked for.
fn partitioned_receive(room: usize) -> Vec<Step> {
    let start = step(move |process, actions, notes| {
        let channel = process.partitioned_receive(WORLD, 0, 5).expect("valid");
        notes.requests.push(process.start_partitioned_receive(actions, &channel, vec![0; room].into()));
    });
    let left = step(|process, _, notes| notes.seen.push(format!("{} left", process.unexpected())));
    vec![start, wait(0), receive(0, 6, 0), wait(1), left]
}

/// Of partitions without bytes one message goes, with the last, so that the receiver knows.
#[test]
fn partitions_of_nothing() {
    for partitions in [1, 2, 3] {
        let scripts = || vec![partitioned_send(partitions, b""), partitioned_receive(0)];
        check(scripts, &["0 5 []", "0 6 []", "0 left"]);
    }
}

/// What there is no room for is an error of the receive; what there is room for has come.
#[test]
fn partitions_without_room() {
    let scripts = || vec![partitioned_send(2, b"ABC"), partitioned_receive(4)];
    let error = MpiError::Truncate { message: 6, buffer: 4 };
    check(scripts, &[&format!("0 5 [65, 66, 67, 0] {error}"), "0 6 []", "0 left"]);
    let scripts = || vec![partitioned_send(2, b"ABC"), partitioned_receive(6)];
    check(scripts, &["0 5 [65, 66, 67, 65, 66, 67]", "0 6 []", "0 left"]);
}

/// Ranks and tags that there are not, on both sides; nobody is a rank.
#[test]
fn partitioned_arguments_are_checked() {
    let mut process = Process::new(Rank(0), 2, Costs::default());
    for (peer, tag, error) in [(2, 5, MpiError::Rank { rank: 2, size: 2 }), (1, -3, MpiError::Tag(-3))] {
        assert_eq!(process.partitioned_send(WORLD, peer, tag).err(), Some(error.clone()));
        assert_eq!(process.partitioned_receive(WORLD, peer, tag).err(), Some(error));
    }
    assert!(process.partitioned_receive(WORLD, crate::PROC_NULL, 5).is_ok());
}

/// A request that is complete when it is given up is named at once, and only once.
#[test]
fn a_complete_request_given_up_is_named() {
    let mut process = Process::new(Rank(0), 1, Costs::default());
    let request = process.completed();
    assert!(!process.has_released());
    process.release(request).expect("a request");
    assert!(process.has_released());
    assert_eq!([process.next_released(), process.next_released()], [Some(request), None]);
    assert!(!process.has_released());
}

#[test]
fn a_ready_send_needs_its_receive() {
    let scripts = || vec![vec![receive(1, 1, 1), wait(0)], vec![send(Mode::Ready, 0, 1, b"x"), wait(0)]];
    check(scripts, &["-1 -2 []"]);
    for eager_limit in [1000, 0] {
        let scripts = vec![vec![receive(1, 2, 1), wait(0)], vec![send(Mode::Ready, 0, 1, b"x"), wait(0)]];
        let (outcome, _) = run(eager_limit, scripts);
        assert!(matches!(outcome, Outcome::Aborted { rank: Rank(0), .. }), "{outcome:?}");
    }
}

/// Rank 0 computes for 100 us before it posts its receive, which it can do before the network has come so far. By rendezvous,
/// or synchronously, the send ends then and not before; eager messages do not wait.
#[test]
fn a_receive_is_posted_by_the_clock_of_its_rank() {
    let compute = || step(|process, _, _| process.compute(Duration::from_ns(100_000)));
    for (mode, eager_limit, sent) in
        [(Mode::Standard, 0, "100000"), (Mode::Synchronous, 1000, "100000"), (Mode::Standard, 1000, "0")]
    {
        let scripts = vec![
            vec![compute(), receive(1, 1, 1), wait(0), clock()],
            vec![send(mode, 0, 1, b"x"), wait(0), clock()],
        ];
        let (outcome, seen) = run(eager_limit, scripts);
        assert_eq!(outcome, Outcome::Finished);
        let received = vec!["1 1 [120]".to_owned(), "100000".to_owned()];
        assert_eq!(seen, [received, vec!["-1 -2 []".to_owned(), sent.to_owned()]], "{mode:?} {eager_limit}");
    }
    for eager_limit in [1000, 0] {
        let scripts =
            vec![vec![compute(), receive(1, 1, 1), wait(0)], vec![send(Mode::Ready, 0, 1, b"x"), wait(0)]];
        let (outcome, _) = run(eager_limit, scripts);
        assert!(matches!(outcome, Outcome::Aborted { rank: Rank(0), .. }), "{outcome:?}");
    }
}

/// Rank 0 starts three messages of 1 us by rendezvous, to ranks 3, 2 and 1, over a network of 10 us. All are cleared at
/// 20 us; they leave in the order in which they have been started, one after the other, and arrive at 31, 32 and 33 us.
#[test]
fn what_is_cleared_at_one_instant_leaves_as_it_was_started() {
    let sends = [3, 2, 1].map(|to| send(Mode::Standard, to, 0, &[0; 1000]));
    let receiver = || {
        let arrival: Step = Box::new(|process, actions, notes| {
            let is_here = process.is_complete(notes.requests[0]).expect("it is a request");
            if is_here {
                notes.seen.push(actions.now().to_string());
            }
            is_here
        });
        vec![receive(0, 0, 1000), arrival]
    };
    let network = Ideal {
        latency: Duration::from_ns(10_000),
        bandwidth: Some(Bandwidth::new(1e9).expect("positive")),
        ..Ideal::default()
    };
    let costs = Costs { eager_limit: Bytes(0), ..Costs::default() };
    let scripts = vec![sends.into_iter().collect(), receiver(), receiver(), receiver()];
    let (outcome, seen) = run_on(&network, costs, scripts);
    assert_eq!(outcome, Outcome::Finished);
    assert_eq!(seen[1..].concat(), ["33 us", "32 us", "31 us"]);
}
