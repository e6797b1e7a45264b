//! Links of a platform, by number and by name.

use std::collections::BTreeMap;
use weir_units::{Bandwidth, Duration};

/// A link that messages pass, or one direction of it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) bandwidth: Bandwidth,
    pub(super) latency: Duration,
    pub(super) line: usize,
}

/// Both directions of a link: the same twice, if they share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) up: u32,
    pub(super) down: u32,
}

/// All links, and those that have names.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) all: Vec<Link>,
    pub(super) names: BTreeMap<String, Pair>,
}

impl Links {
    pub(super) fn add_link(
        &mut self,
        name: String,
        bandwidth: Bandwidth,
        latency: Duration,
        line: usize,
    ) -> u32 {
        let number = u32::try_from(self.all.len()).expect("fewer links than bytes of memory");
        self.all.push(Link { name, bandwidth, latency, line });
        number
    }

    /// A link, as one or with two directions that do not share it. Returns false if the name is taken.
    pub(super) fn add_pair(
        &mut self,
        name: &str,
        duplex: bool,
        (bandwidth, latency): (Bandwidth, Duration),
        line: usize,
    ) -> (Pair, bool) {
        let pair = if duplex {
            let up = self.add_link(format!("{name}_UP"), bandwidth, latency, line);
            let down = self.add_link(format!("{name}_DOWN"), bandwidth, latency, line);
            self.names.insert(format!("{name}_UP"), Pair { up, down: up });
            self.names.insert(format!("{name}_DOWN"), Pair { up: down, down });
            Pair { up, down }
        } else {
            let link = self.add_link(name.to_owned(), bandwidth, latency, line);
            Pair { up: link, down: link }
        };
        (pair, self.names.insert(name.to_owned(), pair).is_none())
    }
}
