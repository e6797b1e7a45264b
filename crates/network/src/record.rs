//! Reports of an engine to a recorder while a run goes on: plain rows, no file formats.
//!
//! ```text
//!   engine --- samples of an interval, times of messages, stays of packets ---> Recorder
//! ```
//! An engine asks once what is [requested](Recorder::requested), and counts nothing that is not. Rows come in an order that
//! depends neither on threads nor on windows: intervals one after the other, and in an interval by link; everything else
//! by when it was known, then by whom it concerns.

mod keeper;

use crate::Class;
pub(crate) use keeper::MessageRecords;
pub use keeper::{LatencySample, LatencySeries, Pairs};
use weir_units::{Bytes, Duration, LinkId, NodeId, Rank, RouterId, Time};

/// Choice to keep something or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// No.
    #[default]
    No,
    /// Yes.
    Yes,
}

/// Requests of a recorder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requested {
    /// Samples of links, buffers and latencies, one for each interval of this length, the first from time zero; greater
    /// than zero.
    pub interval: Option<Duration>,
    /// Which samples these are.
    pub series: RequestedSeries,
    /// The times of every message.
    pub messages: Keep,
    /// Messages and bytes of each pair of ranks.
    pub pairs: Keep,
    /// The stays of packets in the buffers of some routers.
    pub stays: Option<RequestedStays>,
}

/// Which samples of intervals are requested; all unless said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestedSeries {
    /// Loads of links.
    pub links: Keep,
    /// Contents of buffers.
    pub buffers: Keep,
    /// Latencies of messages and packets.
    pub latencies: Keep,
}

impl Default for RequestedSeries {
    fn default() -> Self {
        Self { links: Keep::Yes, buffers: Keep::Yes, latencies: Keep::Yes }
    }
}

impl Requested {
    /// The interval of samples of links, if these are requested.
    pub fn of_links(&self) -> Option<Duration> {
        self.interval.filter(|_| self.series.links == Keep::Yes)
    }

    /// The interval of samples of buffers, if these are requested.
    pub fn of_buffers(&self) -> Option<Duration> {
        self.interval.filter(|_| self.series.buffers == Keep::Yes)
    }

    /// The interval of samples of latencies, if these are requested.
    pub fn of_latencies(&self) -> Option<Duration> {
        self.interval.filter(|_| self.series.latencies == Keep::Yes)
    }
}

/// Asks for these rows, and drops them: an engine counts what it is asked for.
impl Recorder for Requested {
    fn requested(&self) -> &Requested {
        self
    }
}

/// Which stays of packets are requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedStays {
    /// In the buffers of these routers.
    pub routers: Vec<RouterId>,
    /// Stays that end after this instant.
    pub from: Time,
    /// Stays that begin before this instant.
    pub until: Time,
}

/// Load of a link in an interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LinkSample {
    /// Which link.
    pub link: LinkId,
    /// Bytes. Of packets: all those of each packet whose head left in the interval.
    pub bytes: f64,
    /// Packets, on an engine with packets.
    pub packets: Option<PacketSample>,
}

/// The packets of a link in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PacketSample {
    /// Whose head left in the interval.
    pub packets: u64,
    /// Time for which packets held the link within the interval.
    pub busy: Duration,
}

/// The packets in one virtual channel of an input buffer, in an interval. A packet is counted from when it could leave if
/// nothing held it back until its tail has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BufferSample {
    /// The link at whose end the buffer is.
    pub link: LinkId,
    /// Which virtual channel.
    pub vc: u32,
    /// Time for which packets were there within the interval, all together: over the length of the interval it is how many
    /// were there in the mean.
    pub held: Duration,
    /// Most packets that waited, seen whenever one was granted and at the end of the interval.
    pub most: u32,
}

/// Kind of a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum LatencyKind {
    /// Messages of class data, from being handed to the interface until all of them had arrived.
    Message,
    /// Packets, from the start on the injection link until all of them was at the node.
    Packet,
}

/// The times of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MessageTimes {
    /// The rank that sent.
    pub from: Rank,
    /// The rank that receives.
    pub to: Rank,
    /// Its number among those of its sender.
    pub sequence: u64,
    /// Bytes that the network carried.
    pub bytes: Bytes,
    /// The class that it is counted as.
    pub class: Class,
    /// When its node's interface got it.
    pub posted: Time,
    /// When its first byte left.
    pub started: Time,
    /// When all of it had arrived.
    pub arrived: Time,
    /// When the rank took it, by its own clock: not before it had arrived, and the rank may have asked for it long
    /// before. `None` if it never did, or does not say.
    pub taken: Option<Time>,
    /// Time for which its receiver had done nothing but wait when it arrived, if that was for what the message is part
    /// of; else zero. `None` if its receiver does not say.
    pub waited: Option<Duration>,
}

/// The stay of a packet in an input buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PacketStay {
    /// The router.
    pub router: RouterId,
    /// The link by which it came.
    pub link: LinkId,
    /// The virtual channel of the buffer.
    pub vc: u32,
    /// The node that sent it.
    pub source: NodeId,
    /// The node that it is for.
    pub destination: NodeId,
    /// Its number among the packets of its source.
    pub sequence: u64,
    /// Its size.
    pub bytes: Bytes,
    /// When its head came in.
    pub entered: Time,
    /// When its tail had left.
    pub left: Time,
}

/// Receives what an engine reports. A failure does not change the run's results; after it the engine may end the run early.
pub trait Recorder {
    /// The requests: read once, before the run.
    fn requested(&self) -> &Requested;

    /// Loads of links in the interval that began at that instant, by link; links that carried nothing are left out.
    fn links(&mut self, _start: Time, _samples: &[LinkSample]) {}

    /// Contents of buffers in the interval that began at that instant, by link and virtual channel; those in which there was
    /// nothing are left out.
    fn buffers(&mut self, _start: Time, _samples: &[BufferSample]) {}

    /// The latencies of what has arrived in the interval that began at that instant.
    fn latencies(&mut self, _start: Time, _kind: LatencyKind, _sample: LatencySample) {}

    /// Messages of which nothing more will be known.
    fn messages(&mut self, _messages: &[MessageTimes]) {}

    /// Packets that have been granted their way out of a buffer.
    fn stays(&mut self, _stays: &[PacketStay]) {}

    /// All pairs of ranks, when all is over.
    fn pairs(&mut self, _pairs: &Pairs) {}

    /// Returns whether something could not be kept.
    fn has_failed(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of a kind have the interval, unless they are not requested or there is none.
    #[test]
    fn samples_that_are_requested() {
        let interval = Some(Duration::from_ns(5));
        let series = [(Keep::Yes, interval), (Keep::No, None)];
        let of = |interval, series| {
            let requested = Requested { interval, series, ..Requested::default() };
            [requested.of_links(), requested.of_buffers(), requested.of_latencies()]
        };
        for (links, buffers, latencies) in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
            let chosen = [links, buffers, latencies].map(|which: usize| series[which]);
            let [links, buffers, latencies] = chosen.map(|(keep, _)| keep);
            let expected = chosen.map(|(_, interval)| interval);
            assert_eq!(of(interval, RequestedSeries { links, buffers, latencies }), expected);
        }
        assert_eq!(of(interval, RequestedSeries::default()), [interval; 3], "all unless said");
        assert_eq!(of(None, RequestedSeries::default()), [None; 3]);
    }
}
