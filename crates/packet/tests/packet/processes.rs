//! Runs on several processes, for each of which a thread stands that shares no memory with the others.

use serde::Serialize;
use serde::de::DeserializeOwned;
use weir_network::record::Keep;
use weir_network::{Checkpoints, Limits, Placement, Program, RunContext};
use weir_packet::{PacketEnded, PacketNetwork};
use weir_pdes::{ThreadAsProcess, Transport};
use weir_units::{Rank, Time};

/// What processes behind the first one have.
pub(crate) struct Nowhere;

impl Checkpoints for Nowhere {
    fn take(&mut self) -> Option<Vec<u8>> {
        None
    }

    fn is_due(&mut self) -> bool {
        false
    }

    fn keep(&mut self, _: Time, _: &[u8]) {
        unreachable!("the first process keeps what the run has reached");
    }
}

/// Where programs run in each process.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Within {
    /// On all of its threads.
    AnyThread,
    /// On its calling thread.
    OneThread,
}

/// Runs programs on several processes of several threads each; what the first one has.
pub(crate) fn run_together<P: Program + Send>(
    network: &PacketNetwork,
    placement: &Placement,
    programs: &mut [P],
    (limits, causes): (Limits, Keep),
    (processes, threads): (usize, usize),
    within: Within,
    checkpoints: Option<&mut dyn Checkpoints>,
) -> PacketEnded
where
    P::Body: Send + Serialize + DeserializeOwned,
{
    let processes = processes.min(network.most_processes());
    let homes = network.homes(processes, threads);
    let mut shares: Vec<(Vec<Rank>, Vec<&mut P>)> = (0..processes).map(|_| Default::default()).collect();
    for (place, program) in programs.iter_mut().enumerate() {
        let rank = Rank::new(place);
        let (ranks, programs) = &mut shares[homes[placement.node(rank).index()].0 as usize];
        ranks.push(rank);
        programs.push(program);
    }
    let is_kept = checkpoints.is_some();
    let run = |transport: &mut ThreadAsProcess,
               ranks: &[Rank],
               programs: &mut [&mut P],
               checkpoints: Option<&mut dyn Checkpoints>| {
        let context = RunContext::new(placement).limits(limits).threads(threads).causes(causes);
        let context = context.processes(transport, Some(ranks)).checkpoints(checkpoints);
        match within {
            Within::AnyThread => network.run(programs, context),
            Within::OneThread => network.run_here(programs, context),
        }
    };
    let ended: Vec<PacketEnded> = std::thread::scope(|scope| {
        let transports = ThreadAsProcess::several(processes);
        let mut of_first = checkpoints;
        let threads: Vec<_> = transports
            .into_iter()
            .zip(shares)
            .map(|(mut transport, (ranks, mut programs))| {
                let own = of_first.take();
                scope.spawn(move || {
                    let mut none = Nowhere;
                    let own: Option<&mut dyn Checkpoints> = match own {
                        Some(own) => Some(own),
                        None if is_kept => Some(&mut none),
                        None => None,
                    };
                    run(&mut transport, &ranks, &mut programs, own)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no process panics")).collect()
    });
    let first = ended.into_iter().next().expect("there is a process");
    assert_eq!((first.processes.processes, &first.processes.lost), (processes, &None));
    first
}

/// Runs the same on each of several processes; what the first one has.
pub(crate) fn on_each<T: Send>(
    network: &PacketNetwork,
    processes: usize,
    run: impl Fn(&mut dyn Transport) -> T + Sync,
) -> T {
    let mut transports = ThreadAsProcess::several(processes.min(network.most_processes()));
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> =
            transports.iter_mut().map(|transport| scope.spawn(move || run(transport))).collect();
        let all: Vec<T> =
            threads.into_iter().map(|thread| thread.join().expect("no process panics")).collect();
        all.into_iter().next().expect("there is a process")
    })
}
