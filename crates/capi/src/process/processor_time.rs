//! The processor time of this thread, and what reading it costs.

use weir_units::Duration;

/// Processor time of this thread so far.
pub(crate) fn processor_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: our own variable. This is the C library's function, which returns real time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    Duration::from_ns(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

/// Cost of reading the processor time: the median of several readings in a row.
pub(crate) fn reading_cost() -> Duration {
    const READINGS: usize = 65;
    let mut costs: Vec<Duration> = Vec::with_capacity(READINGS);
    let mut last = processor_time();
    for _ in 0..READINGS {
        let now = processor_time();
        costs.push(Duration::from_ps(now.as_ps() - last.as_ps()));
        last = now;
    }
    costs.sort_unstable();
    costs[READINGS / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The processor time goes on while a thread works, and hardly while it sleeps.
    #[test]
    fn processor_time_is_the_threads_own() {
        let begin = processor_time();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(processor_time().as_ps() - begin.as_ps() < 15_000_000_000);
        let (begin, on_the_wall) = (processor_time(), std::time::Instant::now());
        while processor_time().as_ps() - begin.as_ps() < 2_000_000_000 {}
        assert!(
            on_the_wall.elapsed() >= std::time::Duration::from_millis(1),
            "it is no faster than the wall's"
        );
        assert!(reading_cost() < Duration::from_ns(100_000));
    }
}
