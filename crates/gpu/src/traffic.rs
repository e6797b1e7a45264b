//! Runs of synthetic traffic on a GPU.

use crate::cuda::Gpu;
use crate::error::GpuError;
use crate::kernels::{Kernels, MOST_NETWORKS, MOST_POINTS};
use crate::memory::{GpuMemory, Points};
use std::time::{Duration, Instant};
use weir_network::record::Recorder;
use weir_packet::{FlatNetwork, FlatRun, PlacedRun, SyntheticEnded};

/// Windows between two looks whether to go on.
const WINDOWS_BETWEEN_LOOKS: u64 = 256;
/// With fewer routers in all each has a warp.
const ROUTERS_FOR_THREADS: u64 = 12_000;

/// Results of runs, and the time on the clock on the wall that they took.
#[derive(Debug, Default)]
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
    pub(crate) gpu: Gpu,
    pub(crate) kernels: Kernels,
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
    /// found by its address, share its arrays. `threads` run each router; `None` lets the number of routers decide. Asks now and then,
    /// with the number of windows that are done, which runs are to end, by their places and each with the reason: they have the results of
    /// the windows that they had. A recorder gets the samples of a run that
    /// [takes them](FlatRun::sampled), when it is over.
    ///
    /// # Errors
    /// When there is not enough memory on the GPU, or it fails.
    ///
    /// # Panics
    /// When there are more than [`MOST_POINTS`] runs, of more than [`MOST_NETWORKS`] networks, or one that takes samples among others.
    pub fn run(
        &self,
        runs: Vec<FlatRun<'_>>,
        threads: Option<u32>,
        recorder: Option<&mut dyn Recorder>,
        over: &mut dyn FnMut(u64) -> Vec<(usize, String)>,
    ) -> Result<GpuRuns, GpuError> {
        let is_sampled = runs.iter().any(FlatRun::is_sampled);
        assert!(runs.len() <= if is_sampled { 1 } else { MOST_POINTS }, "{} runs side by side", runs.len());
        let begun = Instant::now();
        let mut memory = GpuMemory::new(&self.gpu);
        let mut networks: Vec<(*const (), FlatNetwork)> = Vec::new();
        let mut placed: Vec<PlacedRun<'_>> = Vec::new();
        for run in runs {
            let number = networks.iter().position(|(other, _)| *other == name(&run));
            let number = match number {
                Some(number) => number,
                None => {
                    networks.push((name(&run), run.network().place(&mut memory)?));
                    networks.len() - 1
                }
            };
            placed.push(run.place(number as u64, &mut memory)?);
        }
        assert!(networks.len() <= MOST_NETWORKS, "{} networks side by side", networks.len());
        let described: Vec<u8> = networks.iter().flat_map(|(_, network)| network.words.clone()).collect();
        let most = |of: fn(&FlatNetwork) -> usize| {
            networks.iter().map(|(_, network)| of(network)).max().unwrap_or(0) as u32
        };
        let points = Points {
            count: placed.len() as u32,
            routers: most(|network| network.routers),
            nodes: most(|network| network.nodes),
            lanes_of_router: most(|network| network.lanes_of_router),
            decides: networks.iter().any(|(_, network)| network.decides),
            is_sampled,
        };
        self.gpu.wait()?;
        let (placing, begun) = (begun.elapsed(), Instant::now());
        let threads = threads_for(&points, threads);
        for number in 0.. {
            if number % WINDOWS_BETWEEN_LOOKS == 0 {
                self.gpu.wait()?;
                let over = over(number);
                if number == 0 || !over.is_empty() {
                    over.into_iter().for_each(|(place, why)| placed[place].stop(number, why));
                    let words: Vec<u8> = placed.iter().flat_map(|run| run.words.iter().copied()).collect();
                    self.kernels.begin(&described, &words)?;
                }
            }
            if let Some((interval, until)) = placed.first().and_then(|run| run.over_before(number)) {
                self.kernels.close(&self.gpu, &points, interval, until)?;
            }
            if placed.iter().all(|run| run.is_over(number)) {
                break;
            }
            self.kernels.window(&self.gpu, &points, number, threads)?;
        }
        self.kernels.end(&self.gpu, &points)?;
        self.gpu.wait()?;
        let (running, begun) = (begun.elapsed(), Instant::now());
        let ended = placed.iter().map(|run| run.ended(&memory)).collect::<Result<_, _>>()?;
        if let (Some(recorder), [run]) = (recorder, &placed[..]) {
            run.report(&memory, recorder)?;
        }
        Ok(GpuRuns { ended, placing, running, reading: begun.elapsed() })
    }
}

/// The network of a run, by its address.
fn name(run: &FlatRun<'_>) -> *const () {
    std::ptr::from_ref(run.network()).cast()
}

/// The threads of a router: fewer where there are many routers.
pub(crate) fn threads_for(points: &Points, asked: Option<u32>) -> u32 {
    let routers = u64::from(points.routers) * u64::from(points.count);
    asked.unwrap_or(if routers >= ROUTERS_FOR_THREADS { 1 } else { 32 })
}
