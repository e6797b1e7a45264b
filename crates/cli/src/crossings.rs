//! `weir routes --pairs`: the routes of pairs of ranks, or with `--over` which of them have routes over given links.

use crate::routes::stations;
use crate::status::OrRefused;
use anyhow::Context;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use weir_scenario::{Crossing, MachineDescription, MachineRoute, RankPair, RankRoute};
use weir_units::{Bytes, LinkId};

#[derive(Clone, Copy)]
pub(crate) enum Form {
    Text,
    Json,
}

/// Prints the route of each pair; if links are named, what crosses each of them, in their order.
pub(crate) fn show(
    machine: &MachineDescription,
    pairs: &Path,
    ranks: Option<usize>,
    over: &[usize],
    form: Form,
) -> anyhow::Result<ExitCode> {
    let pairs = read(pairs).or_refused()?;
    let needed = pairs.iter().map(|pair| pair.from.max(pair.to) + 1).max().unwrap_or(0);
    let ranks = ranks.unwrap_or(needed);
    let answered = match over {
        [] => machine.routes_of(ranks, &pairs).map(|routes| print_routes(routes, form)),
        over => {
            let links: Vec<LinkId> = over.iter().map(|&link| LinkId::new(link)).collect();
            machine.crossings(ranks, &pairs, &links).map(|found| print_crossings(&found, form))
        }
    };
    answered.or_refused()?.context("standard output").map(|()| ExitCode::SUCCESS)
}

fn print_crossings(found: &[Crossing], form: Form) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    found.iter().try_for_each(|crossing| match form {
        Form::Text => write!(out, "{}", to_text(crossing)),
        Form::Json => writeln!(out, "{}", to_json(crossing)),
    })?;
    out.flush()
}

fn print_routes(mut routes: impl Iterator<Item = RankRoute>, form: Form) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    routes.try_for_each(|one| match form {
        Form::Text => writeln!(out, "{}", route_to_text(&one)),
        Form::Json => writeln!(out, "{}", route_to_json(&one)),
    })?;
    out.flush()
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

fn to_text(crossing: &Crossing) -> String {
    let Crossing { link, name, pairs, bytes, routes } = crossing;
    let mut text = format!("link {link}, {name}: {pairs} pairs, {bytes}\n");
    for (pair, route) in routes {
        let stations = stations(route);
        text += &format!("  rank {} to rank {}, {}:{stations}\n", pair.from, pair.to, pair.bytes);
    }
    text
}

fn route_to_text(one: &RankRoute) -> String {
    let RankRoute { pair, nodes, route } = one;
    let ends = format!("rank {} (node {}) to rank {} (node {})", pair.from, nodes.0, pair.to, nodes.1);
    match route {
        None => format!("{ends}: no way, links have failed"),
        Some(route) if route.links.is_empty() => format!("{ends}: within the node"),
        Some(route) => format!("{ends}:{}", stations(route)),
    }
}

fn route_to_json(one: &RankRoute) -> Value {
    let links = one.route.as_ref().map(|route| route.links.iter().map(|link| link.id.0).collect::<Vec<_>>());
    json!({
        "from": one.pair.from,
        "to": one.pair.to,
        "bytes": one.pair.bytes.0,
        "from_node": one.nodes.0.0,
        "to_node": one.nodes.1.0,
        "links": links,
    })
}

fn to_json(crossing: &Crossing) -> Value {
    let route = |(pair, route): &(RankPair, MachineRoute)| {
        json!({
            "from": pair.from,
            "to": pair.to,
            "bytes": pair.bytes.0,
            "links": route.links.iter().map(|link| link.id.0).collect::<Vec<_>>(),
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
