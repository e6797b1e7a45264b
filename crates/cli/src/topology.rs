//! `weir topology`

use crate::arguments::TopologyArgs;
use crate::load;
use crate::say::print_as;
use crate::status::refused;
use crate::text::{assumed, facts as table_of, plain, table};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use weir_analysis::{Extent, MachineFacts, facts};
use weir_experiment::{ExportError, MachineDescription};
use weir_record::Faults;
use weir_topology::{Cut, Obtained};
use weir_units::Bandwidth;

/// More cuts are only counted.
const MOST_CUTS: usize = 16;
/// More cuts are not even printed as JSON.
const MOST_CUTS_AS_JSON: usize = 1000;

pub(crate) fn look(args: TopologyArgs) -> anyhow::Result<ExitCode> {
    let source = load::source(args.machine, args.sets.overrides());
    let machine = load::machine(&source)?;
    let outputs = args.out.iter().chain(&args.routes).map(PathBuf::as_path);
    load::spares(&[source.files(), machine.files()].concat(), outputs)?;
    let graph = args.out.as_deref().map(|path| machine.write_graph(path).map(|()| path));
    let routes = args.routes.as_deref().filter(|_| matches!(graph, Some(Ok(_))));
    let routes = routes.map(|path| machine.write_routes(path).map(|()| path));
    for written in graph.into_iter().chain(routes) {
        match written {
            Ok(path) => eprintln!("written: {}", path.display()),
            Err(error @ ExportError::Write(..)) => return Err(error.into()),
            Err(error) => return Err(refused(error)),
        }
    }
    let facts = facts(&machine, if args.full { Extent::Full } else { Extent::Short });
    print_as(args.json, || to_json(&machine, &facts), || to_text(&machine, &facts))
}

fn to_text(machine: &MachineDescription, facts: &MachineFacts) -> String {
    let from_to = |[least, most]: [Bandwidth; 2]| match least == most {
        true => least.to_string(),
        false => format!("{least} to {most}"),
    };
    let injection = match facts.interfaces {
        1 if facts.injection == facts.node_injection => from_to(facts.injection),
        _ => {
            let [of_interface, of_node] = [facts.injection, facts.node_injection].map(from_to);
            format!("{of_interface} of an interface, {of_node} of a node")
        }
    };
    let interfaces = match facts.interfaces {
        1 => None,
        count => Some(format!("{count} of each node, each with a cable of its own")),
    };
    let kinds = facts.router_kinds.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>();
    let routers = match &kinds[..] {
        [_] => facts.routers.to_string(),
        _ => format!("{}, of {} kinds: {}", facts.routers, kinds.len(), kinds.join(", ")),
    };
    let mut rows = vec![
        ("machine", format!("{} ({})", plain(&machine.title), facts.in_words)),
        ("nodes", facts.nodes.to_string()),
        ("routers", routers),
        ("links", format!("{}, one-way, those of the nodes included", facts.links)),
        ("cables", facts.cables.to_string()),
    ];
    rows.extend(interfaces.map(|interfaces| ("interfaces", interfaces)));
    rows.push(("injection bandwidth", injection));
    rows.extend(facts.faults.iter().flat_map(Faults::in_words).map(|line| ("faults", line)));
    match &facts.route_lengths {
        Some(lengths) => {
            let how = in_words(lengths.obtained);
            rows.push(("diameter", format!("{} links between routers, {how}", lengths.longest)));
            rows.push(("mean distance", format!("{:.4} links between routers, {how}", lengths.mean)));
        }
        None => {
            let pairs = facts.nodes as f64 * facts.nodes as f64;
            let what = format!("not looked at: {pairs:.1e} pairs of nodes take long; --full does it");
            rows.push(("diameter", what.clone()));
            rows.push(("mean distance", what));
        }
    }
    match &facts.bisection {
        Some(bisection) => {
            let at_most = if bisection.obtained == Obtained::Search { "at most " } else { "" };
            let capacity = capacity(bisection.cut.one_way());
            rows.push((
                "bisection bandwidth",
                format!("{at_most}{capacity} one way: {}", bisection.cut.name),
            ));
        }
        None if facts.nodes == 1 => rows.push(("bisection bandwidth", "none: there is only one node".into())),
        None => rows.push(("bisection bandwidth", "not searched: that takes long; --full does it".into())),
    }
    let mut text = table_of(rows);
    if facts.cuts.len() > MOST_CUTS {
        text += &format!("\n  {} cuts; --json lists up to {MOST_CUTS_AS_JSON}\n", facts.cuts.len());
    } else if !facts.cuts.is_empty() {
        text += &format!("\n{}", cuts_table(&facts.cuts));
    }
    text + &assumed(machine.assumed())
}

fn cuts_table(cuts: &[Cut]) -> String {
    let row = |cut: &Cut| {
        let [first, second] = cut.nodes;
        [cut.name.clone(), format!("{first} + {second}"), capacity(cut.forward), capacity(cut.backward)]
    };
    table(["cut", "nodes", "one way", "back"], cuts.iter().map(row))
}

/// A capacity may be zero where links lead one way only.
fn capacity(bytes_per_second: f64) -> String {
    Bandwidth::new(bytes_per_second).map_or_else(|| "nothing".to_owned(), |bandwidth| bandwidth.to_string())
}

fn in_words(obtained: Obtained) -> &'static str {
    match obtained {
        Obtained::Formula => "by formula",
        Obtained::AllPairs => "over all pairs",
        Obtained::Search => "by search",
    }
}

fn name(obtained: Obtained) -> &'static str {
    match obtained {
        Obtained::Formula => "formula",
        Obtained::AllPairs => "all-pairs",
        Obtained::Search => "search",
    }
}

fn to_json(machine: &MachineDescription, facts: &MachineFacts) -> Value {
    let cut = |cut: &Cut| {
        json!({
            "name": cut.name,
            "nodes": cut.nodes,
            "forward_bytes_per_s": cut.forward,
            "backward_bytes_per_s": cut.backward,
        })
    };
    let bisection = facts.bisection.as_ref().map(|bisection| {
        json!({
            "bytes_per_s": bisection.cut.one_way(),
            "obtained": name(bisection.obtained),
            "cut": cut(&bisection.cut),
        })
    });
    let lengths = facts.route_lengths.as_ref();
    let cuts = if facts.cuts.len() > MOST_CUTS_AS_JSON { &[] } else { facts.cuts.as_slice() };
    json!({
        "schema_version": 1,
        "title": machine.title,
        "kind": facts.kind,
        "in_words": facts.in_words,
        "nodes": facts.nodes,
        "routers": facts.routers,
        "router_kinds": facts.router_kinds.iter().map(|(name, count)| json!({ "name": name, "routers": count })).collect::<Vec<_>>(),
        "links": facts.links,
        "cables": facts.cables,
        "interfaces": facts.interfaces,
        "node_injection_min_bytes_per_s": facts.node_injection[0].bytes_per_second(),
        "node_injection_max_bytes_per_s": facts.node_injection[1].bytes_per_second(),
        "injection_min_bytes_per_s": facts.injection[0].bytes_per_second(),
        "injection_max_bytes_per_s": facts.injection[1].bytes_per_second(),
        "diameter": lengths.map(|lengths| lengths.longest),
        "mean_distance": lengths.map(|lengths| lengths.mean),
        "distances_obtained": lengths.map(|lengths| name(lengths.obtained)),
        "bisection": bisection,
        "faults": facts.faults,
        "assumed": machine.assumed(),
        "cuts_count": facts.cuts.len(),
        "cuts": cuts.iter().map(cut).collect::<Vec<_>>(),
    })
}
