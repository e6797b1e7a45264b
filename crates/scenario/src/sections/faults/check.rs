//! Reads the faults, finds their links on the machine, and finds out who is cut off.

use super::{Fault, FaultyPart, Machines};
use crate::scenario::Check;
use crate::sections::listed::items;
use crate::sections::output;
use crate::sections::upgrades::Upgrade;
use crate::source::nearest::nearest;
use crate::{EngineSection, MappingSection};
use std::collections::BTreeMap;
use weir_record::{Faults, Slow};
use weir_topology::{Generator, Part, Topology, permutation};
use weir_units::{Duration, LinkId, NodeId, RouterId};

impl Check<'_> {
    pub(crate) fn ranks_reach_each_other(
        &mut self,
        ranks: usize,
        machines: Option<&Machines>,
        mapping: &MappingSection,
    ) {
        let Some(Machines { first, changes, .. }) = machines else { return };
        let last = changes.last().map_or(&**first, |(_, machine)| machine);
        if !self.findings.touches(&["mapping", "workload", "faults"]) && last.degraded().is_some() {
            self.all_reach_each_other(last, &mapping.place(ranks, last.nodes()));
        }
    }

    pub(crate) fn faults(&mut self, default_seed: u64) -> Vec<Fault> {
        let faults = self.listed("faults", "speed=0.5", |_, section| Fault::read(section, default_seed));
        self.need_topology_for("faults", "could fail");
        faults
    }

    pub(crate) fn degraded(&mut self, machine: Topology, faults: &[Fault], upgrades: &[Upgrade]) -> Machines {
        let upgraded = self.upgraded(&machine, upgrades);
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

    pub(crate) fn changes_fit(&mut self, engine: Option<&EngineSection>, faults: &[Fault]) {
        let Some(why) = engine.and_then(EngineSection::refuses_changes) else { return };
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
