//! A GPU of NVIDIA, and the kernels that run on it.
//!
//! The driver's library is found when a [`Gpu`] is opened. Neither building nor testing needs it, nor any part of CUDA: the
//! kernels are compiled by `make gpu-ptx`, and the text that this makes, which drivers compile for the GPU they find, is part of
//! the sources.
//!
//! - [`Gpu`], [`Buffer`], [`Module`] and [`Function`] are a small part of the CUDA driver's functions, with checked results.
//! - [`PacketGpu`] runs synthetic traffic of the packet engine, or the routers of programs, by the kernels in `kernels/packet.cu`.

mod cuda;
mod error;
mod kernels;
mod memory;
mod programs;
mod traffic;

pub use cuda::{Buffer, Function, Gpu, Module};
pub use error::GpuError;
pub use kernels::{MOST_NETWORKS, MOST_POINTS};
pub use programs::GpuPrograms;
pub use traffic::{GpuRuns, PacketGpu};
