//! The kernels of `kernels/packet.cu`: a safe function for each, which says how its arguments are made.
#![allow(unsafe_code, reason = "a launch passes addresses: here is what makes them right")]

use crate::cuda::{Function, Gpu};
use crate::error::GpuError;
use crate::memory::Points;

/// Made from `kernels/packet.cu` by `make gpu-ptx`.
const PTX: &str = include_str!("../kernels/packet.ptx");

/// Threads of a block: `STRIDE` in `kernels/step.h`.
const BLOCK: u32 = 128;
/// Words of shared memory for each head packet of a thread.
const WORDS_OF_HEAD: u32 = 3;

/// The loaded kernels of the packet engine.
#[derive(Debug)]
pub(crate) struct Kernels {
    by_threads: Function,
    by_warps: Function,
}

/// How many threads run a router together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One: for many routers of few ports.
    One,
    /// The 32 of a warp: for few routers, or for such of many ports.
    Warp,
}

impl Kernels {
    /// Loads them. The driver compiles them the first time, which takes some tenths of a second; later its cache has them.
    ///
    /// # Errors
    /// When the driver is too old for them.
    pub(crate) fn load(gpu: &Gpu) -> Result<Self, GpuError> {
        let module = gpu.load(PTX)?;
        let [by_threads, by_warps] =
            ["window_by_threads", "window_by_warps"].map(|name| module.function(name));
        Ok(Self { by_threads: by_threads?, by_warps: by_warps? })
    }

    /// Runs the window with a number of all points that have it, on so many threads for each router.
    ///
    /// # Errors
    /// When the launch fails.
    pub(crate) fn window(
        &self,
        gpu: &Gpu,
        points: &Points<'_>,
        number: u64,
        threads: Threads,
    ) -> Result<(), GpuError> {
        let (function, each) = match threads {
            Threads::One => (&self.by_threads, 1),
            Threads::Warp => (&self.by_warps, 32),
        };
        let heads = points.lanes_of_router.div_ceil(each);
        let grid = [(points.routers * each).div_ceil(BLOCK), points.count, 1];
        let shared = WORDS_OF_HEAD * heads * BLOCK * size_of::<u32>() as u32;
        let arguments = [points.address(), number, heads.into()];
        // SAFETY: the points and all that they lead to were made by `weir_packet` for these kernels, and lie in the memory that `points`
        // borrows; there is shared memory for as many heads as a thread has lanes.
        unsafe { gpu.launch(function, grid, ([BLOCK, 1, 1], shared), &arguments) }
    }
}
