//! Short messages that cross links which long ones fill: what they wait for there, a fluid does not show.
//!
//! A flow has its share of a link at once, so a message of few bytes takes as long as on an empty network, whoever else is there. In a network
//! of packets it stands in the queues before a full link, and in those that have filled up behind it. How long cannot be known here; that
//! it happened can.
//!
//! A link counts as filled if a long flow has half of it, or is held up by it, or by the link into its own receiver: then what it has
//! sent stands in buffers all along its way. One long flow of a link is looked at, among the first two, so that a message costs the
//! links of its route at most, and nothing while there is no long flow.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_units::{Bytes, LinkId};

/// Short messages that crossed links which long ones filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BehindOthers {
    /// Number of them.
    pub crossed: u64,
    /// Number of short messages.
    pub short: u64,
    /// The link where most of them did.
    pub link: LinkId,
    /// Number of messages that did there.
    pub there: u64,
}

impl BehindOthers {
    /// Up to so many bytes a message is short: a packet or less on most networks.
    pub const SHORT: Bytes = Bytes(4096);
    /// From so many on it is long: it is on its way for longer than a short one.
    pub const LONG: Bytes = Bytes(64 * 1024);
}

/// Counts so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Behind {
    /// Long flows that are there now.
    long: u64,
    short: u64,
    crossed: u64,
    by_link: BTreeMap<u32, u64>,
}

impl Behind {
    pub(crate) fn begin(&mut self, bytes: Bytes) {
        self.long += u64::from(bytes >= BehindOthers::LONG);
    }

    pub(crate) fn end(&mut self, bytes: Bytes) {
        self.long -= u64::from(bytes >= BehindOthers::LONG);
    }

    /// A short message has crossed its links; `filled` looks for one that long flows fill.
    #[inline]
    pub(crate) fn note(&mut self, filled: impl FnOnce() -> Option<usize>) {
        self.short += 1;
        if self.long == 0 {
            return;
        }
        if let Some(link) = filled() {
            self.crossed += 1;
            *self.by_link.entry(link as u32).or_default() += 1;
        }
    }

    pub(crate) fn found(&self) -> Option<BehindOthers> {
        let Self { short, crossed, by_link, .. } = self;
        let (&link, &there) =
            by_link.iter().max_by_key(|&(&link, &there)| (there, std::cmp::Reverse(link)))?;
        Some(BehindOthers { crossed: *crossed, short: *short, link: LinkId(link), there })
    }
}
