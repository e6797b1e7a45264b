//! `[[upgrades]]`: links that are faster than the others.

mod check;

use crate::FaultyPart;
use crate::keys::form::{Number, Text};
use crate::keys::keys;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use std::ops::Bound;

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
    CABLE: String = "cable", &[], Text, Words("none"),
        "A cable, both ways: `\"router (1,0) - router (2,0)\"`, names as `weir routes` writes them, in any order.";
    LINK: String = "link", &[], Text, Words("none"),
        "A link, one way of a cable: `\"router (1,0) -> router (2,0)\"`.";
    ROUTER: String = "router", &[], Text, Words("none"),
        "A router: all links at it, also those of its nodes. Its name, or its number, in a torus or mesh also coordinates.";
    SPEED: f64 = "speed", &[],
        Number { within: (Bound::Included(1.0), Bound::Included(MOST)), words: "a number from 1 to 1,000,000" },
        Required("write speed = 2"),
        "Number of times its bandwidth that each of these links has, 1 to 1,000,000. Where several rows name a link, they multiply, up to 1,000,000 all together.";
}

impl Upgrade {
    fn read(section: &mut Section<'_>) -> Option<Self> {
        let names = [section.get(&CABLE), section.get(&LINK), section.get(&ROUTER)];
        let speed = section.get_required(&SPEED);
        let said: Vec<&str> =
            [CABLE.name, LINK.name, ROUTER.name].into_iter().filter(|name| section.has(name)).collect();
        match said[..] {
            [_] => {}
            [] => {
                let hint = "write link = \"router (1,0) -> router (2,0)\", cable or router".to_owned();
                section.problem(LINK.name, "is missing: an upgrade is of something", Some(hint));
            }
            [first, ref others @ ..] => {
                let what = format!("does not go with {}: an upgrade is of one thing", others.join(" and "));
                section.problem(first, what, Some("write another [[upgrades]] for each".into()));
                return None;
            }
        }
        let [cable, link, router] = names.map(|name| name.map(|name| name.trim().to_owned()));
        let part = cable.map(FaultyPart::Cable).or(link.map(FaultyPart::Link));
        Some(Self { part: part.or(router.map(FaultyPart::Router))?, speed: speed? })
    }

    pub(crate) fn put(&self, upgrade: &mut Resolved) {
        match &self.part {
            FaultyPart::Cable(name) => upgrade.put(&CABLE, name),
            FaultyPart::Link(name) => upgrade.put(&LINK, name),
            FaultyPart::Router(name) => upgrade.put(&ROUTER, name),
            FaultyPart::RandomCables { .. } => unreachable!("none is drawn"),
        }
        upgrade.put(&SPEED, self.speed);
    }
}
