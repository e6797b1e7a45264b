//! `[storage]`: the disks on which the files of MPI programs lie.

use crate::Units;
use crate::keys::Default::{Value as Is, Words};
use crate::keys::form::{DATA, Quantity, RATE, TIME, Whole};
use crate::keys::keys;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use serde_json::Value;
use weir_message::storage::StorageModel;
use weir_units::{Bandwidth, Bytes, Duration};

keys! {
    "storage":
    SERVERS: Whole = "servers", &[], Whole(1, MOST_SERVERS), Is("1"), "how many servers there are, 1 to 1,000,000";
    BANDWIDTH: Quantity<Bandwidth> = "bandwidth", &[], RATE, Words("infinite"), "of each server, reading and writing";
    LATENCY: Quantity<Duration> = "latency", &[], TIME, Is("0"),
        "what a server takes for each operation before its data move";
    STRIPE: Quantity<Bytes> = "stripe", &[], DATA, Is("\"1 MiB\""), "bytes of a file that lie together on one server";
}

/// The disks of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageSection {
    /// What they are like.
    pub model: StorageModel,
}

/// More than any machine has.
const MOST_SERVERS: u64 = 1_000_000;

impl StorageSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let stripe = section.get_or_default(&STRIPE);
        if stripe == Bytes::ZERO {
            section.problem("stripe", "must be greater than zero", None);
        }
        let model = StorageModel {
            servers: usize::try_from(section.get_or_default(&SERVERS)).expect("the row has the range"),
            bandwidth: section.get(&BANDWIDTH),
            latency: section.get_or_default(&LATENCY),
            stripe,
        };
        Self { model }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut storage = Resolved::new(units);
        storage.put(&SERVERS, self.model.servers as u64);
        storage.put_some(&BANDWIDTH, self.model.bandwidth);
        storage.put(&LATENCY, self.model.latency);
        storage.put(&STRIPE, self.model.stripe);
        storage.into_value()
    }
}
