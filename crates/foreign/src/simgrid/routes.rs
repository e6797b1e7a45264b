//! Which links the messages of a pair of hosts pass.

use super::platform::{Kind, Platform, Route, Routing};
use crate::machine::MOST_ROUTED;
use std::collections::BTreeMap;

impl Platform {
    /// Finds the ways of zones with Floyd and Dijkstra, once. Costs are numbers of links.
    ///
    /// # Errors
    /// The name of a zone that has more points than pairs of them can be kept.
    pub(super) fn find_ways(&mut self) -> Result<(), String> {
        for zone in 0..self.zones.len() {
            let is_large = self.zones[zone].members.len() > MOST_ROUTED;
            if is_large && matches!(self.zones[zone].routing, Routing::Floyd | Routing::Dijkstra) {
                return Err(self.zones[zone].name.clone());
            }
            let before = match self.zones[zone].routing {
                Routing::Floyd => self.floyd(zone),
                Routing::Dijkstra => self.dijkstra(zone),
                _ => continue,
            };
            self.zones[zone].before = before;
        }
        Ok(())
    }

    /// Returns whether a point is another one, or is in the zone that this one is.
    pub(super) fn is_in(&self, point: usize, other: usize) -> bool {
        match self.points[other].kind {
            Kind::Zone(zone) => self.above(point).any(|above| above == zone),
            Kind::Host | Kind::Router => point == other,
        }
    }

    /// The algorithm of Floyd and Warshall; a way replaces another one that is longer.
    fn floyd(&self, zone: usize) -> BTreeMap<(usize, usize), usize> {
        let zone = &self.zones[zone];
        let count = zone.members.len();
        let place: BTreeMap<usize, usize> = zone.members.iter().copied().zip(0..).collect();
        let mut cost = vec![u64::MAX; count * count];
        let mut before = vec![usize::MAX; count * count];
        for (&(from, to), route) in &zone.routes {
            let pair = place[&from] * count + place[&to];
            cost[pair] = route.links.len() as u64;
            before[pair] = place[&from];
        }
        for c in 0..count {
            for a in (0..count).filter(|&a| a != c) {
                let first = cost[a * count + c];
                if first == u64::MAX {
                    continue;
                }
                for b in (0..count).filter(|&b| b != a) {
                    let second = cost[c * count + b];
                    if second != u64::MAX && first + second < cost[a * count + b] {
                        cost[a * count + b] = first + second;
                        before[a * count + b] = before[c * count + b];
                    }
                }
            }
        }
        let pairs = (0..count * count).filter(|&pair| before[pair] != usize::MAX);
        let members = &zone.members;
        pairs.map(|pair| ((members[pair / count], members[pair % count]), members[before[pair]])).collect()
    }

    /// Dijkstra's algorithm; among ways of the same cost the one that was found first is kept.
    fn dijkstra(&self, zone: usize) -> BTreeMap<(usize, usize), usize> {
        let zone = &self.zones[zone];
        let mut out: BTreeMap<usize, Vec<(usize, u64)>> = BTreeMap::new();
        for (&(from, to), route) in &zone.routes {
            out.entry(from).or_default().push((to, route.links.len() as u64));
        }
        let mut before = BTreeMap::new();
        for &from in &zone.members {
            let mut cost: BTreeMap<usize, u64> = BTreeMap::from([(from, 0)]);
            let mut queue = std::collections::BTreeSet::from([(0, from)]);
            while let Some((own, here)) = queue.pop_first() {
                for &(next, links) in out.get(&here).into_iter().flatten() {
                    let new = own + links;
                    if cost.get(&next).is_none_or(|&old| new < old) {
                        queue.remove(&(cost.get(&next).copied().unwrap_or(0), next));
                        queue.insert((new, next));
                        cost.insert(next, new);
                        before.insert((from, next), here);
                    }
                }
            }
        }
        before
    }

    /// The links from one point to another.
    ///
    /// # Errors
    /// The zone that has no route, and the two points as it sees them.
    pub(super) fn route(
        &self,
        from: usize,
        to: usize,
        links: &mut Vec<u32>,
    ) -> Result<(), (usize, usize, usize)> {
        if from == to {
            return Ok(());
        }
        let zone = self.common(from, to);
        let ends = (self.within(from, zone), self.within(to, zone));
        if ends == (from, to) {
            return self.local(zone, from, to, links).map(|_| ());
        }
        let mut middle = Vec::new();
        let gateways = self.local(zone, ends.0, ends.1, &mut middle)?;
        let (leave, enter) = gateways.ok_or((zone, ends.0, ends.1))?;
        self.route(from, leave, links)?;
        links.append(&mut middle);
        self.route(enter, to, links)
    }

    /// Zones from that of a point to the outermost.
    fn above(&self, point: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(self.points[point].zone), |&zone| self.zones[zone].parent)
    }

    fn common(&self, a: usize, b: usize) -> usize {
        let zones: Vec<usize> = self.above(a).collect();
        self.above(b).find(|zone| zones.contains(zone)).expect("all zones are in the outermost")
    }

    /// A point as a zone around it sees it: itself, or the zone of this one that it is in.
    fn within(&self, point: usize, zone: usize) -> usize {
        let mut here = point;
        while self.points[here].zone != zone {
            here = self.zones[self.points[here].zone].point.expect("only the outermost zone has no point");
        }
        here
    }

    /// A route within a zone, and where zones at its ends are left and entered.
    fn local(
        &self,
        zone: usize,
        from: usize,
        to: usize,
        links: &mut Vec<u32>,
    ) -> Result<Option<(usize, usize)>, (usize, usize, usize)> {
        let none = (zone, from, to);
        let of = &self.zones[zone];
        if let Some(route) = of.bypasses.get(&(from, to)) {
            links.extend(&route.links);
            return Ok(route.gateways);
        }
        match &of.routing {
            Routing::Full | Routing::None => {
                let Route { links: own, gateways } = of.routes.get(&(from, to)).ok_or(none)?;
                links.extend(own);
                Ok(*gateways)
            }
            Routing::Floyd | Routing::Dijkstra => {
                let mut way = vec![to];
                let mut here = to;
                while here != from {
                    here = *of.before.get(&(from, here)).ok_or(none)?;
                    way.push(here);
                }
                way.reverse();
                let mut gateways: Option<(usize, usize)> = None;
                for pair in way.windows(2) {
                    let route = &of.routes[&(pair[0], pair[1])];
                    // A zone on the way is entered at one point and left at another.
                    if let (Some((_, entered)), Some((left, _))) = (gateways, route.gateways)
                        && entered != left
                    {
                        self.route(entered, left, links)?;
                    }
                    links.extend(&route.links);
                    gateways =
                        route.gateways.map(|(leave, enter)| (gateways.map_or(leave, |known| known.0), enter));
                }
                Ok(gateways)
            }
            Routing::Cluster(cluster) => {
                let is_host = |point: usize| self.points[point].kind == Kind::Host;
                if let Some(shape) = &cluster.shape {
                    if !is_host(from) || !is_host(to) {
                        return Err(none);
                    }
                    // Hosts are the first members.
                    let first = of.members[0];
                    let limiter = |host: u64| cluster.limiters.get(&(first + host as usize)).copied();
                    shape.route((from - first) as u64, (to - first) as u64, limiter, links);
                    return Ok(None);
                }
                for (point, other) in [(from, to), (to, from)] {
                    if is_host(point) && !cluster.own.contains_key(&point) && cluster.backbone.is_none() {
                        return Err((zone, point, other));
                    }
                }
                if is_host(from) {
                    links.extend(cluster.limiters.get(&from));
                    links.extend(cluster.own.get(&from).map(|pair| pair.up));
                }
                links.extend(cluster.backbone);
                if is_host(to) {
                    links.extend(cluster.own.get(&to).map(|pair| pair.down));
                    links.extend(cluster.limiters.get(&to));
                }
                Ok(None)
            }
        }
    }
}
