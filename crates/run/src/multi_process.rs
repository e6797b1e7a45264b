//! Runs that several processes carry out together: the part of a process, and how parts become one again.
//!
//! Each process reads and checks the experiment by itself, and has the ranks and routers that belong to it. The first one has the
//! results folder and the whole result; the others write nothing.

use crate::budget::check_budget;
use crate::{RunError, build};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use weir_capi::executable::Kind;
use weir_experiment::{IdealEngine, Prepared, Scenario, Workload};
use weir_network::record::{Recorder, Requested};
use weir_network::{Ideal, Placement, Watch};
use weir_pdes::{Gathering, Transport};
use weir_units::{Duration, Rank};

/// The ranks of this process, by the processes of nodes, in ascending order.
pub(crate) fn ranks_of(placement: &Placement, homes: &[u32], process: usize) -> Vec<Rank> {
    let here = |rank: &Rank| homes[placement.node(*rank).index()] as usize == process;
    (0..placement.ranks()).map(Rank::new).filter(here).collect()
}

/// The things of these ranks, which are in ascending order; those of all if none are named.
pub(crate) fn only<T>(ranks: Option<&[Rank]>, of_all: Vec<T>) -> Vec<T> {
    let Some(ranks) = ranks else { return of_all };
    let chosen: BTreeSet<Rank> = ranks.iter().copied().collect();
    let numbered = of_all.into_iter().enumerate();
    numbered.filter(|&(rank, _)| chosen.contains(&Rank::new(rank))).map(|(_, thing)| thing).collect()
}

/// The parts of all processes as one, in the first process; in the others their own part.
pub(crate) fn joined<T: Clone + Serialize + DeserializeOwned>(
    processes: &mut dyn Transport,
    own: T,
    join: impl FnMut(T, T) -> T,
) -> T {
    Gathering::new(processes).join(own.clone(), join).unwrap_or(own)
}

/// In the processes that write nothing: what the first one records is counted, and sent there.
pub(crate) struct CountingRecorder(pub(crate) Requested);

impl Recorder for CountingRecorder {
    fn requested(&self) -> &Requested {
        &self.0
    }
}

/// Facts that a process knows about a run that it is about to begin.
#[derive(Serialize, Deserialize)]
struct Facts {
    experiment: String,
    build: u64,
    refuses: Option<String>,
    /// The limit that has ended the building of its machine.
    limit: Option<String>,
}

impl Facts {
    /// Which process has something else to run than the first one, if one has.
    fn differ(all: &[Self]) -> Option<String> {
        let other = |differs: fn(&Self, &Self) -> bool| all.iter().position(|other| differs(other, &all[0]));
        other(|one, other| one.build != other.build)
            .map(|process| (process, "is another build of weir"))
            .or(other(|one, other| one.experiment != other.experiment)
                .map(|process| (process, "has another experiment")))
            .map(|(process, what)| format!("process {process} {what} than process 0"))
    }

    fn first(all: &[Self], of: fn(&Self) -> &Option<String>) -> Option<String> {
        all.iter().find_map(|facts| of(facts).clone())
    }
}

fn lost(gathering: &Gathering<'_>, count: usize) -> RunError {
    let lost = gathering.counts.lost.as_ref().map(|lost| lost.in_words(count));
    RunError::Process(lost.unwrap_or_default())
}

/// Checks that these processes can run it together, and are all about to: each calls this. Returns the limit, in words, if the machine was
/// not built to its end in one of them: the run of all ends with it.
pub(crate) fn check_processes(
    scenario: &Scenario,
    processes: &mut dyn Transport,
) -> Result<Option<String>, RunError> {
    let count = processes.processes();
    if count == 1 {
        return Ok(None);
    }
    let own = Facts {
        experiment: scenario.resolved().to_string(),
        build: build(),
        refuses: one_process_only(scenario, count),
        limit: scenario.prepared.as_ref().err().cloned(),
    };
    let mut gathering = Gathering::new(processes);
    let found = |all: Vec<Facts>| {
        let refuses = Facts::first(&all, |facts| &facts.refuses);
        (Facts::differ(&all), refuses, Facts::first(&all, |facts| &facts.limit))
    };
    let all = gathering.gather(own).map(found);
    match gathering.spread(all) {
        Some((None, None, limit)) => Ok(limit),
        Some((Some(why), ..)) => {
            let hint = "start the same command in all processes, with files that are the same on all hosts";
            Err(RunError::Options(format!("{why}\n\nhint: {hint}")))
        }
        Some((None, Some(why), _)) => {
            Err(RunError::Options(format!("{why}\n\nhint: run it without --processes and without mpirun")))
        }
        None => Err(lost(&gathering, count)),
    }
}

pub(crate) fn check_budget_of_all(
    scenario: &Scenario,
    processes: &mut dyn Transport,
    watch: Watch<'_>,
) -> Result<(), RunError> {
    let count = processes.processes();
    if count == 1 {
        return check_budget(scenario, watch);
    }
    let own =
        (processes.process() == 0).then(|| check_budget(scenario, watch).map_err(|error| error.to_string()));
    let mut gathering = Gathering::new(processes);
    match gathering.spread(own) {
        Some(allowed) => allowed.map_err(RunError::Budget),
        None => Err(lost(&gathering, count)),
    }
}

/// Why so many processes cannot run it; `None` if they can.
fn one_process_only(scenario: &Scenario, processes: usize) -> Option<String> {
    let why = match (&scenario.prepared, &scenario.workload.kind) {
        (Ok(Prepared::Flow(..)), _) => {
            "engine.kind = \"flow\" runs in one process: the rate of a flow may depend on every other one, at every instant"
        }
        (_, Workload::Program(program)) if program.kind == Kind::Separate => {
            "a program whose ranks are processes of their own is run by one process; build it with weir cc"
        }
        (_, Workload::Program(_)) if scenario.storage.is_some() => {
            "storage is simulated in one process: all ranks share the disks"
        }
        (_, Workload::Program(_) | Workload::Profile(_) | Workload::Collective(_))
            if scenario.output.kept_calls().is_some() =>
        {
            "calls of ranks (output.calls, output.trace) are kept by one process"
        }
        (Ok(Prepared::Ideal(engine)), _) => return ideal_refuses(engine, processes, scenario.placement()),
        (Ok(Prepared::Packet(packets)), _) => {
            if scenario.node.cables > 1 && processes > 1 {
                return Some(
                    "nodes with several cables belong to the parts of a machine that processes divide".into(),
                );
            }
            let most = packets.network.most_processes();
            return (processes > most).then(|| {
                format!("{processes} processes for {most} routers: each process needs one at least")
            });
        }
        (Err(_), _) => return None,
    };
    Some(why.to_owned())
}

fn ideal_refuses(engine: &IdealEngine, processes: usize, placement: &Placement) -> Option<String> {
    let most = Ideal::most_processes(placement);
    if engine.latency == Duration::ZERO {
        let why = "engine.kind = \"ideal\" runs in one process if messages take no time: ranks of different processes must not \
                   meet at one instant; give engine.latency";
        return Some(why.into());
    }
    let what = if most == 1 { "node" } else { "nodes" };
    (processes > most)
        .then(|| format!("{processes} processes for ranks on {most} {what}: each process needs one at least"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunOptions, run_with};
    use weir_experiment::Source;
    use weir_network::Outcome;
    use weir_pdes::ThreadAsProcess;

    fn scenario(text: &str) -> Scenario {
        let text = format!(
            "topology = {{ kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s', latency = '1 us' }}\n\
             engine = {{ kind = 'packet' }}\nworkload = {{ kind = 'ring', message_size = '1 kB' }}\n{text}"
        );
        Scenario::load(&Source::of_text("e", text)).unwrap()
    }

    /// Runs by processes that have made ready these scenarios.
    fn run(scenarios: &[Scenario]) -> Vec<Result<Outcome, String>> {
        std::thread::scope(|scope| {
            let all = ThreadAsProcess::several(scenarios.len()).into_iter().zip(scenarios);
            let threads: Vec<_> = all
                .map(|(mut transport, scenario)| {
                    scope.spawn(move || {
                        let report = run_with(scenario, &RunOptions::default(), &mut transport, &mut |_| {});
                        report.map(|report| report.outcome).map_err(|error| error.to_string())
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    /// The clock on the wall is over in one process while its machine is built, and in the others just afterward: the run is limited in all
    /// of them, whichever it is.
    #[test]
    fn a_machine_that_is_not_built_in_one_process_ends_the_run_in_all() {
        let ready = scenario("");
        assert_eq!(run(&vec![ready.clone(); 3]), vec![Ok(Outcome::Finished); 3]);
        let mut late = ready.clone();
        late.prepared = Err("limits.wall_time = 1 s is over".into());
        let limit = "limits.wall_time = 1 s is over: the machine was not built to its end";
        for place in 0..3 {
            let mut all = vec![ready.clone(); 3];
            all[place] = late.clone();
            assert_eq!(run(&all), vec![Ok(Outcome::Limit(limit.into())); 3], "process {place}");
        }
    }

    /// The expected time of a run is measured once, and holds for all.
    #[test]
    fn a_run_that_takes_too_long_is_refused_in_all_processes() {
        let found = run(&vec![scenario("limits = { memory = '100 kB' }\n"); 2]);
        let texts: Vec<_> = found.iter().map(|ended| ended.as_ref().unwrap_err().as_str()).collect();
        assert_eq!(texts[0], texts[1]);
        assert!(texts[0].contains("limits.memory = 100 kB"), "{}", texts[0]);
    }
}
