//! Which links a path's time belongs to.

use super::tally::Tally;
use weir_units::{Duration, LinkId};

/// How many classes of links there are at most; an engine says which link is of which class.
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

impl Narrowest {
    /// Of the links of a way, each with its class, if it has one, and with what it gives. And how much that one gives.
    #[must_use]
    pub fn of(links: impl IntoIterator<Item = (LinkId, Option<u8>, f64)>) -> (Self, f64) {
        // Rates that differ by rounding alone are alike.
        const ALIKE: f64 = 1.0 + 1e-9;
        let (mut least, mut found) = (f64::INFINITY, Self::default());
        for (link, class, rate) in links {
            if rate * ALIKE < least {
                found = Self { class, link: Some(link) };
                least = rate;
            } else if rate <= least * ALIKE {
                found = Self { class: found.class.filter(|found| class == Some(*found)), link: None };
            }
        }
        (found, least)
    }
}

/// What links took of a path.
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

    /// Likewise where one link alone is, by link.
    #[must_use]
    pub const fn links(&self) -> &Tally<LinkId> {
        &self.links
    }

    /// Bytes take a time because of a link.
    #[inline]
    pub(super) fn carry(&mut self, narrowest: Narrowest, time: Duration) {
        if let Some(class) = narrowest.class {
            self.bytes[class as usize] += time;
        }
        if let Some(link) = narrowest.link {
            self.links.add(link, time);
        }
    }

    /// Latencies by class.
    #[inline]
    pub(super) fn pass(&mut self, latency: &ByClass) {
        self.latency.iter_mut().zip(latency).for_each(|(all, more)| *all += *more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_link() {
        let found = |rows: &[(u32, u8, f64)]| {
            let links = rows.iter().map(|&(link, class, rate)| (LinkId(link), Some(class), rate));
            let (Narrowest { class, link }, _) = Narrowest::of(links);
            (class, link.map(|link| link.0))
        };
        assert_eq!(found(&[(7, 0, 2.0), (8, 2, 1.0), (9, 1, 2.0)]), (Some(2), Some(8)));
        assert_eq!(found(&[(7, 0, 2.0), (8, 2, 1.0), (9, 2, 1.0)]), (Some(2), None));
        assert_eq!(found(&[(7, 0, 1.0), (8, 2, 1.0), (9, 2, 1.0)]), (None, None));
        assert_eq!(found(&[(7, 0, 1.0), (8, 2, 1.0), (9, 2, 0.5)]), (Some(2), Some(9)));
        assert_eq!(found(&[]), (None, None));
    }
}
