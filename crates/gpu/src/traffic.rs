//! Runs of synthetic traffic on a GPU.

use crate::cuda::Gpu;
use crate::error::GpuError;
use crate::kernels::{Kernels, Threads};
use crate::memory::{GpuMemory, Points};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use weir_packet::{FlatNetwork, FlatRun, Memory, PlacedRun, SyntheticEnded};

/// Windows between two looks whether to go on.
const WINDOWS_BETWEEN_LOOKS: u64 = 256;
/// With fewer routers in all each has a warp.
const ROUTERS_FOR_THREADS: u64 = 12_000;
/// A router of more virtual channels has a warp: shared memory has room for the heads of so many.
const LANES_FOR_THREADS: u32 = 24;

/// Results of runs, and the time on the clock on the wall that they took.
#[derive(Debug)]
pub struct GpuRuns {
    /// In the order of the runs.
    pub ended: Vec<SyntheticEnded>,
    /// Time to put machines into the memory of the GPU.
    pub placing: Duration,
    /// Time of the GPU.
    pub running: Duration,
    /// Time to read what is left in the memory.
    pub reading: Duration,
}

/// A GPU with the kernels of the packet engine.
#[derive(Debug)]
pub struct PacketGpu {
    gpu: Gpu,
    kernels: Kernels,
}

impl PacketGpu {
    /// Opens the first GPU that this process may use, and loads the kernels.
    ///
    /// # Errors
    /// When there is no GPU, or its driver cannot be used.
    pub fn open() -> Result<Self, GpuError> {
        let gpu = Gpu::open()?;
        let kernels = Kernels::load(&gpu)?;
        Ok(Self { gpu, kernels })
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Runs synthetic traffic, several runs side by side, and returns their results in the order of the runs: those of
    /// [`PacketNetwork::run_synthetic`](weir_packet::PacketNetwork::run_synthetic), whose digests are the same. Runs of one network, which is
    /// found by its address, share its arrays. `threads` run each router; `None` lets the number of routers decide. Asks now and then
    /// whether to go on, with the part that is done, from 0 to 1; `None` if not.
    ///
    /// # Errors
    /// When there is not enough memory on the GPU, or it fails.
    pub fn run(
        &self,
        runs: Vec<FlatRun<'_>>,
        threads: Option<Threads>,
        go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<Option<GpuRuns>, GpuError> {
        let begun = Instant::now();
        let mut memory = GpuMemory::new(&self.gpu);
        let mut networks: Vec<(*const (), FlatNetwork)> = Vec::new();
        let (mut placed, mut words): (Vec<PlacedRun<'_>>, Vec<u8>) = (Vec::new(), Vec::new());
        for run in runs {
            let name = std::ptr::from_ref(run.network()).cast::<()>();
            let known = networks.iter().find(|(other, _)| *other == name).map(|(_, network)| *network);
            let network = match known {
                Some(network) => network,
                None => {
                    let network = run.network().place(&mut memory)?;
                    networks.push((name, network));
                    network
                }
            };
            let run = run.place(network.address, &mut memory)?;
            words.extend(&run.words);
            placed.push(run);
        }
        let region = memory.put(&words)?;
        let most = |of: fn(&FlatNetwork) -> usize| {
            networks.iter().map(|(_, network)| of(network)).max().unwrap_or(0) as u32
        };
        let points = Points {
            memory: &memory,
            region,
            count: placed.len() as u32,
            routers: most(|network| network.routers),
            lanes_of_router: most(|network| network.lanes_of_router),
        };
        self.gpu.wait()?;
        let (placing, begun) = (begun.elapsed(), Instant::now());
        let windows = placed.iter().map(|run| run.windows).max().unwrap_or(0);
        let threads = threads.unwrap_or_else(|| threads_for(&points));
        for number in 0..windows {
            self.kernels.window(&self.gpu, &points, number, threads)?;
            if number % WINDOWS_BETWEEN_LOOKS == WINDOWS_BETWEEN_LOOKS - 1 {
                self.gpu.wait()?;
                if go_on(number as f64 / windows as f64).is_break() {
                    return Ok(None);
                }
            }
        }
        self.gpu.wait()?;
        let (running, begun) = (begun.elapsed(), Instant::now());
        let ended = placed.iter().map(|run| run.ended(points.memory)).collect::<Result<_, _>>()?;
        Ok(Some(GpuRuns { ended, placing, running, reading: begun.elapsed() }))
    }
}

fn threads_for(points: &Points<'_>) -> Threads {
    let routers = u64::from(points.routers) * u64::from(points.count);
    let by_threads = routers >= ROUTERS_FOR_THREADS && points.lanes_of_router <= LANES_FOR_THREADS;
    if by_threads { Threads::One } else { Threads::Warp }
}
