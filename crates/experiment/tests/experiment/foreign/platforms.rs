//! Platforms of SimGrid.

use super::{links, node, read, read_machine, refused, routes};
use weir_topology::Topology;

pub(super) const TWO_CLUSTERS: &str = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <!-- ours -->
  <zone id="world" routing="Full">
    <cluster id="one" prefix="a-" suffix="" radical="0-2,5" speed="1Gf" bw="125MBps" lat="50us" bb_bw="2GBps" bb_lat="1us"/>
    <cluster id="two" prefix="b-" suffix="" radical="0-1" speed="1Gf" bw="1Gbps" lat="10us" router_id="gate"/>
    <link id="far" bandwidth="10Gbps" latency="1ms"/>
    <zoneRoute src="one" dst="two" gw_src="a-one_router" gw_dst="gate">
      <link_ctn id="far"/>
    </zoneRoute>
  </zone>
</platform>
"#;

pub(super) const ROUTED: &str = r#"<platform version="4.1">
<zone id="all" routing="Floyd">
  <host id="x" speed="1Gf"/>
  <host id="y" speed="1Gf"/>
  <router id="r"/>
  <link id="l1" bandwidth="1GBps" latency="1us"/>
  <link id="l2" bandwidth="2GBps" latency="2us" sharing_policy="SPLITDUPLEX"/>
  <route src="x" dst="r"><link_ctn id="l1"/></route>
  <route src="r" dst="y"><link_ctn id="l2"/></route>
</zone>
</platform>
"#;

/// Bandwidths in MB/s and latencies in us of what SimGrid has on a route: links that only join these take no time and are no narrower than their neighbors.
fn passes(machine: &Topology, from: &str, to: &str) -> Vec<(f64, f64)> {
    let links = links(machine, node(machine, from), node(machine, to));
    links.iter().filter(|link| link.1 > 0).map(|&(rate, ps)| (rate / 1e6, ps as f64 / 1e6)).collect()
}

#[test]
fn clusters_have_their_links_and_their_backbone() {
    let machine = read_machine("simgrid", TWO_CLUSTERS);
    assert_eq!(machine.nodes(), 6);
    assert_eq!(passes(&machine, "a-0", "a-5"), [(125.0, 50.0), (2000.0, 1.0), (125.0, 50.0)]);
    assert_eq!(passes(&machine, "b-0", "b-1"), [(125.0, 10.0), (125.0, 10.0)]);
    let there = [(125.0, 50.0), (2000.0, 1.0), (1250.0, 1000.0), (125.0, 10.0)];
    assert_eq!(passes(&machine, "a-2", "b-1"), there);
    assert_eq!(passes(&machine, "b-1", "a-2"), there.iter().rev().copied().collect::<Vec<_>>());
    // A backbone is shared by all ways, also there and back.
    let (_, numbers) = routes(&machine);
    let shared = |a: &[usize], b: &[usize]| a.iter().any(|link| b.contains(link));
    assert!(shared(&numbers[0], &numbers[5]), "a-0 to a-1, and a-1 to a-0");
}

#[test]
fn directions_of_a_link_are_apart_only_where_the_file_says_it() {
    let machine = read_machine("simgrid", ROUTED);
    assert_eq!(passes(&machine, "x", "y"), [(1000.0, 1.0), (2000.0, 2.0)]);
    assert_eq!(passes(&machine, "y", "x"), [(2000.0, 2.0), (1000.0, 1.0)]);
    let narrow = |from: &str, to: &str, ps: u64| {
        let mut route = Vec::new();
        assert!(machine.find_route(node(&machine, from), node(&machine, to), &mut route));
        route.into_iter().find(|&link| machine.link(link).latency.as_ps() == ps).unwrap()
    };
    assert_eq!(narrow("x", "y", 1_000_000), narrow("y", "x", 1_000_000));
    assert_ne!(narrow("x", "y", 2_000_000), narrow("y", "x", 2_000_000));
}

fn cluster(attributes: &str, hosts: u32) -> Topology {
    let last = hosts - 1;
    read_machine(
        "simgrid",
        &format!(
            "<platform version=\"4\"><zone id=\"w\" routing=\"Full\"><cluster id=\"c\" prefix=\"\" suffix=\"\" radical=\"0-{last}\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" {attributes}/></zone></platform>"
        ),
    )
}

/// Numbers of links by the distances of places on the torus, counted here; of a tree by the lowest common switch.
#[test]
fn clusters_with_a_topology_have_its_distances() {
    let torus = cluster("topology=\"TORUS\" topo_parameters=\"5,4,3\"", 60);
    for from in 0..60_i32 {
        for to in (0..60).filter(|&to| to != from) {
            let around = |stride: i32, size: i32| {
                let apart = (from / stride % size - to / stride % size).abs();
                apart.min(size - apart)
            };
            let distance = around(1, 5) + around(5, 4) + around(20, 3);
            assert_eq!(passes(&torus, &from.to_string(), &to.to_string()).len(), distance as usize);
        }
    }
    let tree = cluster("topology=\"FAT_TREE\" topo_parameters=\"3;4,4,2;1,2,2;1,2,1\"", 32);
    for from in 0..32 {
        for to in (0..32).filter(|&to| to != from) {
            let up = if from / 4 == to / 4 {
                1
            } else if from / 16 == to / 16 {
                2
            } else {
                3
            };
            assert_eq!(passes(&tree, &from.to_string(), &to.to_string()).len(), 2 * up, "{from} {to}");
        }
    }
    let dragonfly = cluster("topology=\"DRAGONFLY\" topo_parameters=\"3,4;4,3;5,1;2\"", 120);
    assert_eq!(passes(&dragonfly, "0", "1"), [(1000.0, 1.0); 2]);
    let far = passes(&dragonfly, "0", "119");
    assert_eq!(
        far.iter().map(|link| link.0).collect::<Vec<_>>(),
        [1000.0, 1000.0, 4000.0, 1000.0, 3000.0, 1000.0]
    );
}

/// Hosts of one flat cluster are not counted in pairs: a hundred thousand are one router and their cables.
#[test]
fn a_flat_cluster_may_be_large() {
    let machine = cluster("", 100_000);
    assert_eq!((machine.nodes(), machine.routers(), machine.links()), (100_000, 1, 200_000));
    let with_backbone = cluster("bb_bw=\"2GBps\" bb_lat=\"1us\"", 3000);
    assert_eq!(passes(&with_backbone, "7", "2999").len(), 3);
}

#[test]
fn what_cannot_be_said_is_named_with_its_line_or_left_out_and_counted() {
    let fat = TWO_CLUSTERS.replace("latency=\"1ms\"", "latency=\"1ms\" sharing_policy=\"FATPIPE\"");
    refused("simgrid", &fat, Some(8), "FATPIPE");
    let skipped = read("simgrid", &fat, true).unwrap().skipped;
    assert_eq!(skipped.iter().map(|one| (one.count, one.line)).collect::<Vec<_>>(), [(1, 8)]);
    refused("simgrid", &ROUTED.replace("Floyd", "Vivaldi"), Some(2), "Vivaldi");
    refused("simgrid", &ROUTED.replace("Floyd", "Fluid"), Some(2), "expected Full");
    refused("simgrid", &ROUTED.replace("1GBps", "1 GB/s"), Some(6), "bandwidth with its unit");
    refused(
        "simgrid",
        &ROUTED.replace("id=\"l1\" bandwidth", "id=\"l0\" bandwidth"),
        Some(8),
        "no such link",
    );
    refused("simgrid", &ROUTED.replace("4.1", "3"), Some(1), "version");
    refused("simgrid", &ROUTED.replace("<router id=\"r\"/>", "<wall id=\"r\"/>"), Some(5), "unknown element");
    refused("simgrid", &ROUTED.replace("</zone>\n</platform>\n", ""), Some(10), "cut off");
    refused("simgrid", &ROUTED.replace("dst=\"y\"", "dst=\"x\""), Some(3), "no route");
    refused(
        "simgrid",
        &ROUTED.replace("speed=\"1Gf\"/>\n  <host id=\"y\"", "speed=\"1Gf\"/>\n  <host id=\"x\""),
        Some(4),
        "twice",
    );
    let stray = TWO_CLUSTERS.replace("gw_src=\"a-one_router\"", "gw_src=\"b-0\"");
    refused("simgrid", &stray, Some(9), "a gateway is in the zone");
    let wide = "<platform version=\"4\"><cluster id=\"c\" prefix=\"\" suffix=\"\" radical=\"0-15\" speed=\"1Gf\" bw=\"1GBps\" lat=\"0\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,1000000000;1,1\"/></platform>";
    refused("simgrid", wide, Some(1), "cables, more than");
    let torus = "<platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"\" suffix=\"\" radical=\"0-9\" speed=\"1Gf\" bw=\"1GBps\" lat=\"0\" topology=\"TORUS\" topo_parameters=\"3,3\"/></platform>";
    refused("simgrid", torus, Some(2), "9 hosts, but radical has 10");
    refused("simgrid", &torus.replace("0-9", "0-99999").replace("3,3", "1000,100"), None, "at most 4096");
}
