//! `weir routes`

use crate::arguments::RoutesArgs;
use crate::crossings::{self, Form};
use crate::load;
use crate::say::print;
use crate::status::refused;
use crate::text::{aligned, facts, seconds};
use anyhow::Context;
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::process::ExitCode;
use weir_scenario::{MachineRoute, RouteLink};
use weir_units::NodeId;

pub(crate) fn show(args: RoutesArgs) -> anyhow::Result<ExitCode> {
    let machine = load::machine(&load::source(args.machine, args.sets.overrides()))?;
    if let Some(pairs) = &args.pairs {
        let form = if args.json { Form::Json } else { Form::Text };
        return crossings::show(&machine, pairs, args.ranks, &args.over, form);
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
        return print(&match args.json {
            true => format!("{}\n", to_json(&route, &from_name, &to_name)),
            false => to_text(&route, &from_name, &to_name),
        });
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    for to in (0..machine.nodes()).map(NodeId::new).filter(|&to| to != from) {
        let Some(route) = MachineRoute::of(&machine, from, to) else { continue };
        let written = match args.json {
            true => writeln!(out, "{}", to_json(&route, &name(from), &name(to))),
            false => writeln!(out, "{}{}", name(from), stations(&route)),
        };
        written.context("standard output")?;
    }
    out.flush().context("standard output")?;
    Ok(ExitCode::SUCCESS)
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
    format!("{}\n{}", aligned(&rows), facts(sums))
}

pub(crate) fn stations(route: &MachineRoute) -> String {
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
