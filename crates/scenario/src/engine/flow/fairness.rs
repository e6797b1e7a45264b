//! A run of Mode N or Mode F against max-min.

use crate::run::options::Variation;
use crate::{Report, RunError, Scenario, Workload};
use weir_flow::{Compare, Sharing};
use weir_network::Outcome;

impl Scenario {
    /// Only a rule that is not max-min can be compared with it.
    pub(crate) fn check_comparison(&self, compare: Compare) -> Result<(), RunError> {
        let why = match self.engine.engine().refuses_comparison() {
            Some(why) if compare == Compare::WithMaxMin => why,
            _ => return Ok(()),
        };
        let hint = "take engine.kind = \"flow\" with engine.sharing = \"single-pass\", \"iterative\" or \"iterative-literal\"";
        Err(RunError::Options(format!("there is nothing to compare with max-min: {why}\n  hint: {hint}")))
    }

    /// Runs the same pattern with max-min. An MPI program is not run again: what it does would be done twice.
    pub(crate) fn add_max_min(&self, report: &mut Report) -> Result<(), RunError> {
        if matches!(self.workload.kind, Workload::Program(_)) {
            return Ok(());
        }
        let variation = Variation { sharing: Some(Sharing::MaxMin), ..Variation::default() };
        let fair = self.run_once(variation, None, &mut |_| ())?;
        if fair.outcome != Outcome::Finished {
            report.end_as(fair.outcome);
            return Ok(());
        }
        let simulated = fair.summary.simulated;
        if let Some(fairness) = report.summary.counts.flow_mut().and_then(|flow| flow.fairness.as_mut()) {
            fairness.max_min = Some(simulated);
        }
        Ok(())
    }
}
