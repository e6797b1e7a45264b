//! Files of machines without a workload.

use crate::{Folder, TORUS};
use weir_analysis::{Extent, MachineRoute, facts};
use weir_experiment::{MachineDescription, Problems, Source};
use weir_topology::Obtained;
use weir_units::{Duration, NodeId};

fn load(files: &[(&str, &str)], overrides: &[&str]) -> Result<MachineDescription, Problems> {
    let folder = Folder::with(files);
    let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
    MachineDescription::load(&Source { overrides, ..folder.source(files[0].0) })
}

const MACHINE: &str =
    "[topology]\nkind = 'torus'\nshape = [4, 2]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n";

#[test]
fn a_machine_file_an_experiment_and_an_experiment_with_a_machine() {
    let check = |files: &[(&str, &str)], title: &str, nodes: usize| {
        let machine = load(files, &[]).unwrap();
        assert_eq!((machine.title.as_str(), machine.topology().nodes()), (title, nodes));
    };
    check(&[("small.toml", MACHINE)], "small", 8);
    check(&[("e.toml", TORUS)], "e", 16);
    let names =
        "title = 'named'\nmachine = 'm.toml'\n[workload]\nkind = 'program'\nprogram = 'is not there'\n";
    check(&[("e.toml", names), ("m.toml", MACHINE)], "named", 8);
    let set = load(&[("m.toml", MACHINE)], &["topology.shape=[3]", "node.dma_bandwidth=1 MB/s"]).unwrap();
    assert_eq!(facts(&set, Extent::Short).injection[1].bytes_per_second(), 1e6);
}

#[test]
fn a_written_machine_is_the_same_machine() {
    let folder = Folder::with(&[("m.toml", MACHINE)]);
    let machine = MachineDescription::load(&folder.source("m.toml")).unwrap();
    let routes = folder.path().join("r.csv");
    machine.write_routes(&routes).unwrap();
    for name in ["m.graphml", "m.json", "m.csv"] {
        machine.write_graph(&folder.path().join(name)).unwrap();
        let text = format!("[topology]\nkind = 'graph'\nfile = '{name}'\nroutes = 'r.csv'\n");
        std::fs::write(folder.path().join("g.toml"), text).unwrap();
        let again = MachineDescription::load(&folder.source("g.toml")).unwrap();
        let (a, b) = (facts(&machine, Extent::Short), facts(&again, Extent::Short));
        assert_eq!((a.nodes, a.routers, a.links, a.injection), (b.nodes, b.routers, b.links, b.injection));
        let (a, b) = (a.route_lengths.unwrap(), b.route_lengths.unwrap());
        assert_eq!((a.longest, b.obtained), (b.longest, Obtained::AllPairs));
        assert!((a.mean - b.mean).abs() < 1e-12);
    }
    // Machine, routes, graph and three files of it; nothing beside them.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6);
}

/// Node 7 is (3,1): one hop back along x over the wrap, one along y. Three and one steps in the positive ways are four, an even number: so
/// of both cables along y it is the other one.
#[test]
fn a_route_link_by_link() {
    let machine = load(&[("m.toml", MACHINE)], &["topology.bandwidth=['1 GB/s', '250 MB/s']"]).unwrap();
    let route = MachineRoute::of(&machine.topology(), NodeId(0), NodeId(7)).unwrap();
    let names: Vec<&str> = route.links.iter().map(|link| &*link.name).collect();
    let expected = [
        "node 0 -> router (0,0)",
        "router (0,0) -> router (3,0)",
        "router (3,0) -> router (3,1) (wrap)",
        "router (3,1) -> node 7",
    ];
    assert_eq!(names, expected);
    assert_eq!((route.hops(), route.zero_load_latency()), (2, Duration::from_ns(400)));
    assert_eq!(route.narrowest().unwrap().bytes_per_second(), 250e6);
    let none = MachineRoute::of(&machine.topology(), NodeId(3), NodeId(3)).unwrap();
    assert_eq!((none.hops(), none.zero_load_latency(), none.narrowest()), (0, Duration::ZERO, None));
}
