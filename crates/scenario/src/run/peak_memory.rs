//! Most memory that this process has needed.

/// Largest resident memory of the process so far, in bytes (`VmHWM` of Linux); `None` where the system does not
/// report it. Other runs of the same process count too.
pub(crate) fn peak_memory_bytes() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn parse(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_line_of_linux() {
        assert_eq!(parse("Name:\tweir\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2_097_152));
        assert_eq!(parse("Name:\tweir\n"), None);
    }
}
