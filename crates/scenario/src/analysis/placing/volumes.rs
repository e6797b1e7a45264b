//! Bytes that each pair of ranks exchanges.

use super::PlacingError;
use crate::Scenario;
use std::collections::BTreeMap;
use weir_units::Rank;
use weir_workload::{Counted, Entry, Order};

/// Bytes by pair of ranks, both ways together.
pub(super) struct Volumes {
    /// For each rank the others it exchanges something with, in their order, and how many bytes.
    partners: Vec<Vec<(u32, u64)>>,
}

impl Volumes {
    pub(super) const MOST_MESSAGES: u64 = 20_000_000;

    pub(super) fn of(scenario: &Scenario) -> Result<Self, PlacingError> {
        let ranks = scenario.workload.ranks;
        if let Some(pattern) = scenario.pattern.as_deref() {
            if pattern.messages() > Self::MOST_MESSAGES {
                return Err(PlacingError::TooManyMessages(pattern.messages()));
            }
            return Self::counted(pattern, ranks);
        }
        let Some((profile, sources)) = scenario.workload.kind.profile() else {
            return Err(PlacingError::Program);
        };
        let script = scenario.pattern_of(profile, sources);
        Self::counted(&script.map_err(|error| PlacingError::Unfinished(error.to_string()))?, ranks)
    }

    fn counted(order: &dyn Order, ranks: usize) -> Result<Self, PlacingError> {
        let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for rank in (0..ranks).map(Rank::new) {
            for entry in (0_u64..).map_while(|index| order.entry(rank, index)) {
                let (Entry::Send { to, bytes, .. } | Entry::Post { to, bytes, .. }) = entry else { continue };
                if to != rank {
                    // An empty message has a header: it is better near than far.
                    *pairs.entry((rank.0.min(to.0), rank.0.max(to.0))).or_default() += bytes.0.max(1);
                }
            }
        }
        if pairs.is_empty() {
            return Err(PlacingError::Silent);
        }
        let mut partners = vec![Vec::new(); ranks];
        for ((one, other), bytes) in pairs {
            partners[one as usize].push((other, bytes));
            partners[other as usize].push((one, bytes));
        }
        Ok(Self { partners })
    }

    pub(super) const fn ranks(&self) -> usize {
        self.partners.len()
    }

    pub(super) fn partners(&self, rank: u32) -> &[(u32, u64)] {
        &self.partners[rank as usize]
    }

    pub(super) fn total(&self, rank: u32) -> u64 {
        self.partners(rank).iter().map(|(_, bytes)| bytes).sum()
    }
}
