//! Which cores a process may use, as a number that processes on other hosts or with other cores do not have.

use rustix::thread::sched_getaffinity;
use std::fs::read_to_string;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The cores of this thread: of the same host, as long as that has been running, and the same ones there. Launchers may bind
/// processes to cores; then those that share none divide none. Two that share some only count as sharing none.
pub(super) fn own() -> u64 {
    let mut hasher = DefaultHasher::new();
    // Containers may have names of their own, and processes of several share a host's cores.
    let host = read_to_string("/proc/sys/kernel/random/boot_id");
    host.or_else(|_| read_to_string("/proc/sys/kernel/hostname")).unwrap_or_default().hash(&mut hasher);
    if let Ok(cores) = sched_getaffinity(None) {
        let cores: Vec<_> = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect();
        cores.hash(&mut hasher);
    }
    // The largest number is what others bring.
    hasher.finish() >> 1
}
