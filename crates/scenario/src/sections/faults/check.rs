//! Reads the faults, puts them on the machine, and finds out who is cut off.

use super::names::befallen;
use super::{Befallen, Fault, Machines, names};
use crate::engine::Engine;
use crate::scenario::Check;
use crate::source::reader::Section;
use crate::source::tree::{Entry, Tree, Value};
use weir_topology::Topology;
use weir_units::{Duration, NodeId};

/// The faults as they are written: a list of tables.
fn items(tree: &Tree) -> Vec<&Entry> {
    match tree.entries.get("faults").map(|entry| &entry.value) {
        Some(Value::List(list)) => list.iter().collect(),
        _ => Vec::new(),
    }
}

impl Check<'_> {
    /// The faults of the input.
    pub(crate) fn faults(&mut self, default_seed: u64) -> Vec<Fault> {
        let Some(entry) = self.input.tree.entries.get("faults") else { return Vec::new() };
        if !matches!(entry.value, Value::List(_)) {
            let hint = "begin each with [[faults]]; --set faults.0.speed=0.5 sets a key of the first";
            let missing = |tree: &Tree| {
                (0..).map(|number: u32| number.to_string()).find(|key| !tree.entries.contains_key(key))
            };
            let what = match &entry.value {
                Value::Table(tree) if tree.has_only_numbers() => {
                    format!("has no item {}: they are numbered from 0", missing(tree).unwrap_or_default())
                }
                _ => "must be a list of tables".to_owned(),
            };
            self.findings.add(&entry.place, "faults", &entry.written, what, Some(hint.into()));
            return Vec::new();
        }
        let mut faults = Vec::new();
        for number in 0..items(&self.input.tree).len() {
            let Some(mut section) = self.fault(number) else {
                let entry = items(&self.input.tree)[number];
                let what = format!("item {number} must be a table");
                let hint = "begin each with [[faults]]".to_owned();
                self.findings.add(&entry.place, "faults", &entry.written, what, Some(hint));
                continue;
            };
            faults.extend(Fault::read(&mut section, default_seed));
            section.finish();
        }
        if !self.has("topology") {
            let entry = &self.input.tree.entries["faults"];
            let what = "need a [topology]: without it there are no links that could fail".to_owned();
            self.findings.add(&entry.place, "faults", "", what, None);
        }
        faults
    }

    /// One of the faults, if it is a table.
    fn fault(&mut self, number: usize) -> Option<Section<'_>> {
        let Entry { value: Value::Table(tree), place, .. } = *items(&self.input.tree).get(number)? else {
            return None;
        };
        Some(Section::new(format!("faults.{number}"), tree.clone(), place.clone(), self.findings))
    }

    /// The machine with its faults.
    pub(crate) fn degraded(&mut self, machine: Topology, faults: &[Fault]) -> Machines {
        let mut found = Befallen::default();
        let mut links_of = Vec::new();
        // Where one of them is wrong, the others have not the numbers of the input.
        let complete = faults.len() == items(&self.input.tree).len();
        let befallen = if complete { befallen(&machine, faults) } else { Vec::new() };
        for (number, (fault, befallen)) in faults.iter().zip(befallen).enumerate() {
            match befallen {
                Ok(names::OfFault { links, names }) => {
                    links_of.push((fault, links));
                    let names = names.into_iter().map(|name| name + &fault.when());
                    match fault.speed == 0.0 {
                        true => found.failed.extend(names),
                        false => found.slow.extend(names.map(|name| (name, fault.speed))),
                    }
                }
                Err((key, what, hint)) => {
                    if let Some(mut section) = self.fault(number) {
                        section.problem(key, what, hint);
                    }
                }
            }
        }
        Machines::of(machine, &links_of, found)
    }

    /// Refuses faults that come or go where the engine cannot follow.
    pub(crate) fn changes_fit(&mut self, engine: Option<&dyn Engine>, faults: &[Fault]) {
        let Some(why) = engine.and_then(Engine::refuses_changes) else { return };
        for number in (0..faults.len()).filter(|&number| !faults[number].lasts()) {
            if let Some(mut section) = self.fault(number) {
                let key = if faults[number].at > Duration::ZERO { "at" } else { "until" };
                let hint =
                    "leave at and until out, or write engine.kind = \"flow\" without method".to_owned();
                section.problem(key, why, Some(hint));
            }
        }
    }

    /// Refuses faults that leave no way between the nodes of two ranks for ever: on the last of the machines.
    pub(crate) fn all_reach_each_other(&mut self, machine: &Topology, nodes: &[NodeId]) {
        let Some(degraded) = machine.degraded() else { return };
        let cut_off = nodes.iter().position(|&node| !degraded.is_attached(node));
        let (what, hint) = if let Some(rank) = cut_off {
            let node = machine.node_name(nodes[rank]);
            let others = nodes[rank + 1..].iter().filter(|&&node| !degraded.is_attached(node)).count();
            let more = if others > 0 { format!(", nor {others} other ranks") } else { String::new() };
            let what = format!("leave rank {rank} on {node} without a way into the network{more}");
            (what, "put ranks on other nodes (mapping.kind = \"file\"), or take fewer of them")
        } else if let Some(unreachable) = degraded.unreachable(nodes.iter().copied()) {
            let [from, to] = [unreachable.from, unreachable.to].map(|node| machine.node_name(node));
            let more = match unreachable.pairs - 1 {
                0 => String::new(),
                others => format!(", nor between {others} other pairs of nodes"),
            };
            let what = format!("disconnect the machine: there is no way from {from} to {to}{more}");
            (
                what,
                "leave a fault out, or another seed of random_cables; ranks on one side only would do, too",
            )
        } else {
            return;
        };
        let place = self.input.tree.entries.get("faults").map_or(&self.input.whole, |entry| &entry.place);
        self.findings.add(place, "faults", "", what, Some(hint.into()));
    }
}
