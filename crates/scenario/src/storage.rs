//! `[storage]`: the disks on which the files of MPI programs lie.

use crate::Units;
use crate::reader::{BANDWIDTH, BYTES, DURATION, Section};
use serde_json::{Map, Value, json};
use weir_message::storage::StorageModel;
use weir_units::Bytes;

/// The disks of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageSection {
    /// What they are like.
    pub model: StorageModel,
}

/// More than any machine has.
const MOST_SERVERS: u64 = 1_000_000;

impl StorageSection {
    const STRIPE: Bytes = Bytes(1 << 20);

    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let stripe = section.quantity("stripe", &BYTES);
        if stripe == Some(Bytes::ZERO) {
            section.problem("stripe", "must be greater than zero", None);
        }
        let servers = section.integer("servers", 1..=MOST_SERVERS).unwrap_or(1);
        let model = StorageModel {
            servers: usize::try_from(servers).expect("the reader checks the range"),
            bandwidth: section.quantity("bandwidth", &BANDWIDTH),
            latency: section.quantity("latency", &DURATION).unwrap_or_default(),
            stripe: stripe.filter(|&stripe| stripe > Bytes::ZERO).unwrap_or(Self::STRIPE),
        };
        Self { model }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut object = Map::new();
        object.insert("servers".into(), json!(self.model.servers));
        if let Some(bandwidth) = self.model.bandwidth {
            object.insert("bandwidth".into(), units.bandwidth(bandwidth));
        }
        object.insert("latency".into(), units.duration(self.model.latency));
        object.insert("stripe".into(), units.bytes(self.model.stripe));
        Value::Object(object)
    }
}
