//! What ranks keep of their messages while they are told of them.

use super::{Keep, LatencySample, LatencySeries, MessageTimes, Pairs, Wanted};
use crate::{Class, Message};
use weir_units::Time;

/// What is kept of the messages of some ranks.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    /// Messages of which nothing more will be known, with when that was known.
    messages: Option<Vec<(Time, MessageTimes)>>,
    pairs: Option<Pairs>,
    latencies: Option<LatencySeries>,
}

impl Keeper {
    pub(crate) fn new(wanted: &Wanted) -> Self {
        Self {
            messages: (wanted.messages == Keep::Yes).then(Vec::new),
            pairs: (wanted.pairs == Keep::Yes).then(Pairs::default),
            latencies: wanted.interval.map(LatencySeries::new),
        }
    }

    /// A message has arrived.
    pub(crate) fn arrived<B>(&mut self, now: Time, message: &Message<B>) {
        let &Message { from, to, sequence, bytes, class, posted, started, .. } = message;
        if class == Class::Data {
            if let Some(pairs) = &mut self.pairs {
                pairs.add(from, to, bytes);
            }
            if let Some(latencies) = &mut self.latencies {
                latencies.add(now, now.since(posted));
            }
        }
        if let Some(messages) = &mut self.messages {
            let times = MessageTimes {
                from,
                to,
                sequence,
                bytes,
                class,
                posted,
                started,
                arrived: now,
                matched: None,
                waited: None,
            };
            messages.push((now, times));
        }
    }

    pub(crate) fn take_messages(&mut self) -> Vec<(Time, MessageTimes)> {
        self.messages.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn take_latencies(&mut self, until: Time) -> Vec<(Time, LatencySample)> {
        let latencies = self.latencies.as_mut();
        latencies.map(|latencies| latencies.take(until)).unwrap_or_default()
    }

    pub(crate) fn take_pairs(&mut self) -> Option<Pairs> {
        self.pairs.take()
    }
}
