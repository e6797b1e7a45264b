//! Who goes first among packets that could go at the same instant.

use super::router::{Due, Router};
use crate::Arbiter;

/// How turns are found: the least goes first. A turn has two parts, that of the input port at an output and below it that of
/// the virtual channel at its input port. Each is the distance behind the port or channel granted last, so those before it
/// come after all others; without round robin it is the number itself. Above both is whether the arbiter puts ports of its
/// kind, those of routers or those of nodes, behind the others.
///
/// ```text
///   bit 25: behind    9 to 24: port    8: always set in a lane, so that the channel borrows nothing from the port    0 to 7: channel
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    arbiter: Arbiter,
}

const PORT_SHIFT: u32 = 9;
const PORT: u64 = (u16::MAX as u64) << PORT_SHIFT;
const CHANNEL: u64 = u8::MAX as u64;
const SPARE: u32 = 1 << 8;
const BEHIND: u32 = 1 << 25;
/// Bits of a turn.
pub(super) const TURN_BITS: u32 = 26;

impl Turns {
    pub(crate) fn new(arbiter: Arbiter) -> Self {
        Self { arbiter }
    }

    /// A virtual channel of an input port, as turns are found from it.
    pub(crate) fn of(self, port: u16, vc: u8) -> u32 {
        match self.arbiter {
            Arbiter::RoundRobin
            | Arbiter::TransitFirst
            | Arbiter::InjectionFirst
            | Arbiter::FixedPriority => u32::from(port) << PORT_SHIFT | SPARE | u32::from(vc),
            // That depends on the packets: see `oldest`.
            Arbiter::OldestFirst => SPARE,
        }
    }

    /// What is added to the turn of a lane for what sends to its input port.
    #[inline(always)]
    pub(super) fn behind_others(self, from_node: impl FnOnce() -> bool) -> u32 {
        let behind = match self.arbiter {
            Arbiter::TransitFirst => from_node(),
            Arbiter::InjectionFirst => !from_node(),
            Arbiter::RoundRobin | Arbiter::OldestFirst | Arbiter::FixedPriority => false,
        };
        if behind { BEHIND } else { 0 }
    }

    /// The input port and the virtual channel at which turns begin when these have been granted last.
    #[inline(always)]
    pub(super) fn behind(self, port: u16, vc: u8) -> (u16, u8) {
        match self.arbiter {
            Arbiter::RoundRobin | Arbiter::TransitFirst | Arbiter::InjectionFirst => {
                (port.wrapping_add(1), vc.wrapping_add(1))
            }
            Arbiter::FixedPriority | Arbiter::OldestFirst => (0, 0),
        }
    }
}

/// Whether a turn is behind all of the other kind.
pub(super) fn is_behind(turn: u32) -> bool {
    turn & BEHIND != 0
}

/// Where turns begin at an output and at an input port, as one number.
#[inline(always)]
pub(super) fn begin((port, channel): (u16, u8)) -> u64 {
    u64::from(port) << PORT_SHIFT | u64::from(channel)
}

/// The turn of a lane where turns begin so.
#[inline(always)]
pub(super) fn turn(own: u32, begin: u64) -> u64 {
    u64::from(own).wrapping_sub(begin) & (PORT | CHANNEL) | u64::from(own & BEHIND)
}

/// A key with another turn: in the part of the port if all bits of `output` are set, in that of the channel if those of
/// `input` are.
#[inline(always)]
pub(super) fn with_turn(key: u64, own: u32, begin: u64, output: u64, input: u64) -> u64 {
    let changes = PORT & output | CHANNEL & input;
    key & !changes | u64::from(own).wrapping_sub(begin) & changes
}

impl<const HELD: bool> Router<'_, '_, HELD> {
    /// The place of the packet that started first, of all that could go at the same instant to the same output as the one
    /// at this place; among equals that of the lowest lane.
    pub(super) fn oldest(&self, due: &[Due], place: usize) -> usize {
        let birth = |due: &Due| self.labels.read(due.packet.label()).birth;
        let rivals = due.iter().enumerate().filter(|(_, rival)| rival.key == due[place].key);
        rivals.min_by_key(|(_, rival)| (birth(rival), rival.lane)).map_or(place, |(place, _)| place)
    }
}
