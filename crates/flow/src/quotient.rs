//! Traffic that is the same for all nodes, on a machine that looks the same from all of them: one node stands for all.
//!
//! # Model
//! The model is that of the engine. In each step every node sends a message of the same size to the node displaced by the same
//! vector. Shifting all coordinates carries routes into routes and this traffic into itself, so all flows of a step get the
//! same rate, start together and finish together, under each of the sharing rules: with `h` hops of the route at links of
//! one class, each link of the class has `h` flows, and
//!
//! ```text
//!   rate = min over the classes of capacity / h
//! ```
//!
//! (In max-min the links of that class are full, and no flow is faster anywhere. Mode F divides every link like this. In
//! Mode N nothing is left over on that class.) So a step costs what one route costs, for a machine of any size: and where
//! routes pass one dimension after the other, only a look at each dimension.
//!
//! # Detected, not assumed
//! [`Quotient::of`] takes a machine that says by which shifts its routes are carried into each other
//! ([`Topology::translations`]) and checks it on a sample of routes; [`Quotient::run`] checks on a sample of steps that the
//! classes along a route are those along its parts, and takes whole routes where they are not.

use crate::finish::Progress;
use std::time::Instant;
use weir_network::{Limits, Progress as Report, Watch};
use weir_topology::{Topology, coordinates};
use weir_units::{Bytes, Duration, LinkId, NodeId, Time, mix};

/// A machine on which one node can stand for all.
#[derive(Debug)]
pub struct Quotient<'a> {
    topology: &'a Topology,
    grid: Vec<u32>,
    /// Per class of links.
    classes: Vec<Class>,
}

/// Properties of the links of a class.
#[derive(Clone, Copy, Debug)]
struct Class {
    capacity: f64,
    latency: Duration,
}

/// Steps of every node.
pub struct Steps<'a> {
    /// Number of messages that each node sends.
    pub steps: u64,
    /// Bytes of each.
    pub bytes: Bytes,
    /// After how many steps a node awaits all messages that were sent to it in them; `None` if it never does.
    pub awaited: Option<u64>,
    /// Where the message of a step goes: how far in each dimension, x first, less than its size; not zero in all.
    pub displacement: &'a dyn Fn(u64) -> Vec<u32>,
}

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub struct QuotientEnded {
    /// The last instant of an event of a node, or the limit of simulated time that ended the run.
    pub until: Time,
    /// Which limit ended the run, if one did: before the first step that it cuts.
    pub limit: Option<String>,
    /// Number of times that flows came.
    pub cycles: u64,
    /// Messages that have arrived, at all nodes together.
    pub messages: u64,
    /// The events of a node, mixed in their order: the departures and arrivals of its messages.
    pub digest: u64,
    /// Per link: bytes carried by messages that have left it.
    pub link_bytes: Vec<f64>,
    /// Per link: the most flows at one time.
    pub link_share: Vec<u32>,
}

/// Hops of a route by class of links: pairs of class and number.
type Loads = Vec<(u32, u32)>;

/// Number of routes and steps that are looked at before the symmetry is relied on.
const SAMPLE: u64 = 64;

/// Number of steps between two looks at the wall clock.
const LOOK_EVERY: u64 = 1024;

impl<'a> Quotient<'a> {
    /// Returns the quotient if one node of this machine can stand for all, where node = x + X (y + Y z) on a grid of these sizes.
    pub fn of(topology: &'a Topology, grid: &[u32]) -> Option<Self> {
        let shape = topology.translations()?;
        let wide = |sizes: &[u32]| -> Vec<u32> { sizes.iter().copied().filter(|&size| size > 1).collect() };
        if wide(&shape) != wide(grid) {
            return None;
        }
        let mut classes = vec![None; topology.link_classes()];
        for link in (0..topology.links()).map(LinkId::new) {
            let class = &mut classes[topology.link_class(link)];
            if class.is_none() {
                let link = topology.link(link);
                *class = Some(Class { capacity: link.capacity.bytes_per_second(), latency: link.latency });
            }
        }
        let classes = classes.into_iter().collect::<Option<Vec<Class>>>()?;
        let quotient = Self { topology, grid: grid.to_vec(), classes };
        (0..SAMPLE).all(|sample| quotient.shift_carries_route(sample)).then_some(quotient)
    }

    /// Looks at one pair of nodes, drawn by number: the route from node 0 and the shifted one pass links of the same
    /// classes, of the same capacity and latency.
    fn shift_carries_route(&self, sample: u64) -> bool {
        let nodes = self.topology.nodes() as u64;
        let draw = |salt: u64| NodeId::new((mix(2 * sample + salt) % nodes) as usize);
        let (to, shift) = (draw(0), draw(1));
        let shifted = self.shifted(to, &coordinates::place_of(shift.0, &self.grid));
        let (mut here, mut there) = (Vec::new(), Vec::new());
        self.topology.route(NodeId(0), to, &mut here);
        self.topology.route(shift, shifted, &mut there);
        let same_link = |link: &LinkId| {
            let (class, link) = (&self.classes[self.topology.link_class(*link)], self.topology.link(*link));
            class.capacity == link.capacity.bytes_per_second() && class.latency == link.latency
        };
        self.loads(&here) == self.loads(&there) && here.iter().chain(&there).all(same_link)
    }

    /// Runs all steps. `resolution` of the engine is zero here: nothing happens between the steps.
    ///
    /// # Panics
    /// When a displacement is zero or has another number of dimensions than the grid.
    pub fn run(&self, steps: &Steps<'_>, limits: Limits, watch: Watch<'_>) -> QuotientEnded {
        let along_axes = self.along_axes(steps);
        let started = Instant::now();
        let nodes = self.topology.nodes() as u64;
        let mut sums = vec![(0_u64, 0_u32); self.classes.len()];
        let mut ended = QuotientEnded::default();
        let (mut now, mut last_arrival) = (Time::ZERO, Time::ZERO);
        for step in 0..steps.steps {
            let loads = match &along_axes {
                Some(axes) => axes.loads(&(steps.displacement)(step)),
                None => self.loads_of(&(steps.displacement)(step)),
            };
            let departs = self.departure(steps.bytes, &loads, now);
            let arrives = departs + self.latency(&loads);
            let over = limits.simulated_is_over(arrives).or_else(|| {
                if !step.is_multiple_of(LOOK_EVERY) {
                    return None;
                }
                let messages = ended.messages;
                let bytes = Bytes(messages.saturating_mul(steps.bytes.0));
                watch(Report { now, messages, bytes, events: step, stage: None, causes: None });
                limits.wall_is_over(started)
            });
            if over.is_some() {
                ended.limit = over;
                let limit = if arrives > limits.simulated { limits.simulated } else { Time::ZERO };
                ended.until = last_arrival.max(now).max(limit);
                break;
            }
            let flows = if steps.bytes > Bytes::ZERO { &loads[..] } else { &[] };
            for &(class, hops) in flows {
                let (carried, most) = &mut sums[class as usize];
                *carried += u64::from(hops);
                *most = (*most).max(hops);
            }
            ended.cycles += u64::from(steps.bytes > Bytes::ZERO);
            ended.messages += nodes;
            ended.digest = mix(ended.digest ^ mix(departs.as_ps()) ^ mix(arrives.as_ps()).rotate_left(17));
            last_arrival = last_arrival.max(arrives);
            let all_awaited = steps.awaited.is_some_and(|steps| (step + 1).is_multiple_of(steps));
            now = if all_awaited { last_arrival.max(departs) } else { departs };
            ended.until = last_arrival.max(now);
        }
        let class = |link| sums[self.topology.link_class(LinkId::new(link))];
        let bytes = steps.bytes.as_f64();
        ended.link_bytes = (0..self.topology.links()).map(|link| class(link).0 as f64 * bytes).collect();
        ended.link_share = (0..self.topology.links()).map(|link| class(link).1).collect();
        ended
    }

    /// When messages of so many bytes that start now have left.
    fn departure(&self, bytes: Bytes, loads: &Loads, now: Time) -> Time {
        if bytes == Bytes::ZERO {
            return now;
        }
        let share = |&(class, hops): &(u32, u32)| self.classes[class as usize].capacity / f64::from(hops);
        let rate = loads.iter().map(share).fold(f64::INFINITY, f64::min);
        Time::from_ps(Progress::new(bytes.as_f64(), rate, now).finish().1)
    }

    fn latency(&self, loads: &Loads) -> Duration {
        let part = |&(class, hops): &(u32, u32)| self.classes[class as usize].latency * u64::from(hops);
        loads.iter().map(part).fold(Duration::ZERO, |sum, part| sum + part)
    }

    /// The classes along the route of a displacement.
    fn loads_of(&self, displacement: &[u32]) -> Loads {
        let mut route = Vec::new();
        self.topology.route(NodeId(0), self.shifted(NodeId(0), displacement), &mut route);
        assert!(!route.is_empty(), "a displacement of zero");
        self.loads(&route)
    }

    fn loads(&self, route: &[LinkId]) -> Loads {
        let mut classes: Vec<u32> = route.iter().map(|&link| self.topology.link_class(link) as u32).collect();
        classes.sort_unstable();
        classes.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
    }

    /// Routes by their parts, if the sample says that a route is the sum of its parts.
    fn along_axes(&self, steps: &Steps<'_>) -> Option<Axes> {
        let mut ends: Loads = Vec::new();
        let axis = |dimension: usize| {
            let part = |by: u32| {
                let mut displacement = vec![0; self.grid.len()];
                displacement[dimension] = by;
                if by == 0 { Vec::new() } else { self.loads_of(&displacement) }
            };
            (0..self.grid[dimension]).map(part).collect::<Vec<Loads>>()
        };
        let mut parts: Vec<Vec<Loads>> = (0..self.grid.len()).map(axis).collect();
        // Injection and ejection are in every part, and once in a route.
        for loads in parts.iter_mut().flatten() {
            let (nic, rest): (Loads, Loads) = loads.iter().partition(|(class, _)| *class < NIC_CLASSES);
            if !nic.is_empty() {
                ends = nic;
            }
            *loads = rest;
        }
        let axes = Axes { ends, parts };
        let sums_up = |sample: u64| {
            let displacement = (steps.displacement)(mix(sample) % steps.steps.max(1));
            axes.loads(&displacement) == self.loads_of(&displacement)
        };
        (steps.steps > 0 && (0..SAMPLE).all(sums_up)).then_some(axes)
    }

    fn shifted(&self, node: NodeId, by: &[u32]) -> NodeId {
        NodeId(coordinates::shifted(node.0, by, &self.grid))
    }
}

/// Injection links are class 0 and ejection links class 1.
const NIC_CLASSES: u32 = 2;

/// Loads by dimension and displacement in it, and those of injection and ejection.
struct Axes {
    ends: Loads,
    parts: Vec<Vec<Loads>>,
}

impl Axes {
    fn loads(&self, displacement: &[u32]) -> Loads {
        let parts = self.parts.iter().zip(displacement);
        let of_parts = parts.flat_map(|(parts, &by)| parts[by as usize].iter().copied());
        self.ends.iter().copied().chain(of_parts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_topology::{Dimension, NodeLink, Tie, Torus, Wrap};
    use weir_units::Bandwidth;

    fn torus() -> Topology {
        let bandwidth = Bandwidth::new(1e9).expect("a bandwidth");
        let dimension =
            |size| Dimension { size, wrap: Wrap::Torus, bandwidth, latency: Duration::from_ns(1) };
        let node_link = NodeLink { bandwidth, latency: Duration::ZERO };
        Topology::Torus(Torus::new(vec![dimension(4), dimension(3)], Tie::Plus, node_link).expect("a torus"))
    }

    fn looks_alike(quotient: &Quotient<'_>) -> bool {
        (0..SAMPLE).all(|sample| quotient.shift_carries_route(sample))
    }

    /// The check must say no where links of one class differ in capacity, or in latency, or where shifts do not carry
    /// routes into routes, as with coordinates taken for others. No machine of today says what is not so of itself: these
    /// are made up.
    #[test]
    fn machines_that_do_not_look_alike() {
        let topology = torus();
        let made_up = |change: &dyn Fn(&mut Quotient<'_>)| {
            let mut quotient = Quotient::of(&topology, &[4, 3]).expect("it looks alike");
            change(&mut quotient);
            looks_alike(&quotient)
        };
        assert!(made_up(&|_| ()));
        for class in 0..topology.link_classes() {
            assert!(!made_up(&|quotient| quotient.classes[class].capacity *= 2.0), "class {class}");
            assert!(
                !made_up(&|quotient| quotient.classes[class].latency += Duration::from_ps(1)),
                "class {class}"
            );
        }
        assert!(!made_up(&|quotient| quotient.grid = vec![3, 4]));
    }

    /// A route has injection, ejection and what it passes along x and y.
    #[test]
    fn routes_by_their_parts() {
        let topology = torus();
        let quotient = Quotient::of(&topology, &[4, 3]).expect("it looks alike");
        let displacement = |step: u64| {
            assert!(step < 12, "there are twelve steps");
            vec![(step % 4) as u32, 1 + (step % 2) as u32]
        };
        let steps = |steps| Steps { steps, bytes: Bytes(1), awaited: None, displacement: &displacement };
        let axes = quotient.along_axes(&steps(12)).expect("x, then y");
        for step in 0..12 {
            assert_eq!(axes.loads(&displacement(step)), quotient.loads_of(&displacement(step)));
        }
        assert!(quotient.along_axes(&steps(0)).is_none(), "there is no step to look at");
    }

    /// The digest mixes departures and arrivals in their order. A route of three links of 1 ns, and 1 B at 1 B/ns: a message
    /// leaves after 1 ns, the next one after 2 ns, and each arrives 1 ns later for the only link between routers.
    #[test]
    fn a_digest_by_hand() {
        let topology = torus();
        let quotient = Quotient::of(&topology, &[4, 3]).expect("it looks alike");
        for count in [1, 2] {
            let displacement = |step: u64| {
                assert!(step < count, "there is no such step");
                vec![1, 0]
            };
            let steps = Steps { steps: count, bytes: Bytes(1), awaited: None, displacement: &displacement };
            let ended = quotient.run(&steps, Limits::default(), &mut |_| ());
            let expected = (1..=count).fold(0, |digest, step| {
                let (departs, arrives) = (1000 * step, 1000 * step + 1000);
                mix(digest ^ mix(departs) ^ mix(arrives).rotate_left(17))
            });
            assert_eq!((ended.digest, ended.until), (expected, Time::from_ps(1000 * count + 1000)));
        }
    }
}
