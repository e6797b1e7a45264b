//! Elements that make hosts with links of their own: clusters, cabinets, peers, and what goes with these.

use super::clusters::{self, Cable};
use super::elements::Builder;
use super::links::Pair;
use super::platform::{Cluster, Kind, Routing};
use crate::xml::Element;
use weir_units::Duration;

/// More hosts than one attribute should ask for.
const MOST_HOSTS: usize = 1 << 22;

impl Builder<'_> {
    pub(super) fn cluster_of(&mut self, element: &Element) -> Option<&mut Cluster> {
        let zone = self.zone(element)?;
        if matches!(self.platform.zones[zone].routing, Routing::Cluster(_)) {
            let Routing::Cluster(cluster) = &mut self.platform.zones[zone].routing else { return None };
            return Some(cluster);
        }
        self.reading.wrong(element.line, &element.name, "expected within a zone with routing=\"Cluster\"");
        None
    }

    pub(super) fn backbone(&mut self, element: &Element) -> Option<()> {
        self.others(element, &["id", "bandwidth", "latency", "sharing_policy"]);
        let name = self.required(element, "id")?;
        let quantities = (self.rate(element, "bandwidth")?, self.time(element, "latency")?);
        self.is_duplex(element, "sharing_policy", "SHARED");
        let (pair, _) = self.platform.links.add_pair(&name, false, quantities, element.line);
        self.cluster_of(element)?.backbone = Some(pair.up);
        Some(())
    }

    pub(super) fn peer(&mut self, element: &Element) -> Option<()> {
        self.others(element, &["id", "speed", "bw_in", "bw_out", "lat", "coordinates"]);
        let (name, zone) = (self.required(element, "id")?, self.zone(element)?);
        let latency = self.time(element, "lat")?;
        let (down, up) = (self.rate(element, "bw_in")?, self.rate(element, "bw_out")?);
        let host = self.point(element, &name, zone, Kind::Host);
        self.speeds += 1;
        let up = self.platform.links.add_link(format!("link_{name}_UP"), up, latency, element.line);
        let down = self.platform.links.add_link(format!("link_{name}_DOWN"), down, latency, element.line);
        self.cluster_of(element)?.own.insert(host, Pair { up, down });
        Some(())
    }

    pub(super) fn host_link(&mut self, element: &Element) -> Option<()> {
        self.others(element, &["id", "up", "down"]);
        let ends = [self.required(element, "up")?, self.required(element, "down")?];
        let links = ends.map(|name| self.platform.links.names.get(&name).copied());
        let name = self.required(element, "id")?;
        let host = self.platform.point_names.get(&name).copied();
        let (Some(host), [Some(up), Some(down)]) = (host, links) else {
            self.reading.wrong(element.line, &name, "the host or one of its links is not there");
            return None;
        };
        self.cluster_of(element)?.own.insert(host, Pair { up: up.up, down: down.down });
        Some(())
    }

    pub(super) fn cluster(&mut self, element: &Element) -> Option<()> {
        const KNOWN: [&str; 18] = [
            "id",
            "prefix",
            "suffix",
            "radical",
            "speed",
            "core",
            "bw",
            "lat",
            "bb_bw",
            "bb_lat",
            "bb_sharing_policy",
            "router_id",
            "topology",
            "topo_parameters",
            "sharing_policy",
            "loopback_bw",
            "loopback_lat",
            "limiter_link",
        ];
        self.others(element, &KNOWN);
        let name = self.required(element, "id")?;
        let zone = self.add_zone(element, &name, Routing::Cluster(Cluster::default()));
        let kind = element.get("topology").unwrap_or("FLAT").to_owned();
        let duplex = self.is_duplex(element, "sharing_policy", "SPLITDUPLEX");
        let made = self.cluster_parts(element, zone, &kind, duplex, &name);
        self.open.pop();
        made
    }

    fn cluster_parts(
        &mut self,
        element: &Element,
        zone: usize,
        kind: &str,
        duplex: bool,
        name: &str,
    ) -> Option<()> {
        let limiter = match element.get("limiter_link") {
            Some(_) => Some(self.rate(element, "limiter_link")?),
            None => None,
        };
        let is_flat = kind == "FLAT";
        let hosts =
            self.hosts_of(element, zone, duplex && is_flat, (!is_flat || !duplex).then_some(is_flat))?;
        let mut cluster = Cluster::default();
        if let Some(rate) = limiter {
            for &host in &hosts {
                let limiter = format!("{}_limiter", self.platform.points[host].name);
                cluster
                    .limiters
                    .insert(host, self.platform.links.add_link(limiter, rate, Duration::ZERO, element.line));
            }
        }
        if element.get("loopback_bw").is_some() {
            self.loopbacks += hosts.len();
        }
        if element.get("bb_bw").is_some() {
            if !is_flat {
                self.wrong(element, "bb_bw", "a cluster with a topology has no backbone");
            }
            self.is_duplex(element, "bb_sharing_policy", "SHARED");
            let (bandwidth, latency) = (self.rate(element, "bb_bw")?, self.time(element, "bb_lat")?);
            cluster.backbone = Some(self.platform.links.add_link(
                format!("{name}_backbone"),
                bandwidth,
                latency,
                element.line,
            ));
        }
        if !is_flat {
            let parameters = self.required(element, "topo_parameters")?;
            let (bandwidth, latency) = (self.rate(element, "bw")?, self.time(element, "lat")?);
            let cable = Cable { name, duplex, bandwidth, latency, limiter, line: element.line };
            match clusters::shape(kind, &parameters, hosts.len() as u64, cable, &mut self.platform.links) {
                Ok(shape) => cluster.shape = Some(shape),
                Err(what) => self.wrong(element, "topo_parameters", what),
            }
        }
        let (prefix, suffix) =
            (element.get("prefix").unwrap_or_default(), element.get("suffix").unwrap_or_default());
        let router =
            element.get("router_id").map_or_else(|| format!("{prefix}{name}_router{suffix}"), str::to_owned);
        self.point(element, &router, zone, Kind::Router);
        let Routing::Cluster(made) = &mut self.platform.zones[zone].routing else { return None };
        (made.backbone, made.limiters, made.shape) = (cluster.backbone, cluster.limiters, cluster.shape);
        Some(())
    }

    /// The hosts of a radical such as `1-29,58,59`; each with a link of its own that is duplex, or shared where that is said, or none.
    pub(super) fn hosts_of(
        &mut self,
        element: &Element,
        zone: usize,
        duplex: bool,
        shared: Option<bool>,
    ) -> Option<Vec<usize>> {
        let radical = self.required(element, "radical")?;
        let (prefix, suffix) =
            (element.get("prefix").unwrap_or_default(), element.get("suffix").unwrap_or_default());
        let mut numbers = Vec::new();
        for part in radical.split(',') {
            let (low, high) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
            match (low.parse::<usize>(), high.parse::<usize>()) {
                (Ok(low), Ok(high))
                    if low <= high && high - low < MOST_HOSTS && numbers.len() < MOST_HOSTS =>
                {
                    numbers.extend(low..=high)
                }
                _ => {
                    self.wrong(
                        element,
                        "radical",
                        format!("expected numbers and ranges such as 1-29,58, of at most {MOST_HOSTS} hosts"),
                    );
                    return None;
                }
            }
        }
        let quantities = (self.rate(element, "bw")?, self.time(element, "lat")?);
        let mut hosts = Vec::new();
        for number in numbers {
            let name = format!("{prefix}{number}{suffix}");
            let host = self.point(element, &name, zone, Kind::Host);
            hosts.push(host);
            if duplex || shared == Some(true) {
                let link = format!("{}_link_{name}", self.platform.zones[zone].name);
                let (pair, _) = self.platform.links.add_pair(&link, duplex, quantities, element.line);
                self.cluster_of(element)?.own.insert(host, pair);
            }
        }
        self.speeds += hosts.len();
        Some(hosts)
    }
}
