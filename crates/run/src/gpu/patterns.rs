//! Patterns whose routers are on the GPU.

use super::{GpuProcessor, failed, fits};
use crate::engine::queues;
use crate::engine_result::Ran;
use crate::{Result, packet};
use std::sync::Arc;
use weir_experiment::PreparedPacket;
use weir_gpu::GpuPrograms;
use weir_network::RunContext;
use weir_record::GpuUse;
use weir_workload::Pattern;

/// Runs a pattern: its ranks and their interfaces on the threads of this process.
pub(crate) fn run_pattern(
    processor: &GpuProcessor,
    packets: &PreparedPacket,
    pattern: Arc<Pattern>,
    context: RunContext<'_>,
) -> Result<Ran> {
    let gpu = processor.opened().map_err(failed)?;
    let mut programs = queues(pattern, context.ranks);
    let context = packet::begun(packets, context);
    // It fits: else it would have been refused before.
    let flat = packets.network.flat_messages(context.limits).map_err(fits::refusals)?;
    let run = gpu.run_programs(flat, &mut programs, context).map_err(|error| failed(&error))?;
    let GpuPrograms { ended, placing, running, reading } = run;
    let used = GpuUse { name: gpu.gpu().name().to_owned(), runs: 1, placing, running, reading };
    Ok(Ran { gpu: Some(used), ..packet::ran(packets, ended) })
}
