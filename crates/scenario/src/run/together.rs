//! Runs that several processes carry out together.
//!
//! Each process reads and checks the experiment by itself, and has the ranks and routers that belong to it. The first one has the
//! results folder and the whole result; the others write nothing.

use crate::engine::Prepared;
use crate::run::executable::build;
use crate::{RunError, Scenario, Workload};
use weir_capi::executable::Kind;
use weir_pdes::{Gathering, Transport};

impl Scenario {
    /// Whether these processes can run it together, and are all about to: each calls this.
    pub(crate) fn check_processes(&self, processes: &mut dyn Transport) -> Result<(), RunError> {
        let count = processes.processes();
        if count == 1 {
            return Ok(());
        }
        if let Some(why) = self.one_process_only(count) {
            return Err(RunError::Options(format!(
                "{why}\n\nhint: run it without --processes and without mpirun"
            )));
        }
        let facts = (self.resolved().to_string(), build());
        let own = facts.clone();
        let mut gathering = Gathering::new(processes);
        let all = gathering.gather(own);
        let differs = all.map(|all| {
            let other = |which: fn(&(String, u64), &(String, u64)) -> bool| {
                all.iter().position(|other| which(other, &facts))
            };
            other(|one, other| one.1 != other.1)
                .map(|process| (process, "is another build of weir"))
                .or(other(|one, other| one.0 != other.0).map(|process| (process, "has another experiment")))
                .map(|(process, what)| format!("process {process} {what} than process 0"))
        });
        match gathering.spread(differs) {
            Some(None) => Ok(()),
            Some(Some(why)) => {
                let hint =
                    "start the same command in all processes, with files that are the same on all hosts";
                Err(RunError::Options(format!("{why}\n\nhint: {hint}")))
            }
            None => {
                let lost = gathering.counts.lost.map(|lost| lost.in_words(count));
                Err(RunError::Process(lost.unwrap_or_default()))
            }
        }
    }

    /// Why so many processes cannot run it; `None` if they can.
    fn one_process_only(&self, processes: usize) -> Option<String> {
        let why = match (&self.prepared, &self.workload.kind) {
            (Ok(Prepared::Flow(..)), _) => {
                "engine.kind = \"flow\" runs in one process: the rate of a flow may depend on every other one, at every instant"
            }
            (_, Workload::Program(program)) if program.kind == Kind::Separate => {
                "a program whose ranks are processes of their own is run by one process; build it with weir cc"
            }
            (_, Workload::Program(_)) if self.storage.is_some() => {
                "storage is simulated in one process: all ranks share the disks"
            }
            (_, Workload::Program(_) | Workload::Profile(_) | Workload::Collective(_))
                if self.output.kept_calls().is_some() =>
            {
                "calls of ranks (output.calls, output.trace) are kept by one process"
            }
            (Ok(Prepared::Ideal(engine)), _) => return engine.refuses_processes(processes, self.placement()),
            (Ok(Prepared::Packet(packets)), _) => {
                let most = packets.network.most_processes();
                return (processes > most).then(|| {
                    format!("{processes} processes for {most} routers: each process needs one at least")
                });
            }
            (Err(_), _) => return None,
        };
        Some(why.to_owned())
    }
}
