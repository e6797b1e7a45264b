//! Runs whose routers are on the GPU of this computer: which ones, and how.
//!
//! ```text
//!   Scenario ---> reasons why it cannot (fits.rs), all at once
//!   synthetic traffic: one run, or a batch of points side by side (batch.rs) ---> weir_gpu::PacketGpu ---> Ran, as on cores
//!   a pattern: its ranks and interfaces here, its routers there (patterns.rs) ---> the same
//! ```

mod batch;
mod fits;
mod patterns;

use crate::engine_result::{Ran, ended};
use crate::{Result, RunError, packet};
pub use batch::{GpuBatch, SharedMachines};
pub(crate) use fits::check_gpu;
pub(crate) use patterns::run_pattern;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use weir_experiment::{PreparationProgress, PreparedPacket, Scenario};
use weir_gpu::{GpuError, GpuRuns, PacketGpu};
use weir_network::record::Recorder;
use weir_network::{Digest, Limits, Outcome, Progress, RunContext, Traffic, interrupted_by};
use weir_packet::Synthetic;
use weir_record::GpuUse;
use weir_units::{Bytes, Duration, Time};

/// The GPU of this computer, which is opened when it is first needed. Clones are the same one.
#[derive(Clone, Default)]
pub struct GpuProcessor(Arc<OnceLock<Result<PacketGpu, GpuError>>>);

impl fmt::Debug for GpuProcessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GpuProcessor").field(&self.0.get()).finish()
    }
}

impl GpuProcessor {
    fn opened(&self) -> Result<&PacketGpu, &GpuError> {
        self.0.get_or_init(PacketGpu::open).as_ref()
    }

    /// The name of the product; `None` where there is none that can be used.
    pub fn name(&self) -> Option<&str> {
        self.opened().ok().map(|gpu| gpu.gpu().name())
    }

    /// Checks that it can run a scenario.
    ///
    /// # Errors
    /// All reasons why it cannot, those of this computer included.
    pub fn check(&self, scenario: &Scenario) -> Result<()> {
        fits::check(self, scenario, 1, fits::Runs::Alone)
    }

    /// Checks that it can run a scenario side by side with others, as a point of a sweep.
    ///
    /// # Errors
    /// All reasons why it cannot, those of this computer included.
    pub fn check_point(&self, scenario: &Scenario) -> Result<()> {
        fits::check(self, scenario, 1, fits::Runs::SideBySide)
    }

    /// Bytes that a scenario takes in the memory of a GPU, about; zero where time was over before its machine was built.
    ///
    /// # Errors
    /// All reasons why no GPU can run it. Whether this computer has one is not looked at.
    pub fn memory_of(scenario: &Scenario) -> Result<Bytes> {
        fits::refused(fits::of_experiment(scenario, fits::Runs::Alone))?;
        Ok(Bytes(fits::memory(scenario)))
    }
}

/// Traffic on a network, until its limits.
#[derive(Clone, Copy)]
struct Work<'a> {
    packets: &'a PreparedPacket,
    traffic: &'a Synthetic,
    limits: Limits,
    /// If samples are taken.
    interval: Option<Duration>,
}

impl Work<'_> {
    fn end(&self) -> Time {
        (Time::ZERO + self.traffic.warmup + self.traffic.duration).min(self.limits.simulated)
    }

    /// Number of its windows.
    fn windows(&self) -> u64 {
        self.end().as_ps().div_ceil(self.packets.network.window().as_ps().max(1))
    }

    /// The instant that it has got to after so many windows.
    fn reached(&self, windows: f64) -> Time {
        Time::from_ps((windows * self.packets.network.window().as_ps() as f64) as u64).min(self.end())
    }

    fn limited(&self, why: String, windows: f64) -> Ran {
        let until = self.reached(windows);
        let ended = ended(Outcome::Limit(why), until, Traffic::default(), Digest(0));
        Ran { until, ..Ran::without_links(ended) }
    }
}

/// Runs synthetic traffic.
pub(crate) fn run_synthetic(
    processor: &GpuProcessor,
    packets: &PreparedPacket,
    traffic: &Synthetic,
    context: RunContext<'_>,
) -> Result<Ran> {
    let mut placing = PreparationProgress::begin(context.limits, context.watch);
    placing.stage("the machine is being put into the memory of the GPU");
    let (limits, watch) = placing.end();
    let gpu = processor.opened().map_err(failed)?;
    let interval = context.recorder.as_ref().and_then(|recorder| recorder.requested().interval);
    let work = Work { packets, traffic, limits, interval };
    let mut show = |windows: f64| {
        watch(Progress { now: work.reached(windows), events: 1, ..Progress::default() });
    };
    let mut runs = run_all(gpu, &[work], context.recorder, &mut show).map_err(|error| failed(&error))?;
    Ok(runs.remove(0))
}

/// Runs these side by side; a recorder gets the samples of the only one, and `show` the windows that are done. Those whose time is over end with a limit, and the others begin anew, as
/// does their time.
fn run_all(
    gpu: &PacketGpu,
    works: &[Work<'_>],
    mut recorder: Option<&mut dyn Recorder>,
    show: &mut dyn FnMut(f64),
) -> Result<Vec<Ran>, GpuError> {
    let mut all: Vec<Option<Ran>> = works.iter().map(|_| None).collect();
    loop {
        let left: Vec<usize> = (0..works.len()).filter(|&place| all[place].is_none()).collect();
        if left.is_empty() {
            break;
        }
        let most = left.iter().map(|&place| works[place].windows()).max().unwrap_or(0) as f64;
        let (started, mut reached) = (Instant::now(), 0.0);
        let mut over = over(works, &left, started, reached);
        if over.is_empty() {
            // All of them fit: else they would have been refused before.
            let flat = left.iter().filter_map(|&place| fits::flat(works[place]).ok()).collect();
            let recorder = recorder.as_mut().map(|recorder| &mut **recorder as _);
            let found = gpu.run(flat, None, recorder, &mut |part| {
                reached = part * most;
                show(reached);
                over = self::over(works, &left, started, reached);
                if over.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            if let Some(GpuRuns { ended, placing, running, reading }) = found {
                let name = gpu.gpu().name().to_owned();
                let used = GpuUse { name, runs: left.len(), placing, running, reading };
                for (&place, ended) in left.iter().zip(ended) {
                    let Work { packets, traffic, .. } = works[place];
                    let ran = packet::of_synthetic(packets, traffic, ended);
                    all[place] = Some(Ran { gpu: Some(used.clone()), ..ran });
                }
                break;
            }
        }
        for (place, why) in over {
            all[place] = Some(works[place].limited(why, reached));
        }
    }
    Ok(all.into_iter().flatten().collect())
}

/// The limits that are over after so many windows, in words: of those that have not come to their own ends. Longer ones run beside them.
fn over(works: &[Work<'_>], left: &[usize], started: Instant, windows: f64) -> Vec<(usize, String)> {
    let goes_on = |&&place: &&usize| interrupted_by().is_some() || windows < works[place].windows() as f64;
    let over = |&place: &usize| Some((place, works[place].limits.wall_is_over(started)?));
    left.iter().filter(goes_on).filter_map(over).collect()
}

/// A GPU that does not do what it was asked to, after it has been found that it can.
fn failed(error: &GpuError) -> RunError {
    match error {
        GpuError::OutOfMemory { .. } => RunError::Budget(error.to_string()),
        _ => RunError::Gpu(error.to_string()),
    }
}
