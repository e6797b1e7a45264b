//! Partners beyond the first ones: `near_partners`, `far_overhead`, `far_limits`.

use super::costs::{given_limits, given_overheads, in_pieces, read_limits, read_pieces};
use super::{FAR_LIMITS, FAR_OVERHEAD, NEAR_PARTNERS};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_message::Far;
use weir_units::{Bytes, Duration};

/// What messages cost more with partners beyond the first ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FarCosts {
    /// How many are near, at least 1.
    pub near: u32,
    /// For each piece of sizes, or one for all.
    pub overhead: Vec<Duration>,
    /// The longest message of each piece but the last, ascending.
    pub limits: Vec<Bytes>,
}

impl FarCosts {
    pub(super) fn read(section: &mut Section<'_>) -> Option<Self> {
        let near = section.get(&NEAR_PARTNERS);
        let limits = read_limits(section, &FAR_LIMITS);
        let overhead = read_pieces(section, &FAR_OVERHEAD, &FAR_LIMITS, limits.len() + 1);
        let Some(near) = near else {
            let is_wrong = section.has(NEAR_PARTNERS.name);
            for (key, given) in
                [(FAR_OVERHEAD.name, !overhead.is_empty()), (FAR_LIMITS.name, !limits.is_empty())]
            {
                let hint = "write node.near_partners too: how many partners a rank has large buffers for";
                if given && !is_wrong {
                    section.problem(key, "says nothing where all partners are near", Some(hint.to_owned()));
                }
            }
            return None;
        };
        if overhead.is_empty() {
            let hint = "write node.far_overhead too: how much longer a message of another partner takes";
            section.problem(
                NEAR_PARTNERS.name,
                "says nothing where no partner costs more",
                Some(hint.to_owned()),
            );
        }
        let near = u32::try_from(near).expect("the row has the range");
        Some(Self { near, overhead, limits })
    }

    pub(super) fn put(&self, node: &mut Resolved) {
        node.put(&NEAR_PARTNERS, u64::from(self.near));
        node.put_some(&FAR_OVERHEAD, given_overheads(&self.overhead));
        node.put_some(&FAR_LIMITS, given_limits(&self.limits));
    }

    /// For the message layer.
    pub(super) fn of_messages(&self) -> Far {
        Far { near: self.near, time: in_pieces(&self.overhead, &self.limits) }
    }
}
