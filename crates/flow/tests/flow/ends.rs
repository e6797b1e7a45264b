//! How runs end before their time: by limits, by ranks that poll in vain, by whoever cannot keep more.

use crate::common::{RULES, UNIT, run, seconds, torus};
use std::sync::Arc;
use weir_flow::{Flow, FlowEnded, NodeModel};
use weir_network::harness::Recorded;
use weir_network::record::{Keep, Recorder, Requested};
use weir_network::{
    Actions, Class, Event, Limits, Notice, Outcome, Peer, Placement, Program, RunContext, Send, Waiting,
};
use weir_topology::{Topology, Wrap};
use weir_units::{Bytes, Duration, Rank, Time};
use weir_workload::{Entry, Queue, Script};

/// A ring of four nodes, links of 1 B/s.
fn ring() -> Topology {
    torus(&[4], Wrap::Torus, Duration::ZERO)
}

/// Rank 0 looks once a second for something that never comes. Rank 1 sends so many bytes to rank 2.
pub(crate) struct Looking(pub(crate) u64);

impl Program for Looking {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let now = actions.now();
        match (actions.rank().0, event) {
            (0, Event::Start | Event::Timer { .. }) => {
                actions.set_poll_timer(now + Duration::from_ps(UNIT), 0)
            }
            (1, Event::Start) if self.0 > 0 => {
                let (to, bytes, class, notice) = (Rank(2), Bytes(self.0), Class::Data, Notice::None);
                actions.send(Send { at: now, to, bytes, class, notice, body: () });
            }
            _ => {}
        }
    }

    fn waiting(&self) -> Option<Waiting> {
        Some(Waiting { rank: Rank(0), call: "look".into(), peer: Peer::Any, details: vec![] })
    }
}

/// A run in which nothing but looks happens is stuck after 60 s of them, under each rule. While 100 B flow it is not, though
/// that is longer; their arrival at 100 s is progress, too.
#[test]
fn looking_in_vain_is_a_deadlock() {
    for (bytes, end) in [(0, 61), (10, 71), (100, 161)] {
        for sharing in RULES {
            let flow = Flow { sharing, ..Flow::default() };
            let mut programs = [bytes; 4].map(Looking);
            let ended = run(flow, &ring(), &Placement::one_per_node(4), &mut programs);
            assert!(matches!(ended.ended.outcome, Outcome::Deadlock(_)), "{:?}", ended.ended.outcome);
            assert_eq!((ended.ended.at, ended.until), (seconds(end), seconds(end)), "{bytes} B");
        }
    }
}

/// Rank 0 sends 8 B to rank 1, which takes 8 s, rank 2 sends 2 B to rank 3 and nothing else happens.
fn limited(tenths: u64, kept: Option<&mut Recorded>) -> FlowEnded {
    let send = |to, bytes| vec![Entry::Send { to: Rank(to), bytes: Bytes(bytes), wait: Duration::ZERO }];
    let script = Script::new(vec![send(1, 8), vec![], send(3, 2), vec![]]).expect("four ranks");
    let mut programs = Queue::all(Arc::new(script));
    let limits = Limits { simulated: Time::from_ps(tenths * UNIT / 10), ..Limits::default() };
    let (placement, node) = (Placement::one_per_node(4), NodeModel::default());
    let recorder = kept.map(|kept| kept as &mut dyn Recorder);
    let context = RunContext::new(&placement).limits(limits).recorder(recorder);
    Flow::default().run(&ring(), &[], &mut programs, &node, context)
}

/// A limited run ends at its limit, not at the last event before it, and links have carried what they can until then: three
/// links of either route, 5.5 B each and 2 B each. A limit at the very end of the run is none.
#[test]
fn a_limit_ends_the_run_at_the_limit() {
    let ended = limited(55, None);
    assert_eq!(ended.ended.outcome, Outcome::Limit("limits.simulated_time = 5.5 s is over".into()));
    let limit = Time::from_ps(11 * UNIT / 2);
    assert_eq!((ended.ended.at, ended.until, ended.ended.traffic.messages), (limit, limit, 1));
    assert_eq!(ended.link_bytes.iter().sum::<f64>(), 3.0 * 5.5 + 3.0 * 2.0);

    let ended = limited(80, None);
    assert_eq!((ended.ended.outcome, ended.ended.at), (Outcome::Finished, seconds(8)));
    assert_eq!(ended.link_bytes.iter().sum::<f64>(), 3.0 * 8.0 + 3.0 * 2.0);
}

/// Whoever cannot keep more than the message that is there at 2 s is asked before anything else happens, at 8 s.
#[test]
fn a_recorder_that_fails_ends_the_run() {
    let requested = Requested { messages: Keep::Yes, ..Requested::default() };
    let mut kept = Recorded { requested, fails_after: Some(1), ..Recorded::default() };
    let ended = limited(100, Some(&mut kept)).ended;
    assert_eq!((ended.at, ended.traffic.messages, kept.messages.len()), (seconds(2), 1, 1));
}

/// The watch is shown that tables are being made, before anything of the run.
#[test]
fn the_watch_is_shown_the_tables() {
    let mut stages = Vec::new();
    let (placement, node) = (Placement::one_per_node(4), NodeModel::default());
    let mut programs = [0; 4].map(Looking);
    Flow::default().run(
        &ring(),
        &[],
        &mut programs,
        &node,
        RunContext::new(&placement).watch(&mut |progress| {
            stages.push(progress.stage.map(|stage| stage.what));
        }),
    );
    let tables =
        stages.iter().take_while(|stage| **stage == Some("the tables of the flow engine are being made"));
    assert_eq!(tables.count(), 1, "{stages:?}");
}
