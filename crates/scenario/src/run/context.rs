//! Everything that an engine gets beside the programs.

use crate::Scenario;
use crate::engine::Prepared;
use crate::run::options::Variation;
use weir_network::{Checkpoints, Recorder, RunContext};

pub(crate) struct Context<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) engine: &'a Prepared,
    pub(crate) variation: Variation,
    pub(crate) run: RunContext<'a>,
}

impl Context<'_> {
    /// The same for a while: more can be run with it after that.
    pub(crate) fn reborrow(&mut self) -> Context<'_> {
        let Self { scenario, engine, variation, run } = self;
        let checkpoints =
            run.checkpoints.as_mut().map(|checkpoints| &mut **checkpoints as &mut dyn Checkpoints);
        let run = RunContext::new(run.placement)
            .limits(run.limits)
            .watch(&mut *run.watch)
            .recorder(run.recorder.as_mut().map(|recorder| &mut **recorder as &mut dyn Recorder))
            .threads(run.threads)
            .processes(&mut *run.processes, run.ranks)
            .console(run.console)
            .checkpoints(checkpoints);
        Context { scenario, engine, variation: *variation, run: scenario.accounting(run) }
    }
}
