//! Reads the upgrades, and finds their links.

use super::{MOST, SPEED, Upgrade};
use crate::FaultyPart;
use crate::scenario::Check;
use crate::sections::faults::links_of;
use crate::source::tree::Value;
use std::collections::BTreeMap;
use weir_topology::Topology;
use weir_units::LinkId;

impl Check<'_> {
    pub(crate) fn upgrades(&mut self) -> Vec<Upgrade> {
        let upgrades = self.listed("upgrades", "speed=2", |_, section| Upgrade::read(section));
        let entry = self.input.tree.entries.get("upgrades");
        if let Some(entry) = entry.filter(|entry| matches!(entry.value, Value::List(_)))
            && !self.has("topology")
        {
            let what = "need a [topology]: without it there are no links that could be faster".to_owned();
            self.findings.add(&entry.place, "upgrades", "", what, None);
        }
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
                    if let (Some(link), Some(mut section)) = (too_fast, self.item("upgrades", number)) {
                        let what = format!(
                            "is too much with the rows before it for {}: all together 1,000,000 times its bandwidth at most",
                            machine.link_name(link)
                        );
                        section.problem(SPEED.name, what, None);
                    }
                }
                Err((key, what, hint)) => {
                    if let Some(mut section) = self.item("upgrades", number) {
                        section.problem(key, what, hint);
                    }
                }
            }
        }
        speeds
    }
}
