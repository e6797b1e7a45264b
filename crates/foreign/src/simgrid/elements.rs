//! From XML to a platform.

use super::links::Pair;
use super::platform::{Cluster, Kind, Platform, Route, Routing, Zone};
use crate::reading::Reading;
use crate::units::{rate, time};
use crate::xml::{Element, Part, Parts};
use std::collections::{BTreeMap, BTreeSet};
use weir_units::{Bandwidth, Duration};

/// Zones within each other.
const MOST_ZONES: usize = 64;

pub(super) struct Builder<'a> {
    pub(super) platform: Platform,
    pub(super) reading: &'a mut Reading,
    /// The zones that are open, the innermost last.
    pub(super) open: Vec<usize>,
    /// The route that is open, and the links in it.
    route: Option<(Element, Vec<Pair>)>,
    explicit: BTreeSet<(usize, usize, bool)>,
    pub(super) speeds: usize,
    properties: usize,
    pub(super) loopbacks: usize,
}

pub(super) fn read(text: &str, reading: &mut Reading) -> Option<Platform> {
    let mut builder = Builder {
        platform: Platform::default(),
        reading,
        open: Vec::new(),
        route: None,
        explicit: BTreeSet::new(),
        speeds: 0,
        properties: 0,
        loopbacks: 0,
    };
    let mut parts = Parts::new(text);
    while let Some(part) = parts.next(builder.reading).ok()? {
        match part {
            Part::Begin(element) => builder.begin(renamed(element))?,
            Part::End(name) => builder.end(&name),
        }
    }
    builder.finish()
}

/// Names of version 3 that version 4 still takes.
fn renamed(element: Element) -> Element {
    let name = match element.name.as_str() {
        "AS" => "zone",
        "ASroute" => "zoneRoute",
        "bypassASroute" => "bypassZoneRoute",
        _ => return element,
    };
    Element { name: name.to_owned(), ..element }
}

impl Builder<'_> {
    pub(super) fn wrong(&mut self, element: &Element, key: &str, what: impl Into<String>) {
        let value = element
            .get(key)
            .map_or_else(|| element.name.clone(), |value| format!("{} {key}={value:?}", element.name));
        self.reading.wrong(element.line, &value, what);
    }

    pub(super) fn required(&mut self, element: &Element, key: &str) -> Option<String> {
        let value = element.get(key).map(str::to_owned);
        if value.is_none() {
            self.reading.wrong(element.line, &element.name, format!("the attribute {key} is missing"));
        }
        value
    }

    pub(super) fn rate(&mut self, element: &Element, key: &str) -> Option<Bandwidth> {
        let text = self.required(element, key)?;
        let rate = rate(&text);
        if rate.is_none() {
            self.wrong(element, key, "expected a bandwidth with its unit, as 125MBps or 10Gbps");
        }
        rate
    }

    pub(super) fn time(&mut self, element: &Element, key: &str) -> Option<Duration> {
        let text = element.get(key).unwrap_or("0");
        let time = time(text);
        if time.is_none() {
            self.wrong(element, key, "expected a latency with its unit, as 50us");
        }
        time
    }

    /// Names what the attributes of an element say beyond those that are read.
    pub(super) fn others(&mut self, element: &Element, known: &[&str]) {
        for key in element.attributes.keys().filter(|key| !known.contains(&key.as_str())) {
            let value = format!("{} {key}={:?}", element.name, element.attributes[key]);
            self.reading.cannot(
                element.line,
                &value,
                &format!("weir has nothing for the attribute {key} of {}", element.name),
            );
        }
    }

    /// True if the directions of a link are apart. A link that messages do not share has no counterpart.
    pub(super) fn is_duplex(&mut self, element: &Element, key: &str, default: &str) -> bool {
        match element.get(key).unwrap_or(default) {
            "SPLITDUPLEX" => true,
            "SHARED" => false,
            "FATPIPE" => {
                let value = format!("{} {key}=\"FATPIPE\"", element.name);
                self.reading.cannot(element.line, &value, "FATPIPE, a link on which every message has all of the bandwidth: in weir messages share it");
                false
            }
            _ => {
                self.wrong(element, key, "expected SHARED, SPLITDUPLEX or FATPIPE");
                false
            }
        }
    }

    pub(super) fn zone(&mut self, element: &Element) -> Option<usize> {
        let zone = self.open.last().copied();
        if zone.is_none() {
            self.reading.wrong(element.line, &element.name, "expected within a zone");
        }
        zone
    }

    pub(super) fn point(&mut self, element: &Element, name: &str, zone: usize, kind: Kind) -> usize {
        let (point, is_new) = self.platform.add_point(name, zone, kind, element.line);
        if !is_new && !matches!(kind, Kind::Zone(_)) {
            self.reading.wrong(element.line, name, "the name is there twice");
        }
        point
    }

    fn begin(&mut self, element: Element) -> Option<()> {
        match element.name.as_str() {
            "platform" => {
                self.others(&element, &["version"]);
                let version =
                    element.get("version").unwrap_or("4").split('.').next().unwrap_or_default().to_owned();
                if version != "4" {
                    self.wrong(&element, "version", "this version of platforms is not known; expected 4 or 4.1 (simgrid_update_xml rewrites older ones)");
                }
            }
            "zone" => {
                self.begin_zone(&element)?;
            }
            "host" => self.host(&element)?,
            "router" => {
                self.others(&element, &["id", "coordinates"]);
                let (name, zone) = (self.required(&element, "id")?, self.zone(&element)?);
                self.point(&element, &name, zone, Kind::Router);
            }
            "link" => self.link(&element)?,
            "backbone" => self.backbone(&element)?,
            "cluster" => self.cluster(&element)?,
            "cabinet" => {
                self.others(&element, &["id", "prefix", "suffix", "radical", "speed", "bw", "lat"]);
                let zone = self.zone(&element)?;
                self.hosts_of(&element, zone, true, None)?;
            }
            "peer" => self.peer(&element)?,
            "host_link" => self.host_link(&element)?,
            "route" | "zoneRoute" | "bypassRoute" | "bypassZoneRoute" => {
                self.others(&element, &["src", "dst", "gw_src", "gw_dst", "symmetrical"]);
                self.route = Some((element, Vec::new()));
            }
            "link_ctn" => self.link_of_route(&element)?,
            "prop" => self.properties += 1,
            "include" | "trace" | "trace_connect" | "config" | "storage" | "storage_type" | "mount"
            | "disk" | "actor" | "process" | "model_prop" => {
                let what = format!("weir has nothing for <{}>", element.name);
                self.reading.cannot(element.line, element.get("id").unwrap_or_default(), &what);
            }
            _ => self.reading.wrong(element.line, &element.name, "unknown element"),
        }
        Some(())
    }

    fn end(&mut self, name: &str) {
        match name {
            "zone" | "AS" => _ = self.open.pop(),
            "route" | "zoneRoute" | "ASroute" | "bypassRoute" | "bypassZoneRoute" | "bypassASroute" => {
                if let Some((element, links)) = self.route.take() {
                    self.end_route(&element, &links);
                }
            }
            _ => {}
        }
    }

    fn begin_zone(&mut self, element: &Element) -> Option<usize> {
        self.others(element, &["id", "routing"]);
        let (name, routing) = (self.required(element, "id")?, self.required(element, "routing")?);
        let routing = match routing.as_str() {
            "Full" => Routing::Full,
            "Floyd" => Routing::Floyd,
            "Dijkstra" | "DijkstraCache" => Routing::Dijkstra,
            "Cluster" => Routing::Cluster(Cluster::default()),
            "None" | "none" => Routing::None,
            "Vivaldi" | "Wifi" | "WIFI" | "ns-3" => {
                let value = format!("zone routing={routing:?}");
                let what = format!(
                    "routes of the kind {routing}, which is not one of Full, Floyd, Dijkstra, Cluster and None"
                );
                self.reading.cannot(element.line, &value, &what);
                Routing::None
            }
            _ => {
                self.wrong(element, "routing", "expected Full, Floyd, Dijkstra, Cluster or None");
                Routing::None
            }
        };
        Some(self.add_zone(element, &name, routing))
    }

    pub(super) fn add_zone(&mut self, element: &Element, name: &str, routing: Routing) -> usize {
        let number = self.platform.zones.len();
        let parent = self.open.last().copied();
        if self.open.len() > MOST_ZONES {
            self.reading.wrong(element.line, name, format!("more than {MOST_ZONES} zones within each other"));
        }
        if parent.is_none() && number > 0 {
            self.reading.wrong(element.line, name, "a platform has one outermost zone");
        }
        self.platform.zones.push(Zone {
            name: name.to_owned(),
            parent,
            point: None,
            routing,
            members: Vec::new(),
            routes: BTreeMap::new(),
            bypasses: BTreeMap::new(),
            before: BTreeMap::new(),
        });
        if let Some(parent) = parent {
            let point = self.point(element, name, parent, Kind::Zone(number));
            self.platform.zones[number].point = Some(point);
        }
        self.open.push(number);
        number
    }

    fn host(&mut self, element: &Element) -> Option<()> {
        self.others(element, &["id", "speed", "core", "pstate", "coordinates"]);
        let (name, zone) = (self.required(element, "id")?, self.zone(element)?);
        self.point(element, &name, zone, Kind::Host);
        self.speeds += 1;
        Some(())
    }

    fn link(&mut self, element: &Element) -> Option<()> {
        self.others(element, &["id", "bandwidth", "latency", "sharing_policy"]);
        let name = self.required(element, "id")?;
        let (bandwidth, latency) = (self.rate(element, "bandwidth")?, self.time(element, "latency")?);
        let duplex = self.is_duplex(element, "sharing_policy", "SHARED");
        let (_, is_new) = self.platform.links.add_pair(&name, duplex, (bandwidth, latency), element.line);
        if !is_new {
            self.wrong(element, "id", "the link is there twice");
        }
        Some(())
    }

    fn link_of_route(&mut self, element: &Element) -> Option<()> {
        self.others(element, &["id", "direction"]);
        let name = self.required(element, "id")?;
        let Some(&pair) = self.platform.links.names.get(&name) else {
            self.wrong(element, "id", "there is no such link before it");
            return None;
        };
        let pair = match element.get("direction") {
            None | Some("NONE" | "UP") => pair,
            Some("DOWN") => Pair { up: pair.down, down: pair.up },
            Some(_) => {
                self.wrong(element, "direction", "expected UP, DOWN or NONE");
                pair
            }
        };
        match &mut self.route {
            Some((_, links)) => links.push(pair),
            None => self.wrong(element, "id", "expected within a route"),
        }
        Some(())
    }

    fn end_route(&mut self, element: &Element, links: &[Pair]) {
        let Some(zone) = self.zone(element) else { return };
        let is_bypass = element.name.starts_with("bypass");
        let mut find = |key: &str| {
            let name = self.required(element, key)?;
            let point = self.platform.point_names.get(&name).copied();
            if point.is_none() {
                self.wrong(element, key, "there is nothing with this name before it");
            }
            point
        };
        let (Some(from), Some(to)) = (find("src"), find("dst")) else { return };
        let gateways = match (element.get("gw_src"), element.get("gw_dst")) {
            (None, None) => Some(None),
            _ => match (find("gw_src"), find("gw_dst")) {
                (Some(leave), Some(enter)) => Some(Some((leave, enter))),
                _ => None,
            },
        };
        let Some(gateways) = gateways else { return };
        let is_here = [from, to].iter().all(|&point| self.platform.points[point].zone == zone);
        if !is_here {
            if is_bypass {
                self.reading.cannot(
                    element.line,
                    &element.name,
                    "a bypass between points that are not in the same zone",
                );
            } else {
                self.wrong(element, "src", "both ends of a route are in the zone that has it");
            }
            return;
        }
        if let Some((leave, enter)) = gateways {
            for (key, gateway, end) in [("gw_src", leave, from), ("gw_dst", enter, to)] {
                if !self.platform.is_in(gateway, end) {
                    self.wrong(element, key, "a gateway is in the zone at this end of the route");
                    return;
                }
            }
        }
        if links.is_empty() {
            self.wrong(element, "src", "the route has no link");
            return;
        }
        if from == to {
            self.loopbacks += 1;
            return;
        }
        if !self.explicit.insert((from, to, is_bypass)) {
            self.wrong(element, "src", "the route is there twice");
        }
        let there = Route { links: links.iter().map(|pair| pair.up).collect(), gateways };
        let back = Route {
            links: links.iter().rev().map(|pair| pair.down).collect(),
            gateways: gateways.map(|(leave, enter)| (enter, leave)),
        };
        let zone = &mut self.platform.zones[zone];
        let routes = if is_bypass { &mut zone.bypasses } else { &mut zone.routes };
        routes.insert((from, to), there);
        let symmetrical = element.get("symmetrical").is_none_or(|text| text.eq_ignore_ascii_case("yes"));
        // A bypass goes one way.
        if symmetrical && !is_bypass && !self.explicit.contains(&(to, from, false)) {
            routes.insert((to, from), back);
        }
    }

    fn finish(self) -> Option<Platform> {
        let Self { platform, reading, speeds, properties, loopbacks, .. } = self;
        if platform.zones.is_empty() && !reading.is_wrong() {
            reading.wrong_whole("the platform has no zone", None);
        }
        if speeds > 0 {
            reading.note(format!(
                "{speeds} hosts have speeds: how long work takes is not a matter of the network ([[work]])"
            ));
        }
        if loopbacks > 0 {
            reading.note(format!(
                "{loopbacks} ways from a host to itself: what ranks of one node take is a matter of [node]"
            ));
        }
        if properties > 0 {
            reading.note(format!("{properties} properties, which say nothing about the network"));
        }
        Some(platform)
    }
}
