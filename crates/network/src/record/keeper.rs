//! Records of ranks about their messages while events are delivered.

use super::{Keep, LatencySample, LatencySeries, MessageTimes, Pairs, Requested};
use crate::Message;
use crate::actions::Note;
use std::collections::BTreeMap;
use weir_units::{Rank, Time};

/// Records about the messages of some ranks.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    /// Messages of which nothing more will be known, with when that was known.
    messages: Option<Vec<(Time, MessageTimes)>>,
    /// The message of the event that is being delivered.
    arriving: Option<MessageTimes>,
    /// Messages that have come and that their ranks have not taken, by receiver, sender and number.
    kept: BTreeMap<(Rank, Rank, u64), MessageTimes>,
    pairs: Option<Pairs>,
    latencies: Option<LatencySeries>,
}

impl Keeper {
    pub(crate) fn new(requested: &Requested) -> Self {
        Self {
            messages: (requested.messages == Keep::Yes).then(Vec::new),
            pairs: (requested.pairs == Keep::Yes).then(Pairs::default),
            latencies: requested.of_latencies().map(LatencySeries::new),
            ..Self::default()
        }
    }

    pub(crate) fn arrived<B>(&mut self, now: Time, message: &Message<B>) {
        let &Message { from, to, sequence, bytes, class, posted, started, .. } = message;
        if class.is_data() {
            if let Some(pairs) = &mut self.pairs {
                pairs.add(from, to, bytes);
            }
            if let Some(latencies) = &mut self.latencies {
                latencies.add(now, now.since(posted));
            }
        }
        if self.messages.is_some() {
            self.arriving = Some(MessageTimes {
                from,
                to,
                sequence,
                bytes,
                class,
                posted,
                started,
                arrived: now,
                taken: None,
                waited: None,
            });
        }
    }

    /// Takes the notes of a rank in its reaction to the event at `now`.
    pub(crate) fn noted(&mut self, now: Time, to: Rank, notes: &mut Vec<Note>) {
        let Some(messages) = &mut self.messages else { return };
        let is =
            |message: &MessageTimes, from, sequence| (message.from, message.sequence) == (from, sequence);
        for note in notes.drain(..) {
            match note {
                Note::Kept { from, sequence } => {
                    let arriving = self.arriving.take_if(|message| is(message, from, sequence));
                    self.kept.extend(arriving.map(|message| ((to, from, sequence), message)));
                }
                Note::Waited(waited) => {
                    if let Some(message) = &mut self.arriving {
                        message.waited = Some(waited);
                    }
                }
                Note::Taken { from, sequence, at } => {
                    let arriving = self.arriving.take_if(|message| is(message, from, sequence));
                    let message = arriving.or_else(|| self.kept.remove(&(to, from, sequence)));
                    messages
                        .extend(message.map(|message| (now, MessageTimes { taken: Some(at), ..message })));
                }
            }
        }
        messages.extend(self.arriving.take().map(|message| (now, message)));
    }

    pub(crate) fn take_kept(&mut self, now: Time) -> Vec<(Time, MessageTimes)> {
        std::mem::take(&mut self.kept).into_values().map(|message| (now, message)).collect()
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
