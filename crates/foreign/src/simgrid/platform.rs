//! A platform: zones with what is in them, and routes.

use super::clusters::Shape;
use super::links::{Links, Pair};
use std::collections::BTreeMap;

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
    pub(super) links: Links,
    pub(super) point_names: BTreeMap<String, usize>,
}

impl Platform {
    pub(super) fn hosts(&self) -> Vec<usize> {
        (0..self.points.len()).filter(|&point| self.points[point].kind == Kind::Host).collect()
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
