//! Runs on networks from files.

use crate::common::graph::*;
use crate::{Folder, check_problems};
use weir_experiment::write_routes;
use weir_record::Summary;
use weir_run::run;

/// A ring of five routers, each with a node, with chords: vertices listed, cables in this order.
fn listed(cables: &[(usize, usize)]) -> String {
    let vertex = |v: usize| format!("{{\"id\": \"v{v}\"}}");
    let cable = |&(a, b): &(usize, usize)| {
        format!("{{\"source\": \"v{a}\", \"target\": \"v{b}\", \"bandwidth\": 1e9, \"latency\": 1e-7}}")
    };
    let vertices: Vec<_> = (0..9).map(vertex).collect();
    let links: Vec<_> = cables.iter().map(cable).collect();
    format!(
        "{{\"directed\": false, \"multigraph\": false, \"graph\": {{}}, \"nodes\": [{}], \"links\": [{}]}}",
        vertices.join(","),
        links.join(",")
    )
}

fn run_packets(files: &[(&str, &str)], keys: &str, packet: &str) -> Summary {
    let experiment = format!(
        "[topology]\nkind = 'graph'\nfile = 'm.json'\n{keys}\n[engine]\nkind = 'packet'\n[packet]\n{packet}\n\
         [workload]\nkind = 'synthetic'\noffered_load = 0.9\nduration = '100 us'\n"
    );
    let folder = Folder::with(&[&[("experiment.toml", experiment.as_str())], files].concat());
    let scenario = folder.load("experiment.toml");
    run(&scenario.unwrap(), &mut |_| {}).unwrap().summary
}

/// In which order a file has its cables does not count, whatever decides on the classes.
#[test]
fn shuffled_cables() {
    let mut cables: Vec<_> =
        (0..9).map(|v| (v, (v + 1) % 9)).chain([(0, 4), (2, 6), (3, 8), (1, 5)]).collect();
    for (packet, rule) in [
        ("virtual_channels = 4", "links passed"),
        ("virtual_channels = 3\nclasses = 'fewest'", "fewest, by search"),
    ] {
        let before = run_packets(&[("m.json", &listed(&cables))], "", packet);
        assert_eq!(before.counts.packet().unwrap().class_rule, rule);
        for step in 1..6 {
            cables.rotate_left(step);
            cables.swap(0, 7);
            let shuffled: Vec<_> =
                cables.iter().map(|&(a, b)| if (a + b) % 2 == step % 2 { (b, a) } else { (a, b) }).collect();
            let after = run_packets(&[("m.json", &listed(&shuffled))], "", packet);
            assert_eq!(before.digest, after.digest, "{packet}: {shuffled:?}");
        }
    }
}

/// Classes in a routes file: taken as they are, written again, and refused where packets could wait in a circle.
#[test]
fn classes_in_a_routes_file() {
    let ring = listed(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 0)]);
    // All the same way round, in class 1 from the link on that closes the ring.
    let routes = |marker: &str| {
        let mut text = String::from("source,destination,via\n");
        for (from, to) in (0..9).flat_map(|from| (0..9).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            let mut fields = vec![format!("v{from}"), format!("v{to}"), format!("v{from}")];
            let mut here = from;
            while here != to {
                if here == 8 {
                    fields.push(marker.to_owned());
                }
                here = (here + 1) % 9;
                fields.push(format!("v{here}"));
            }
            text += &(fields.join(",") + "\n");
        }
        text
    };
    let with = |routes: &str| {
        run_packets(&[("m.json", &ring), ("m.routes", routes)], "routes = 'm.routes'", "virtual_channels = 2")
    };
    let right = with(&routes("@1"));
    let packet = right.counts.packet().unwrap();
    assert_eq!((packet.classes, packet.class_rule), (2, "routes file"));
    let load = |routes: &str| {
        let keys = "file = 'm.json'\nroutes = 'm.routes'\n[engine]\nkind = 'packet'\n[node]\nnics = 1";
        load_graph(&[("m.json", &ring), ("m.routes", routes)], keys)
    };
    let mut written = Vec::new();
    write_routes(&load(&routes("@1")).unwrap().topology().unwrap(), &mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    assert!(written.contains("v8,@0,v8") || written.contains("@1"), "{written}");
    check_problems(load(&routes("@0")), "topology.routes: wait for each other in a circle");
    check_problems(load(&routes("@x")), &vec!["topology.routes: is not a class such as @1"; 36].join(" && "));
}
