//! Links that the names of faults stand for on a machine, and cables that are drawn.

use super::FaultyPart;
use crate::sections::output;
use crate::source::nearest::nearest;
use std::collections::BTreeMap;
use weir_topology::{Generator, Part, Topology, permutation};
use weir_units::{LinkId, RouterId};

pub(super) struct OfFault {
    pub(super) links: Vec<LinkId>,
    /// In words: the name, or those of the cables that were drawn.
    pub(super) names: Vec<String>,
}

/// A mistake in a fault: its key, a sentence, and a hint.
pub(crate) type Wrong = (&'static str, String, Option<String>);

/// Most names that are compared with one that is wrong.
const MOST_COMPARED: usize = 20_000;

pub(super) fn faulty_parts(machine: &Topology, parts: &[&FaultyPart]) -> Vec<Result<OfFault, Wrong>> {
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
            return Err((key, format!("is a {key_of_it}"), Some(format!("write {key_of_it} = {name:?}"))));
        }
        ("router", None) if output::router(machine, name).is_some() => {
            output::router(machine, name).map_or_else(Vec::new, |router| machine.links_at(router))
        }
        (_, None) => return Err((key, format!("there is no such {key}"), Some(hint(machine, key, name)))),
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
        return Err(("random_cables", what, None));
    }
    let order = permutation(cables.len(), seed, Generator::SplitMix);
    let mut drawn: Vec<u32> = order.into_iter().take(count as usize).collect();
    drawn.sort_unstable();
    let drawn = || drawn.iter().map(|&cable| cables[cable as usize]);
    let name = |cable: [LinkId; 2]| machine.link_name(cable[0]).replace(" -> ", " - ");
    Ok(OfFault { links: drawn().flatten().collect(), names: drawn().map(name).collect() })
}
