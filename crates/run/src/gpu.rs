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

use crate::engine_result::Ran;
use crate::{Result, RunError, packet};
pub use batch::{GpuBatch, SharedMachines};
pub(crate) use fits::check_gpu;
pub(crate) use patterns::run_pattern;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use weir_experiment::{PreparationProgress, PreparedPacket, Scenario};
use weir_gpu::{GpuError, GpuRuns, PacketGpu};
use weir_network::record::Recorder;
use weir_network::{Limits, Progress, RunContext};
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

    /// The instant that it has got to after so many windows.
    fn reached(&self, windows: u64) -> Time {
        Time::from_ps(windows.saturating_mul(self.packets.network.window().as_ps())).min(self.end())
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
    let mut show = |windows: u64| {
        watch(Progress { now: work.reached(windows), events: 1, ..Progress::default() });
    };
    let mut runs = run_all(gpu, &[work], context.recorder, &mut show).map_err(|error| failed(&error))?;
    Ok(runs.remove(0))
}

/// Runs these side by side; a recorder gets the samples of the only one, and `show` the windows that are done. Those whose time is over end
/// with a limit.
fn run_all(
    gpu: &PacketGpu,
    works: &[Work<'_>],
    recorder: Option<&mut dyn Recorder>,
    show: &mut dyn FnMut(u64),
) -> Result<Vec<Ran>, GpuError> {
    let (started, mut going) = (Instant::now(), (0..works.len()).collect::<Vec<_>>());
    // All of them fit: else they would have been refused before.
    let flat = works.iter().filter_map(|&work| fits::flat(work).ok()).collect();
    let GpuRuns { ended, placing, running, reading } = gpu.run(flat, None, recorder, &mut |windows| {
        show(windows);
        going.retain(|&place| works[place].reached(windows) < works[place].end());
        let over = |&place: &usize| Some((place, works[place].limits.wall_is_over(started)?));
        let all: Vec<_> = going.iter().filter_map(over).collect();
        going.retain(|place| all.iter().all(|(over, _)| over != place));
        all
    })?;
    let used = GpuUse { name: gpu.gpu().name().to_owned(), runs: works.len(), placing, running, reading };
    let ran = works.iter().zip(ended).map(|(Work { packets, traffic, .. }, ended)| Ran {
        gpu: Some(used.clone()),
        ..packet::of_synthetic(packets, traffic, ended)
    });
    Ok(ran.collect())
}

/// A GPU that does not do what it was asked to, after it has been found that it can.
fn failed(error: &GpuError) -> RunError {
    match error {
        GpuError::OutOfMemory { .. } => RunError::Budget(error.to_string()),
        _ => RunError::Gpu(error.to_string()),
    }
}
