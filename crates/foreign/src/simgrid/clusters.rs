//! Clusters that SimGrid builds by itself: tori, fat trees, dragonflies, and the routes in them.
//!
//! Wiring and routes are those of SimGrid's classes `TorusZone`, `FatTreeZone` and `DragonflyZone`, version 3.33 and later: dimensions in order and the nearer way around in each, to the right where both are as
//! long; destination modulo k up a tree, and down it by the source among parallel cables; the only way between two groups of a dragonfly. So every message passes the links that it passes there, also where
//! these do not join each other.

use super::links::{Links, Pair};
use std::collections::BTreeMap;
use weir_units::{Bandwidth, Duration};

/// The network of a cluster.
#[derive(Debug)]
pub(super) enum Shape {
    Torus {
        sizes: Vec<u64>,
        /// By node and dimension: the link to the next node.
        links: BTreeMap<(u64, usize), Pair>,
    },
    FatTree(Tree),
    Dragonfly(Dragonfly),
}

/// A fat tree: nodes below a switch, switches above a node, parallel cables, by level.
#[derive(Debug)]
pub(super) struct Tree {
    down: Vec<u64>,
    up: Vec<u64>,
    ports: Vec<u64>,
    /// By level and place of the lower end, and its port upward.
    cables: BTreeMap<(usize, u64, u64), (u64, Pair)>,
    /// By level and place of a switch: what limits it.
    limiters: BTreeMap<(usize, u64), u32>,
}

#[derive(Debug)]
pub(super) struct Dragonfly {
    chassis: u64,
    blades: u64,
    nodes: u64,
    /// By the routers at both ends, of which the first is lower; by node where both are the same.
    links: BTreeMap<(u64, u64, Option<u64>), Pair>,
    /// By router: what limits it.
    limiters: Vec<u32>,
}

/// The kind of all links of a cluster.
#[derive(Clone, Copy)]
pub(super) struct Cable<'a> {
    pub(super) name: &'a str,
    pub(super) duplex: bool,
    pub(super) bandwidth: Bandwidth,
    pub(super) latency: Duration,
    /// The bandwidth that all messages of a host, of a switch of a tree or of a router of a dragonfly share.
    pub(super) limiter: Option<Bandwidth>,
    pub(super) line: usize,
}

impl Cable<'_> {
    /// Makes the link that limits a switch, if there is one.
    fn limit(self, all: &mut Links, number: u64) -> Option<u32> {
        let name = format!("{} limiter {number}", self.name);
        self.limiter.map(|limiter| all.add_link(name, limiter, Duration::ZERO, self.line))
    }

    /// A cable that is as wide as so many.
    fn add(self, all: &mut Links, number: usize, many: u64) -> Pair {
        let bandwidth = self.bandwidth.times(many as f64);
        all.add_pair(
            &format!("{} link {number}", self.name),
            self.duplex,
            (bandwidth, self.latency),
            self.line,
        )
        .0
    }
}

/// More cables than a text of a few numbers should ask for.
const MOST_CABLES: u128 = 1 << 22;

/// Numbers between separators, all of them 1 at least.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let all: Vec<u64> = text
        .split(',')
        .map(|word| word.trim().parse().ok().filter(|&number| number > 0))
        .collect::<Option<_>>()?;
    (all.iter().try_fold(1_u64, |product, &number| product.checked_mul(number))? < 1 << 32).then_some(all)
}

/// The shape that `topology` and `topo_parameters` name, for so many hosts.
///
/// # Errors
/// A sentence about what does not fit.
pub(super) fn shape(
    kind: &str,
    parameters: &str,
    hosts: u64,
    cable: Cable<'_>,
    all: &mut Links,
) -> Result<Shape, String> {
    let fits = |count: u64| {
        if count == hosts {
            Ok(())
        } else {
            Err(format!("the parameters are those of {count} hosts, but radical has {hosts}"))
        }
    };
    let few = |cables: u128| {
        if cables <= MOST_CABLES {
            Ok(())
        } else {
            Err(format!("the cluster has {cables} cables, more than {MOST_CABLES}"))
        }
    };
    match kind {
        "TORUS" => {
            let sizes = numbers(parameters).ok_or("expected sizes such as 3,2,2")?;
            fits(sizes.iter().product())?;
            let mut links = BTreeMap::new();
            for node in 0..hosts {
                for dimension in 0..sizes.len() {
                    links.insert((node, dimension), cable.add(all, links.len(), 1));
                }
            }
            Ok(Shape::Torus { sizes, links })
        }
        "FAT_TREE" => {
            let parts: Vec<&str> = parameters.split(';').collect();
            let wrong = "expected levels and three lists as long, such as 2;4,4;1,2;1,2";
            let [levels, down, up, ports] = parts[..] else { return Err(wrong.to_owned()) };
            let lists = [down, up, ports].map(numbers);
            let [Some(down), Some(up), Some(ports)] = lists else { return Err(wrong.to_owned()) };
            let levels = levels.trim().parse().unwrap_or(0);
            if [&down, &up, &ports].iter().any(|list| list.len() != levels) {
                return Err(wrong.to_owned());
            }
            fits(down.iter().product())?;
            for level in 0..levels {
                let below = up[..level].iter().chain(&down[level..]).product::<u64>();
                few(u128::from(below) * u128::from(up[level]) * u128::from(ports[level]))?;
            }
            Ok(Shape::FatTree(Tree::new(down, up, ports, cable, all)))
        }
        "DRAGONFLY" => dragonfly(parameters, hosts, (cable, all), fits, few),
        _ => Err("expected FLAT, TORUS, FAT_TREE or DRAGONFLY".to_owned()),
    }
}

/// A dragonfly of so many hosts; its hosts have to be as many as `fits` says, and its cables no more than `few`.
///
/// # Errors
/// A sentence about what does not fit, as that of [`shape`].
fn dragonfly(
    parameters: &str,
    hosts: u64,
    (cable, all): (Cable<'_>, &mut Links),
    fits: impl Fn(u64) -> Result<(), String>,
    few: impl Fn(u128) -> Result<(), String>,
) -> Result<Shape, String> {
    let parts: Option<Vec<Vec<u64>>> = parameters.split(';').map(numbers).collect();
    let wrong = "expected groups, chassis and blades with their links, and nodes, such as 3,4;4,3;5,1;2";
    let parts = parts.ok_or(wrong)?;
    let parts: Vec<&[u64]> = parts.iter().map(Vec::as_slice).collect();
    let [[groups, blue], [chassis, black], [blades, green], [nodes]] = parts[..] else {
        return Err(wrong.to_owned());
    };
    let [groups, chassis, blades, nodes] = [groups, chassis, blades, nodes].map(|&number| number);
    let [blue, black, green] = [blue, black, green].map(|&number| number);
    let product = [chassis, blades, nodes].iter().try_fold(groups, |product, &one| product.checked_mul(one));
    fits(product.unwrap_or(u64::MAX))?;
    few(u128::from(hosts) * u128::from(nodes + blades + chassis))?;
    if groups > blades {
        return Err(format!(
            "blade n of a group leads to group n: {blades} blades are fewer than {groups} groups"
        ));
    }
    Ok(Shape::Dragonfly(Dragonfly::new(groups, [chassis, blades, nodes], [blue, black, green], cable, all)))
}

impl Tree {
    fn new(down: Vec<u64>, up: Vec<u64>, ports: Vec<u64>, cable: Cable<'_>, all: &mut Links) -> Self {
        let mut tree = Self { down, up, ports, cables: BTreeMap::new(), limiters: BTreeMap::new() };
        for level in 0..tree.down.len() {
            let (ups, ports) = (tree.up[level], tree.ports[level]);
            for place in 0..tree.sizes(level).iter().product() {
                let label = tree.label(level, place);
                for way in 0..ups {
                    let mut above = label.clone();
                    above[level] = way;
                    let above = tree.place(level + 1, &above);
                    for port in 0..ports {
                        let pair = cable.add(all, tree.cables.len(), 1);
                        tree.cables.insert((level, place, way + port * ups), (above, pair));
                    }
                }
            }
            for place in 0..tree.sizes(level + 1).iter().product() {
                let number = tree.limiters.len() as u64;
                let limiter = cable.limit(all, number);
                tree.limiters.extend(limiter.map(|limiter| ((level + 1, place), limiter)));
            }
        }
        tree
    }

    /// Digits of places at a level, the first counts fastest: those below the level say which of several ways up, the others which subtree.
    fn sizes(&self, level: usize) -> Vec<u64> {
        (0..self.down.len())
            .map(|digit| if digit < level { self.up[digit] } else { self.down[digit] })
            .collect()
    }

    fn label(&self, level: usize, mut place: u64) -> Vec<u64> {
        let digit = |size: u64| {
            let digit = place % size;
            place /= size;
            digit
        };
        self.sizes(level).into_iter().map(digit).collect()
    }

    fn place(&self, level: usize, label: &[u64]) -> u64 {
        let sizes = self.sizes(level);
        label.iter().zip(sizes).rev().fold(0, |place, (&digit, size)| place * size + digit)
    }

    fn route(&self, from: u64, to: u64, route: &mut Vec<u32>) {
        let (mut level, mut here) = (0, from);
        let target = self.label(0, to);
        let mut ways = to;
        while level == 0 || self.label(level, here)[level..] != target[level..] {
            route.extend(self.limiters.get(&(level, here)));
            let all = self.up[level] * self.ports[level];
            let (above, pair) = self.cables[&(level, here, ways % all)];
            ways /= all;
            route.push(pair.up);
            (level, here) = (level + 1, above);
        }
        // SimGrid looks through the children of a switch, from those of the port that the source takes on, and goes on in
        // those of the next switch where it was: so the port further down is one of a higher number, if there is one.
        while level > 0 {
            let mut child = from % self.ports[level - 1] * self.down[level - 1];
            while level > 0 && child < self.down[level - 1] * self.ports[level - 1] {
                if child % self.down[level - 1] == target[level - 1] {
                    route.extend(self.limiters.get(&(level, here)));
                    let mut label = self.label(level, here);
                    let way = label[level - 1] + child / self.down[level - 1] * self.up[level - 1];
                    level -= 1;
                    label[level] = target[level];
                    here = self.place(level, &label);
                    route.push(self.cables[&(level, here, way)].1.down);
                }
                child += 1;
            }
        }
    }
}

impl Dragonfly {
    fn new(
        groups: u64,
        [chassis, blades, nodes]: [u64; 3],
        [blue, black, green]: [u64; 3],
        cable: Cable<'_>,
        all: &mut Links,
    ) -> Self {
        let mut links = BTreeMap::new();
        let mut join = |ends, many| {
            let number = links.len();
            links.insert(ends, cable.add(all, number, many));
        };
        for router in 0..groups * chassis * blades {
            (0..nodes).for_each(|node| join((router, router, Some(node)), 1));
            let (blade, rack) = (router % blades, router / blades % chassis);
            (1..blades - blade).for_each(|on| join((router, router + on, None), green));
            (1..chassis - rack).for_each(|on| join((router, router + on * blades, None), black));
        }
        for a in 0..groups {
            (a + 1..groups)
                .for_each(|b| join((a * chassis * blades + b, b * chassis * blades + a, None), blue));
        }
        let limiters = (0..groups * chassis * blades).filter_map(|router| cable.limit(all, router)).collect();
        Self { chassis, blades, nodes, links, limiters }
    }

    fn route(&self, from: u64, to: u64, route: &mut Vec<u32>) {
        let Self { chassis, blades, nodes, links, limiters } = self;
        let group = |router: u64| router / (chassis * blades);
        let (start, end) = (from / nodes, to / nodes);
        route.push(links[&(start, start, Some(from % nodes))].up);
        route.extend(limiters.get(start as usize));
        let mut here = start;
        let mut go = |here: &mut u64, next: u64, counted: u64| {
            if next == *here {
                return;
            }
            let pair = links[&(next.min(*here), next.max(*here), None)];
            route.push(if *here < next { pair.up } else { pair.down });
            route.extend(limiters.get(counted as usize));
            *here = counted;
        };
        // Blade b of the first chassis leads to group b.
        if group(start) != group(end) {
            let gate = group(start) * chassis * blades + group(end);
            let arrival = group(end) * chassis * blades + group(start);
            let in_chassis = here / blades * blades + gate % blades;
            [in_chassis, gate, arrival].into_iter().for_each(|next| go(&mut here, next, next));
        }
        // SimGrid takes the link of this chassis, and goes on as if it were in the first one.
        let first = group(end) * chassis * blades + end % blades;
        let in_chassis = here / blades * blades + end % blades;
        if here != in_chassis {
            go(&mut here, in_chassis, first);
        }
        go(&mut here, end, end);
        route.push(links[&(end, end, Some(to % nodes))].down);
    }
}

impl Shape {
    /// The links from one host to another one; limiters are those that hosts have.
    pub(super) fn route(
        &self,
        from: u64,
        to: u64,
        limiter: impl Fn(u64) -> Option<u32>,
        route: &mut Vec<u32>,
    ) {
        match self {
            Self::Torus { sizes, links } => torus_route(sizes, links, from, to, limiter, route),
            Self::FatTree(tree) => {
                route.extend(limiter(from));
                tree.route(from, to, route);
                route.extend(limiter(to));
            }
            Self::Dragonfly(dragonfly) => {
                route.extend(limiter(from));
                dragonfly.route(from, to, route);
                route.extend(limiter(to));
            }
        }
    }
}

fn torus_route(
    sizes: &[u64],
    links: &BTreeMap<(u64, usize), Pair>,
    from: u64,
    to: u64,
    limiter: impl Fn(u64) -> Option<u32>,
    route: &mut Vec<u32>,
) {
    let mut here = from;
    let mut stride = 1;
    for (dimension, &size) in sizes.iter().enumerate() {
        let (own, target) = (from / stride % size, to / stride % size);
        let right = (target > own && target <= own + size / 2)
            || (own > size / 2 && (own + size / 2) % size >= target);
        while here / stride % size != target {
            let place = here / stride % size;
            let next = if right { (place + 1) % size } else { (place + size - 1) % size };
            let next = here - place * stride + next * stride;
            route.extend(limiter(here));
            route.push(if right { links[&(here, dimension)].up } else { links[&(next, dimension)].down });
            here = next;
        }
        stride *= size;
    }
    route.extend(limiter(to));
}
