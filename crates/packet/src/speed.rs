//! Time for which a packet passes.

use weir_network::causes::CLASSES;
use weir_topology::LinkClasses;
use weir_units::{Bandwidth, Bytes};

/// A bandwidth, made ready for packets of at most the MTU.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Speed {
    bandwidth: Bandwidth,
    /// Picoseconds per byte, if that is a whole number.
    per_byte: Option<u64>,
    mtu: u32,
    mtu_time: u64,
}

impl Speed {
    pub(crate) fn new(bandwidth: Bandwidth, mtu: u32) -> Self {
        let time = |bytes: u32| bandwidth.serialization_time(Bytes(u64::from(bytes))).as_ps();
        let whole = 1e12 / bandwidth.bytes_per_second();
        // Only then is the time of n bytes n times that of one.
        let per_byte = (whole.fract() == 0.0 && (1.0..1e9).contains(&whole)).then_some(whole as u64);
        Self { bandwidth, per_byte, mtu, mtu_time: time(mtu) }
    }

    /// The serialization time of a packet in picoseconds, at least that of one byte: a packet without data has a header.
    #[inline(always)]
    pub(crate) fn time(&self, bytes: u32) -> u64 {
        if bytes == self.mtu { self.mtu_time } else { self.time_of_rest(bytes) }
    }

    /// The time of the last packet of a message.
    #[inline(never)]
    fn time_of_rest(&self, bytes: u32) -> u64 {
        let bytes = u64::from(bytes.max(1));
        match self.per_byte {
            Some(per_byte) => per_byte * bytes,
            None => self.bandwidth.serialization_time(Bytes(bytes)).as_ps(),
        }
    }

    pub(crate) fn bandwidth(&self) -> Bandwidth {
        self.bandwidth
    }

    /// The serialization time of the shortest and of the longest packet, in picoseconds.
    pub(crate) fn range(&self) -> (u64, u64) {
        (self.time(1).min(self.mtu_time), self.mtu_time)
    }
}

const _: () = assert!(LinkClasses::MOST <= CLASSES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_bandwidth() {
        for bandwidth in [8e9, 3e9, 1.0, 2.5e9, 12.3456e9] {
            let bandwidth = Bandwidth::new(bandwidth).unwrap();
            let speed = Speed::new(bandwidth, 256);
            for bytes in [1, 2, 7, 255, 256] {
                let expected = bandwidth.serialization_time(Bytes(u64::from(bytes))).as_ps();
                assert_eq!(speed.time(bytes), expected, "{bandwidth} {bytes}");
            }
            assert_eq!(speed.time(0), speed.time(1));
        }
    }
}
