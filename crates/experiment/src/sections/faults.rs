//! `[[faults]]`: links and routers that have failed or are slow.

mod check;

use crate::keys::form::{Integer, Number, TEXT, TIME};
use crate::keys::{Key, keys};
use crate::sections::output;
use crate::source::nearest::nearest;
use crate::source::reader::Section;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use weir_record::Faults;
use weir_topology::{Degraded, Generator, Part, Topology, permutation};
use weir_units::{Duration, LinkId, RouterId, Time};

/// One fault of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Part that it affects.
    pub part: FaultyPart,
    /// Which part of its bandwidth is left: 0 if it has failed; below 1.
    pub speed: f64,
    /// From when on.
    pub at: Duration,
    /// Until when; `None` to the end of the run.
    pub until: Option<Duration>,
}

/// Part of a machine that a fault affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultyPart {
    /// `cable`: both ways of one.
    Cable(String),
    /// `link`: one way of a cable.
    Link(String),
    /// `router`: all links at it, those of its nodes as well.
    Router(String),
    /// `random_cables`: different cables between routers, drawn.
    RandomCables {
        /// Number of cables.
        count: u64,
        /// Seed of the draw.
        seed: u64,
    },
}

/// A machine with its faults.
#[derive(Clone, Debug)]
pub struct Machines {
    pub(crate) first: Arc<Topology>,
    /// Later states of the machine, each with its instant, in ascending order.
    pub(crate) changes: Vec<(Time, Topology)>,
    /// The machine without faults.
    pub faultless: Arc<Topology>,
    /// Its parts that have failed or are slow, in words; in the order of the input.
    pub(crate) fault_list: Faults,
}

impl Machines {
    /// All that is wrong with it at some time, in words and by the numbers of links; `None` if nothing ever is.
    pub fn facts(&self) -> Option<Faults> {
        let (mut failed, mut slow): (BTreeSet<LinkId>, BTreeSet<LinkId>) = Default::default();
        let later = self.changes.iter().map(|(_, machine)| machine);
        for degraded in std::iter::once(&*self.first).chain(later).filter_map(Topology::degraded) {
            failed.extend(degraded.failed());
            slow.extend(degraded.slow().map(|(link, _)| link));
        }
        let (failed_links, slow_links) = (failed.len(), slow.len());
        let facts = || Faults { failed_links, slow_links, ..self.fault_list.clone() };
        (failed_links + slow_links > 0).then(facts)
    }

    /// A machine of which links have these speeds, and with these faults, each of them with the links that it befalls.
    fn of(
        whole: Topology,
        upgraded: &BTreeMap<LinkId, f64>,
        faults: &[(&Fault, Vec<LinkId>)],
        fault_list: Faults,
    ) -> Self {
        let mut instants: Vec<Duration> = vec![Duration::ZERO];
        instants.extend(faults.iter().flat_map(|(fault, _)| [Some(fault.at), fault.until]).flatten());
        instants.sort_unstable();
        instants.dedup();
        let mut machines: Vec<(Time, BTreeMap<LinkId, u64>)> = Vec::new();
        for now in instants {
            // Of several faults of a link the worst counts. Parts from 0 to 1 have the order of their bits.
            let mut speeds: BTreeMap<LinkId, u64> = BTreeMap::new();
            for (fault, links) in faults.iter().filter(|(fault, _)| fault.is_there(now)) {
                for &link in links {
                    let speed = speeds.entry(link).or_insert(u64::MAX);
                    *speed = (*speed).min(fault.speed.abs().to_bits());
                }
            }
            if machines.last().is_none_or(|(_, last)| *last != speeds) {
                machines.push((Time::ZERO + now, speeds));
            }
        }
        let with = |speeds: BTreeMap<LinkId, u64>| {
            let mut all = upgraded.clone();
            for (link, bits) in speeds {
                *all.entry(link).or_insert(1.0) *= f64::from_bits(bits);
            }
            match all.is_empty() {
                true => whole.clone(),
                false => Topology::Degraded(Degraded::new(whole.clone(), all)),
            }
        };
        let faultless = Arc::new(with(BTreeMap::new()));
        let made = machines.into_iter().map(|(at, speeds)| (at, with(speeds)));
        let mut made = made.collect::<Vec<_>>().into_iter();
        let (_, first) = made.next().expect("there is the beginning");
        Self { first: Arc::new(first), changes: made.collect(), faultless, fault_list }
    }
}

impl FaultyPart {
    /// The cable, link or router that a row names by these keys.
    pub(super) fn named(section: &mut Section<'_>, keys: [&'static Key<String>; 3]) -> Option<Self> {
        let [cable, link, router] = keys.map(|key| {
            let name = section.get(key).map(|name| name.trim().to_owned());
            section.settle(key, name.clone());
            name
        });
        cable.map(Self::Cable).or(link.map(Self::Link)).or(router.map(Self::Router))
    }

    fn name(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Cable(name) => Some(("cable", name)),
            Self::Link(name) => Some(("link", name)),
            Self::Router(name) => Some(("router", name)),
            Self::RandomCables { .. } => None,
        }
    }
}

keys! {
    "faults":
    CABLE: String = "cable", &[], TEXT, Words("none"),
        "A cable, both ways: `\"router (1,0) - router (2,0)\"`, names as `weir routes` writes them, in any order.";
    LINK: String = "link", &[], TEXT, Words("none"),
        "A link, one way of a cable: `\"router (1,0) -> router (2,0)\"`.";
    ROUTER: String = "router", &[], TEXT, Words("none"),
        "A router: all links at it, also those of its nodes, which are cut off if it has failed. Its name \
         (`\"router (1,0)\"`, `\"leaf 3\"`), or its number, in a torus or mesh also coordinates.";
    RANDOM_CABLES: u64 = "random_cables", &[], Integer(1, MOST_CABLES), Words("none"),
        "Number of different cables between routers, drawn with `seed`; a larger number with the same seed has the same cables and \
         more.";
    SEED: u64 = "seed", &[], Integer(0, u64::MAX), Words("`seed`"), "Seed of the draw of `random_cables`.";
    SPEED: f64 = "speed", &[],
        Number { within: (Bound::Included(0.0), Bound::Excluded(1.0)), words: "from 0 to below 1" }, Is("0"),
        "Part of its bandwidth that is left, from 0 to below 1; 0: it has failed.";
    AT: Duration = "at", &[], TIME, Is("0"), "Instant from which on the fault is there; on the packet engine interfaces stop then until packets that are on their way have arrived.";
    UNTIL: Duration = "until", &[], TIME, Words("the end of the run"),
        "Instant at which the fault ends; messages that have no way meanwhile wait.";
}

/// The one of these keys that a row of a table has: it is of one thing. Reports where there are others, or none, with an example of the
/// first.
pub(super) fn only_one(
    section: &mut Section<'_>,
    keys: &[&'static str],
    (table, it_is_of): (&str, &str),
    example: &str,
) -> Option<&'static str> {
    let said: Vec<&'static str> = keys.iter().copied().filter(|name| section.has(name)).collect();
    match said[..] {
        [only] => return Some(only),
        [] => {
            let key = example.split(' ').next().unwrap_or_default();
            section.report(key, format!("is missing: {it_is_of} something"), format!("write {example}"));
        }
        [first, ref others @ ..] => {
            let what = format!("does not go with {}: {it_is_of} one thing", others.join(" and "));
            section.report(first, what, format!("write another [[{table}]] for each"));
        }
    }
    None
}

/// More than any machine has.
const MOST_CABLES: u64 = u32::MAX as u64;

impl Fault {
    fn read(section: &mut Section<'_>, default_seed: u64) -> Option<Self> {
        let named = FaultyPart::named(section, [&CABLE, &LINK, &ROUTER]);
        let count = section.get(&RANDOM_CABLES);
        let seed = section.get(&SEED);
        let speed = section.get_or_default(&SPEED);
        let (at, until) = (section.get_or_default(&AT), section.get(&UNTIL));
        let is_wrong = until.is_some_and(|until| until <= at);
        section.report_if(is_wrong, "until", "must be later than at", "leave it out for the end of the run");
        let is_wrong = !section.has("random_cables") && section.has("seed");
        section.report_if(is_wrong, "seed", "belongs to random_cables: nothing else is drawn", "");
        let keys = ["cable", "link", "router", "random_cables"];
        let example = "cable = \"router (1,0) - router (2,0)\", link, router, or random_cables = 2";
        let part = match only_one(section, &keys, ("faults", "a fault befalls"), example)? {
            "random_cables" => {
                let seed = seed.unwrap_or(default_seed);
                section.settle(&SEED, seed);
                FaultyPart::RandomCables { count: count?, seed }
            }
            _ => named?,
        };
        Some(Self { part, speed, at, until })
    }

    pub(crate) fn lasts(&self) -> bool {
        self.at == Duration::ZERO && self.until.is_none()
    }

    fn is_there(&self, now: Duration) -> bool {
        self.at <= now && self.until.is_none_or(|until| now < until)
    }

    fn when(&self) -> String {
        let from = if self.at > Duration::ZERO { format!(" from {}", self.at) } else { String::new() };
        let until = self.until.map_or_else(String::new, |until| format!(" until {until}"));
        from + &until
    }
}

/// The links of each of these parts of a machine; or which key is wrong, and how.
pub(crate) fn links_of(machine: &Topology, parts: &[&FaultyPart]) -> Vec<Result<Vec<LinkId>, Wrong>> {
    faulty_parts(machine, parts).into_iter().map(|part| part.map(|part| part.links)).collect()
}

struct OfFault {
    links: Vec<LinkId>,
    /// In words: the name, or those of the cables that were drawn.
    names: Vec<String>,
}

/// A mistake in a fault: its key, a sentence, and a hint, if any.
type Wrong = (&'static str, String, String);

/// Most names that are compared with one that is wrong.
const MOST_COMPARED: usize = 20_000;

fn faulty_parts(machine: &Topology, parts: &[&FaultyPart]) -> Vec<Result<OfFault, Wrong>> {
    let names: Vec<&str> = parts.iter().filter_map(|part| Some(part.name()?.1)).collect();
    let named: BTreeMap<&str, Option<Part>> =
        names.iter().copied().zip(machine.parts_named(&names)).collect();
    let draws = parts.iter().any(|part| part.name().is_none());
    let cables = if draws { machine.router_cables() } else { Vec::new() };
    let of = |part: &&FaultyPart| match (*part, part.name()) {
        (_, Some((key, name))) => one(machine, key, name, named[name]),
        (FaultyPart::RandomCables { count, seed }, _) => draw(machine, &cables, *count, *seed),
        (_, None) => unreachable!("only what is drawn has no name"),
    };
    parts.iter().map(of).collect()
}

/// The cable, link or router of a name.
fn one(machine: &Topology, key: &'static str, name: &str, part: Option<Part>) -> Result<OfFault, Wrong> {
    let links = match (key, part) {
        ("cable", Some(Part::Cable(links))) => links.to_vec(),
        ("link", Some(Part::Link(link))) => vec![link],
        ("router", Some(Part::Router(router))) => machine.links_at(router),
        (_, Some(other)) => {
            let key_of_it = match other {
                Part::Cable(_) => "cable",
                Part::Link(_) => "link",
                Part::Router(_) => "router",
            };
            return Err((key, format!("is a {key_of_it}"), format!("write {key_of_it} = {name:?}")));
        }
        ("router", None) if output::router(machine, name).is_some() => {
            output::router(machine, name).map_or_else(Vec::new, |router| machine.links_at(router))
        }
        (_, None) => return Err((key, format!("there is no such {key}"), hint(machine, key, name))),
    };
    Ok(OfFault { links, names: vec![name.to_owned()] })
}

/// The nearest name there is; in a large machine how a name is written.
fn hint(machine: &Topology, key: &str, name: &str) -> String {
    let links = || (0..machine.links()).map(LinkId::new);
    let names: Vec<String> = match key {
        "router" => (0..machine.routers().min(MOST_COMPARED))
            .map(|router| machine.router_name(RouterId::new(router)))
            .collect(),
        "cable" => {
            // Also with the ends exchanged, as they may be written.
            let cables =
                links().take(MOST_COMPARED).map(|link| machine.link_name(link).replace(" -> ", " - "));
            cables.collect()
        }
        _ => links().take(MOST_COMPARED).map(|link| machine.link_name(link)).collect(),
    };
    match nearest(name, names.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => {
            let example = names.last().map_or("", String::as_str);
            format!(
                "weir routes writes names of links, weir topology those of routers; as in {key} = {example:?}"
            )
        }
    }
}

fn draw(machine: &Topology, cables: &[[LinkId; 2]], count: u64, seed: u64) -> Result<OfFault, Wrong> {
    if count > cables.len() as u64 {
        let what = format!("are more than there are: {} cables between routers", cables.len());
        return Err(("random_cables", what, String::new()));
    }
    let order = permutation(cables.len(), seed, Generator::SplitMix);
    let mut drawn: Vec<u32> = order.into_iter().take(count as usize).collect();
    drawn.sort_unstable();
    let drawn = || drawn.iter().map(|&cable| cables[cable as usize]);
    let name = |cable: [LinkId; 2]| machine.link_name(cable[0]).replace(" -> ", " - ");
    Ok(OfFault { links: drawn().flatten().collect(), names: drawn().map(name).collect() })
}
