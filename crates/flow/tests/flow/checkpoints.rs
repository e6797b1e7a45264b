//! A run that is kept goes on as if nothing had been, and what was kept goes on as the run did: to the last bit.

use crate::common::{RULES, UNIT, bandwidth, fat_tree, torus};
use crate::detours::{ruled, sharings};
use crate::ends::Looking;
use crate::laws::firsts;
use proptest::prelude::*;
use proptest::sample::Index;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration as WallTime;
use weir_flow::{Change, Compare, Flow, FlowEnded, KeepCycles, NodeModel, Ties};
use weir_network::harness::{Answerer, First, Stops};
use weir_network::record::Keep;
use weir_network::{
    Checkpoints, Choose, Copying, EventLogged, Limits, Outcome, Placement, Program, RunContext, Serving,
    Striping, WithinNode,
};
use weir_topology::{Degraded, Topology, Wrap};
use weir_units::{Bytes, Duration, NodeId, Rank, Time};
use weir_workload::{Algorithm, AllToAll, Entry, Queue, Script, Steps};

#[derive(Clone, Debug)]
enum Work {
    /// From, to, bytes, and thirds of a second that the sender waits after it.
    Messages(Vec<(Index, Index, u64, u64)>),
    /// All to rank 0, one after the other: so many bytes.
    Incast(Vec<u64>),
    AllToAll(u64, Steps),
    /// Messages that are answered.
    Answers(Vec<(u32, First)>),
}

/// When the machine changes, in thirds of a second, and the cables that are slow or gone then.
type Faults = Vec<(u64, Vec<Index>, f64)>;

#[derive(Clone, Debug)]
struct Case {
    machine: Topology,
    faults: Faults,
    placement: Placement,
    node: NodeModel,
    flow: Flow,
    work: Work,
    /// Whether causes are kept.
    causes: Keep,
}

impl Case {
    /// The machine with these cables at a part of their speed.
    fn with(&self, cables: &[Index], speed: f64) -> Topology {
        let all = self.machine.router_cables();
        let links = cables.iter().filter(|_| !all.is_empty()).flat_map(|index| all[index.index(all.len())]);
        Topology::Degraded(Degraded::new(self.machine.clone(), links.map(|link| (link, speed)).collect()))
    }

    fn script(&self) -> Script {
        let ranks = self.placement.ranks();
        let mut entries = vec![Vec::new(); ranks];
        let send = |to: usize, bytes, wait| Entry::Send {
            to: Rank::new(to),
            bytes: Bytes(bytes),
            wait: Duration::from_ps(wait * UNIT / 3),
        };
        match &self.work {
            Work::Messages(messages) => {
                for &(from, to, bytes, wait) in messages {
                    entries[from.index(ranks)].push(send(to.index(ranks), bytes, wait));
                }
            }
            Work::Incast(sizes) => {
                for (rank, own) in entries.iter_mut().enumerate().skip(1) {
                    own.extend(sizes.iter().map(|size| send(0, size + rank as u64 % 3, 0)));
                }
            }
            Work::AllToAll(..) | Work::Answers(_) => {}
        }
        Script::new(entries).expect("all ranks exist")
    }

    fn run(&self, limits: Limits, checkpoints: Option<&mut dyn Checkpoints>) -> FlowEnded {
        let ranks = self.placement.ranks();
        match &self.work {
            Work::Messages(_) => self.play(&mut Queue::all(Arc::new(self.script())), limits, checkpoints),
            Work::Incast(_) => {
                let queues = Queue::all(Arc::new(self.script())).into_iter();
                self.play(&mut queues.map(EventLogged::new).collect::<Vec<_>>(), limits, checkpoints)
            }
            &Work::AllToAll(bytes, steps) => {
                let order = AllToAll::new(ranks, Bytes(bytes), Algorithm::SimpleSpread, steps);
                let order = order.expect("any number of ranks will do");
                self.play(&mut Queue::all(Arc::new(order)), limits, checkpoints)
            }
            Work::Answers(firsts) => {
                let programs = Answerer::all(ranks.max(4), firsts.iter().copied());
                let mut programs: Vec<_> = programs.into_iter().map(EventLogged::new).collect();
                self.play(&mut programs, limits, checkpoints)
            }
        }
    }

    fn play<P: Program>(
        &self,
        programs: &mut [P],
        limits: Limits,
        checkpoints: Option<&mut dyn Checkpoints>,
    ) -> FlowEnded
    where
        P::Body: Serialize + DeserializeOwned,
    {
        let machines: Vec<_> = self
            .faults
            .iter()
            .map(|(thirds, cables, speed)| (Time::from_ps(thirds * UNIT / 3), self.with(cables, *speed)))
            .collect();
        let changes: Vec<_> = machines.iter().map(|(at, topology)| Change { at: *at, topology }).collect();
        let context = RunContext::new(&self.placement).limits(limits).checkpoints(checkpoints);
        let context = context.causes(self.causes);
        self.flow.run(&self.machine, &changes, programs, &self.node, context)
    }
}

fn work() -> impl Strategy<Value = Work> {
    let bytes = prop_oneof![1 => Just(0), 5 => 1..9_u64];
    let message = (any::<Index>(), any::<Index>(), bytes, 0..3_u64);
    prop_oneof![
        3 => prop::collection::vec(message, 1..60).prop_map(Work::Messages),
        2 => prop::collection::vec(1..5_u64, 1..4).prop_map(Work::Incast),
        1 => (0..9_u64, prop_oneof![Just(Steps::Synchronised), Just(Steps::FreeRunning)])
            .prop_map(|(bytes, steps)| Work::AllToAll(bytes, steps)),
        2 => firsts().prop_map(Work::Answers),
    ]
}

/// Rules, a resolution or none, ties, and what else a run may be asked for.
fn flows() -> impl Strategy<Value = Flow> {
    let resolution = prop_oneof![3 => Just(0), 1 => 1..2 * UNIT];
    let ties =
        prop_oneof![3 => Just(Ties::Kept), 1 => any::<u64>().prop_map(|seed| Ties::Perturbed { seed })];
    let rest = (prop::sample::select(&RULES[..]), resolution, ties, any::<bool>(), any::<bool>());
    rest.prop_map(|(sharing, resolution, ties, compare, keep)| Flow {
        sharing,
        resolution: Duration::from_ps(resolution),
        ties,
        compare: if compare { Compare::WithMaxMin } else { Compare::No },
        keep: if keep { KeepCycles::Yes } else { KeepCycles::No },
    })
}

/// Some machine, 4 to 12 ranks somewhere on it or one on each node, work, and faults that are over in the end.
fn cases() -> impl Strategy<Value = Case> {
    let machine = prop_oneof![
        2 => (2..7_u32).prop_map(|size| torus(&[size], Wrap::Torus, Duration::ZERO)),
        2 => (2..5_u32, 2..5_u32).prop_map(|(x, y)| torus(&[x, y], Wrap::Torus, Duration::from_ps(UNIT / 7))),
        1 => (1..3_u32).prop_map(fat_tree),
        // Enough nodes for a crowd.
        2 => Just(torus(&[9, 8], Wrap::Torus, Duration::from_ps(3))),
        3 => ruled(),
    ];
    let homes = prop_oneof![prop::collection::vec(any::<Index>(), 4..=12).prop_map(Some), Just(None),];
    let cables = prop::collection::vec(any::<Index>(), 0..6);
    let faults = prop::collection::vec((1..60_u64, cables, prop_oneof![Just(0.0), 0.1..1.0]), 0..4);
    let limit = || prop_oneof![Just(None), (1..20_u32).prop_map(|speed| Some(bandwidth(f64::from(speed))))];
    let copying = prop_oneof![Just(Copying::Apart), Just(Copying::InTurn)];
    let latency = prop_oneof![Just(Duration::ZERO), (1..900_u64).prop_map(Duration::from_ns)];
    let within =
        (limit(), copying, latency, limit()).prop_map(|(bandwidth, copying, latency, memory_limit)| {
            WithinNode { bandwidth, copying, latency, memory_limit }
        });
    let striping = (prop_oneof![Just(1), 2..5_u32], 0..4_u64);
    let at_once = prop_oneof![1..4_u32, Just(Serving::AT_ONCE), Just(u32::MAX)];
    let serving = prop_oneof![
        1 => Just(Serving::InOrder),
        2 => at_once.prop_map(|at_once| Serving::Shared { at_once }),
    ];
    let choose = prop_oneof![
        Just(Choose::RoundRobin),
        Just(Choose::Hash),
        Just(Choose::ByDestination),
        Just(Choose::LeastLoaded)
    ];
    let interfaces = (prop_oneof![2 => Just(1), 1 => 2..5_u32], serving, choose);
    let node = (within, interfaces, striping, limit(), limit()).prop_map(
        |(within, (interfaces, serving, choose), striping, injection_limit, ejection_limit)| NodeModel {
            choose,
            within,
            interfaces,
            serving,
            striping: Striping { over: striping.0.min(interfaces), from: Bytes(striping.1) },
            injection_limit,
            ejection_limit,
        },
    );
    let causes = prop_oneof![Just(Keep::Yes), Just(Keep::No)];
    (machine, homes, faults, node, flows(), work(), causes).prop_map(
        |(machine, homes, mut faults, node, flow, work, causes)| {
            faults.sort_by_key(|(at, ..)| *at);
            faults.extend((!faults.is_empty()).then(|| (90, vec![], 1.0)));
            let sharing = *sharings(&machine)
                .iter()
                .find(|&&other| other == flow.sharing)
                .unwrap_or(&sharings(&machine)[0]);
            let flow = Flow { sharing, ..flow };
            let nodes = machine.nodes();
            let homes = homes.filter(|_| !matches!(work, Work::Incast(_)));
            let spread = || (0..nodes.max(4)).map(|rank| rank % nodes).collect();
            let drawn = |homes: Vec<Index>| homes.iter().map(|home| home.index(nodes)).collect::<Vec<_>>();
            let homes = homes.map_or_else(spread, drawn).into_iter().map(NodeId::new);
            let placement = Placement::new(homes.collect::<Vec<_>>());
            Case { machine, faults, placement, node, flow, work, causes }
        },
    )
}

/// All of a result, each number to its last bit.
fn shown(ended: &FlowEnded) -> String {
    format!("{ended:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// Kept up to five times in a row, each time some instants after the one before; also where simulated time is limited.
    #[test]
    fn runs_go_on(
        case in cases(),
        steps in prop::collection::vec(0..6_usize, 1..6),
        parts in prop_oneof![Just(2000_u64), 1..1000_u64],
    ) {
        let end = case.run(Limits::default(), None).until.as_ps();
        let simulated = Time::from_ps((u128::from(end) * u128::from(parts) / 1000) as u64);
        let limits = Limits { simulated, ..Limits::default() };
        let whole = case.run(limits, None);
        let (mut state, mut reached) = (None, Time::ZERO);
        for after in steps {
            let mut stops = Stops::new(state.as_ref(), after);
            prop_assert_eq!(shown(&case.run(limits, Some(&mut stops))), shown(&whole), "kept after {}", after);
            let Some((at, kept)) = stops.kept.pop() else { break };
            prop_assert!(at >= reached && stops.kept.is_empty());
            (state, reached) = (Some(kept), at);
        }
        let ended = case.run(limits, Some(&mut Stops::at_the_end(state.as_ref())));
        prop_assert_eq!(shown(&ended), shown(&whole));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Kept after every instant.
    #[test]
    fn a_run_without_time_comes_to_its_end(case in cases()) {
        check_hurried(|limits, checkpoints| case.run(limits, checkpoints));
    }
}

/// With no time at all on the clock on the wall a run comes as far as the end of an instant, and is kept there: again and again, it
/// comes to its end as the run that had all the time, which a long one has from the hundredth time on. Returns how often it was kept.
fn check_hurried(run: impl Fn(Limits, Option<&mut dyn Checkpoints>) -> FlowEnded) -> usize {
    let whole = run(Limits::default(), None);
    let hurried = Limits { wall: WallTime::ZERO, spent: WallTime::from_secs(1), ..Limits::default() };
    let (mut state, mut reached) = (None, Time::ZERO);
    for count in 0.. {
        let mut stops = Stops::at_the_end(state.as_ref());
        let limits = if count < 100 { hurried } else { Limits::default() };
        let ended = run(limits, Some(&mut stops));
        let Some((at, kept)) = stops.kept.pop() else {
            assert_eq!(shown(&ended), shown(&whole));
            return count;
        };
        assert!(matches!(ended.ended.outcome, Outcome::Limit(_)), "{:?}", ended.ended.outcome);
        assert!(at > reached && stops.kept.is_empty());
        (state, reached) = (Some(kept), at);
    }
    unreachable!("it comes to its end");
}

/// How long nothing but vain looks have happened.
#[test]
fn a_run_that_is_stuck_goes_on_and_is() {
    let kept = check_hurried(|limits, checkpoints| {
        let ring = torus(&[4], Wrap::Torus, Duration::ZERO);
        let placement = Placement::one_per_node(4);
        let mut programs = [10; 4].map(|bytes| EventLogged::new(Looking(bytes)));
        let context = RunContext::new(&placement).limits(limits).checkpoints(checkpoints);
        let ended = Flow::default().run(&ring, &[], &mut programs, &NodeModel::default(), context);
        assert!(!matches!(ended.ended.outcome, Outcome::Finished));
        ended
    });
    assert_eq!(kept, 71, "once in every second");
}

/// What is not of this run ends it at once, and says so.
#[test]
fn another_state_is_refused() {
    let case = |machine: Topology, flow| Case {
        placement: Placement::one_per_node(machine.nodes()),
        machine,
        faults: vec![],
        node: NodeModel::default(),
        flow,
        work: Work::AllToAll(7, Steps::FreeRunning),
        causes: Keep::No,
    };
    let ring = |size| torus(&[size], Wrap::Torus, Duration::ZERO);
    let own = case(ring(4), Flow::default());
    let state = |case: &Case| {
        let mut stops = Stops::new(None, 1);
        case.run(Limits::default(), Some(&mut stops));
        stops.kept.pop().expect("it is kept").1
    };
    let larger = state(&case(ring(5), Flow::default()));
    let line = state(&case(torus(&[4], Wrap::Mesh, Duration::ZERO), Flow::default()));
    let others = RULES[1..].iter().map(|&sharing| state(&case(ring(4), Flow { sharing, ..Flow::default() })));
    let compared = state(&case(ring(4), Flow { compare: Compare::WithMaxMin, ..Flow::default() }));
    let listed = state(&case(ring(4), Flow { keep: KeepCycles::Yes, ..Flow::default() }));
    let accounted = state(&Case { causes: Keep::Yes, ..own.clone() });
    let mut half = state(&own);
    half.truncate(half.len() / 2);
    let all = others.chain([larger, line, compared, listed, accounted, half, vec![], vec![7; 100]]);
    for (number, state) in all.enumerate() {
        let ended = own.run(Limits::default(), Some(&mut Stops::at_the_end(Some(&state))));
        let why = Outcome::Limit("the checkpoint is not of this run".into());
        assert_eq!(ended.ended.outcome, why, "state {number}");
    }
    let whole = own.run(Limits::default(), None);
    let again = own.run(Limits::default(), Some(&mut Stops::at_the_end(Some(&state(&own)))));
    assert_eq!(shown(&again), shown(&whole));
}
