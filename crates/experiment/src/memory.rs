//! Memory of this computer and of this process.

use std::fs::read_to_string;
use weir_units::Bytes;

/// Bytes of memory that this process may still get; `None` where the system does not report it.
pub fn available() -> Option<u64> {
    let left = read_to_string("/proc/meminfo").ok().and_then(|text| left_in_computer(&text));
    let group = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let group = group.iter().find_map(|path| read_to_string(path).ok()?.trim().parse().ok());
    // The limit of its address space (`ulimit -v`).
    let own = read_to_string("/proc/self/limits").ok().and_then(|text| number(&text, "Max address space"));
    [left, group, own].into_iter().flatten().min()
}

/// The number behind the name of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

fn left_in_computer(meminfo: &str) -> Option<u64> {
    Some(1024 * (number(meminfo, "MemAvailable:")? + number(meminfo, "SwapFree:").unwrap_or(0)))
}

/// Largest resident memory of the process so far, in bytes (`VmHWM` of Linux); `None` where the system does not
/// report it. Other runs of the same process count too.
pub fn peak_memory_bytes() -> Option<u64> {
    Some(1024 * number(&read_to_string("/proc/self/status").ok()?, "VmHWM:")?)
}

/// Says so if there is less memory than a run takes at least, or if it may take less than that (`limits.memory`).
pub fn shortage(needed: u64, most: Option<Bytes>) -> Option<String> {
    let what = match most.filter(|most| most.0 < needed) {
        Some(most) => format!("limits.memory = {most}"),
        None => format!("{} are available", Bytes(available().filter(|&available| available < needed)?)),
    };
    Some(format!("at least {} of memory; {what}", Bytes(needed)))
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
        assert_eq!(number(limits, "Max address space"), Some(81_920_000));
        assert_eq!(number("Max address space  unlimited  unlimited  bytes\n", "Max address space"), None);
        assert_eq!(number("Name:\tweir\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n", "VmHWM:"), Some(2048));
    }
}
