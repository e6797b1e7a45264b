//! Communicators of a profile, for the message layer.

use std::collections::BTreeMap;
use weir_formats::profile::Communicators;
use weir_message::{CommunicatorId, Group, MpiError, Process, Result};

/// The members of a communicator: one group, or two.
pub(crate) enum Members {
    One(Group),
    Two(Group, Group),
}

impl Members {
    /// All of them, by number.
    pub(crate) fn of(all: &Communicators) -> BTreeMap<u32, Self> {
        let of = |number, members| match all.between(number) {
            None => Self::One(Group::new(members)),
            Some((first, second)) => Self::Two(Group::new(first), Group::new(second)),
        };
        all.iter().map(|(number, members)| (number, of(number, members))).collect()
    }
}

/// The message layer's name of a communicator; `known` are those that the rank has joined.
#[inline]
pub(crate) fn join(
    process: &mut Process,
    members: &BTreeMap<u32, Members>,
    known: &mut Vec<(u32, CommunicatorId)>,
    number: u32,
) -> Result<CommunicatorId> {
    if number <= CommunicatorId::SELF.0 {
        return Ok(CommunicatorId(number));
    }
    if let Some(&(_, id)) = known.iter().find(|(other, _)| *other == number) {
        return Ok(id);
    }
    let id = match members.get(&number).ok_or(MpiError::Communicator)? {
        Members::One(group) => process.join(number, group.clone())?,
        Members::Two(first, second) => {
            let in_first = first.rank_of(process.rank()).is_some();
            let (own, other) = if in_first { (first, second) } else { (second, first) };
            process.join_between(number, own.clone(), other.clone())?
        }
    };
    known.push((number, id));
    Ok(id)
}
