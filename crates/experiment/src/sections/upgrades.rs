//! `[[upgrades]]`: links that are faster than the others.

use crate::FaultyPart;
use crate::check::Check;
use crate::keys::form::{Number, TEXT};
use crate::keys::keys;
use crate::sections::faults::{links_of, only_one};
use crate::source::reader::Section;
use std::collections::BTreeMap;
use std::ops::Bound;
use weir_topology::Topology;
use weir_units::LinkId;

/// Links that are faster than the machine says.
#[derive(Clone, Debug, PartialEq)]
pub struct Upgrade {
    /// Which links: a cable, a link, or those at a router.
    pub part: FaultyPart,
    /// Number of times their bandwidth that they have: 1 or more.
    pub speed: f64,
}

/// More than this is a mistake.
const MOST: f64 = 1e6;

keys! {
    "upgrades":
    CABLE: String = "cable", &[], TEXT, Words("none"),
        "A cable, both ways: `\"router (1,0) - router (2,0)\"`, names as `weir routes` writes them, in any order.";
    LINK: String = "link", &[], TEXT, Words("none"),
        "A link, one way of a cable: `\"router (1,0) -> router (2,0)\"`.";
    ROUTER: String = "router", &[], TEXT, Words("none"),
        "A router: all links at it, also those of its nodes. Its name, or its number, in a torus or mesh also coordinates.";
    SPEED: f64 = "speed", &[],
        Number { within: (Bound::Included(1.0), Bound::Included(MOST)), words: "a number from 1 to 1,000,000" },
        Required("write speed = 2"),
        "Number of times its bandwidth that each of these links has, 1 to 1,000,000. Where several rows name a link, they multiply, up to 1,000,000 all together.";
}

fn read(section: &mut Section<'_>) -> Option<Upgrade> {
    let part = FaultyPart::named(section, [&CABLE, &LINK, &ROUTER]);
    let speed = section.get_required(&SPEED);
    let keys = ["cable", "link", "router"];
    let example = "link = \"router (1,0) -> router (2,0)\", cable or router";
    only_one(section, &keys, ("upgrades", "an upgrade is of"), example)?;
    Some(Upgrade { part: part?, speed: speed? })
}

impl Check<'_> {
    pub(crate) fn upgrades(&mut self) -> Vec<Upgrade> {
        let upgrades = self.listed("upgrades", "speed=2", |_, section| read(section));
        self.need_topology_for("upgrades", "could be faster");
        upgrades
    }

    /// The links that are faster, each with the number of times its bandwidth that it has.
    pub(crate) fn upgraded(&mut self, machine: &Topology, upgrades: &[Upgrade]) -> BTreeMap<LinkId, f64> {
        let mut speeds = BTreeMap::new();
        if self.findings.touches(&["upgrades"]) {
            return speeds;
        }
        let parts: Vec<&FaultyPart> = upgrades.iter().map(|upgrade| &upgrade.part).collect();
        for (number, (upgrade, links)) in upgrades.iter().zip(links_of(machine, &parts)).enumerate() {
            match links {
                Ok(links) => {
                    let mut too_fast = None;
                    for link in links {
                        let speed = speeds.entry(link).or_insert(1.0);
                        *speed *= upgrade.speed;
                        if *speed > MOST {
                            too_fast.get_or_insert(link);
                            *speed = MOST;
                        }
                    }
                    if let Some(link) = too_fast {
                        let link = machine.link_name(link);
                        let what = format!(
                            "is too much with the rows before it for {link}: all together 1,000,000 times its bandwidth at most"
                        );
                        self.item_problem(("upgrades", number), SPEED.name, what, "");
                    }
                }
                Err((key, what, hint)) => self.item_problem(("upgrades", number), key, what, &hint),
            }
        }
        speeds
    }
}
