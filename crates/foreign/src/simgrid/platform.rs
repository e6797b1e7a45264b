//! A platform: zones with what is in them, links and routes.

use super::clusters::Shape;
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Host,
    Router,
    Zone(usize),
}

/// A host, a router, or a zone as its parent sees it.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) name: String,
    pub(super) zone: usize,
    pub(super) kind: Kind,
    pub(super) line: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) links: Vec<u32>,
    /// Where the zones at the ends are left and entered.
    pub(super) gateways: Option<(usize, usize)>,
}

#[derive(Debug)]
pub(super) enum Routing {
    Full,
    Floyd,
    Dijkstra,
    Cluster(Cluster),
    None,
}

/// The links that all hosts of a cluster share, and those of each.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    pub(super) backbone: Option<u32>,
    pub(super) own: BTreeMap<usize, Pair>,
    pub(super) limiters: BTreeMap<usize, u32>,
    pub(super) shape: Option<Shape>,
}

#[derive(Debug)]
pub(super) struct Zone {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// The point that it is to its parent.
    pub(super) point: Option<usize>,
    pub(super) routing: Routing,
    /// Its points, in the order of the file.
    pub(super) members: Vec<usize>,
    pub(super) routes: BTreeMap<(usize, usize), Route>,
    pub(super) bypasses: BTreeMap<(usize, usize), Route>,
    /// With Floyd and Dijkstra: the point before the second on the way from the first.
    pub(super) before: BTreeMap<(usize, usize), usize>,
}

#[derive(Debug, Default)]
pub(super) struct Platform {
    pub(super) zones: Vec<Zone>,
    pub(super) points: Vec<Point>,
    pub(super) links: Vec<Link>,
    pub(super) link_names: BTreeMap<String, Pair>,
    pub(super) point_names: BTreeMap<String, usize>,
}

impl Platform {
    pub(super) fn hosts(&self) -> Vec<usize> {
        (0..self.points.len()).filter(|&point| self.points[point].kind == Kind::Host).collect()
    }

    pub(super) fn add_link(
        &mut self,
        name: String,
        bandwidth: Bandwidth,
        latency: Duration,
        line: usize,
    ) -> u32 {
        let number = u32::try_from(self.links.len()).expect("fewer links than bytes of memory");
        self.links.push(Link { name, bandwidth, latency, line });
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
            self.link_names.insert(format!("{name}_UP"), Pair { up, down: up });
            self.link_names.insert(format!("{name}_DOWN"), Pair { up: down, down });
            Pair { up, down }
        } else {
            let link = self.add_link(name.to_owned(), bandwidth, latency, line);
            Pair { up: link, down: link }
        };
        (pair, self.link_names.insert(name.to_owned(), pair).is_none())
    }

    /// A point of a zone. Returns false if the name is taken.
    pub(super) fn add_point(&mut self, name: &str, zone: usize, kind: Kind, line: usize) -> (usize, bool) {
        let number = self.points.len();
        self.points.push(Point { name: name.to_owned(), zone, kind, line });
        self.zones[zone].members.push(number);
        let is_new = self.point_names.insert(name.to_owned(), number).is_none();
        (number, is_new)
    }
}
