//! Looking at machines: `weir topology`, `weir routes` and `weir bound`.

use crate::command::{Ended, compile_text, root, run, scratch, weir};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const TORUS: &str = "examples/torus.toml";
const TREE: &str = "examples/fat-tree.toml";
const TOFU: &str = "examples/tofu.toml";

/// A command in the folder of the project.
fn look(args: &[&str]) -> Ended {
    run(&mut weir(args))
}

/// The object it prints.
#[track_caller]
fn object(args: &[&str]) -> Value {
    look(args).expect(0).summary()
}

/// The 8 x 4 x 4 torus of paper 003: 128 nodes with 2 + 6 links each; 2 x 16 cables of 8 GB/s are the narrowest cut.
#[test]
fn topology_shows_the_numbers_of_a_machine() {
    let text = look(&["topology", TORUS]).expect(0).stdout;
    for line in [
        "machine              torus (torus, 8 x 4 x 4)",
        "links                1024, one-way",
        "diameter             8 links between routers, by formula",
        "bisection bandwidth  256 GB/s one way: between x = 3 and x = 4, and the wrap",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let torus = object(&["topology", TORUS, "--json"]);
    let expected = json!({
        "schema_version": 1, "title": "torus", "kind": "torus", "in_words": "torus, 8 x 4 x 4", "nodes": 128, "routers": 128,
        "links": 1024, "cables": 512, "injection_min_bytes_per_s": 8e9, "injection_max_bytes_per_s": 8e9,
        "diameter": 8, "mean_distance": 512.0 / 127.0, "distances_obtained": "formula",
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&torus[name], value, "{name}");
    }
    assert_eq!(torus["bisection"]["bytes_per_s"], 256e9);
    assert_eq!(torus["bisection"]["obtained"], "formula");
    assert_eq!((&torus["cuts_count"], torus["cuts"].as_array().unwrap().len()), (&json!(8), 8));
    assert_eq!(torus["cuts"][0]["nodes"], json!([64, 64]));
    // An experiment will do, its program need not be there; so will overrides.
    let ring = object(&["topology", "examples/ring.toml", "--json", "--set", "topology.shape=[1000,1000]"]);
    assert_eq!((&ring["title"], &ring["nodes"]), (&json!("ring on a torus"), &json!(1_000_000)));
    assert_eq!(object(&["topology", TREE, "--json"])["kind"], "fat-tree");
}

#[test]
fn a_large_graph_is_not_searched_unasked() {
    let folder = scratch();
    let machine = folder.path().join("star.toml");
    let mut edges = "source,target,source_kind,target_kind\n".to_owned();
    (0..5001).for_each(|i| edges += &format!("n{i},middle,node,router\n"));
    fs::write(folder.path().join("star.csv"), edges).unwrap();
    fs::write(&machine, "[topology]\nkind = 'graph'\nfile = 'star.csv'\nbandwidth = '1 GB/s'\n").unwrap();
    let machine = machine.to_str().unwrap();
    let text = look(&["topology", machine]).expect(0).stdout;
    assert!(
        text.contains("diameter             not looked at: 2.5e7 pairs of nodes take long; --full"),
        "{text}"
    );
    let short = object(&["topology", machine, "--json"]);
    assert_eq!((&short["diameter"], &short["distances_obtained"]), (&Value::Null, &Value::Null));
    assert_eq!(short["bisection"]["obtained"], "search");
    let full = object(&["topology", machine, "--json", "--full"]);
    assert_eq!((&full["diameter"], &full["distances_obtained"]), (&json!(0), &json!("all-pairs")));
}

/// A machine written into files, and read from them, is the same machine: a ring takes as long, along the same routes.
#[test]
fn a_written_machine_runs_like_the_machine() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| path(name).to_str().unwrap().to_owned();
    let workload = "[workload]\nkind = 'permutation'\npermutation = 'random'\nmessage_size = '20 kB'\n";
    let machine = fs::read_to_string(root().join(TREE)).unwrap();
    fs::write(path("original.toml"), format!("{machine}\n{workload}")).unwrap();
    let original = object(&["run", "--json", &text("original.toml")]);
    for ending in ["graphml", "json", "csv"] {
        let graph = format!("tree.{ending}");
        let ended =
            look(&["topology", TREE, "--out", &text(&graph), "--routes", &text("tree.routes")]).expect(0);
        assert_eq!(ended.stderr, format!("written: {}\nwritten: {}\n", text(&graph), text("tree.routes")));
        let again =
            format!("[topology]\nkind = 'graph'\nfile = '{graph}'\nroutes = 'tree.routes'\n{workload}");
        fs::write(path("again.toml"), again).unwrap();
        let again = object(&["run", "--json", &text("again.toml")]);
        for field in ["digest", "simulated_ps", "max_link_share", "links"] {
            assert_eq!(again[field], original[field], "{ending}: {field}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = scratch();
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    look(&["topology", TORUS, "--out", &out("x.xml")])
        .expect(2)
        .says(&[".graphml, .json (node-link) or .csv (edge list)"]);
    assert!(look(&["topology", TORUS, "--out", &out("no/x.csv")]).expect(1).stderr.contains("cannot write"));
    assert!(look(&["topology", TORUS, "--routes", &out("r.csv")]).expect(2).stderr.contains("--out"));
    let (machine, routes) = (out("x.csv"), out("r.csv"));
    let large =
        ["topology", TORUS, "--set", "topology.shape=[20000]", "--out", &machine, "--routes", &routes];
    assert!(look(&large).expect(2).stderr.contains("399980000 routes"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only x.csv is there, whole");
    look(&["topology", TORUS, "--set", "topology.shap=[2]", "--set", "node.nics=17"])
        .expect(2)
        .says(&["did you mean shape?", "node.nics"]);
}

/// Node 63 is (7,3,1): one hop along each dimension, over the wraps.
#[test]
fn routes_shows_a_route_link_by_link() {
    let text = look(&["routes", TORUS, "0", "63"]).expect(0).stdout;
    let expected = "  link  name                              bandwidth  latency
  0     node 0 -> router (0,0,0)          8 GB/s     100 ns
  384   router (0,0,0) -> router (7,0,0)  8 GB/s     100 ns
  647   router (7,0,0) -> router (7,3,0)  8 GB/s     100 ns
  799   router (7,3,0) -> router (7,3,1)  8 GB/s     100 ns
  191   router (7,3,1) -> node 63         8 GB/s     100 ns

  route              node 0 to node 63
  links              5, 3 of them between routers
  zero-load latency  500 ns
  narrowest link     8 GB/s
";
    assert_eq!(text, expected);
    for to in ["7,3,1", "(7,3,1)", "63"] {
        assert_eq!(look(&["routes", TORUS, "0,0,0", to]).expect(0).stdout, expected, "{to}");
    }
    let route = object(&["routes", TORUS, "0", "63", "--json"]);
    assert_eq!((&route["hops"], &route["narrowest_bytes_per_s"]), (&json!(3), &json!(8e9)));
    assert_eq!(route["to"], json!({ "node": 63, "name": "node 63" }));
    assert_eq!(route["links"][1]["name"], "router (0,0,0) -> router (7,0,0)");
    let same = look(&["routes", TORUS, "5", "5"]).expect(0).stdout;
    assert_eq!(same, "node 5 is where the route starts and ends: it passes no link\n");
}

/// Node (0,1,1,1,2,0) is 0 + 2 (1 + 2 (1 + 2 (1 + 2 (2 + 3 x 0)))) = 46: a hop along y, z and a, one over the wrap of b.
#[test]
fn a_tofu_has_six_coordinates() {
    let text = look(&["topology", TOFU]).expect(0).stdout;
    for line in [
        "machine              tofu (tofu, 2 x 2 x 2 groups of 2 x 3 x 2; rings: x, y, z, b)",
        "nodes                96",
        "links                1152, one-way",
        "diameter             6 links between routers, by formula",
        "between a = 0 and a = 1",
        "between b = 1 and b = 2, and the wrap",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(object(&["topology", TOFU, "--json"])["kind"], "tofu");
    let expected = "  link  name                                          bandwidth  latency
  0     node 0 -> router (0,0,0,0,0,0)                5 GB/s     0 ps
  384   router (0,0,0,0,0,0) -> router (0,1,0,0,0,0)  5 GB/s     100 ns
  578   router (0,1,0,0,0,0) -> router (0,1,1,0,0,0)  5 GB/s     100 ns
  774   router (0,1,1,0,0,0) -> router (0,1,1,1,0,0)  5 GB/s     100 ns
  974   router (0,1,1,1,0,0) -> router (0,1,1,1,2,0)  5 GB/s     100 ns
  142   router (0,1,1,1,2,0) -> node 46               5 GB/s     0 ps

  route              node 0 to node 46
  links              6, 4 of them between routers
  zero-load latency  400 ns
  narrowest link     5 GB/s
";
    for to in ["0,1,1,1,2,0", "(0,1,1,1,2,0)", "46"] {
        assert_eq!(look(&["routes", TOFU, "(0,0,0,0,0,0)", to]).expect(0).stdout, expected, "{to}");
    }
    let ended = look(&["routes", TOFU, "0", "0,0,0,2,0,0"]).expect(2);
    let hint = "hint: write a node from 0 to 95 or its coordinates from (0,0,0,0,0,0) to (1,1,1,1,2,1)";
    ended.says(&[hint]);
}

/// Two ranks at opposite corners of 96 nodes: one hop along each dimension, b over its wrap. Both send 1 MB at 5 GB/s at
/// once, 200 us, along different links, and 6 x 100 ns later it is there. Without the ring of b there are 7 hops.
#[test]
fn ranks_are_mapped_by_six_coordinates() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("corners.map"), "1 (1,1,1,1,2,1)\n0 (0,0,0,0,0,0)\n").unwrap();
    let machine = fs::read_to_string(root().join(TOFU)).unwrap();
    let text = format!(
        "{machine}\n[mapping]\nkind = 'file'\nfile = 'corners.map'\n\
         [workload]\nkind = 'ring'\nranks = 2\nmessage_size = '1 MB'\n"
    );
    fs::write(path("e.toml"), text).unwrap();
    let run = |more: &[&str]| object(&[&["run", "--json", &path("e.toml")], more].concat());
    let summary = run(&[]);
    assert_eq!(summary["simulated_ps"], 200_600_000);
    assert_eq!(summary["experiment"]["topology"]["kind"], "tofu");
    assert_eq!(summary["experiment"]["topology"]["shape"], json!([2, 2, 2, 2, 3, 2]));
    let open = run(&["--set", "topology.wrap=[true,true,true,false,false,false]"]);
    assert_eq!(open["simulated_ps"], 200_700_000);
    assert_eq!(run(&["--set", "engine.kind=ideal"])["outcome"], "finished");
}

/// The sharing rules and methods see a Tofu as they see any torus.
#[test]
fn every_method_of_the_flow_engine_runs_a_tofu() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let machine = fs::read_to_string(root().join(TOFU)).unwrap();
    let workload = "[workload]\nkind = 'random-ring'\nmessage_size = '20 kB'\n";
    fs::write(path("e.toml"), format!("{machine}\n[engine]\nsharing = 'single-pass'\n{workload}")).unwrap();
    let whole = object(&["run", "--json", &path("e.toml")]);
    let sweep = object(&["run", "--json", &path("e.toml"), "--set", "engine.method=sweep"]);
    assert_eq!(sweep["simulated_ps"], whole["simulated_ps"]);
    // As a graph with the same routes it is the same machine.
    look(&["topology", TOFU, "--out", &path("t.json"), "--routes", &path("t.routes")]).expect(0);
    let node = &machine[machine.find("[node]").unwrap()..];
    let graph = format!(
        "[topology]\nkind = 'graph'\nfile = 't.json'\nroutes = 't.routes'\n{node}\n[engine]\nsharing = 'single-pass'\n{workload}"
    );
    fs::write(path("graph.toml"), graph).unwrap();
    assert_eq!(object(&["run", "--json", &path("graph.toml")])["digest"], whole["digest"]);
    let bounds = object(&["bound", "--json", &path("e.toml")]);
    assert!(bounds["best_ps"].as_u64() <= whole["simulated_ps"].as_u64());
}

#[test]
fn routes_of_one_node_are_one_per_line() {
    let text = look(&["routes", TREE, "0"]).expect(0).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 127);
    assert_eq!(lines[0], "node 0 -> leaf 0 -> node 1");
    assert_eq!(lines[3], "node 0 -> leaf 0 -> middle 0 -> leaf 1 -> node 4");
    let objects = look(&["routes", TREE, "0", "--json"]).expect(0).stdout;
    assert_eq!(objects.lines().count(), 127);
    let first: Value = serde_json::from_str(objects.lines().next().unwrap()).unwrap();
    assert_eq!(first["hops"], 0);
}

#[test]
fn routes_of_a_graph_go_by_names() {
    let folder = scratch();
    let machine = folder.path().join("m.toml");
    fs::write(folder.path().join("m.csv"), "source,target\nalice,bob\nbob,carol\n").unwrap();
    fs::write(&machine, "[topology]\nkind = 'graph'\nfile = 'm.csv'\nbandwidth = '1 GB/s'\n").unwrap();
    let text = look(&["routes", machine.to_str().unwrap(), "alice"]).expect(0).stdout;
    let expected = "node alice -> router alice -> router bob -> node bob\n\
                    node alice -> router alice -> router bob -> router carol -> node carol\n";
    assert_eq!(text, expected);
    let ended = look(&["routes", machine.to_str().unwrap(), "dave", "eve"]).expect(2);
    assert!(
        ended.stderr.contains("there is no node \"dave\"")
            && ended.stderr.contains("there is no node \"eve\"")
    );
    ended.says(&["hint: write the name of a node in the graph"]);
}

#[test]
fn unknown_nodes_are_reported_with_the_form() {
    for node in ["128", "-1x", "8,0,0", "1,2"] {
        let ended = look(&["routes", TORUS, "0", "--", node]).expect(2);
        let hint = "hint: write a node from 0 to 127 or its coordinates from (0,0,0) to (7,3,3)";
        ended.says(&[hint]);
        assert_eq!(ended.stdout, "");
    }
}

fn square_torus(folder: &Path) -> String {
    let path = folder.join("e.toml");
    let text = "[topology]\nkind = 'torus'\nshape = [16, 16]\nbandwidth = '1 GB/s'\n[workload]\nkind = 'all-to-all'\n\
                message_size = '20 kB'\n";
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Paper 000, section 5.1, figure 4: from 2.5 ms for 100 nodes to 10.24 ms for 256.
#[test]
fn bound_prints_the_theoretical_minimum_of_paper_000() {
    let folder = scratch();
    let file = square_torus(folder.path());
    let text = look(&["bound", &file]).expect(0).stdout;
    for part in [
        "sent by one node      5.1 ms    5.1 MB    1 GB/s   node 0 -> router (0,0)",
        "across a cut          10.24 ms  327.7 MB  32 GB/s  between x = 7 and x = 8, and the wrap; first to second",
        "n^3/8 (the MFS paper, section 5.1): 10.24 ms",
        "with this mapping and whatever routes no run can be faster than 10.24 ms",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(
        text.ends_with("  with these routes and this mapping no run can be faster than 11.52 ms\n"),
        "{text}"
    );
    for (n, ps) in [
        (10, 2_500_000_000_u64),
        (11, 3_327_500_000),
        (12, 4_320_000_000),
        (13, 5_492_500_000),
        (14, 6_860_000_000),
        (15, 8_437_500_000),
        (16, 10_240_000_000),
    ] {
        let bounds = object(&["bound", &file, "--json", "--set", &format!("topology.shape=[{n},{n}]")]);
        assert_eq!(bounds["closed_forms"][0]["time_ps"], ps, "n = {n}");
        assert_eq!(bounds["closed_forms"][0]["formula"], "n^3/8");
        if n % 2 == 0 {
            assert_eq!(bounds["best_any_routes_ps"], ps, "n = {n}");
        }
    }
}

#[test]
fn bound_as_one_object() {
    let folder = scratch();
    let file = square_torus(folder.path());
    let bounds = object(&["bound", &file, "--json"]);
    let kinds: Vec<&str> =
        bounds["bounds"].as_array().unwrap().iter().filter_map(|bound| bound["kind"].as_str()).collect();
    assert_eq!(kinds, ["injection", "ejection", "cut", "link", "message"]);
    let cut = json!({
        "kind": "cut", "time_s": 0.01024, "time_ps": 10_240_000_000_u64, "bytes": 327_680_000,
        "capacity_bytes_per_s": 32e9, "latency_s": 0.0,
        "at": "between x = 7 and x = 8, and the wrap; first to second side", "any_routes": true,
    });
    assert_eq!(bounds["bounds"][2], cut);
    assert_eq!((&bounds["best"], &bounds["best_ps"]), (&json!("link"), &json!(11_520_000_000_u64)));
    assert_eq!((&bounds["messages"], &bounds["counted_messages"]), (&json!(65280), &json!(65280)));
    let run = object(&["run", "--json", &file]);
    assert!(run["simulated_ps"].as_u64() >= bounds["best_ps"].as_u64());
}

#[test]
fn why_there_are_no_bounds_is_reported() {
    let folder = scratch();
    let program = compile_text("int main(void) { return 0; }", "nothing", folder.path());
    let path = folder.path().join("p.toml");
    let machine = "[topology]\nkind = 'torus'\nshape = [2]\nbandwidth = '1 GB/s'\n";
    let text =
        format!("{machine}[workload]\nkind = 'program'\nranks = 2\nprogram = '{}'\n", program.display());
    fs::write(&path, text).unwrap();
    let ended = look(&["bound", path.to_str().unwrap()]).expect(2);
    let order =
        "the ranks of this workload (a program, a profile or a collective) send one message after another";
    ended.says(&[order]);
    let ideal = "[engine]\nkind = 'ideal'\n[workload]\nkind = 'ring'\nranks = 2\nmessage_size = '1 kB'\n";
    fs::write(&path, ideal).unwrap();
    look(&["bound", path.to_str().unwrap()]).expect(2).says(&["there is no [topology]"]);
    assert!(look(&["bound", TORUS]).expect(2).stderr.contains("workload"));
}
