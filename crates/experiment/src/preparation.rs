//! The work before the first event is part of a run: it is seen, and it ends with `limits.wall_time`. Large machines are
//! built in pieces, and asked in between whether to go on; the watch is shown everything else, and may end it.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use weir_network::{Limits, Stage, Watch};
use weir_packet::{NodeModel, PacketNetwork, Refusal, RouterModel};
use weir_topology::Topology;

/// Who looks while a run is prepared, and until when that may take.
pub struct PreparationProgress<'a> {
    watch: Watch<'a>,
    limits: Limits,
    started: Instant,
    interrupted: Option<String>,
}

type Built = Result<Option<PacketNetwork>, Vec<Refusal>>;

impl<'a> PreparationProgress<'a> {
    /// Begins now.
    pub fn begin(limits: Limits, watch: Watch<'a>) -> Self {
        Self { watch, limits, started: Instant::now(), interrupted: None }
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Shows what is done now.
    pub fn stage(&mut self, what: &'static str) {
        (self.watch)(Stage { what, limits: self.limits, since: self.started }.into());
    }

    /// The machine of these routers and nodes; `None` if there is no time for it.
    pub(crate) fn build(&mut self, routers: &RouterModel, node: &NodeModel, topology: &Topology) -> Built {
        #[cfg(test)]
        crate::tests::count_built::<PacketNetwork>();
        let Self { watch, limits, started, interrupted } = self;
        let stage = Stage { what: "the routers are being made", limits: *limits, since: *started };
        PacketNetwork::build(routers, node, topology, &mut || {
            watch(stage.into());
            *interrupted = limits.wall_is_over(*started);
            if interrupted.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    pub(crate) fn interrupted(&self) -> Option<String> {
        self.interrupted.clone()
    }

    pub(crate) fn spent(&self) -> Duration {
        self.limits.spent.saturating_add(self.started.elapsed())
    }

    /// The limits, with the time that it has taken, and who looks on.
    pub fn end(self) -> (Limits, Watch<'a>) {
        (Limits { spent: self.spent(), ..self.limits }, self.watch)
    }
}
