//! `weir routes`: routes of a machine, those of pairs of ranks, and which of these have routes over given links.

use crate::arguments::RoutesArgs;
use crate::load;
use crate::say::print_as;
use crate::status::{OrRefused, refused};
use crate::text::{facts, seconds, table};
use anyhow::Context;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use weir_analysis::{Crossing, MachineRoute, RankPair, RankRoute, RouteLink, crossings, routes_of};
use weir_experiment::MachineDescription;
use weir_units::{Bytes, LinkId, NodeId};

pub(crate) fn show(args: &RoutesArgs) -> anyhow::Result<ExitCode> {
    let machine = load::machine(&load::source(args.machine.clone(), args.sets.overrides()))?;
    load::note_rule(&machine.topology());
    if let Some(pairs) = &args.pairs {
        return show_pairs(&machine, pairs, args);
    }
    let machine = machine.topology();
    let node = |text: &String| {
        let what = || format!("there is no node {text:?}\n\nhint: write {}", machine.address_form());
        machine.parse_address(text).ok_or_else(what)
    };
    let nodes: Vec<Result<NodeId, String>> = args.from.iter().chain(&args.to).map(node).collect();
    let wrong: Vec<&str> = nodes.iter().filter_map(|node| Some(node.as_ref().err()?.as_str())).collect();
    if !wrong.is_empty() {
        return Err(refused(wrong.join("\nerror: ")));
    }
    let mut nodes = nodes.into_iter().flatten();
    let (from, to) = (nodes.next().context("FROM is missing")?, nodes.next());
    let name = |node| machine.node_name(node);
    if let Some(to) = to {
        let (from_name, to_name) = (name(from), name(to));
        let Some(route) = MachineRoute::of(&machine, from, to) else {
            let hint = "hint: links have failed; weir routes FILE FROM shows where it can get to";
            return Err(refused(format!("there is no way from {from_name} to {to_name}\n\n{hint}")));
        };
        let object = || to_json(&route, &from_name, &to_name);
        return print_as(args.json, object, || to_text(&route, &from_name, &to_name));
    }
    let others = (0..machine.nodes()).map(NodeId::new).filter(|&to| to != from);
    let routes = others.filter_map(|to| Some((to, MachineRoute::of(&machine, from, to)?)));
    let object = |(to, route): &_| to_json(route, &name(from), &name(*to));
    print_lines(args.json, routes, object, |(_, route)| format!("{}{}\n", name(from), stations(route)))
}

/// Prints the route of each pair; if links are named, what crosses each of them, in their order.
fn show_pairs(machine: &MachineDescription, file: &Path, args: &RoutesArgs) -> anyhow::Result<ExitCode> {
    let pairs = read(file).or_refused()?;
    let needed = pairs.iter().map(|pair| pair.from.max(pair.to) + 1).max().unwrap_or(0);
    let ranks = args.ranks.unwrap_or(needed);
    if args.over.is_empty() {
        let routes = routes_of(machine, ranks, &pairs).or_refused()?;
        return print_lines(args.json, routes, rank_route_to_json, rank_route_to_text);
    }
    let links: Vec<LinkId> = args.over.iter().map(|&link| LinkId::new(link)).collect();
    let found = crossings(machine, ranks, &pairs, &links).or_refused()?;
    print_lines(args.json, found, crossing_to_json, crossing_to_text)
}

/// Prints each of them, as an object in one line or as a text for people.
fn print_lines<T>(
    json: bool,
    all: impl IntoIterator<Item = T>,
    object: impl Fn(&T) -> Value,
    text: impl Fn(&T) -> String,
) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for one in all {
        let line = if json { format!("{}\n", object(&one)) } else { text(&one) };
        out.write_all(line.as_bytes()).context("standard output")?;
    }
    out.flush().context("standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// A line has two ranks and a number of bytes: no more letters than this.
const LONGEST_LINE: u64 = 1000;

/// Reads lines of two ranks and a number of bytes, which may be left out.
///
/// # Errors
/// Says what cannot be read, or is wrong with a line.
fn read(path: &Path) -> Result<Vec<RankPair>, String> {
    let name = path.display();
    let mut input: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        let file = std::fs::File::open(path).map_err(|error| format!("{name}: cannot be read: {error}"))?;
        Box::new(BufReader::new(file))
    };
    let mut pairs = Vec::new();
    for number in 1.. {
        let mut bytes = Vec::new();
        let read = input.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
        if read.map_err(|error| format!("{name}: cannot be read: {error}"))? == 0 {
            break;
        }
        if bytes.len() as u64 > LONGEST_LINE {
            return Err(format!("{name}:{number}: the line has more than {LONGEST_LINE} letters"));
        }
        let line =
            std::str::from_utf8(&bytes).map_err(|_| format!("{name}:{number}: is not UTF-8"))?.trim_end();
        let fields: Option<Vec<u64>> = line.split_whitespace().map(|field| field.parse().ok()).collect();
        let pair = match fields.as_deref() {
            Some(&[from, to]) => pair(from, to, 0),
            Some(&[from, to, bytes]) => pair(from, to, bytes),
            Some([]) => continue,
            _ => None,
        };
        let Some(pair) = pair else {
            let hint = "hint: write two ranks and bytes, as in 0 5 1000";
            return Err(format!("{name}:{number}: {line:?} is not a pair of ranks\n\n{hint}"));
        };
        pairs.push(pair);
    }
    Ok(pairs)
}

/// A pair, if its ranks are numbers of ranks.
fn pair(from: u64, to: u64, bytes: u64) -> Option<RankPair> {
    let rank = |number| u32::try_from(number).ok().map(|number| number as usize);
    Some(RankPair { from: rank(from)?, to: rank(to)?, bytes: Bytes(bytes) })
}

fn to_text(route: &MachineRoute, from: &str, to: &str) -> String {
    let Some(narrowest) = route.narrowest() else {
        return format!("{from} is where the route starts and ends: it passes no link\n");
    };
    let row = |link: &RouteLink| {
        [link.id.to_string(), link.name.clone(), link.bandwidth.to_string(), link.latency.to_string()]
    };
    let links = table(["link", "name", "bandwidth", "latency"], route.links.iter().map(row));
    let sums = [
        ("route", format!("{from} to {to}")),
        ("links", format!("{}, {} of them between routers", route.links.len(), route.hops())),
        ("zero-load latency", route.zero_load_latency().to_string()),
        ("narrowest link", narrowest.to_string()),
    ];
    format!("{links}\n{}", facts(sums))
}

fn numbers(route: &MachineRoute) -> Vec<u32> {
    route.links.iter().map(|link| link.id.0).collect()
}

fn stations(route: &MachineRoute) -> String {
    route.links.iter().map(|link| format!(" -> {}", link.to)).collect()
}

fn to_json(route: &MachineRoute, from: &str, to: &str) -> Value {
    let link = |link: &RouteLink| {
        json!({
            "link": link.id.0,
            "name": link.name,
            "bandwidth_bytes_per_s": link.bandwidth.bytes_per_second(),
            "latency_s": seconds(link.latency),
        })
    };
    json!({
        "from": { "node": route.from.0, "name": from },
        "to": { "node": route.to.0, "name": to },
        "links": route.links.iter().map(link).collect::<Vec<_>>(),
        "hops": route.hops(),
        "zero_load_latency_s": seconds(route.zero_load_latency()),
        "narrowest_bytes_per_s": route.narrowest().map(|bandwidth| bandwidth.bytes_per_second()),
    })
}

fn crossing_to_text(crossing: &Crossing) -> String {
    let Crossing { link, name, pairs, bytes, routes } = crossing;
    let mut text = format!("link {link}, {name}: {pairs} pairs, {bytes}\n");
    for (pair, route) in routes {
        let stations = stations(route);
        text += &format!("  rank {} to rank {}, {}:{stations}\n", pair.from, pair.to, pair.bytes);
    }
    text
}

fn rank_route_to_text(one: &RankRoute) -> String {
    let RankRoute { pair, nodes, route } = one;
    let ends = format!("rank {} (node {}) to rank {} (node {})", pair.from, nodes.0, pair.to, nodes.1);
    match route {
        None => format!("{ends}: no way, links have failed\n"),
        Some(route) if route.links.is_empty() => format!("{ends}: within the node\n"),
        Some(route) => format!("{ends}:{}\n", stations(route)),
    }
}

fn rank_route_to_json(one: &RankRoute) -> Value {
    let links = one.route.as_ref().map(numbers);
    json!({
        "from": one.pair.from,
        "to": one.pair.to,
        "bytes": one.pair.bytes.0,
        "from_node": one.nodes.0.0,
        "to_node": one.nodes.1.0,
        "links": links,
    })
}

fn crossing_to_json(crossing: &Crossing) -> Value {
    let route = |(pair, route): &(RankPair, MachineRoute)| {
        json!({
            "from": pair.from,
            "to": pair.to,
            "bytes": pair.bytes.0,
            "links": numbers(route),
            "through": route.links.iter().map(|link| &*link.to).collect::<Vec<_>>(),
        })
    };
    json!({
        "link": crossing.link.0,
        "name": crossing.name,
        "pairs": crossing.pairs,
        "bytes": crossing.bytes.0,
        "routes": crossing.routes.iter().map(route).collect::<Vec<_>>(),
    })
}
