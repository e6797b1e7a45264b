//! Load that a pattern puts on the nodes, cuts and links of a machine, counted before anything runs.
//!
//! Messages are looked at one by one while there are not too many. Beyond that there are formulas for an all-to-all and
//! repetitions for uniform patterns; of anything else only the first messages of each rank are counted, which makes every
//! amount too small, never too large.

use weir_network::Placement;
use weir_topology::{Cut, Side, Topology};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, Rank};
use weir_workload::{Entry, Pattern, Sequence, Totals};

/// Most messages that are looked at one by one: seconds, or a minute on a graph.
const MOST_MESSAGES: u64 = 50_000_000;
/// Most comparisons of messages or nodes with cuts.
const MOST_COMPARISONS: u64 = 400_000_000;
/// But as many cuts are looked at in any case: one word of sides per node.
const LEAST_CUTS: u64 = 64;
/// Messages between two reports of how far it is.
const REPORT_EVERY: u64 = 1 << 20;

/// Called with how many messages of how many have been looked at.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(u64, u64);

/// Where the ranks of a pattern are.
#[derive(Clone, Copy)]
struct On<'a> {
    machine: &'a Topology,
    placement: &'a Placement,
}

/// Bytes of a pattern, by where they have to pass. Messages within a node are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) sent: Vec<u64>,
    pub(crate) received: Vec<u64>,
    pub(crate) cuts: Vec<Cut>,
    /// For each cut, bytes from the first side to the second and back.
    pub(crate) crossing: Vec<[u64; 2]>,
    /// Bytes on each link; `None` where the routes were not followed.
    pub(crate) on_link: Option<Vec<u64>>,
    /// The message that alone on the machine takes longest.
    pub(crate) slowest: Option<Slowest>,
    /// Messages counted, those within nodes included.
    pub(crate) counted: u64,
    pub(crate) notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slowest {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) bytes: Bytes,
    pub(crate) latency: Duration,
    pub(crate) narrowest: Bandwidth,
    seconds: f64,
}

impl Traffic {
    pub(crate) fn of(pattern: &Pattern, machine: &Topology, placement: &Placement, watch: Watch<'_>) -> Self {
        let on = On { machine, placement };
        let exact = pattern.is_all_to_all() && are_alike(on);
        Self::counted(pattern, on, if exact { 0 } else { MOST_MESSAGES }, watch)
    }

    /// Counts a pattern; looks at no more than `most` messages one by one, unless there is no other way.
    fn counted(pattern: &Pattern, on: On<'_>, most: u64, watch: Watch<'_>) -> Self {
        let (messages, ranks) = (pattern.messages(), pattern.ranks() as u64);
        let begin = |looks: u64, watch| {
            let cuts = some_cuts(on.machine, LEAST_CUTS.max(MOST_COMPARISONS / looks.max(1)));
            Count::new(on, cuts, looks, watch)
        };
        if messages <= most {
            let mut count = begin(messages, watch);
            count.entries(pattern, u64::MAX);
            return count.end();
        }
        if pattern.is_all_to_all() {
            return all_pairs(pattern, on, watch);
        }
        let repeating = pattern.uniform().map(|uniform| (uniform.period().min(uniform.steps), uniform));
        if let Some((period, uniform)) = repeating.filter(|(period, _)| ranks.saturating_mul(*period) <= most)
        {
            let mut count = begin(ranks * period, watch);
            for step in 0..period {
                let times = (uniform.steps - step).div_ceil(period);
                for rank in (0..pattern.ranks()).map(Rank::new) {
                    count.message(rank, uniform.destination(rank, step), uniform.bytes, times);
                }
            }
            return count.end();
        }
        let mut count = begin(most, watch);
        count.entries(pattern, (most / ranks).max(1));
        let counted = count.traffic.counted;
        count.traffic.notes.push(format!(
            "only the first messages of each rank are counted, {counted} of {messages}: true bounds are higher"
        ));
        count.end()
    }
}

fn are_alike(on: On<'_>) -> bool {
    let ranks_on = ranks_on_nodes(on);
    on.machine.translations().is_some() && ranks_on.windows(2).all(|two| two[0] == two[1])
}

fn ranks_on_nodes(On { machine, placement }: On<'_>) -> Vec<u64> {
    let mut ranks_on = vec![0; machine.nodes()];
    placement.nodes().iter().for_each(|node| ranks_on[node.index()] += 1);
    ranks_on
}

struct Count<'a, 'w> {
    machine: &'a Topology,
    placement: &'a Placement,
    traffic: Traffic,
    /// One bit per node and cut, `words` words per node: whether the node is on the first side.
    first_side: Vec<u64>,
    words: usize,
    wires: Vec<(f64, Duration)>,
    on_link: Vec<u64>,
    route: Vec<LinkId>,
    looked_at: u64,
    of: u64,
    watch: Watch<'w>,
}

impl<'a, 'w> Count<'a, 'w> {
    fn new(on: On<'a>, (cuts, note): (Vec<Cut>, Option<String>), of: u64, watch: Watch<'w>) -> Self {
        let On { machine, placement } = on;
        let nodes = machine.nodes();
        let words = cuts.len().div_ceil(64);
        let mut first_side = vec![0; nodes * words];
        for (i, cut) in cuts.iter().enumerate() {
            for node in (0..nodes).filter(|&node| cut.side(NodeId::new(node)) == Side::First) {
                first_side[node * words + i / 64] |= 1 << (i % 64);
            }
        }
        let wire = |id| {
            let link = machine.link(LinkId::new(id));
            (link.capacity.bytes_per_second(), link.latency)
        };
        let traffic = Traffic {
            sent: vec![0; nodes],
            received: vec![0; nodes],
            crossing: vec![[0; 2]; cuts.len()],
            cuts,
            notes: note.into_iter().collect(),
            ..Traffic::default()
        };
        Self {
            machine,
            placement,
            traffic,
            first_side,
            words,
            wires: (0..machine.links()).map(wire).collect(),
            on_link: vec![0; machine.links()],
            route: Vec::new(),
            looked_at: 0,
            of,
            watch,
        }
    }

    fn entries(&mut self, pattern: &Pattern, most: u64) {
        for rank in (0..pattern.ranks()).map(Rank::new) {
            let entries = (0..).map_while(|index| pattern.entry(rank, index));
            for (to, bytes) in
                entries.filter_map(Entry::message).take(usize::try_from(most).unwrap_or(usize::MAX))
            {
                self.message(rank, to, bytes, 1);
            }
        }
    }

    fn message(&mut self, from: Rank, to: Rank, bytes: Bytes, times: u64) {
        self.traffic.counted += times;
        self.looked_at += 1;
        if self.looked_at.is_multiple_of(REPORT_EVERY) {
            (self.watch)(self.looked_at, self.of);
        }
        let (from, to) = (self.placement.node(from), self.placement.node(to));
        if from == to {
            return;
        }
        let amount = bytes.0 * times;
        self.traffic.sent[from.index()] += amount;
        self.traffic.received[to.index()] += amount;
        self.cross(from, to, amount);
        self.follow(from, to, bytes, amount);
    }

    fn cross(&mut self, from: NodeId, to: NodeId, amount: u64) {
        let sides = |node: NodeId, word| self.first_side[node.index() * self.words + word];
        for word in 0..self.words {
            let (from, to) = (sides(from, word), sides(to, word));
            for (way, mut cuts) in [from & !to, to & !from].into_iter().enumerate() {
                while cuts != 0 {
                    self.traffic.crossing[64 * word + cuts.trailing_zeros() as usize][way] += amount;
                    cuts &= cuts - 1;
                }
            }
        }
    }

    fn follow(&mut self, from: NodeId, to: NodeId, bytes: Bytes, amount: u64) {
        self.machine.route(from, to, &mut self.route);
        let (mut latency, mut narrowest) = (Duration::ZERO, f64::INFINITY);
        for id in &self.route {
            self.on_link[id.index()] += amount;
            let (capacity, of_link) = self.wires[id.index()];
            latency += of_link;
            narrowest = narrowest.min(capacity);
        }
        let seconds = latency.as_secs_f64() + bytes.as_f64() / narrowest;
        if self.traffic.slowest.is_none_or(|slowest| seconds > slowest.seconds) {
            let narrowest = Bandwidth::new(narrowest).expect("a route has links, and these have capacities");
            self.traffic.slowest = Some(Slowest { from, to, bytes, latency, narrowest, seconds });
        }
    }

    fn end(self) -> Traffic {
        Traffic { on_link: Some(self.on_link), ..self.traffic }
    }
}

/// The cuts of a machine, or if there are many more than `most`, and than comparing each node with them allows, some of
/// them: the bisection and others evenly spread; and what to say about that.
fn some_cuts(machine: &Topology, most: u64) -> (Vec<Cut>, Option<String>) {
    let cuts = machine.cuts();
    let most = most.min(LEAST_CUTS.max(MOST_COMPARISONS / machine.nodes() as u64));
    let (all, most) = (cuts.len(), usize::try_from(most).unwrap_or(usize::MAX));
    if all <= most {
        return (cuts, None);
    }
    let mut some: Vec<Cut> = cuts.into_iter().step_by(all.div_ceil(most)).collect();
    let bisection = machine.bisection().map(|bisection| bisection.cut);
    some.extend(bisection.filter(|cut| some.iter().all(|other| other.name != cut.name)));
    let note = format!("{} of {all} cuts are looked at", some.len());
    (some, Some(note))
}

/// An all-to-all by formulas: each rank sends the same to every other.
///
/// Nodes and cuts are exact: with r ranks here and s there, r s messages go each way. So are links where shifts carry
/// routes into routes and every node has as many ranks: what the first node sends loads the links of a class together as
/// much as the messages of all nodes load each of them. Other machines' links are left out.
fn all_pairs(pattern: &Pattern, on: On<'_>, watch: Watch<'_>) -> Traffic {
    let On { machine, placement } = on;
    let messages = pattern.messages();
    let bytes = Bytes(pattern.bytes_total().0 / messages);
    let ranks = placement.ranks() as u64;
    let exchanges = messages / (ranks * (ranks - 1));
    // Of each ordered pair of ranks.
    let pair = bytes.0 * exchanges;
    let ranks_on = ranks_on_nodes(on);

    let (cuts, note) = some_cuts(machine, u64::MAX);
    let across = |cut: &Cut| {
        let first = |&node: &usize| cut.side(NodeId::new(node)) == Side::First;
        let here: u64 = (0..machine.nodes()).filter(first).map(|node| ranks_on[node]).sum();
        [here * (ranks - here) * pair; 2]
    };
    let crossing = cuts.iter().map(across).collect();
    let notes = note.into_iter().collect();
    let sent: Vec<u64> = ranks_on.iter().map(|&here| here * (ranks - here) * pair).collect();
    let mut traffic = Traffic {
        received: sent.clone(),
        sent,
        cuts,
        crossing,
        notes,
        counted: messages,
        ..Default::default()
    };

    let mut count = Count::new(on, (Vec::new(), None), ranks, watch);
    (1..placement.ranks()).for_each(|to| count.message(Rank(0), Rank::new(to), bytes, 1));
    traffic.slowest = count.traffic.slowest;
    if are_alike(on) {
        // The first rank stands for one of its node; each of these sends to each rank of the other nodes.
        let factor = ranks_on[0] * exchanges;
        let mut of_class = vec![0; machine.link_classes()];
        let class: Vec<u32> =
            (0..machine.links()).map(|id| machine.link_class(LinkId::new(id)) as u32).collect();
        for (&class, bytes) in class.iter().zip(&count.on_link) {
            of_class[class as usize] += bytes * factor;
        }
        traffic.on_link = Some(class.iter().map(|&class| of_class[class as usize]).collect());
    } else {
        traffic.notes.push(format!(
            "links are not looked at: {messages} messages have too many routes; of single messages only those of rank 0 are"
        ));
    }
    traffic
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_experiment::{Scenario, Source};

    fn scenario(machine: &str, rest: &str) -> Scenario {
        let text = format!(
            "[topology]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n{machine}\n[workload]\nmessage_size = '3 kB'\n{rest}"
        );
        Scenario::load(&Source::of_text("e", text)).unwrap()
    }

    fn count(scenario: &Scenario, most: u64) -> Traffic {
        let (pattern, machine) = (scenario.pattern.as_deref().unwrap(), scenario.machine().unwrap());
        Traffic::counted(pattern, On { machine, placement: scenario.placement() }, most, &mut |_, _| {})
    }

    /// Formulas and repetitions count the same as counting one by one.
    #[track_caller]
    fn check_alike(machine: &str, rest: &str, most: u64) {
        let scenario = scenario(machine, rest);
        let (all, short) = (count(&scenario, u64::MAX), count(&scenario, most));
        assert_eq!(short.sent, all.sent, "{machine} {rest}");
        assert_eq!(short.received, all.received);
        assert_eq!(short.crossing, all.crossing);
        assert_eq!(short.counted, all.counted);
        let [short_time, all_time] =
            [&short, &all].map(|traffic| traffic.slowest.map(|slowest| slowest.seconds));
        assert!(short_time <= all_time, "{short_time:?} {all_time:?}");
        if short.on_link.is_some() {
            assert_eq!(short_time, all_time);
            assert_eq!(short.on_link, all.on_link);
            assert!(short.notes.is_empty(), "{:?}", short.notes);
        } else {
            assert!(short.notes[0].starts_with("links are not looked at"), "{:?}", short.notes);
        }
    }

    #[test]
    fn an_all_to_all_by_formulas() {
        let all = "kind = 'all-to-all'\nmessages = 2";
        let twice = "kind = 'all-to-all'\n[mapping]\nranks_per_node = 2";
        let random = "kind = 'all-to-all'\n[mapping]\nkind = 'random'\nranks_per_node = 2";
        let few = "kind = 'all-to-all'\nranks = 7\n[mapping]\nkind = 'random'";
        for rest in [all, twice, random, few] {
            check_alike("kind = 'torus'\nshape = [4, 5]", rest, 1);
            check_alike("kind = 'hypercrossbar'\nshape = [4, 3, 2]", rest, 1);
            check_alike("kind = 'mesh'\nshape = [4, 5]", rest.replace("kind = 'random'", "").as_str(), 1);
            check_alike("kind = 'fat-tree'\nradix = 4", rest, 1);
            check_alike("kind = 'full-mesh'\nrouters = 5\nnodes_per_router = 3", rest, 1);
        }
    }

    #[test]
    fn uniform_patterns_by_repetitions() {
        let ring = "kind = 'ring'\nmessages = 7";
        let halo = "kind = 'halo'\ngrid = [4, 3, 2]\nmessages = 5\n[mapping]\nkind = 'random'";
        let shift = "kind = 'permutation'\npermutation = 'shift'\ndistance = 3\nmessages = 9";
        for rest in [ring, halo, shift] {
            check_alike("kind = 'torus'\nshape = [6, 4]", rest, 24 * 6);
            check_alike("kind = 'fat-tree'\nstages = [{down = 4, up = 4}, {down = 6}]", rest, 24 * 6);
        }
    }

    #[test]
    fn of_other_patterns_only_the_first_messages() {
        let scenario =
            scenario("kind = 'torus'\nshape = [4, 4]", "kind = 'hot-spot'\nroot = 1\nmessages = 100");
        let (all, some) = (count(&scenario, u64::MAX), count(&scenario, 160));
        assert_eq!((all.counted, some.counted), (1600, 160));
        assert!(some.sent.iter().zip(&all.sent).all(|(some, all)| some < all));
        assert!(some.notes[0].contains("160 of 1600"), "{:?}", some.notes);
    }

    /// Nodes 0 1 2 3 in a line, ranks 0 and 1 on node 0, and so on: of an exchange of 3 kB of all with all, node 0 sends 2 x
    /// 6 messages, and between nodes 0 and 1 pass 2 x 6 each way, between 1 and 2 4 x 4.
    #[test]
    fn messages_within_a_node_do_not_count() {
        let mesh =
            scenario("kind = 'mesh'\nshape = [4]", "kind = 'all-to-all'\n[mapping]\nranks_per_node = 2");
        let traffic = count(&mesh, u64::MAX);
        assert_eq!(traffic.sent, [36_000; 4]);
        assert_eq!(traffic.crossing, [[36_000; 2], [48_000; 2], [36_000; 2]]);
        assert_eq!(traffic.counted, 56);
        // More cuts than bits of a word: i nodes on one side, and 70 - i on the other.
        let line = scenario("kind = 'mesh'\nshape = [70]", "kind = 'all-to-all'");
        let crossing = (1..70).map(|i| [i * (70 - i) * 3000; 2]).collect::<Vec<_>>();
        assert_eq!(count(&line, u64::MAX).crossing, crossing);
        let slowest = traffic.slowest.unwrap();
        assert_eq!(
            (slowest.from, slowest.to, slowest.latency),
            (NodeId(0), NodeId(3), Duration::from_ns(5000))
        );
    }
}
