//! End and counts of a run.

use crate::causes::{Accounts, Name};
use crate::service_counts::join;
use crate::{Latencies, ServiceCounts};
use std::fmt;
use weir_pdes::Gathering;
use weir_units::{Bytes, Rank, Time, mix};

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Outcome {
    /// Every rank did all it had to do.
    Finished,
    /// Nothing will ever happen again, and these ranks still wait (in rank order).
    Deadlock(Vec<Waiting>),
    /// The program ended itself, crashed or broke a rule.
    Aborted {
        /// The rank that did.
        rank: Rank,
        /// The reason.
        why: String,
    },
    /// A limit was reached before the end; says which.
    Limit(String),
}

/// The wait of one rank.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Waiting {
    /// The rank.
    pub rank: Rank,
    /// The call or entry it stands in.
    pub call: String,
    /// Whom it waits for.
    pub peer: Peer,
    /// More about it, as name and value: tag and communicator, for example.
    #[serde(deserialize_with = "details")]
    pub details: Vec<(&'static str, String)>,
}

/// Reads details that come from another process.
fn details<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<(&'static str, String)>, D::Error> {
    let details: Vec<(String, String)> = serde::Deserialize::deserialize(from)?;
    Ok(details.into_iter().map(|(name, value)| (Name::kept(&name).text(), value)).collect())
}

/// Whom a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Peer {
    /// One rank.
    Rank(Rank),
    /// Whoever comes.
    Any,
    /// Several at once: a collective, or a wait for several requests.
    Several,
}

/// Counts of every engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Traffic {
    /// Messages of class data that have arrived.
    pub messages: u64,
    /// Bytes of these messages.
    pub bytes: Bytes,
    /// Messages of class control that have arrived.
    pub control_messages: u64,
    /// Events delivered to programs.
    pub events: u64,
}

impl Traffic {
    /// Adds what another part of a run has counted.
    pub(crate) fn join(&mut self, other: &Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.control_messages += other.control_messages;
        self.events += other.events;
    }
}

/// Result of every engine.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ended {
    /// The end of the run: finished, deadlock, limit and so on.
    pub outcome: Outcome,
    /// The instant of the last event delivered to a program, or the limit of simulated time that ended the run.
    pub at: Time,
    /// Counts of messages and events.
    pub traffic: Traffic,
    /// Fingerprint of all events in their order.
    pub digest: Digest,
    /// Times of data messages from being handed to the interface ([`Message::posted`](crate::Message::posted)) to
    /// arriving. Empty where an engine has no single messages.
    pub latency: Latencies,
    /// The messages of each service class; empty where there are none.
    pub services: Vec<ServiceCounts>,
    /// Causes of the time of ranks, if they were requested; not [closed](Accounts::closed) yet.
    pub causes: Option<Box<Accounts>>,
}

impl Ended {
    fn aborted_at(&self) -> Option<(Time, Rank)> {
        match self.outcome {
            Outcome::Aborted { rank, .. } => Some((self.at, rank)),
            _ => None,
        }
    }

    /// Gives what the first process has to all others, but for the accounts of ranks, which it alone has.
    pub fn spread(mut of_first: Option<Self>, gathering: &mut Gathering<'_>) -> Option<Self> {
        let causes = of_first.as_mut().and_then(|ended| ended.causes.take());
        Some(Self { causes, ..gathering.spread(of_first)? })
    }

    /// Puts two parts of a parallel run together: an abort is stronger than a limit, that than a deadlock; of two aborts
    /// the earlier one counts, at one instant that of the lower rank. An abort is the end, though other parts have gone on.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        let at = match (self.aborted_at(), other.aborted_at()) {
            (Some(one), Some(other)) => one.min(other).0,
            (Some((at, _)), None) | (None, Some((at, _))) => at,
            (None, None) => self.at.max(other.at),
        };
        let is_first = self.aborted_at() < other.aborted_at();
        let outcome = match (self.outcome, other.outcome) {
            (aborted @ Outcome::Aborted { .. }, Outcome::Aborted { .. }) if is_first => aborted,
            (_, aborted @ Outcome::Aborted { .. }) | (aborted @ Outcome::Aborted { .. }, _) => aborted,
            (limit @ Outcome::Limit(_), _) | (_, limit @ Outcome::Limit(_)) => limit,
            (Outcome::Deadlock(mut waiting), Outcome::Deadlock(others)) => {
                waiting.extend(others);
                waiting.sort_by_key(|waiting| waiting.rank);
                Outcome::Deadlock(waiting)
            }
            (deadlock @ Outcome::Deadlock(_), _) | (_, deadlock @ Outcome::Deadlock(_)) => deadlock,
            (Outcome::Finished, Outcome::Finished) => Outcome::Finished,
        };
        Self {
            outcome,
            at,
            traffic: {
                let mut traffic = self.traffic;
                traffic.join(&other.traffic);
                traffic
            },
            digest: Digest(self.digest.0.wrapping_add(other.digest.0)),
            latency: {
                let mut latency = self.latency;
                latency.join(&other.latency);
                latency
            },
            services: join(self.services, &other.services),
            causes: match (self.causes, other.causes) {
                (Some(one), Some(other)) => Some(Box::new(one.join(*other))),
                (one, other) => one.or(other),
            },
        }
    }
}

/// 64-bit fingerprint of all events of a run: two runs with the same digest delivered the same events to the same ranks
/// at the same instants in the same order.
///
/// Each rank has a chain over its own events; the digest is the wrapping sum of the chains, each mixed with its
/// rank. So it does not depend on which thread served which rank, and parts of a parallel run just add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Digest(pub u64);

/// The chain over one rank's events.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Chain(u64);

impl Chain {
    /// Appends an event at `at`, described by words.
    pub(crate) fn append(&mut self, at: Time, words: [u64; 3]) {
        let body = words[0] ^ mix(words[1]) ^ mix(words[2]).rotate_left(17);
        self.0 = mix(self.0.rotate_left(5) ^ mix(at.as_ps()) ^ body);
    }

    /// The rank's part of the digest.
    pub(crate) fn seal(self, rank: Rank) -> u64 {
        mix(self.0 ^ mix(u64::from(rank.0)))
    }
}

impl fmt::Display for Digest {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(outcome: Outcome, number: u64) -> Ended {
        let traffic = Traffic {
            messages: number,
            bytes: Bytes(10 * number),
            control_messages: 100 * number,
            events: 1000 * number,
        };
        let mut latency = Latencies::default();
        latency.add(number);
        Ended {
            outcome,
            at: Time::from_ps(number),
            traffic,
            digest: Digest(u64::MAX - number),
            latency,
            services: Vec::new(),
            causes: None,
        }
    }

    fn aborted(rank: u32) -> Outcome {
        Outcome::Aborted { rank: Rank(rank), why: format!("by {rank}") }
    }

    fn stuck(ranks: &[u32]) -> Outcome {
        let waiting =
            |&rank: &u32| Waiting { rank: Rank(rank), call: "x".into(), peer: Peer::Any, details: vec![] };
        Outcome::Deadlock(ranks.iter().map(waiting).collect())
    }

    /// Each outcome wins over those before it, on whichever side it stands.
    #[test]
    fn the_stronger_outcome_counts() {
        let order =
            [Outcome::Finished, stuck(&[1, 4]), Outcome::Limit("over".into()), aborted(5), aborted(3)];
        for (at, strong) in order.iter().enumerate() {
            for weak in &order[..at] {
                for (one, other) in [(strong, weak), (weak, strong)] {
                    assert_eq!(part(one.clone(), 7).join(part(other.clone(), 7)).outcome, *strong);
                }
            }
        }
        assert_eq!(part(stuck(&[1, 4]), 1).join(part(stuck(&[0, 3, 9]), 2)).outcome, stuck(&[0, 1, 3, 4, 9]));
    }

    /// The earlier one of two aborts counts, whichever ranks they are; and no part that has gone on makes the run longer.
    #[test]
    fn an_abort_is_the_end() {
        let (early, late) = (part(aborted(5), 1), part(aborted(3), 2));
        for joined in [
            early.clone().join(late.clone()),
            late.clone().join(early.clone()),
            part(Outcome::Finished, 9).join(early.clone()).join(late),
            early.join(part(Outcome::Limit("over".into()), 9)),
        ] {
            assert_eq!((joined.outcome, joined.at), (aborted(5), Time::from_ps(1)));
        }
    }
}
