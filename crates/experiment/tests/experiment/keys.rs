//! Every key of the experiment file is understood, and on the reference page.

use crate::{Folder, TORUS, again, load, load_with};
use serde_json::Value;
use std::path::Path;
use weir_experiment::keys::pages;
use weir_experiment::{
    Buffer, EngineSection, FlowEngine, IdealEngine, Mapping, PacketGap, Scenario, TopologySection, Units,
    Workload,
};
use weir_network::{Copying, Limits};
use weir_packet::{Arbiter, Nics};
use weir_topology::{FatTreeRouting, Generator, Switches, Tie, Topology, Wrap};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, Rank, Time};

fn gb(gb_per_second: f64) -> Bandwidth {
    Bandwidth::new(gb_per_second * 1e9).unwrap()
}

#[test]
fn everything_said_on_a_torus() {
    let text = include_str!("all_keys.toml");
    let folder = Folder::with(&[("e.toml", text)]);
    let s = folder.load("e.toml").unwrap();
    assert_eq!((s.title.as_str(), s.seed, s.units, s.nodes()), ("all keys", 7, Units::Written, 24));
    let Some(TopologySection::Grid { dimensions, tie, .. }) = &s.topology else { panic!() };
    let shown: Vec<_> = dimensions.iter().map(|d| (d.size, d.wrap, d.bandwidth, d.latency)).collect();
    let expected = [
        (4, Wrap::Torus, gb(1.0), Duration::from_ns(100)),
        (3, Wrap::Torus, gb(2.0), Duration::from_ns(200)),
        (2, Wrap::Mesh, gb(4.0), Duration::from_ns(300)),
    ];
    assert_eq!((shown.as_slice(), *tie), (&expected[..], Tie::Parity));
    assert_eq!(s.mapping.ranks_per_node, 2);
    assert_eq!(s.mapping.kind, Mapping::Random { seed: 5, generator: Generator::SplitMix });
    let EngineSection::Flow(FlowEngine { sharing, resolution, .. }) = s.engine else { panic!() };
    assert_eq!(sharing, weir_flow::Sharing::Iterative { threshold: 0.02 });
    assert_eq!(resolution, Duration::from_ns(1));
    let workload = r#"{"kind":"random-ring","ranks":40,"generator":"lcg","message_size":"20 kB","messages":3,"synchronised":true,"size_spread":0.25,"seed":9}"#;
    assert_eq!((s.workload.ranks, s.resolved()["workload"].to_string().as_str()), (40, workload));
    // Injection is not faster than the interface (8 GB/s) nor than it reaches the memory (3 GB/s).
    let injection = s.topology().unwrap().link(LinkId(0));
    assert_eq!((injection.capacity, injection.latency), (gb(3.0), Duration::from_ns(50)));
    let packet = s.packet.as_ref().unwrap();
    assert_eq!(packet.input_buffer, Some(Buffer::Packets(8)));
    assert_eq!(packet.output_buffer, Buffer::Bytes(Bytes(4096)));
    // What is written holds, table by table.
    let (written, resolved) = (text.parse::<toml::Table>().unwrap(), s.resolved());
    for table in ["node", "packet", "collectives", "storage", "limits"] {
        for (key, value) in written[table].as_table().unwrap() {
            let value = value
                .as_float()
                .map_or(serde_json::to_value(value).unwrap(), |number| (number as i64).into());
            assert_eq!(resolved[table][key], value, "{table}.{key}");
        }
    }
    assert_eq!((s.node.nics, s.node.packet_gap), (Nics::Several(1), PacketGap::Fixed(0.0)));
    assert_eq!(s.collectives.algorithms[1], ("bcast", "flat"));
    assert_eq!(s.collectives.algorithms[8], ("scan", "linear"));
    assert_eq!(s.collectives.algorithms[9], ("reduce_scatter", "pairwise"));
    let limits = s.limits.limits();
    assert_eq!(limits.simulated, Time::from_ps(1_000_000_000_000));
    assert_eq!(limits.wall, std::time::Duration::from_secs(10));
    assert_eq!(s.output.dir, folder.file("results"), "paths are relative to the file that names them");
    assert_eq!(again(&s), s);
}

#[test]
fn defaults() {
    let folder = Folder::with(&[("torus.toml", TORUS)]);
    let s = folder.load("torus.toml").unwrap();
    assert_eq!((s.title.as_str(), s.seed), ("torus", 1));
    let Some(TopologySection::Grid { dimensions, tie: Tie::Spread, .. }) = &s.topology else { panic!() };
    assert!(dimensions.iter().all(|d| d.wrap == Wrap::Torus && d.latency == Duration::ZERO));
    assert_eq!((s.mapping.ranks_per_node, &s.mapping.kind), (1, &Mapping::Linear));
    let flow = EngineSection::Flow(FlowEngine {
        sharing: weir_flow::Sharing::MaxMin,
        resolution: Duration::ZERO,
        method: weir_experiment::Method::Auto,
        threads: 1,
    });
    assert_eq!(s.engine, flow);
    let workload = r#"{"kind":"all-to-all","ranks":16,"algorithm":"simple-spread","message_size":"20 kB","messages":1,"synchronised":false}"#;
    assert_eq!(s.workload.kind, Workload::Pattern);
    assert_eq!(s.resolved()["workload"].to_string().as_str(), workload);
    assert_eq!((s.node.nic_bandwidth, s.node.dma_bandwidth), (Some(gb(1.0)), None));
    assert_eq!((s.node.mpi_overhead, s.node.eager_limit), (Duration::ZERO, Bytes(16_384)));
    assert_eq!(s.node.eager_messages, 16_384);
    assert_eq!((&s.packet, &s.storage, &s.output.dir), (&None, &None, &None));
    assert!(s.collectives.algorithms.iter().all(|&(_, algorithm)| algorithm == "auto"));
    assert_eq!(s.limits.limits().simulated, Limits::default().simulated);
}

#[test]
fn seeds_default_to_the_seed_of_the_experiment() {
    let text = format!("seed = 42\n{TORUS}\n[mapping]\nkind = 'random'").replace("all-to-all", "random-ring");
    let s = load(&text).unwrap();
    assert_eq!(s.mapping.kind, Mapping::Random { seed: 42, generator: Generator::Lcg });
    let workload = &s.resolved()["workload"];
    assert_eq!((&workload["seed"], &workload["messages"]), (&42.into(), &10.into()));
}

#[test]
fn fat_tree() {
    let text = r#"
[topology]
kind = "fat-tree"
radix = 8
stages = 3
taper = 1.0
bandwidth = ["4 GB/s", "8 GB/s"]
latency = "200 ns"
routing = "source-mod"
[workload]
kind = "ring"
message_size = "1 B"
[mapping]
ranks_per_node = 4
"#;
    let s = load(text).unwrap();
    let Some(TopologySection::FatTree { ref stages, ref cables, routing: FatTreeRouting::SourceMod, .. }) =
        s.topology
    else {
        panic!()
    };
    assert_eq!(*stages, Switches::full(8, 3).unwrap());
    assert_eq!((cables[0].bandwidth, cables[1].bandwidth), (gb(4.0), gb(8.0)));
    assert_eq!((s.nodes(), s.workload.ranks), (128, 512));
    assert_eq!((s.node.nic_bandwidth, s.node.link_latency), (Some(gb(8.0)), Some(Duration::from_ns(200))));
    assert_eq!(s.placement().node(Rank(7)).0, 1);
}

/// A mesh whose z wraps is the same as a torus whose x and y do not.
#[test]
fn torus_and_mesh_mix() {
    let mixed = |kind: &str| {
        let wrap = "shape = [2, 2, 4]\nwrap = [false, false, true]";
        load(&TORUS.replace("shape = [4, 4]", wrap).replace("\"torus\"", kind)).unwrap().topology.clone()
    };
    assert_eq!(mixed("'mesh'"), mixed("'torus'"));
    let mesh = load(&TORUS.replace("\"torus\"", "'mesh'")).unwrap();
    assert_eq!(mesh.topology().unwrap().links(), 16 * 2 + 48);
}

#[test]
fn the_ideal_engine_needs_no_topology() {
    let text = r#"
[engine]
kind = "ideal"
latency = "1 us"
message_gap = "100 ns"
bandwidth = "1 GB/s"
[workload]
kind = "ring"
ranks = 10
message_size = "1 kB"
[mapping]
ranks_per_node = 4
"#;
    let s = load(text).unwrap();
    assert_eq!((s.nodes(), s.topology().is_none()), (3, true));
    let ideal = EngineSection::Ideal(IdealEngine {
        latency: Duration::from_ns(1000),
        message_gap: Duration::from_ns(100),
        bandwidth: Some(gb(1.0)),
    });
    assert_eq!(s.engine, ideal);
    let expected = "workload.ranks: without a [topology]";
    crate::check_problems(load(&text.replace("ranks = 10", "")), expected);
}

/// The values of paper 003, tables 3 and 2.
#[test]
fn presets_fill_in_what_is_not_said() {
    let text = |preset: &str, own: &str| {
        format!(
            "[topology]\nkind = 'torus'\nshape = [2, 2, 2]\n{own}\n[packet]\npreset = '{preset}'\narbiter = 'oldest-first'\n\
             [workload]\nkind = 'ring'\nmessage_size = '1 kB'\n"
        )
    };
    let torus = load(&text("nsim-torus", "")).unwrap();
    let packet = torus.packet.clone().unwrap();
    let first = |s: &Scenario| match s.topology.as_ref().unwrap() {
        TopologySection::Grid { dimensions, .. } => (dimensions[0].bandwidth, dimensions[0].latency),
        _ => panic!(),
    };
    assert_eq!(first(&torus), (gb(8.0), Duration::from_ns(100)));
    assert_eq!(packet.mtu, Bytes(256));
    assert_eq!(packet.arbiter, Arbiter::OldestFirst);
    assert_eq!(packet.preset, Some("nsim-torus"));
    assert_eq!(packet.switch_bandwidth, Some(vec![gb(8.0)]));
    let node = &torus.node;
    assert_eq!(node.nic_bandwidth, Some(gb(8.0)));
    assert_eq!(node.dma_bandwidth, Some(gb(10.0)));
    assert_eq!(node.memory_bandwidth, Some(gb(10.0)));
    assert_eq!(node.mpi_overhead, Duration::from_ns(200));
    let infiniband = load(&text("nsim-infiniband", "latency = '1 ns'")).unwrap();
    assert_eq!(first(&infiniband), (gb(4.0), Duration::from_ns(1)));
    let packet = infiniband.packet.as_ref().unwrap();
    assert_eq!((packet.mtu, &packet.switch_bandwidth), (Bytes(2048), &Some(vec![gb(4.0)])));
    assert_eq!(infiniband.node.nic_bandwidth, Some(gb(2.0)));
}

#[test]
fn the_unitless_form() {
    let text =
        TORUS.replace("\"1 GB/s\"", "1").replace("\"20 kB\"", "20") + "\n[limits]\nwall_time = '60 s'\n";
    let s = load(&text).unwrap();
    assert_eq!(s.units, Units::Unitless);
    assert_eq!(s.resolved()["workload"]["message_size"], 20);
    assert!(matches!(s.topology().as_deref(), Some(Topology::Torus(_))));
}

/// Each key has a schema that says of which type it is; what is written of it is there, and not empty, in the resolved experiment.
#[test]
fn every_key_has_a_schema_and_what_is_said_is_kept() {
    fn check(name: &str, schema: &Value) {
        let says = ["type", "enum", "const", "anyOf", "oneOf"].iter().any(|word| !schema[word].is_null());
        assert!(says, "{name}: {schema}");
        for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
            check(&format!("{name}.{key}"), inner);
        }
        let inner = [&schema["items"], &schema["additionalProperties"]];
        inner
            .into_iter()
            .filter(|inner| inner.is_object())
            .for_each(|inner| check(&format!("{name}[]"), inner));
    }
    let schema = pages::schema();
    check("", &schema);
    let calibrated = "[calibrated]\n\"node.send_overhead\" = [\"900 ns\", \"1.5 us\"]\n";
    let text = format!("{}\n{calibrated}", include_str!("all_keys.toml"));
    let resolved = Folder::with(&[("e.toml", &text)]).load("e.toml").unwrap().resolved();
    assert_eq!(resolved["calibrated"]["node.send_overhead"], serde_json::json!(["900 ns", "1.5 us"]));
    for (table, inner) in schema["properties"].as_object().unwrap() {
        let keys = inner["properties"].as_object().into_iter().flatten().map(|(key, _)| key);
        let section = text.split(&format!("\n[{table}]\n")).nth(1).and_then(|text| text.split("\n[").next());
        let said = |key: &&String| section.is_some_and(|text| text.contains(&format!("\n{key} = ")));
        for key in keys.filter(said) {
            let value = &resolved[table][key];
            assert!(!value.is_null() && *value != "", "{table}.{key} is lost: {}", resolved[table]);
        }
    }
}

/// An engine keeps a list of cycles where it goes on by steps of its own; messages within a node wait for each other where that is limited.
#[test]
fn what_engines_and_nodes_can_do() {
    let quotient = ["engine.method=quotient", "workload.algorithm=simple-spread-2d"];
    for (sets, lists, in_turn) in [
        (&["engine.kind=ideal"][..], false, false),
        (&["engine.kind=packet"], false, false),
        (&[], true, false),
        (&["engine.method=incremental", "node.local_bandwidth=1 GB/s"], true, true),
        (&["node.memory_limit=1 GB/s"], true, true),
        (&quotient, false, false),
    ] {
        let scenario = load_with(TORUS, sets).unwrap();
        let copying = scenario.node.within(None).copying;
        assert_eq!(
            (scenario.engine.lists_cycles(), copying == Copying::InTurn),
            (lists, in_turn),
            "{sets:?}"
        );
    }
    assert_eq!(pages::schema()["properties"]["calibrated"]["additionalProperties"]["minItems"], 2);
}

const BEGIN: &str = "<!-- keys: ";
const END: &str = "<!-- end of keys -->\n";

/// The page with its tables made anew.
fn made_anew(page: &str) -> (String, Vec<&str>) {
    let mut parts = page.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut tables = Vec::new();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").expect("a comment ends on its line");
        let (_, behind) = rest.split_once(END).expect("the table has an end");
        let table = name.trim_start_matches("of experiments");
        let rows = pages::reference(table).unwrap_or_else(|| panic!("there is no table {table}"));
        text += &format!("{BEGIN}{name} -->\n{rows}{END}{behind}");
        tables.push(table);
    }
    (text, tables)
}

/// `WEIR_WRITE_PAGES=1` writes the page.
#[test]
fn the_reference_page_is_made_of_the_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/experiment-file.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (anew, tables) = made_anew(&page);
    if std::env::var_os("WEIR_WRITE_PAGES").is_some() {
        std::fs::write(&path, &anew).unwrap();
    } else {
        assert!(
            anew == page,
            "WEIR_WRITE_PAGES=1 cargo test -p weir-experiment --test experiment keys:: writes it"
        );
    }
    for key in pages::keys() {
        let table = key.rsplit_once('.').map_or("", |(table, _)| table);
        assert!(tables.contains(&table), "{key} is on no page");
    }
}
