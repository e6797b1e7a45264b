//! Messages of service classes that have arrived.

use crate::Latencies;
use serde::{Deserialize, Serialize};
use weir_units::Bytes;

/// Messages of a service class that have arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceCounts {
    /// Messages of data.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// Messages that protocols need.
    pub control_messages: u64,
    /// Times from being handed over to having arrived.
    pub latency: Latencies,
    /// The same of what protocols need.
    pub control_latency: Latencies,
}

/// Two parts of a run together, class by class.
pub(crate) fn join(mut own: Vec<ServiceCounts>, other: &[ServiceCounts]) -> Vec<ServiceCounts> {
    own.resize(own.len().max(other.len()), ServiceCounts::default());
    own.iter_mut().zip(other).for_each(|(own, other)| own.join(other));
    own
}

impl ServiceCounts {
    fn join(&mut self, other: &Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.control_messages += other.control_messages;
        self.latency.join(&other.latency);
        self.control_latency.join(&other.control_latency);
    }

    /// Adds a message of so many bytes, that has taken so many picoseconds; of what protocols need if there are no bytes to count.
    pub(crate) fn add(&mut self, data: Option<Bytes>, latency: u64) {
        if let Some(bytes) = data {
            self.messages += 1;
            self.bytes += bytes;
            self.latency.add(latency);
        } else {
            self.control_messages += 1;
            self.control_latency.add(latency);
        }
    }
}
