//! One of several jobs that has the machine for itself.

use super::{JobState, JobsSection, STATE};
use crate::{Scenario, Workload};

impl Scenario {
    /// The same with the job at this place that has the machine for itself: the others stand still.
    #[must_use]
    pub fn with_job_alone(&self, job: usize) -> Self {
        let mut experiment = self.experiment.clone();
        if let Workload::Jobs(JobsSection(jobs)) = &mut experiment.workload.kind {
            for (_, other) in jobs.iter_mut().enumerate().filter(|(place, _)| *place != job) {
                other.state = JobState::Idle;
                // Jobs of a list have no keys of their own.
                if other.submit.is_some() {
                    continue;
                }
                experiment.resolved["jobs"][other.number][STATE.name] = "idle".into();
            }
        }
        experiment.output.alone = false;
        experiment.resolved["output"]["alone"] = false.into();
        self.changed(experiment)
    }
}
