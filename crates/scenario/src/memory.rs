//! Whether there is memory for a run, before it begins: what it takes at least, and what is to be had.

use crate::{EngineSection, Method, RunError, Scenario, Workload};
use std::fs::read_to_string;
use weir_packet::Machine;
use weir_topology::Topology;
use weir_units::{Bytes, NodeId};
use weir_workload::{Counted, Pattern, Queue};

/// Bytes that the flow engine takes for each link: capacity, load, and the list of those that use it, among others.
const OF_LINK: u64 = 40;
/// Bytes of a link where only its result is kept: what it has carried, and the most flows on it.
const OF_RESULT: u64 = 12;
/// Bytes of a rank beside its program: its counters and its place in the calendar.
const OF_RANK: u64 = 80;
/// From so many messages on one node may stand for all, and then only results are kept.
const MANY: u64 = 100_000_000;

/// How many bytes of memory this process may still get; `None` where the system does not tell.
pub(crate) fn available() -> Option<u64> {
    let left = read_to_string("/proc/meminfo").ok().and_then(|text| left_in_computer(&text));
    let group = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let group = group.iter().find_map(|path| read_to_string(path).ok()?.trim().parse().ok());
    let own = read_to_string("/proc/self/limits").ok().and_then(|text| limit_of_process(&text));
    [left, group, own].into_iter().flatten().min()
}

fn left_in_computer(meminfo: &str) -> Option<u64> {
    let value = |key: &str| -> Option<u64> {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    Some(1024 * (value("MemAvailable:")? + value("SwapFree:").unwrap_or(0)))
}

/// The limit of its address space (`ulimit -v`).
fn limit_of_process(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Says so if there is less memory than a run takes at least.
pub(crate) fn shortage(needed: u64) -> Option<String> {
    let available = available().filter(|&available| available < needed)?;
    Some(format!("at least {} of memory; {} are to be had", Bytes(needed), Bytes(available)))
}

impl Scenario {
    /// Refuses a run for which there is surely not enough memory.
    pub(crate) fn check_memory(&self, topology: Option<&Topology>) -> Result<(), RunError> {
        let Some(shortage) = shortage(self.least_memory(topology)) else { return Ok(()) };
        let machine = topology.map_or(String::new(), |machine| {
            format!("a machine of {} nodes and {} links with ", machine.nodes(), machine.links())
        });
        Err(RunError::Memory(format!(
            "{machine}{} ranks takes {shortage}\n\nhint: take a smaller machine or fewer ranks, or a computer (or a limit: \
             ulimit -v) with more memory",
            self.workload.ranks
        )))
    }

    /// How many bytes a run takes at least. Packets, messages and what programs allocate come on top.
    fn least_memory(&self, topology: Option<&Topology>) -> u64 {
        let pattern = self.workload.kind.pattern(self.workload.ranks);
        let (in_engine, each_rank) = match &self.engine {
            EngineSection::Ideal { .. } => (0, true),
            EngineSection::Packet { .. } => {
                let of_machine = |machine| Machine::least_memory(&self.node.model(), machine);
                (topology.map_or(0, of_machine), !matches!(self.workload.kind, Workload::Synthetic(_)))
            }
            EngineSection::Flow { method, .. } => {
                let few = pattern.as_ref().is_none_or(|pattern| pattern.messages() < MANY);
                let each = *method == Method::Incremental || (*method == Method::Auto && few);
                let links = topology.map_or(0, |machine| machine.links() as u64);
                (links * if each { OF_LINK } else { OF_RESULT }, each)
            }
        };
        let of_program = if pattern.is_some() { size_of::<Queue<Pattern>>() } else { 0 };
        let of_rank = (size_of::<NodeId>() + of_program) as u64 + OF_RANK;
        in_engine + if each_rank { self.workload.ranks as u64 * of_rank } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_linux_says() {
        let meminfo = "MemTotal:  4 kB\nMemAvailable:    3 kB\nSwapFree:  2 kB\n";
        assert_eq!(left_in_computer(meminfo), Some(5 * 1024));
        assert_eq!(left_in_computer("MemTotal: 4 kB\n"), None);
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax address space  81920000  unlimited  bytes\n";
        assert_eq!(limit_of_process(limits), Some(81_920_000));
        assert_eq!(limit_of_process("Max address space  unlimited  unlimited  bytes\n"), None);
    }
}
