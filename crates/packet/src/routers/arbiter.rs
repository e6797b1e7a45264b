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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some arbiters put packets of one kind of port behind the others.
    #[test]
    fn kinds_of_ports() {
        let behind = |arbiter: Arbiter| [true, false].map(|from_node| arbiter.puts_behind(|| from_node));
        assert_eq!(behind(Arbiter::TransitFirst), [true, false]);
        assert_eq!(behind(Arbiter::InjectionFirst), [false, true]);
        for arbiter in [Arbiter::RoundRobin, Arbiter::FixedPriority, Arbiter::OldestFirst] {
            assert_eq!(behind(arbiter), [false, false]);
        }
    }
}
