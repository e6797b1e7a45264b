//! The kernels of `kernels/packet.cu`: a safe function for each, which says how its arguments are made.
#![allow(unsafe_code, reason = "a launch passes addresses: here is what makes them right")]

use crate::cuda::{Buffer, Function, Gpu};
use crate::error::GpuError;

/// Made from `kernels/packet.cu` by `make gpu-ptx`.
const PTX: &str = include_str!("../kernels/packet.ptx");

/// The threads of the kernel `probe`: blocks, and threads in each.
const PROBE: [u32; 2] = [4, 256];

/// The loaded kernels of the packet engine.
#[derive(Debug)]
pub struct PacketKernels {
    probe: Function,
}

impl PacketKernels {
    /// Loads them. The driver compiles them the first time, which takes some tenths of a second; later its cache has them.
    ///
    /// # Errors
    /// When the driver is too old for them.
    pub fn load(gpu: &Gpu) -> Result<Self, GpuError> {
        let module = gpu.load(PTX)?;
        Ok(Self { probe: module.function("probe")? })
    }

    /// Runs a kernel that writes the square of each thread's number, from 0, plus one: launches and copies work if it does.
    ///
    /// # Errors
    /// When the launch fails.
    pub fn probe(&self, gpu: &Gpu) -> Result<Buffer<u64>, GpuError> {
        let [blocks, threads] = PROBE;
        let out = gpu.zeros((blocks * threads) as usize)?;
        // SAFETY: `probe` takes the address of as many words as there are threads, and writes nothing else.
        unsafe { gpu.launch(&self.probe, [blocks, 1, 1], [threads, 1, 1], &[out.address()])? };
        Ok(out)
    }
}
