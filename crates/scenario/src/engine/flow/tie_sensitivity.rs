//! The spread of a result over ties: the same run with ties broken in other ways.

use crate::run::options::Variation;
use crate::{Report, RunError, Scenario, Workload};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use weir_flow::Ties;
use weir_network::Outcome;
use weir_record::TieSensitivity;
use weir_units::{Time, mix};

impl Scenario {
    /// Only patterns on the flow engine have ties that can be perturbed, and only if all nodes are there.
    pub(crate) fn check_tie_runs(&self, runs: usize) -> Result<(), RunError> {
        let why = match (self.engine.engine().refuses_perturbed_ties(), &self.workload.kind) {
            _ if runs == 0 => return Ok(()),
            (Some(why), _) => why,
            (None, Workload::Program(_)) => "an MPI program runs once; a pattern can be run again and again",
            (None, _) => return Ok(()),
        };
        let hint = "take a pattern and engine.kind = \"flow\", without engine.method";
        Err(RunError::Options(format!("no tie sensitivity: {why}\n  hint: {hint}")))
    }

    /// Runs the pattern so many times with perturbed ties, on as many threads as `engine.threads` allows. The runs
    /// are independent, and listed by seed, so the number of threads changes nothing.
    pub(crate) fn add_tie_sensitivity(&self, runs: usize, report: &mut Report) -> Result<(), RunError> {
        let perturbed: Mutex<Vec<Option<(Time, f64)>>> = Mutex::new(vec![None; runs]);
        let unfinished: Mutex<Option<Outcome>> = Mutex::new(None);
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), RunError> {
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= runs {
                    return Ok(());
                }
                let ties = Ties::Perturbed { seed: mix(self.seed ^ mix(run as u64)) };
                let report = self.run_once(Variation { ties, ..Variation::default() }, None, &mut |_| ())?;
                if report.outcome != Outcome::Finished {
                    *unfinished.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.outcome);
                    return Ok(());
                }
                let jitter = report.summary.counts.flow().map_or(0.0, |flow| flow.jitter);
                let mut perturbed = perturbed.lock().unwrap_or_else(PoisonError::into_inner);
                perturbed[run] = Some((report.summary.simulated, jitter));
            }
        };
        std::thread::scope(|scope| -> Result<(), RunError> {
            let others: Vec<_> =
                (1..self.engine.engine().threads().min(runs)).map(|_| scope.spawn(work)).collect();
            work()?;
            others.into_iter().try_for_each(|other| other.join().expect("a run does not panic"))
        })?;
        if let Some(outcome) = unfinished.into_inner().unwrap_or_else(PoisonError::into_inner) {
            report.end_as(outcome);
            return Ok(());
        }
        let perturbed = perturbed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (perturbed, jitters): (Vec<Time>, Vec<f64>) = perturbed.into_iter().flatten().unzip();
        let simulated = std::iter::once(report.summary.simulated).chain(perturbed).collect();
        if let Some(flow) = report.summary.counts.flow_mut() {
            let jitter = jitters.into_iter().fold(0.0, f64::max);
            flow.ties = Some(TieSensitivity { jitter, simulated });
        }
        Ok(())
    }
}
