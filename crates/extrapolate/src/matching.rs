//! Checks of what has been made: every message is sent and received, and the ranks of a communicator take part in the same collectives.

use crate::families::{FIRST, Family};
use std::collections::BTreeMap;
use weir_operations::{ALONE, Collective, Lengths, Operation, Root, WORLD};

/// Messages to a rank, as sums: messages that are sent and received once each have the same.
#[derive(Clone, Copy, Debug, Default)]
struct Messages {
    sent: u64,
    received: u64,
    /// Sums of their sender, tag and communicator.
    sum_sent: u64,
    sum_received: u64,
    /// Their bytes, and the room of the receives; without bound where a receive does not say it.
    bytes_sent: u64,
    room: u64,
    /// Some are received whose sender or tag is not known.
    is_open: bool,
}

/// Sums of all messages and collectives.
#[derive(Debug)]
pub(crate) struct Tally {
    messages: Vec<Messages>,
    /// The collectives of each rank, by communicator, as one number.
    collectives: BTreeMap<u32, BTreeMap<u32, u64>>,
    pub(crate) sent: u64,
    pub(crate) bytes: u64,
    /// Partitioned messages and messages that are cancelled are not counted.
    is_open: bool,
}

impl Tally {
    pub(crate) fn new(ranks: u32) -> Self {
        let messages = vec![Messages::default(); ranks as usize];
        Self { messages, collectives: BTreeMap::new(), sent: 0, bytes: 0, is_open: false }
    }

    /// Counts an operation of a rank; communicators have these members.
    pub(crate) fn count(&mut self, rank: u32, operation: &Operation, members: &Members<'_>) {
        match operation {
            Operation::Send { to: Some(to), tag, bytes, communicator, .. } => {
                let (from, to) =
                    (members.local(*communicator, rank), members.world(*communicator, *to, rank));
                let messages = &mut self.messages[to as usize];
                messages.sent += 1;
                messages.bytes_sent = messages.bytes_sent.saturating_add(*bytes);
                messages.sum_sent = messages.sum_sent.wrapping_add(key(*communicator, from, *tag));
                self.sent += 1;
                self.bytes += bytes;
            }
            Operation::Receive { from, communicator, .. } | Operation::Match { from, communicator, .. } => {
                let messages = &mut self.messages[rank as usize];
                match (from.source, from.tag) {
                    (None, _) if from.asked == weir_operations::Wildcards::Nobody => return,
                    (Some(source), Some(tag)) => {
                        messages.sum_received =
                            messages.sum_received.wrapping_add(key(*communicator, source, tag));
                    }
                    _ => messages.is_open = true,
                }
                messages.received += 1;
                let room = if let Operation::Receive { bytes, .. } = operation { *bytes } else { u64::MAX };
                messages.room = messages.room.saturating_add(room);
            }
            Operation::Collective { collective, communicator, .. } => {
                let of_rank = self.collectives.entry(*communicator).or_default().entry(rank).or_default();
                *of_rank = weir_units::mix(of_rank.wrapping_mul(31) ^ key_of(collective));
            }
            Operation::Channel { .. } | Operation::Cancel { .. } => self.is_open = true,
            _ => {}
        }
    }

    /// A sentence for each rank and communicator where something does not match.
    pub(crate) fn mismatches(&self, members: &Members<'_>) -> Vec<String> {
        let mut found = Vec::new();
        for (rank, of) in self.messages.iter().enumerate() {
            if self.is_open {
                continue;
            }
            if of.sent != of.received {
                let (sent, received) = (of.sent, of.received);
                found
                    .push(format!("rank {rank}: {sent} messages are sent to it, and it receives {received}"));
            } else if !of.is_open && of.sum_sent != of.sum_received {
                found.push(format!(
                    "rank {rank}: messages are sent to it by other ranks or with other tags than it receives"
                ));
            } else if of.bytes_sent > of.room {
                let (sent, room) = (of.bytes_sent, of.room);
                found.push(format!(
                    "rank {rank}: messages of {sent} bytes are sent to it, and its receives have room for {room}"
                ));
            }
        }
        for (&communicator, sums) in &self.collectives {
            let Some(all) = members.all(communicator) else { continue };
            let first = all.first().and_then(|rank| sums.get(rank));
            if let Some(other) = all.iter().find(|rank| sums.get(rank) != first) {
                found.push(format!(
                    "ranks {} and {other} take part in different collectives of communicator {communicator}",
                    all[0]
                ));
            }
        }
        found
    }
}

fn key(communicator: u32, rank: u32, tag: i32) -> u64 {
    let high = weir_units::mix(u64::from(communicator) << 32 | u64::from(tag.cast_unsigned()));
    weir_units::mix(high ^ u64::from(rank))
}

/// A collective as a number that is the same on all its ranks.
fn key_of(collective: &Collective) -> u64 {
    let root = match collective.root {
        Root::Rank(rank) => u64::from(rank),
        _ => 0,
    };
    // Blocks of their own lengths may differ among ranks.
    let bytes = match &collective.lengths {
        Lengths::Bytes(_) if !collective.function.lists().is_empty() => 0,
        Lengths::Bytes(bytes) | Lengths::Elements { bytes, .. } => *bytes,
        _ => 0,
    };
    weir_units::mix((collective.function as u64) << 48 ^ root << 20 ^ weir_units::mix(bytes))
}

/// The members of all communicators.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    world: Vec<u32>,
    /// Members, and the family and group of each number from the first.
    groups: Vec<(&'a Vec<u32>, &'a Family)>,
}

impl<'a> Members<'a> {
    pub(crate) fn new(ranks: u32, families: &'a [Family]) -> Self {
        let groups =
            families.iter().flat_map(|family| family.groups.iter().map(move |group| (group, family)));
        Self { world: (0..ranks).collect(), groups: groups.collect() }
    }

    fn all(&self, communicator: u32) -> Option<&[u32]> {
        match communicator {
            WORLD => Some(&self.world),
            ALONE => None,
            _ => self.groups.get((communicator - FIRST) as usize).map(|group| group.0.as_slice()),
        }
    }

    fn world(&self, communicator: u32, local: u32, own: u32) -> u32 {
        self.all(communicator).map_or(own, |all| all[local as usize])
    }

    fn local(&self, communicator: u32, rank: u32) -> u32 {
        match communicator {
            WORLD => rank,
            ALONE => 0,
            _ => {
                let place = self.groups[(communicator - FIRST) as usize].1.place(rank);
                place.map_or(0, |place| place.1 as u32)
            }
        }
    }
}
