//! Routers on a GPU, for the interfaces and programs of this process.

use crate::cuda::Buffer;
use crate::error::GpuError;
use crate::memory::{GpuMemory, Points};
use crate::traffic::{PacketGpu, threads_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::{Duration, Instant};
use weir_network::{Program, RunContext};
use weir_packet::{
    FlatMessages, Injected, PacketEnded, PlacedMessages, RemoteCounts, RemoteRouters, RemoteWindow,
};

/// Packets that may come in at a time at first; there is room for more when more do.
const FIRST_ROOM: usize = 1 << 12;

/// A run of programs, and the time on the clock on the wall that it took.
#[derive(Debug)]
pub struct GpuPrograms {
    /// The result.
    pub ended: PacketEnded,
    /// Time to put the machine into the memory of the GPU.
    pub placing: Duration,
    /// Time of the run, of programs and interfaces on this processor as well.
    pub running: Duration,
    /// Time to read what is left in the memory.
    pub reading: Duration,
}

/// The routers of a network on a GPU.
struct GpuRouters<'g> {
    gpu: &'g PacketGpu,
    memory: GpuMemory<'g>,
    placed: PlacedMessages<'g>,
    points: Points,
    injected: Buffer<u8>,
    /// The first reason why it has failed.
    failure: Option<GpuError>,
    /// Time to read what is left in the memory.
    reading: Duration,
}

impl PacketGpu {
    /// Runs programs, as [`PacketNetwork::run_remote`](weir_packet::PacketNetwork::run_remote) does: interfaces and programs on the threads of
    /// this process, routers on the GPU. The result is that of the engine.
    ///
    /// # Errors
    /// When there is not enough memory on the GPU, or it fails.
    ///
    /// # Panics
    /// The same as `run_remote`.
    pub fn run_programs<P: Program + Send>(
        &self,
        flat: FlatMessages<'_>,
        programs: &mut [P],
        context: RunContext<'_>,
    ) -> Result<GpuPrograms, GpuError>
    where
        P::Body: Send + Serialize + DeserializeOwned,
    {
        let begun = Instant::now();
        let mut routers = GpuRouters::new(self, flat)?;
        let (placing, begun) = (begun.elapsed(), Instant::now());
        let ended = flat.network().run_remote(programs, context, &mut routers);
        let GpuRouters { failure, reading, .. } = routers;
        match failure {
            Some(error) => Err(error),
            None => {
                Ok(GpuPrograms { ended, placing, running: begun.elapsed().saturating_sub(reading), reading })
            }
        }
    }
}

impl<'g> GpuRouters<'g> {
    fn new(gpu: &'g PacketGpu, flat: FlatMessages<'g>) -> Result<Self, GpuError> {
        let mut memory = GpuMemory::new(&gpu.gpu);
        let network = flat.network().place(&mut memory)?;
        let placed = flat.place(0, &mut memory)?;
        gpu.kernels.begin(&network.words, &placed.words)?;
        let points = Points {
            count: 1,
            routers: network.routers as u32,
            nodes: network.nodes as u32,
            lanes_of_router: network.lanes_of_router as u32,
            decides: network.decides,
            is_sampled: false,
        };
        let injected = gpu.gpu.zeros(FIRST_ROOM * Injected::BYTES)?;
        Ok(Self { gpu, memory, placed, points, injected, failure: None, reading: Duration::ZERO })
    }

    fn try_window(&mut self, number: u64, packets: &[&[u8]]) -> Result<RemoteWindow, GpuError> {
        let PacketGpu { gpu, kernels } = self.gpu;
        self.memory.clear(self.placed.lists)?;
        let bytes = packets.concat();
        if !bytes.is_empty() {
            if bytes.len() > self.injected.len() {
                self.injected = gpu.zeros(2 * bytes.len())?;
            }
            gpu.write(&self.injected, &bytes)?;
            kernels.inject(gpu, &self.injected, (bytes.len() / Injected::BYTES) as u32)?;
        }
        kernels.window(gpu, &self.points, number, threads_for(&self.points, None))?;
        self.placed.window(&self.memory)
    }

    /// The result; after a failure none.
    fn or_failed<T: Default>(&mut self, result: Result<T, GpuError>) -> T {
        result.unwrap_or_else(|error| {
            self.failure.get_or_insert(error);
            T::default()
        })
    }
}

impl RemoteRouters for GpuRouters<'_> {
    fn window(&mut self, number: u64, injected: &[&[u8]]) -> RemoteWindow {
        let window = self.try_window(number, injected);
        let has_failed = window.is_err();
        RemoteWindow { has_failed, ..self.or_failed(window) }
    }

    fn counts(&mut self) -> RemoteCounts {
        let begun = Instant::now();
        let counts = self.placed.counts(&self.memory);
        self.reading = begun.elapsed();
        self.or_failed(counts)
    }
}
