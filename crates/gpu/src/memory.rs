//! The state of runs in the memory of a GPU.

use crate::cuda::{Buffer, Gpu};
use crate::error::GpuError;
use std::collections::BTreeMap;
use weir_packet::{Memory, Region};

/// Memory of a GPU, by address.
#[derive(Debug)]
pub(crate) struct GpuMemory<'g> {
    gpu: &'g Gpu,
    buffers: BTreeMap<u64, Buffer<u8>>,
}

impl<'g> GpuMemory<'g> {
    pub(crate) fn new(gpu: &'g Gpu) -> Self {
        Self { gpu, buffers: BTreeMap::new() }
    }

    /// Makes all bytes of a region zero.
    pub(crate) fn clear(&self, region: Region) -> Result<(), GpuError> {
        let buffer = self.buffers.get(&region.address);
        buffer.map_or(Ok(()), |buffer| self.gpu.write(buffer, &vec![0; region.bytes]))
    }

    fn keep(&mut self, buffer: Buffer<u8>) -> Region {
        let region = Region { address: buffer.address(), bytes: buffer.len() };
        self.buffers.insert(region.address, buffer);
        region
    }
}

impl Memory for GpuMemory<'_> {
    type Error = GpuError;

    fn put(&mut self, bytes: &[u8]) -> Result<Region, GpuError> {
        let buffer = self.gpu.upload(bytes)?;
        Ok(self.keep(buffer))
    }

    fn zeros(&mut self, bytes: usize) -> Result<Region, GpuError> {
        let buffer = self.gpu.zeros(bytes)?;
        Ok(self.keep(buffer))
    }

    fn read(&self, region: Region) -> Result<Vec<u8>, GpuError> {
        match self.buffers.get(&region.address) {
            Some(buffer) if region.bytes > 0 => self.gpu.download(buffer, region.bytes),
            _ => Ok(Vec::new()),
        }
    }
}

/// Runs whose state is in a memory that outlives this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points {
    pub(crate) count: u32,
    /// The most routers, nodes and virtual channels of all input ports of a router that one of them has.
    pub(crate) routers: u32,
    pub(crate) nodes: u32,
    pub(crate) lanes_of_router: u32,
    /// True if their rules decide for each packet.
    pub(crate) decides: bool,
    /// True if the only one takes samples.
    pub(crate) is_sampled: bool,
}
