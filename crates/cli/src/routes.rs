//! `weir routes`

use crate::arguments::RoutesArgs;
use crate::crossings::{self, Form};
use crate::load;
use crate::status::INPUT;
use crate::text::{aligned, seconds};
use anyhow::Context;
use serde_json::{Value, json};
use std::io::{BufWriter, ErrorKind, Write};
use std::process::ExitCode;
use weir_scenario::{MachineRoute, RouteLink};
use weir_units::NodeId;

/// Prints one route, or all of a node.
pub(crate) fn show(args: RoutesArgs) -> anyhow::Result<ExitCode> {
    let Some(machine) = load::machine(args.machine, args.sets.overrides()) else {
        return Ok(ExitCode::from(INPUT));
    };
    if let Some(pairs) = &args.pairs {
        let form = if args.json { Form::Json } else { Form::Text };
        return crossings::show(&machine, pairs, args.ranks, &args.over, form);
    }
    let machine = machine.topology();
    let node = |text: &String| {
        let node = machine.parse_address(text);
        if node.is_none() {
            eprintln!("error: there is no node {text:?}\n\nhint: write {}", machine.address_form());
        }
        node
    };
    let from = args.from.as_ref().and_then(node);
    let to = args.to.as_ref().map(node);
    let (Some(from), None | Some(Some(_))) = (from, to) else { return Ok(ExitCode::from(INPUT)) };
    let name = |node| machine.node_name(node);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut print = || match to.flatten() {
        Some(to) => {
            let Some(route) = MachineRoute::of(&machine, from, to) else {
                let hint = "hint: links have failed; weir routes FILE FROM shows where it can get to";
                eprintln!("error: there is no way from {} to {}\n\n{hint}", name(from), name(to));
                return Ok(INPUT);
            };
            match args.json {
                true => writeln!(out, "{}", to_json(&route, &name(from), &name(to))),
                false => write!(out, "{}", to_text(&route, &name(from), &name(to))),
            }?;
            out.flush().map(|()| 0)
        }
        None => {
            for to in (0..machine.nodes()).map(NodeId::new).filter(|&to| to != from) {
                let Some(route) = MachineRoute::of(&machine, from, to) else { continue };
                match args.json {
                    true => writeln!(out, "{}", to_json(&route, &name(from), &name(to))),
                    false => writeln!(out, "{}", in_one_line(&route, &name(from))),
                }?;
            }
            out.flush().map(|()| 0)
        }
    };
    match print() {
        // Whoever reads has seen enough, as `head` does.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        other => other.context("standard output").map(ExitCode::from),
    }
}

fn to_text(route: &MachineRoute, from: &str, to: &str) -> String {
    let Some(narrowest) = route.narrowest() else {
        return format!("{from} is where the route starts and ends: it passes no link\n");
    };
    let header = ["link", "name", "bandwidth", "latency"].map(str::to_owned).to_vec();
    let row = |link: &RouteLink| {
        vec![link.id.to_string(), link.name.clone(), link.bandwidth.to_string(), link.latency.to_string()]
    };
    let rows: Vec<_> = std::iter::once(header).chain(route.links.iter().map(row)).collect();
    let sums = [
        ("route", format!("{from} to {to}")),
        ("links", format!("{}, {} of them between routers", route.links.len(), route.hops())),
        ("zero-load latency", route.zero_load_latency().to_string()),
        ("narrowest link", narrowest.to_string()),
    ];
    format!("{}\n{}", aligned(&rows), aligned(&sums.map(|(name, value)| vec![name.to_owned(), value])))
}

/// Where the route leads through.
fn in_one_line(route: &MachineRoute, from: &str) -> String {
    let stations: Vec<&str> = std::iter::once(from).chain(route.links.iter().map(|link| &*link.to)).collect();
    stations.join(" -> ")
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
