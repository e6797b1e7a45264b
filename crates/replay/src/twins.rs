//! Words, choices and communicators: the message layer and profiles both have them.

use std::collections::BTreeMap;
use weir_formats::profile::{self, Choices, Gap, Profile};
use weir_message::{CommunicatorId, Gaps, Group, Interfaces, MpiError, Process, Result, SendChoices, window};
use weir_network::SendOptions;

/// A word of one of them, which is one of the other, too.
pub(crate) trait Twin {
    type Other;

    fn twin(self) -> Self::Other;
}

macro_rules! twins {
    ($($of_profile:path, $of_messages:path: $($one:ident $other:ident),+;)+) => {
        $(
            impl Twin for $of_profile {
                type Other = $of_messages;

                fn twin(self) -> $of_messages {
                    match self {
                        $(Self::$one => <$of_messages>::$other,)+
                    }
                }
            }

            impl Twin for $of_messages {
                type Other = $of_profile;

                fn twin(self) -> $of_profile {
                    match self {
                        $(Self::$other => <$of_profile>::$one,)+
                    }
                }
            }
        )+
    };
}

twins! {
    profile::Mode, weir_message::Mode:
        Standard Standard, Buffered Buffered, Synchronous Synchronous, Ready Ready;
    profile::Protocol, weir_message::Protocol: Auto Auto, Eager Eager, Rendezvous Rendezvous;
    profile::Copying, weir_message::Copying: Auto Auto, Zero ZeroCopy, One OneCopy;
    profile::Direction, weir_message::Direction: Read Read, Write Write;
    profile::Conflicts, window::Conflicts: Possible Possible, RuledOut RuledOut;
    profile::Lock, window::Lock: Shared Shared, Exclusive Exclusive;
    profile::AfterFence, window::AfterFence: Accesses Accesses, Nothing Nothing;
    profile::Operands, weir_collectives::Commutes: Commute Yes, Ordered No;
}

pub(crate) fn choices_of_program(choices: &SendChoices) -> Choices {
    let (nic, gap) = (choices.way.nic, choices.way.gap.and_then(Gap::new));
    Choices { protocol: choices.protocol.twin(), copying: choices.copying.twin(), nic, gap }
}

/// The choices of a profile, on a machine with these interfaces: what it has not got, it chooses itself.
pub(crate) fn choices_of_profile(choices: Choices, interfaces: Interfaces) -> SendChoices {
    let nic = choices.nic.filter(|&nic| nic < interfaces.count);
    let gap = choices.gap.filter(|_| interfaces.gaps == Gaps::PerMessage).map(Gap::packet_times);
    let way = SendOptions::default().with_nic(nic).with_gap(gap);
    SendChoices { protocol: choices.protocol.twin(), copying: choices.copying.twin(), way }
}

/// The members of a communicator: one group, or two.
pub(crate) enum Members {
    One(Group),
    Two(Group, Group),
}

impl Members {
    /// Those of all communicators of a profile, by number.
    pub(crate) fn of(profile: &Profile) -> BTreeMap<u32, Self> {
        let all = &profile.communicators;
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
