//! Who goes first among packets that could go at the same instant.
//!
//! The least priority goes first. A priority has two parts: that of the input port at an output, and below it that of the virtual
//! channel at its input port. Each part is the distance from the port or channel where priorities start, which is the one behind
//! that granted last, so that this one comes after all others; without round robin it is the number itself. Above both parts is
//! whether the arbiter puts ports of this kind, those of routers or those of nodes, behind the others.
//!
//! ```text
//!   bit 25: behind    9 to 24: port    8: always set in a lane, so that the channel borrows nothing from the port    0 to 7: channel
//! ```

use crate::Arbiter;
use weir_pdes::Window;

const PORT_SHIFT: u32 = 9;
const PORT: u64 = (u16::MAX as u64) << PORT_SHIFT;
const CHANNEL: u64 = u8::MAX as u64;
const SPARE: u32 = 1 << 8;
const BEHIND: u32 = 1 << 25;
pub(super) const PRIORITY_BITS: u32 = 26;

/// Place of the instant in the key of a packet: above 16 bits of the output and those of its priority.
pub(crate) const KEY_SHIFT: u32 = 16 + PRIORITY_BITS;

impl Arbiter {
    /// The number of a virtual channel of an input port from which its priorities are computed.
    pub(crate) fn own_priority(self, port: u16, vc: u8) -> u32 {
        match self {
            Self::RoundRobin | Self::TransitFirst | Self::InjectionFirst | Self::FixedPriority => {
                u32::from(port) << PORT_SHIFT | SPARE | u32::from(vc)
            }
            // That depends on the packets: see `oldest`.
            Self::OldestFirst => SPARE,
        }
    }

    /// The summand of the priority of a lane for the sender of its input port.
    #[inline(always)]
    pub(super) fn behind_others(self, from_node: impl FnOnce() -> bool) -> u32 {
        let behind = match self {
            Self::TransitFirst => from_node(),
            Self::InjectionFirst => !from_node(),
            Self::RoundRobin | Self::OldestFirst | Self::FixedPriority => false,
        };
        if behind { BEHIND } else { 0 }
    }

    /// The input port and the virtual channel where priorities start when these have been granted last.
    #[inline(always)]
    pub(super) fn next_start(self, port: u16, vc: u8) -> (u16, u8) {
        match self {
            Self::RoundRobin | Self::TransitFirst | Self::InjectionFirst => {
                (port.wrapping_add(1), vc.wrapping_add(1))
            }
            Self::FixedPriority | Self::OldestFirst => (0, 0),
        }
    }
}

/// Returns whether a lane is behind all of the other kind.
pub(super) fn is_behind(own: u32) -> bool {
    own & BEHIND != 0
}

/// Where priorities start at an output and at an input port, as one number.
#[inline(always)]
pub(super) fn packed((port, channel): (u16, u8)) -> u64 {
    u64::from(port) << PORT_SHIFT | u64::from(channel)
}

/// The priority of a lane where priorities start there.
#[inline(always)]
pub(super) fn priority(own: u32, start: u64) -> u64 {
    u64::from(own).wrapping_sub(start) & (PORT | CHANNEL) | u64::from(own & BEHIND)
}

/// A key with another priority: in the part of the port if all bits of `output` are set, in that of the channel if those of
/// `input` are.
#[inline(always)]
pub(super) fn with_priority(key: u64, own: u32, start: u64, output: u64, input: u64) -> u64 {
    let changes = PORT & output | CHANNEL & input;
    key & !changes | u64::from(own).wrapping_sub(start) & changes
}

/// An instant as the upper part of a key. One that does not fit is after the window.
#[inline(always)]
pub(super) fn key_of(window: &Window, at: u64) -> u64 {
    at.saturating_sub(window.start.as_ps()).min(u64::MAX >> KEY_SHIFT) << KEY_SHIFT
}

/// The place of the least key, without branches that cannot be foreseen.
#[inline(always)]
pub(super) fn least_of(count: usize, mut key: impl FnMut(usize) -> u64) -> Option<(usize, u64)> {
    let (mut first, mut least) = (0, u64::MAX);
    for place in 0..count {
        let own = key(place);
        first = if own < least { place } else { first };
        least = least.min(own);
    }
    (count > 0).then_some((first, least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The deciding values, most important first: whether a lane is put behind, the port counted from the one where priorities start, and
    /// the channel likewise.
    fn expected(behind: bool, (port, vc): (u16, u8), (first_port, first_vc): (u16, u8)) -> (bool, u16, u8) {
        (behind, port.wrapping_sub(first_port), vc.wrapping_sub(first_vc))
    }

    fn lanes() -> impl Strategy<Value = (u16, u8)> {
        let ports = prop_oneof![0..4_u16, any::<u16>(), Just(u16::MAX)];
        let channels = prop_oneof![0..3_u8, any::<u8>(), Just(u8::MAX)];
        (ports, channels)
    }

    proptest! {
        /// Turns are in the order that is documented, and one part of them can be changed without the other.
        #[test]
        fn turns_are_in_order(
            a in lanes(), b in lanes(), granted in lanes(), other in lanes(), a_from_node: bool, b_from_node: bool,
            instant in 0..1_u64 << 30, same_output: bool, same_input: bool,
        ) {
            for arbiter in [Arbiter::RoundRobin, Arbiter::TransitFirst, Arbiter::InjectionFirst, Arbiter::FixedPriority] {

                let own = |(port, vc), from_node| arbiter.own_priority(port, vc) | arbiter.behind_others(|| from_node);
                let behind = |from_node: bool| match arbiter {
                    Arbiter::TransitFirst => from_node,
                    Arbiter::InjectionFirst => !from_node,
                    _ => false,
                };
                let at = arbiter.next_start(granted.0, granted.1);
                if arbiter == Arbiter::FixedPriority {
                    prop_assert_eq!(at, (0, 0));
                } else {
                    prop_assert_eq!(at, (granted.0.wrapping_add(1), granted.1.wrapping_add(1)));
                }
                let (own_a, own_b) = (own(a, a_from_node), own(b, b_from_node));
                prop_assert_eq!(is_behind(own_a), behind(a_from_node));
                let [priority_a, priority_b] = [own_a, own_b].map(|own| priority(own, packed(at)));
                prop_assert!(priority_a < 1 << PRIORITY_BITS);
                let expected_a = expected(behind(a_from_node), a, at);
                let expected_b = expected(behind(b_from_node), b, at);
                prop_assert_eq!(priority_a.cmp(&priority_b), expected_a.cmp(&expected_b), "{:?} {:?} at {:?}", a, b, at);
                // With another beginning, for the port, the channel, both or neither.
                let key = instant << PRIORITY_BITS | priority_a;
                let bits = |same: bool| u64::from(same).wrapping_neg();
                let changed = with_priority(key, own_a, packed(other), bits(same_output), bits(same_input));
                let mixed = (if same_output { other.0 } else { at.0 }, if same_input { other.1 } else { at.1 });
                prop_assert_eq!(changed, instant << PRIORITY_BITS | priority(own_a, packed(mixed)));
            }
        }
    }

    /// The oldest goes first, wherever it is.
    #[test]
    fn lanes_have_no_turns_where_the_oldest_goes_first() {
        let arbiter = Arbiter::OldestFirst;
        assert_eq!(arbiter.own_priority(3, 1), arbiter.own_priority(0, 0));
        assert_eq!(arbiter.next_start(3, 1), (0, 0));
        assert_eq!([true, false].map(|from_node| arbiter.behind_others(|| from_node)), [0, 0]);
    }
}
