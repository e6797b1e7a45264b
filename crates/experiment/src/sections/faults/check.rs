//! Reads the faults, puts them on the machine, and finds out who is cut off.

use super::{Fault, Machines, OfFault, faulty_parts};
use crate::EngineSection;
use crate::check::{Check, Parts, items};
use weir_record::{Faults, Slow};
use weir_topology::Topology;
use weir_units::{Duration, NodeId};

impl Check<'_> {
    pub(crate) fn ranks_reach_each_other(&mut self, parts: &Parts, ranks: usize) {
        let Some(Machines { first, changes, .. }) = &parts.machines else { return };
        let last = changes.last().map_or(&**first, |(_, machine)| machine);
        if !self.findings.touches(&["mapping", "workload", "faults"]) && last.degraded().is_some() {
            self.all_reach_each_other(last, &parts.mapping.place(ranks, last.nodes()));
        }
    }

    pub(crate) fn faults(&mut self, default_seed: u64) -> Vec<Fault> {
        let faults = self.listed("faults", "speed=0.5", |_, section| Fault::read(section, default_seed));
        self.need_topology_for("faults", "could fail");
        faults
    }

    pub(crate) fn degraded(&mut self, machine: Topology, parts: &Parts) -> Machines {
        let faults = &parts.faults;
        let upgraded = self.upgraded(&machine, &parts.upgrades);
        let mut found = Faults::default();
        let mut links_of = Vec::new();
        // Where one of them is wrong, the others have not the numbers of the input.
        let complete = faults.len() == items(&self.input.tree, "faults").len();
        let parts = if complete {
            faulty_parts(&machine, &faults.iter().map(|fault| &fault.part).collect::<Vec<_>>())
        } else {
            Vec::new()
        };
        for (number, (fault, part)) in faults.iter().zip(parts).enumerate() {
            match part {
                Ok(OfFault { links, names }) => {
                    links_of.push((fault, links));
                    let names = names.into_iter().map(|name| name + &fault.when());
                    match fault.speed == 0.0 {
                        true => found.failed.extend(names),
                        false => found.slow.extend(names.map(|name| Slow { name, speed: fault.speed })),
                    }
                }
                Err((key, what, hint)) => self.item_problem(("faults", number), key, what, &hint),
            }
        }
        Machines::of(machine, &upgraded, &links_of, found)
    }

    pub(crate) fn changes_fit(&mut self, Parts { engine, faults, .. }: &Parts) {
        let Some(why) = engine.as_ref().and_then(EngineSection::refuses_changes) else { return };
        for number in (0..faults.len()).filter(|&number| !faults[number].lasts()) {
            let key = if faults[number].at > Duration::ZERO { "at" } else { "until" };
            let hint = "leave at and until out, or write engine.kind = \"flow\" without method";
            self.item_problem(("faults", number), key, why.to_owned(), hint);
        }
    }

    /// Refuses faults that leave no way between the nodes of two ranks for ever: on the last of the machines.
    fn all_reach_each_other(&mut self, machine: &Topology, nodes: &[NodeId]) {
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
