//! From routes over links to a graph: which places are one router.

use super::platform::{Cluster, Kind, Platform, Routing};
use crate::machine::{Hop, Machine, Routes};
use crate::reading::Reading;
use std::collections::{BTreeMap, BTreeSet};
use weir_units::{Bandwidth, Duration};

/// More cables that only join links.
const MOST_JOINTS: usize = 4_000_000;

pub(super) fn machine(mut platform: Platform, reading: &mut Reading) -> Option<Machine> {
    let hosts = platform.hosts();
    if hosts.is_empty() {
        reading.wrong_whole("the platform has no host", None);
        return None;
    }
    // In a single flat cluster every host is as the first two, and there is one way between two of them.
    let is_alike = is_one_cluster(&platform);
    let others = if is_alike { hosts.len().min(2) } else { hosts.len() };
    if !is_alike && hosts.len() > crate::machine::MOST_ROUTED {
        // The same sentence as for other forms of files.
        Machine::routed(hosts.len(), reading);
        return None;
    }
    find_ways(&mut platform, reading)?;
    let platform = platform;
    let pairs = || {
        let ends = (0..hosts.len()).flat_map(move |a| (0..others).map(move |b| (a, b)));
        ends.filter(|(a, b)| a != b)
            .flat_map(
                move |(a, b)| {
                    if b < a && is_alike { [Some((a, b)), Some((b, a))] } else { [Some((a, b)), None] }
                },
            )
            .flatten()
    };
    let mut places = Places::new(&platform, &hosts);
    let mut links = Vec::new();
    for (a, b) in pairs() {
        links.clear();
        if let Err(missing) = platform.route(hosts[a], hosts[b], &mut links) {
            no_route(&platform, (hosts[a], hosts[b]), missing, reading);
            return None;
        }
        places.add(a, b, &links);
    }
    let mut is_simple = |places: &Places<'_>| {
        pairs().all(|(a, b)| {
            links.clear();
            let _known = platform.route(hosts[a], hosts[b], &mut links);
            places.is_simple(a, b, &links)
        })
    };
    // Links of a host in both directions end at one router, unless there is something between them.
    let apart = places.same.clone();
    places.bind();
    let mut fits = is_simple(&places);
    if !fits {
        places.same = apart;
        fits = is_simple(&places);
    }
    if !fits {
        places.part();
        for (a, b) in pairs() {
            links.clear();
            let _known = platform.route(hosts[a], hosts[b], &mut links);
            places.join(a, b, &links);
            if places.joints.len() > MOST_JOINTS {
                reading.wrong_whole("links follow each other in too many ways", None);
                return None;
            }
        }
        if is_alike && hosts.len() > 2 && has_no_middle(&platform) {
            reading.wrong_whole("hosts of a cluster share the directions of their links, and nothing is between them: this is not read", Some("sharing_policy=\"SPLITDUPLEX\", which is the default, or a backbone"));
            return None;
        }
    }
    let mut machine = Machine::default();
    let vertices = places.build(&mut machine);
    if !is_alike {
        let routes = OfPlatform { vertices, hosts, platform };
        machine.set_routes(Box::new(routes), reading);
    }
    Some(machine)
}

/// The ways within all zones; it is a mistake where a zone has too many.
fn find_ways(platform: &mut Platform, reading: &mut Reading) -> Option<()> {
    let too_many = |zone| {
        let most = crate::machine::MOST_ROUTED;
        let what = format!("zone {zone:?} has more than {most} points, and a way for each pair of them");
        reading.wrong_whole(what, None);
    };
    platform.find_ways().map_err(too_many).ok()
}

/// Names the route of a zone that a route of two hosts needs.
fn no_route(
    platform: &Platform,
    (a, b): (usize, usize),
    (zone, from, to): (usize, usize, usize),
    reading: &mut Reading,
) {
    let name = |point: usize| &platform.points[point].name;
    let what = format!(
        "zone {:?} has no route from {:?} to {:?}, which that from {:?} to {:?} needs",
        platform.zones[zone].name,
        name(from),
        name(to),
        name(a),
        name(b)
    );
    reading.wrong(platform.points[from].line, name(from), what);
}

/// The only cluster with hosts, if there is nothing else.
fn only_cluster(platform: &Platform) -> Option<&Cluster> {
    let mut zones: BTreeSet<usize> = BTreeSet::new();
    for point in platform.points.iter().filter(|point| point.kind == Kind::Host) {
        zones.insert(point.zone);
    }
    let (Some(zone), None) = (zones.pop_first(), zones.pop_first()) else { return None };
    match &platform.zones[zone].routing {
        Routing::Cluster(cluster) if cluster.shape.is_none() && platform.zones[zone].bypasses.is_empty() => {
            Some(cluster)
        }
        _ => None,
    }
}

fn is_one_cluster(platform: &Platform) -> bool {
    only_cluster(platform).is_some_and(|cluster| cluster.own.len() == platform.hosts().len())
}

fn has_no_middle(platform: &Platform) -> bool {
    only_cluster(platform).is_some_and(|cluster| cluster.backbone.is_none())
}

/// Places: `2 l` where link l begins, `2 l + 1` where it ends, then those of hosts.
struct Places<'a> {
    platform: &'a Platform,
    hosts: &'a [usize],
    /// Another place that is the same, or the place itself, for each place.
    same: Vec<u32>,
    used: Vec<bool>,
    /// By host: its only link out and its only link in; `None` inside where there are several.
    own: Vec<[Option<Option<u32>>; 2]>,
    /// By link: the hosts that begin or end with it, if it is one; and whether it is in the middle of a route.
    of_host: Vec<Option<Option<u32>>>,
    sums: Vec<[f64; 2]>,
    seen: BTreeSet<(usize, bool, u32)>,
    is_parted: bool,
    joints: BTreeSet<(u32, u32)>,
}

impl<'a> Places<'a> {
    fn new(platform: &'a Platform, hosts: &'a [usize]) -> Self {
        let (links, count) = (platform.links.all.len(), hosts.len());
        Self {
            platform,
            hosts,
            same: (0..).take(2 * links + count).collect(),
            used: vec![false; links],
            own: vec![[None; 2]; count],
            of_host: vec![None; links],
            sums: vec![[0.0; 2]; count],
            seen: BTreeSet::new(),
            is_parted: false,
            joints: BTreeSet::new(),
        }
    }

    fn host(&self, host: usize) -> u32 {
        (2 * self.platform.links.all.len() + host) as u32
    }

    fn find(&self, mut place: u32) -> u32 {
        while self.same[place as usize] != place {
            place = self.same[place as usize];
        }
        place
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.same[a.max(b) as usize] = a.min(b);
        }
    }

    /// Notes a route.
    fn add(&mut self, from: usize, to: usize, links: &[u32]) {
        let (Some(&first), Some(&last)) = (links.first(), links.last()) else { return };
        self.unite(self.host(from), 2 * first);
        self.unite(self.host(to), 2 * last + 1);
        for pair in links.windows(2) {
            self.unite(2 * pair[0] + 1, 2 * pair[1]);
        }
        for (way, host, link) in [(0, from, first), (1, to, last)] {
            let known = self.own[host][way].get_or_insert(Some(link));
            if *known != Some(link) {
                *known = None;
            }
            if self.seen.insert((host, way == 1, link)) {
                self.sums[host][way] += self.platform.links.all[link as usize].bandwidth.bytes_per_second();
            }
        }
        for (place, &link) in links.iter().enumerate() {
            self.used[link as usize] = true;
            // A link of a host is the first or the last of routes of this host alone, always the same of the two.
            let own = match place {
                0 if links.len() > 1 => Some(2 * from as u32),
                _ if place + 1 == links.len() && place > 0 => Some(2 * to as u32 + 1),
                _ => None,
            };
            let known = self.of_host[link as usize].get_or_insert(own);
            if *known != own {
                *known = None;
            }
        }
    }

    fn is_simple(&self, from: usize, to: usize, links: &[u32]) -> bool {
        let mut passed = vec![self.find(self.host(from))];
        passed.extend(links.iter().map(|&link| self.find(2 * link + 1)));
        let ends_right = links.is_empty() || self.find(self.host(to)) == passed[passed.len() - 1];
        let all: BTreeSet<u32> = passed.iter().copied().collect();
        ends_right && all.len() == passed.len()
    }

    /// Makes every place a router of its own.
    fn part(&mut self) {
        self.is_parted = true;
        self.same = (0..).take(self.same.len()).collect();
    }

    fn join(&mut self, from: usize, to: usize, links: &[u32]) {
        let mut here = self.host(from);
        for &link in links {
            self.joints.insert((here, 2 * link));
            here = 2 * link + 1;
        }
        self.joints.insert((here, self.host(to)));
    }

    /// The links out of a host and into it, if they are one each and of no other host.
    fn own_links(&self, host: usize) -> Option<[u32; 2]> {
        let [Some(Some(out)), Some(Some(into))] = self.own[host] else { return None };
        let are_own = self.of_host[out as usize] == Some(Some(2 * host as u32))
            && self.of_host[into as usize] == Some(Some(2 * host as u32 + 1));
        are_own.then_some([out, into])
    }

    /// Makes one router of the places where the links of a host meet others.
    fn bind(&mut self) {
        for host in 0..self.hosts.len() {
            if let Some([out, into]) = self.own_links(host) {
                self.unite(2 * out + 1, 2 * into);
            }
        }
    }

    /// The links that are the cable of a host with a router, which is where one ends and the other begins.
    fn cable(&self, host: usize) -> Option<[u32; 2]> {
        let [out, into] = self.own_links(host)?;
        (!self.is_parted && self.find(2 * out + 1) == self.find(2 * into)).then_some([out, into])
    }

    fn build(&self, machine: &mut Machine) -> Vertices {
        let mut vertices = Vertices {
            routers: BTreeMap::new(),
            nodes: Vec::new(),
            home: Vec::new(),
            number: BTreeMap::new(),
            places: Vec::new(),
            parallel: Vec::new(),
        };
        vertices.places = (0..self.same.len() as u32).map(|place| self.find(place)).collect();
        let cables: Vec<Option<[u32; 2]>> = (0..self.hosts.len()).map(|host| self.cable(host)).collect();
        for (host, &point) in self.hosts.iter().enumerate() {
            let point = &self.platform.points[point];
            let node = machine.node(&point.name, point.line);
            vertices.number.insert(node, host);
            vertices.nodes.push(node);
        }
        let mut is_cable = vec![false; self.platform.links.all.len()];
        for (host, cable) in cables.iter().enumerate() {
            let line = self.platform.points[self.hosts[host]].line;
            let node = vertices.nodes[host];
            match *cable {
                Some([out, into]) => {
                    let router = self.router(2 * out + 1, machine, &mut vertices);
                    for (link, ends) in [(out, (node, router)), (into, (router, node))] {
                        let of = &self.platform.links.all[link as usize];
                        machine.wire(ends, of.bandwidth, of.latency, of.line);
                        is_cable[link as usize] = true;
                    }
                    vertices.home.push(None);
                }
                None => {
                    let place = self.host(host);
                    let router = self.router(place, machine, &mut vertices);
                    let [out, into] = self.sums[host].map(|sum| {
                        Bandwidth::new(sum).unwrap_or_else(|| Bandwidth::new(1.0).expect("1 is more than 0"))
                    });
                    machine.wire((node, router), out, Duration::ZERO, line);
                    machine.wire((router, node), into, Duration::ZERO, line);
                    vertices.home.push(Some(router));
                }
            }
        }
        let mut parallels: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (link, of) in (0..).zip(&self.platform.links.all) {
            vertices.parallel.push(0);
            if !self.used[link as usize] || is_cable[link as usize] {
                continue;
            }
            let ends = (
                self.router(2 * link, machine, &mut vertices),
                self.router(2 * link + 1, machine, &mut vertices),
            );
            let before = parallels.entry(ends).or_default();
            vertices.parallel[link as usize] = *before;
            *before += 1;
            machine.wire(ends, of.bandwidth, of.latency, of.line);
        }
        let rate_at = |place: u32| self.platform.links.all.get(place as usize / 2).map(|link| link.bandwidth);
        for &(from, to) in &self.joints {
            // As wide as what comes, and what goes on: never the narrowest.
            let rate = rate_at(from).into_iter().chain(rate_at(to)).reduce(Bandwidth::max);
            let ends = (self.router(from, machine, &mut vertices), self.router(to, machine, &mut vertices));
            machine.wire(
                ends,
                rate.unwrap_or_else(|| Bandwidth::new(1.0).expect("1 is more than 0")),
                Duration::ZERO,
                1,
            );
        }
        vertices
    }

    /// The router of a place.
    fn router(&self, place: u32, machine: &mut Machine, vertices: &mut Vertices) -> u32 {
        let place = self.find(place);
        *vertices.routers.entry(place).or_insert_with(|| {
            let links = self.platform.links.all.len() as u32;
            if let Some(host) = place.checked_sub(2 * links) {
                let point = &self.platform.points[self.hosts[host as usize]];
                return machine.router(&format!("{} router", point.name), point.line);
            }
            let link = &self.platform.links.all[place as usize / 2];
            let name = if place.is_multiple_of(2) { "before" } else { "behind" };
            machine.router(&format!("{name} {}", link.name), link.line)
        })
    }
}

/// The vertices that places have become.
#[derive(Debug)]
struct Vertices {
    routers: BTreeMap<u32, u32>,
    nodes: Vec<u32>,
    /// By host: its own router, unless a link is its cable.
    home: Vec<Option<u32>>,
    /// By vertex of a node: the number of its host.
    number: BTreeMap<u32, usize>,
    places: Vec<u32>,
    parallel: Vec<u32>,
}

#[derive(Debug)]
struct OfPlatform {
    vertices: Vertices,
    hosts: Vec<usize>,
    platform: Platform,
}

impl Routes for OfPlatform {
    fn route(&self, from: u32, to: u32, hops: &mut Vec<Hop>) {
        let of = &self.vertices;
        let [from, to] = [from, to].map(|vertex| of.number[&vertex]);
        let mut links = Vec::new();
        hops.clear();
        if self.platform.route(self.hosts[from], self.hosts[to], &mut links).is_err() {
            return;
        }
        let router = |place: u32| of.routers[&of.places[place as usize]];
        let mut go = |router: u32, parallel: u32| {
            if hops.last().is_none_or(|last| last.router != router) {
                hops.push(Hop { router, parallel });
            }
        };
        if let Some(router) = of.home[from] {
            go(router, 0);
        }
        for (number, &link) in links.iter().enumerate() {
            // Links that are cables of hosts end at routers, and begin at none, or the other way around.
            let is_first = number == 0 && of.home[from].is_none();
            let is_last = number + 1 == links.len() && of.home[to].is_none();
            if !is_first {
                go(router(2 * link), 0);
            }
            if !is_last {
                go(router(2 * link + 1), of.parallel[link as usize]);
            }
        }
        if let Some(router) = of.home[to] {
            go(router, 0);
        }
    }
}
