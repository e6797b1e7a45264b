//! The disks of the simulated machine: when an access to a file is over.
//!
//! # Model
//! Files lie in stripes over servers: stripe `i` of a file whose first server is `f` lies on server `(f + i) mod
//! servers`. An access is one operation of one rank, however many pieces it has. Each server it touches serves its part
//! of it: the latency, and then its bytes at the server's bandwidth. A server serves one part after the other, in the
//! order in which they come, and the access is over when its last part is.
//!
//! Accesses come in the order of simulated time, and at one instant in the order of the engine's events, which does not
//! depend on threads or addresses: so the times do not either. Left out: the network between nodes and servers, caches,
//! and the difference between reading and writing.

use weir_units::{Bandwidth, Bytes, Duration, Time};

/// A model of the disks.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageModel {
    /// The number of servers, at least 1.
    pub servers: usize,
    /// Speed at which each of them reads and writes; `None` is infinitely fast.
    pub bandwidth: Option<Bandwidth>,
    /// Time of each part of an access before its data move.
    pub latency: Duration,
    /// Bytes of a file that lie together on one server, at least 1.
    pub stripe: Bytes,
}

/// The disks and what they are busy with.
#[derive(Clone, Debug)]
pub struct Storage {
    model: StorageModel,
    /// When each server is free again.
    free: Vec<Time>,
    /// Bytes of each server in the access that is being counted, and the servers that have any.
    parts: Vec<u64>,
    touched: Vec<usize>,
}

impl Storage {
    /// Disks that have nothing to do yet.
    ///
    /// # Panics
    /// When the model has no server or stripes without bytes.
    pub fn new(model: StorageModel) -> Self {
        assert!(model.servers > 0 && model.stripe > Bytes::ZERO, "a model has servers and stripes");
        let servers = model.servers;
        Self { model, free: vec![Time::ZERO; servers], parts: vec![0; servers], touched: Vec::new() }
    }

    /// When an access that comes at `now` is over. `ranges` are its bytes in the file: beginning and length. Later
    /// accesses do not come earlier. O(ranges + servers they touch).
    pub fn access(&mut self, now: Time, first: usize, ranges: impl Iterator<Item = (u64, u64)>) -> Time {
        ranges.for_each(|(at, length)| self.count(first, at, length));
        let mut end = now;
        for server in self.touched.drain(..) {
            let bytes = Bytes(std::mem::take(&mut self.parts[server]));
            let moving = self.model.bandwidth.map_or(Duration::ZERO, |speed| speed.serialization_time(bytes));
            let free = &mut self.free[server];
            *free = (*free).max(now) + self.model.latency + moving;
            end = end.max(*free);
        }
        end
    }

    fn count(&mut self, first: usize, at: u64, length: u64) {
        let (stripe, servers) = (self.model.stripe.0, self.model.servers as u64);
        let cycle = u128::from(stripe) * u128::from(servers);
        let rounds = (u128::from(length) / cycle) as u64;
        if rounds > 0 {
            (0..self.model.servers).for_each(|server| self.add(server, rounds * stripe));
        }
        // What remains touches each server at most once more, the first of them twice.
        let (mut at, mut rest) = (at, (u128::from(length) % cycle) as u64);
        while rest > 0 {
            let part = rest.min(stripe - at % stripe);
            let server = (first as u64 % servers + at / stripe % servers) % servers;
            self.add(server as usize, part);
            at += part;
            rest -= part;
        }
    }

    fn add(&mut self, server: usize, bytes: u64) {
        if self.parts[server] == 0 {
            self.touched.push(server);
        }
        self.parts[server] += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn model(servers: usize, latency: u64, stripe: u64) -> StorageModel {
        // A byte takes a nanosecond.
        let bandwidth = Bandwidth::new(1e9);
        StorageModel { servers, bandwidth, latency: Duration::from_ns(latency), stripe: Bytes(stripe) }
    }

    fn ns(ns: u64) -> Time {
        Time::ZERO + Duration::from_ns(ns)
    }

    /// One server, 10 ns per operation, 1 byte per ns: 100 bytes from 0 on take until 110; 50 bytes that come at 30 wait
    /// until 110 and are through at 170; 1 byte that comes at 500 finds a free server and is through at 511.
    #[test]
    fn one_server_serves_one_after_the_other() {
        let mut disks = Storage::new(model(1, 10, 64));
        assert_eq!(disks.access(ns(0), 0, [(0, 100)].into_iter()), ns(110));
        assert_eq!(disks.access(ns(30), 0, [(1000, 20), (5000, 30)].into_iter()), ns(170));
        assert_eq!(disks.access(ns(500), 0, [(0, 1)].into_iter()), ns(511));
        assert_eq!(disks.access(ns(500), 0, std::iter::empty()), ns(500), "nothing takes no time");
    }

    #[test]
    fn without_bandwidth_only_the_latency_counts() {
        let mut disks = Storage::new(StorageModel { bandwidth: None, ..model(3, 7, 1) });
        assert_eq!(disks.access(ns(5), 0, [(0, u64::MAX)].into_iter()), ns(12));
    }

    proptest! {
        /// The same as dealing out byte by byte.
        #[test]
        fn agrees_with_byte_by_byte(
            servers in 1usize..5,
            stripe in 1u64..9,
            accesses in prop::collection::vec(
                (0u64..40, 0usize..7, prop::collection::vec((0u64..60, 0u64..70), 0..4)), 1..20),
        ) {
            let mut disks = Storage::new(model(servers, 3, stripe));
            let mut free = vec![0u64; servers];
            let mut now = 0;
            for (later, first, ranges) in accesses {
                now += later;
                let mut bytes = vec![0u64; servers];
                for byte in ranges.iter().flat_map(|&(at, length)| at..at + length) {
                    bytes[(first + (byte / stripe) as usize) % servers] += 1;
                }
                let mut end = now;
                for (free, bytes) in free.iter_mut().zip(bytes).filter(|(_, bytes)| *bytes > 0) {
                    *free = (*free).max(now) + 3 + bytes;
                    end = end.max(*free);
                }
                prop_assert_eq!(disks.access(ns(now), first, ranges.into_iter()), ns(end));
            }
        }
    }
}
