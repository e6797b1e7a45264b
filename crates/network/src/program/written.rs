//! Messages as bytes: for other processes and for checkpoints.

use super::Message;
use crate::Way;
use crate::causes::Trail;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Parts that only some messages have, in one byte for those that have none.
#[derive(Serialize, Deserialize)]
enum Beside<W, T> {
    Nothing,
    Way(W),
    Trail(T),
    Both(W, T),
}

impl<B: Serialize> Serialize for Message<B> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // Field by field, so that none is left out.
        let Self {
            from,
            to: receiver,
            bytes,
            class,
            sequence,
            replies_to,
            posted,
            started,
            way,
            trail,
            body,
        } = self;
        let beside = match (way, trail) {
            (None, None) => Beside::Nothing,
            (Some(way), None) => Beside::Way(way),
            (None, Some(trail)) => Beside::Trail(trail),
            (Some(way), Some(trail)) => Beside::Both(way, trail),
        };
        (from, receiver, bytes, class, sequence, replies_to, posted, started, beside, body).serialize(to)
    }
}

impl<'de, B: Deserialize<'de>> Deserialize<'de> for Message<B> {
    fn deserialize<D: Deserializer<'de>>(bytes: D) -> Result<Self, D::Error> {
        let (from, to, bytes, class, sequence, replies_to, posted, started, beside, body) =
            Deserialize::deserialize(bytes)?;
        let (way, trail): (Option<Box<Way>>, Option<Box<Trail>>) = match beside {
            Beside::Nothing => (None, None),
            Beside::Way(way) => (Some(way), None),
            Beside::Trail(trail) => (None, Some(trail)),
            Beside::Both(way, trail) => (Some(way), Some(trail)),
        };
        Ok(Self { from, to, bytes, class, sequence, replies_to, posted, started, way, trail, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;
    use crate::causes::{Ledger, Sending};
    use weir_units::{Bytes, Rank, Time};

    /// With a way and without, with a trail and without; one that has neither takes one byte for that.
    #[test]
    fn what_is_read_is_what_was_written() {
        let trail = Ledger::new(Rank(3)).send(Time::from_ps(7), Sending::Late);
        let mut lengths = Vec::new();
        for has_way in [false, true] {
            for has_trail in [false, true] {
                let message = Message {
                    from: Rank(3),
                    to: Rank(1),
                    bytes: Bytes(8),
                    class: Class::Data,
                    sequence: 5,
                    replies_to: None,
                    posted: Time::from_ps(7),
                    started: Time::from_ps(9),
                    way: has_way.then(|| Box::new(Way::default().with_nic(Some(1)))),
                    trail: has_trail.then(|| trail.clone()),
                    body: 'b',
                };
                let bytes = postcard::to_stdvec(&message).expect("memory takes all that is written");
                assert_eq!(postcard::from_bytes(&bytes), Ok(message));
                lengths.push(bytes.len());
            }
        }
        assert_eq!(lengths[0], 11, "{lengths:?}");
    }
}
