//! The kernels of `kernels/packet.cu`: a safe function for each, which says how its arguments are made.
#![allow(unsafe_code, reason = "a launch leads to addresses: here is what makes them right")]

use crate::cuda::{Buffer, Function, Gpu, Module};
use crate::error::GpuError;
use crate::memory::Points;

/// Made from `kernels/packet.cu` by `make gpu-ptx`.
const PTX: &str = include_str!("../kernels/packet.ptx");

/// Threads of a block: `STRIDE` in `kernels/router.h`.
const BLOCK: u32 = 128;
/// Words of shared memory for each head packet of a thread.
const WORDS_OF_HEAD: u32 = 4;
/// Shared memory has room for the heads of so many lanes of a thread.
const MOST_HEADS: u32 = 24;
/// The kernels have room for so many runs at a time.
pub const MOST_POINTS: usize = 112;
/// The kernels have room for so many networks at a time.
pub const MOST_NETWORKS: usize = 16;

/// The loaded kernels of the packet engine.
#[derive(Debug)]
pub(crate) struct Kernels {
    module: Module,
    /// By kind, see [`WINDOWS`], and then by threads of a router.
    windows: Vec<Vec<(u32, Function)>>,
    close: Function,
    inject: Function,
    end: Function,
}

/// Numbers of threads that can run a router together, in ascending order, with the kernel of each. The kind of a kernel is 1 if rules decide for
/// each packet, and 2 more if samples are taken.
const WINDOWS: [&[(u32, &str)]; 4] = [
    &[(1, "window_by_1"), (32, "window_by_32")],
    &[(32, "deciding_window_by_32")],
    &[(32, "sampled_window_by_32")],
    &[(32, "sampled_deciding_window_by_32")],
];

impl Kernels {
    /// Loads them. The driver compiles them the first time, which takes some tenths of a second; later its cache has them.
    ///
    /// # Errors
    /// When the driver is too old for them.
    pub(crate) fn load(gpu: &Gpu) -> Result<Self, GpuError> {
        let module = gpu.load(PTX)?;
        let all = |kernels: &[(u32, &str)]| {
            let function = |&(threads, name): &(u32, &str)| Ok((threads, module.function(name)?));
            kernels.iter().map(function).collect::<Result<Vec<_>, GpuError>>()
        };
        Ok(Self {
            windows: WINDOWS.into_iter().map(all).collect::<Result<_, _>>()?,
            close: module.function("close_interval")?,
            inject: module.function("inject_all")?,
            end: module.function("end_of_points")?,
            module,
        })
    }

    /// Makes these points, which are of networks that these words describe, the ones that are run.
    ///
    /// # Errors
    /// When the GPU has failed.
    pub(crate) fn begin(&self, networks: &[u8], points: &[u8]) -> Result<(), GpuError> {
        self.module.write("networks", networks)?;
        self.module.write("points", points)
    }

    /// Runs the window with a number of all points that have it, on so many threads for each router, or the next larger number that
    /// is possible.
    ///
    /// # Errors
    /// When the launch fails.
    pub(crate) fn window(
        &self,
        gpu: &Gpu,
        points: &Points,
        number: u64,
        threads: u32,
    ) -> Result<(), GpuError> {
        let kernels = &self.windows[usize::from(points.decides) + 2 * usize::from(points.is_sampled)];
        let fits = |each: u32| each >= threads && points.lanes_of_router.div_ceil(each) <= MOST_HEADS;
        let found = kernels.iter().find(|(each, _)| fits(*each)).or(kernels.last());
        let (each, function) = found.map(|(each, function)| (*each, function)).expect("there are kernels");
        let heads = points.lanes_of_router.div_ceil(each);
        let grid = [(points.routers * each).div_ceil(BLOCK), points.count, 1];
        let shared = WORDS_OF_HEAD * heads * BLOCK * size_of::<u32>() as u32;
        // SAFETY: the variables of the module have the points, and all that they lead to was made by `weir_packet` for these kernels and
        // lies in a memory that outlives them; there is shared memory for as many heads as a thread has lanes.
        unsafe { gpu.launch(function, grid, ([BLOCK, 1, 1], shared), &[number, heads.into()]) }
    }

    /// Puts so many packets, which lie one behind the other in a buffer, into places of the only point.
    ///
    /// # Errors
    /// When the launch fails.
    pub(crate) fn inject(&self, gpu: &Gpu, packets: &Buffer<u8>, count: u32) -> Result<(), GpuError> {
        let arguments = [packets.address(), count.into()];
        // SAFETY: as for a window; the buffer has so many packets.
        unsafe { gpu.launch(&self.inject, [count.div_ceil(BLOCK), 1, 1], ([BLOCK, 1, 1], 0), &arguments) }
    }

    /// Closes the interval of samples with a number, which is over at an instant, in picoseconds, of the only point.
    ///
    /// # Errors
    /// When the launch fails.
    pub(crate) fn close(
        &self,
        gpu: &Gpu,
        points: &Points,
        interval: u64,
        until: u64,
    ) -> Result<(), GpuError> {
        let grid = [(points.routers * points.lanes_of_router).div_ceil(BLOCK), 1, 1];
        // SAFETY: as for a window; the point takes samples, and has this interval.
        unsafe { gpu.launch(&self.close, grid, ([BLOCK, 1, 1], 0), &[interval, until]) }
    }

    /// Counts what is left when all windows have been run.
    ///
    /// # Errors
    /// When the launch fails.
    pub(crate) fn end(&self, gpu: &Gpu, points: &Points) -> Result<(), GpuError> {
        let grid = [points.nodes.div_ceil(BLOCK), points.count, 1];
        // SAFETY: as for a window.
        unsafe { gpu.launch(&self.end, grid, ([BLOCK, 1, 1], 0), &[]) }
    }
}
