//! Where packets come from and go to, for whoever looks at single packets: routers do not need to know.

use std::sync::atomic::{AtomicU64, Ordering};
use weir_units::NodeId;

/// Who a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Origin {
    pub(crate) source: NodeId,
    pub(crate) destination: NodeId,
    /// Its number among the packets of its source.
    pub(crate) sequence: u64,
}

/// Who packets are, by the number of their label. Written like a label, before the packet is put anywhere.
#[derive(Debug)]
pub(crate) struct Origins(Vec<[AtomicU64; 2]>);

impl Origins {
    pub(crate) fn new(labels: usize) -> Self {
        Self((0..labels).map(|_| [const { AtomicU64::new(0) }; 2]).collect())
    }

    pub(crate) fn write(&self, label: u32, origin: Origin) {
        let Origin { source, destination, sequence } = origin;
        let [ends, number] = &self.0[label as usize];
        ends.store(u64::from(source.0) << 32 | u64::from(destination.0), Ordering::Relaxed);
        number.store(sequence, Ordering::Relaxed);
    }

    pub(crate) fn read(&self, label: u32) -> Origin {
        let [ends, number] = &self.0[label as usize];
        let ends = ends.load(Ordering::Relaxed);
        Origin {
            source: NodeId((ends >> 32) as u32),
            destination: NodeId(ends as u32),
            sequence: number.load(Ordering::Relaxed),
        }
    }
}
