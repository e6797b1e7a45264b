//! Loads of links, interval by interval.
//!
//! A flow's bytes are given to its links when it leaves them, and at the end of every interval: what it has sent by then,
//! less what has been given before. So an interval costs the flows that there are at its end, and nothing is counted
//! between two of them.

use weir_network::record::LinkSample;
use weir_units::{Duration, LinkId, Time};

/// Less than this part of a byte is rounding: it goes to a later interval.
const ROUNDING: f64 = 1e-6;

/// The counters of an interval.
#[derive(Clone, Debug)]
pub(crate) struct LinkSeries {
    length: Duration,
    start: Time,
    /// By link: bytes of the interval, and whether it is in `touched`.
    bytes: Vec<f64>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
    /// By slot: what has been given of the bytes that its flows have carried on their links.
    given: Vec<f64>,
}

impl LinkSeries {
    pub(crate) fn new(length: Duration, links: usize, slots: usize) -> Self {
        assert!(length > Duration::ZERO, "an interval takes time");
        Self {
            length,
            start: Time::ZERO,
            bytes: vec![0.0; links],
            is_touched: vec![false; links],
            touched: Vec::new(),
            given: vec![0.0; slots],
        }
    }

    pub(crate) fn add_slot(&mut self) {
        self.given.push(0.0);
    }

    pub(crate) fn end(&self) -> Time {
        Time::from_ps(self.start.as_ps().saturating_add(self.length.as_ps()))
    }

    /// The flows of a slot have carried so many bytes so far, and each of their links its part of them.
    pub(crate) fn give(&mut self, slot: usize, carried: f64, links: impl Iterator<Item = (usize, f64)>) {
        let bytes = carried - std::mem::replace(&mut self.given[slot], carried);
        let reported = self.bytes.len();
        for (link, weight) in links.filter(|&(link, _)| link < reported) {
            self.bytes[link] += weight * bytes;
            if !std::mem::replace(&mut self.is_touched[link], true) {
                self.touched.push(link as u32);
            }
        }
    }

    pub(crate) fn leave(&mut self, slot: usize) {
        self.given[slot] = 0.0;
    }

    /// Ends the interval: when it began, and what it had, by link.
    pub(crate) fn close(&mut self) -> (Time, Vec<LinkSample>) {
        self.touched.sort_unstable();
        let (mut samples, mut left) = (Vec::new(), Vec::new());
        for link in self.touched.drain(..) {
            let bytes = &mut self.bytes[link as usize];
            if *bytes < ROUNDING {
                left.push(link);
            } else {
                let bytes = std::mem::take(bytes);
                samples.push(LinkSample { link: LinkId(link), bytes, packets: None });
                self.is_touched[link as usize] = false;
            }
        }
        self.touched = left;
        let start = self.start;
        self.start = self.end();
        (start, samples)
    }

    /// Goes on to the interval of an instant, if it is a later one; nothing is carried before.
    pub(crate) fn skip_to(&mut self, at: Time) {
        let start = at.as_ps() / self.length.as_ps() * self.length.as_ps();
        self.start = self.start.max(Time::from_ps(start));
    }
}
