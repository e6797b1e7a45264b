//! `[[faults]]`: links and routers that have failed or are slow.

mod check;
mod names;

use crate::Units;
use crate::keys::Default::{Value as Is, Words};
use crate::keys::form::{Number, Text, Whole};
use crate::keys::keys;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use serde_json::Value;
use std::ops::Bound;
use weir_record::Faults;
use weir_topology::Topology;

/// One fault of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What it befalls.
    pub part: FaultyPart,
    /// Which part of its bandwidth is left: 0 if it has failed; below 1.
    pub speed: f64,
}

/// What a fault befalls.
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
        /// How many.
        count: u64,
        /// Of the draw.
        seed: u64,
    },
}

/// What has failed on a machine, and what is slow, in words; in the order of the input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Befallen {
    /// What has failed: cables, links and routers by their names.
    pub failed: Vec<String>,
    /// What is slow, with the part of its bandwidth that is left.
    pub slow: Vec<(String, f64)>,
}

impl Befallen {
    /// With the numbers of links; `None` if nothing is wrong with the machine.
    pub(crate) fn facts(&self, machine: &Topology) -> Option<Faults> {
        let degraded = machine.degraded()?;
        Some(Faults {
            failed_links: degraded.failed().count(),
            slow_links: degraded.slow().count(),
            failed: self.failed.clone(),
            slow: self.slow.clone(),
        })
    }
}

impl FaultyPart {
    /// The key and the name, where it is named.
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
    CABLE: Text = "cable", &[], Text, Words("none"),
        "a cable, both ways: `\"router (1,0) - router (2,0)\"`, names as `weir routes` writes them, in any order";
    LINK: Text = "link", &[], Text, Words("none"),
        "a link, one way of a cable: `\"router (1,0) -> router (2,0)\"`";
    ROUTER: Text = "router", &[], Text, Words("none"),
        "a router: all links at it, also those of its nodes, which are cut off if it has failed. Its name \
         (`\"router (1,0)\"`, `\"leaf 3\"`), or its number, in a torus or mesh also coordinates";
    RANDOM_CABLES: Whole = "random_cables", &[], Whole(1, MOST_CABLES), Words("none"),
        "so many different cables between routers, drawn with `seed`; a larger number with the same seed has the same cables and \
         more";
    SEED: Whole = "seed", &[], Whole(0, u64::MAX), Words("`seed`"), "`random_cables`: of the draw";
    SPEED: Number = "speed", &[],
        Number { within: (Bound::Included(0.0), Bound::Excluded(1.0)), words: "from 0 to below 1" }, Is("0"),
        "which part of its bandwidth is left, from 0 to below 1; 0: it has failed";
}

/// More than any machine has.
const MOST_CABLES: u64 = u32::MAX as u64;

impl Fault {
    /// `None` when something is missing or wrong.
    fn read(section: &mut Section<'_>, default_seed: u64) -> Option<Self> {
        let (cable, link, router) = (section.get(&CABLE), section.get(&LINK), section.get(&ROUTER));
        let count = section.get(&RANDOM_CABLES);
        let seed = section.get(&SEED);
        let speed = section.get_or_default(&SPEED);
        if !section.has("random_cables") && section.has("seed") {
            section.problem("seed", "belongs to random_cables: nothing else is drawn", None);
        }
        let names = ["cable", "link", "router", "random_cables"];
        let said: Vec<&str> = names.into_iter().filter(|name| section.has(name)).collect();
        let only = match said[..] {
            [only] => only,
            [] => {
                let hint =
                    "write cable = \"router (1,0) - router (2,0)\", link, router, or random_cables = 2";
                section.problem("cable", "is missing: a fault befalls something", Some(hint.into()));
                return None;
            }
            [first, ref others @ ..] => {
                let what = format!("does not go with {}: a fault befalls one thing", others.join(" and "));
                section.problem(first, what, Some("write another [[faults]] for each".into()));
                return None;
            }
        };
        let trimmed = |name: Option<String>| name.map(|name| name.trim().to_owned());
        let part = match only {
            "cable" => FaultyPart::Cable(trimmed(cable)?),
            "link" => FaultyPart::Link(trimmed(link)?),
            "router" => FaultyPart::Router(trimmed(router)?),
            _ => FaultyPart::RandomCables { count: count?, seed: seed.unwrap_or(default_seed) },
        };
        Some(Self { part, speed })
    }

    /// As it would be written.
    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut fault = Resolved::new(units);
        match &self.part {
            FaultyPart::Cable(name) => fault.put(&CABLE, name.clone()),
            FaultyPart::Link(name) => fault.put(&LINK, name.clone()),
            FaultyPart::Router(name) => fault.put(&ROUTER, name.clone()),
            FaultyPart::RandomCables { count, seed } => {
                fault.put(&RANDOM_CABLES, *count);
                fault.put(&SEED, *seed);
            }
        }
        fault.put(&SPEED, self.speed);
        fault.into_value()
    }
}
