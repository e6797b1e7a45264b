//! Which links a path's time belongs to.

use crate::tally::Tally;
use weir_units::{Duration, LinkId};

/// The most classes of links; an engine says which link is of which class.
pub const CLASSES: usize = 8;

/// Time by class of link.
pub type ByClass = [Duration; CLASSES];

/// The link of a way that holds up its bytes most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Narrowest {
    /// Its class; none if there are links of several classes that hold them up alike.
    class: Option<u8>,
    /// Which one; none if there are several.
    link: Option<LinkId>,
}

/// Looks for the narrowest of the links of a way.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Narrowing {
    least: f64,
    found: Narrowest,
}

impl Default for Narrowing {
    fn default() -> Self {
        Self { least: f64::INFINITY, found: Narrowest::default() }
    }
}

impl Narrowing {
    /// The way takes a link of a class, none if it is no link of the machine; so much of it is there.
    #[inline]
    pub fn pass(&mut self, link: LinkId, class: Option<u8>, rate: f64) {
        // Rates that differ by rounding alone are alike.
        const ALIKE: f64 = 1.0 + 1e-9;
        if rate * ALIKE < self.least {
            (self.least, self.found) = (rate, Narrowest { class, link: class.map(|_| link) });
        } else if rate <= self.least * ALIKE {
            self.found.link = None;
            if self.found.class != class {
                self.found.class = None;
            }
        }
    }

    /// The narrowest link.
    #[must_use]
    pub const fn narrowest(&self) -> Narrowest {
        self.found
    }

    /// Its rate; infinite if there are no links.
    #[must_use]
    pub const fn rate(&self) -> f64 {
        self.least
    }
}

/// The part of links in a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wires {
    latency: ByClass,
    bytes: ByClass,
    links: Tally<LinkId>,
}

impl Wires {
    /// The latencies of links, by class.
    #[must_use]
    pub const fn latency(&self) -> &ByClass {
        &self.latency
    }

    /// The time of bytes where links of one class are the narrowest of the way, by class. On the flow engine with what messages that share
    /// the link add to it.
    #[must_use]
    pub const fn bytes(&self) -> &ByClass {
        &self.bytes
    }

    /// The same where one link alone is, by link.
    #[must_use]
    pub const fn links(&self) -> &Tally<LinkId> {
        &self.links
    }

    /// Bytes take a time because of a link.
    #[inline]
    pub(crate) fn carry(&mut self, narrowest: Narrowest, time: Duration) {
        if let Some(class) = narrowest.class {
            self.bytes[class as usize] += time;
        }
        if let Some(link) = narrowest.link {
            self.links.add(link, time);
        }
    }

    #[inline]
    pub(crate) fn pass(&mut self, latency: &ByClass) {
        self.latency.iter_mut().zip(latency).for_each(|(all, more)| *all += *more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_link() {
        let found = |rows: &[(u32, u8, f64)]| {
            let mut narrowing = Narrowing::default();
            for &(link, class, rate) in rows {
                narrowing.pass(LinkId(link), Some(class).filter(|class| *class < 9), rate);
            }
            let Narrowest { class, link } = narrowing.narrowest();
            (class, link.map(|link| link.0))
        };
        assert_eq!(found(&[(7, 0, 2.0), (8, 2, 1.0), (9, 1, 2.0)]), (Some(2), Some(8)));
        assert_eq!(found(&[(7, 0, 2.0), (8, 2, 1.0), (9, 2, 1.0)]), (Some(2), None));
        assert_eq!(found(&[(7, 0, 1.0), (8, 2, 1.0), (9, 2, 1.0)]), (None, None));
        assert_eq!(found(&[(7, 0, 1.0), (8, 2, 1.0), (9, 2, 0.5)]), (Some(2), Some(9)));
        assert_eq!(found(&[]), (None, None));
        // Of no class.
        assert_eq!(found(&[(7, 0, 2.0), (8, 9, 1.0)]), (None, None));
        assert_eq!(found(&[(7, 0, 1.0), (8, 9, 1.0)]), (None, None));
    }
}
