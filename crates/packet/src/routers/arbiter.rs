//! Who goes first among packets that could go at the same instant.
//!
//! In turn goes the packet whose input port has waited longest for its output, and of several virtual channels of one port that which has
//! waited longest itself. A port waits anew from the instant at which a packet of the same class has gone to this output by it. So ports
//! that always have packets take turns. A pointer that goes on from the port granted last would not suffice: classes of virtual channels
//! get their credits at different instants, and a port whose packets of one class go whenever no other could, would have had its turn
//! each time that the other class gets a credit, and wait for ever.
//!
//! This holds for all outputs at once. Else a virtual channel whose packet needs another output than those of a channel of the same port
//! that always has packets could wait for ever, too.

use crate::Arbiter;

/// Since when a virtual channel of an input port waits; its head packet itself may have come later.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Wait {
    /// When a packet of its class has gone by its port to the output that its head packet needs.
    pub(super) turn: u64,
    /// When a packet has gone from it.
    pub(super) granted: u64,
}

/// A packet that could be granted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct First {
    pub(super) place: usize,
    pub(super) at: u64,
    /// False if others could be granted at the same instant.
    pub(super) is_alone: bool,
}

impl Arbiter {
    /// Returns whether it puts packets of an input port behind those of all ports of the other kind.
    #[inline(always)]
    pub(super) fn puts_behind(self, from_node: impl FnOnce() -> bool) -> bool {
        match self {
            Self::TransitFirst => from_node(),
            Self::InjectionFirst => !from_node(),
            Self::RoundRobin | Self::OldestFirst | Self::FixedPriority => false,
        }
    }

    /// Returns whether packets go in turn.
    pub(super) fn takes_turns(self) -> bool {
        matches!(self, Self::RoundRobin | Self::TransitFirst | Self::InjectionFirst)
    }
}

/// The place of the least instant, without branches that cannot be foreseen.
#[inline(always)]
pub(super) fn first_of(count: usize, mut instant: impl FnMut(usize) -> u64) -> Option<First> {
    let (mut first, mut least, mut is_alone) = (0, u64::MAX, true);
    for place in 0..count {
        let own = instant(place);
        (first, is_alone) = if own < least { (place, true) } else { (first, is_alone & (own != least)) };
        least = least.min(own);
    }
    (count > 0).then_some(First { place: first, at: least, is_alone })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The first of the least instants is found, and whether there are others.
        #[test]
        fn the_least_instant(instants in prop::collection::vec(0..6_u64, 0..8)) {
            let least = instants.iter().copied().min();
            let expected = least.map(|at| First {
                place: instants.iter().position(|&other| other == at).expect("it is there"),
                at,
                is_alone: instants.iter().filter(|&&other| other == at).count() == 1,
            });
            prop_assert_eq!(first_of(instants.len(), |place| instants[place]), expected);
        }
    }

    /// Some arbiters put packets of one kind of port behind the others, and some take turns.
    #[test]
    fn kinds_of_ports() {
        let behind = |arbiter: Arbiter| [true, false].map(|from_node| arbiter.puts_behind(|| from_node));
        assert_eq!(behind(Arbiter::TransitFirst), [true, false]);
        assert_eq!(behind(Arbiter::InjectionFirst), [false, true]);
        for arbiter in [Arbiter::RoundRobin, Arbiter::FixedPriority, Arbiter::OldestFirst] {
            assert_eq!(behind(arbiter), [false, false]);
            assert_eq!(arbiter.takes_turns(), arbiter == Arbiter::RoundRobin);
        }
    }
}
