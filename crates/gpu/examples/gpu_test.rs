//! Tries the GPU of this computer: `make gpu-test`.
#![allow(clippy::print_stdout, reason = "a program for people")]

use anyhow::ensure;
use std::time::Instant;
use weir_gpu::{Gpu, PacketKernels};

fn main() -> anyhow::Result<()> {
    let begin = Instant::now();
    let gpu = Gpu::open()?;
    let gibibytes = gpu.memory() as f64 / f64::from(1 << 30);
    println!("{}: {gibibytes:.1} GiB, {} multiprocessors", gpu.name(), gpu.multiprocessors());
    println!("opened in {:.3} s", begin.elapsed().as_secs_f64());

    let begin = Instant::now();
    let kernels = PacketKernels::load(&gpu)?;
    println!("kernels loaded in {:.3} s", begin.elapsed().as_secs_f64());

    let squares = gpu.download(&kernels.probe(&gpu)?)?;
    let expected: Vec<u64> = (0..squares.len() as u64).map(|thread| thread * thread + 1).collect();
    ensure!(squares == expected, "the kernel probe writes {squares:?}, and not {expected:?}");
    gpu.wait()?;
    println!("the kernel probe writes the {} numbers that are expected of it", squares.len());
    Ok(())
}
