//! `[storage]`: the disks on which the files of MPI programs lie.

use crate::keys::form::{DATA, Integer, RATE, TIME};
use crate::keys::section;
use crate::source::reader::Section;
use weir_message::storage::StorageModel;
use weir_units::{Bandwidth, Bytes, Duration};

/// More than any machine has.
const MOST_SERVERS: u64 = 1_000_000;

section! {
    /// The disks of the machine.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StorageSection of "storage";
    servers: usize = Integer(1, MOST_SERVERS), Is("1"), "Number of servers, 1 to 1,000,000.";
    bandwidth: Bandwidth = RATE, Words("infinite"), "Bandwidth of each server, reading and writing.";
    latency: Duration = TIME, Is("0"), "Time that a server takes for each operation before its data move.";
    stripe: Bytes = DATA, Is("\"1 MiB\""), "Bytes of a file that lie together on one server.";
}

impl StorageSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let storage = Self::read_keys(section).expect("no key is required");
        section.report_if(storage.stripe == Bytes::ZERO, "stripe", "must be greater than zero", "");
        storage
    }

    /// The disks for the message layer.
    pub fn model(&self) -> StorageModel {
        let &Self { servers, bandwidth, latency, stripe } = self;
        StorageModel { servers, bandwidth, latency, stripe }
    }
}
