//! Fabrics, trees, and lists of links.

use super::{links, node, read, read_machine, refused, written};
use std::collections::BTreeMap;
use weir_foreign::{Given, Imported, Reader};
use weir_topology::Topology;
use weir_units::{Duration, NodeId, Rank};
use weir_workload::{Entry, Script, Sequence};

/// Two switches with two cables between them; host a has two adapters, host b one, and one adapter has no name.
pub(super) const FABRIC: &str = "#
# Topology file: ours
vendid=0x1
switchguid=0x1(1)
Switch\t4 \"S-1\"\t\t# \"leaf one\" enhanced port 0 lid 1 lmc 0
[1]\t\"H-1\"[1](11) \t\t# \"a HCA-1\" lid 3 4xHDR
[2]\t\"H-2\"[1](12) \t\t# \"a HCA-2\" lid 4 4xHDR
[3]\t\"S-2\"[3]\t\t# \"leaf two\" lid 2 4xNDR
[4]\t\"S-2\"[4]\t\t# \"leaf two\" lid 2 4xNDR

switchguid=0x2(2)
Switch\t4 \"S-2\"\t\t# \"leaf two\" base port 0 lid 2 lmc 0
[1]\t\"H-3\"[1](13) \t\t# \"b mlx5_0\" lid 5 s=4 w=2
[2]\t\"H-4\"[1](14) \t\t# \"MT25408 ConnectX Technologies\" lid 6 4xSDR
[3]\t\"S-1\"[3]\t\t# \"leaf one\" lid 1 4xNDR
[4]\t\"S-1\"[4]\t\t# \"leaf one\" lid 1 4xNDR

caguid=0x11
Ca\t1 \"H-1\"\t\t# \"a HCA-1\"
[1](11) \t\"S-1\"[1]\t\t# lid 3 lmc 0 \"leaf one\" lid 1 4xHDR
caguid=0x12
Ca\t1 \"H-2\"\t\t# \"a HCA-2\"
[1](12) \t\"S-1\"[2]\t\t# lid 4 lmc 0 \"leaf one\" lid 1 4xHDR
caguid=0x13
Ca\t1 \"H-3\"\t\t# \"b mlx5_0\"
[1](13) \t\"S-2\"[1]\t\t# lid 5 lmc 0 \"leaf two\" lid 2 s=4 w=2
caguid=0x14
Ca\t1 \"H-4\"\t\t# \"MT25408 ConnectX Technologies\"
[1](14) \t\"S-2\"[2]\t\t# lid 6 lmc 0 \"leaf two\" lid 2 4xSDR
";

/// Two hosts at two racks each, as in HPCC; the shortest way between racks would be through a host.
pub(super) const DUAL_HOMED: &str = "5 3 6\n2 3 4\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n1 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 400Gbps 0.001ms 0\n3 4 400Gbps 1000ns 0.000000\n";

pub(super) const TREE: &str = "# ours
Nodes 16
Tiers 3
Podsize 8

Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 2
Downlink_Latency_ns 1000
Switch_Latency_ns 200
Oversubscribed 2

Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 500

Tier 2
Downlink_speed_Gbps 200
Radix_Down 2
Downlink_Latency_ns 300
";

#[test]
fn adapters_of_a_host_are_interfaces_of_a_node() {
    let machine = read_machine("ibnetdiscover", FABRIC);
    let names: Vec<String> = (0..machine.nodes()).map(|node| machine.node_name(NodeId::new(node))).collect();
    assert_eq!(names, ["H-4", "a", "b"]);
    // Two links for each cable: four of hosts, two between switches.
    assert_eq!((machine.routers(), machine.most_cables(), machine.links()), (2, 2, 12));
    let mut rates: Vec<u64> = (0..machine.links())
        .map(|link| (machine.link(weir_units::LinkId::new(link)).capacity.bytes_per_second() / 1e9) as u64)
        .collect();
    rates.sort_unstable();
    // 4xSDR is 8 Gb/s of data, s=4 w=2 is 4xQDR, 32 Gb/s; HDR has 200 and NDR 400.
    assert_eq!(rates, [1, 1, 4, 4, 25, 25, 25, 25, 50, 50, 50, 50]);
}

#[test]
fn a_fabric_that_is_cut_off_is_noticed() {
    let cut = FABRIC.split("caguid=0x13").next().unwrap();
    refused("ibnetdiscover", cut, Some(13), "may be cut off");
    let lines: Vec<&str> = FABRIC.lines().collect();
    for last in 5..lines.len() - 1 {
        let begin = lines[..last].join("\n");
        assert!(read("ibnetdiscover", &begin, false).is_err(), "{begin}");
    }
    refused("ibnetdiscover", &FABRIC.replace("4xHDR", "4xABC"), Some(6), "unknown rate");
    refused("ibnetdiscover", &FABRIC.replacen("\"S-2\"[3]", "\"S-2\"[4]", 1), Some(8), "another cable");
    refused("ibnetdiscover", &FABRIC.replace("vendid=0x1", "what is this"), Some(3), "not a line");
}

#[test]
fn trees_and_blocks_of_slurm() {
    let tree = read_machine(
        "slurm",
        "# ours\nSwitchName=top Switches=s[0-1]\nSwitchName=s0 \\\n Nodes=a[0-3]\nswitchname=s1 nodes=b[00-03],c # end\n",
    );
    assert_eq!((tree.nodes(), tree.routers(), tree.links()), (9, 3, 22));
    let blocks = "BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n[4-7]\nBlockName=b2 Nodes=n[8-11]\nBlockSizes=4,8,16\n";
    let blocks = read_machine("slurm", blocks);
    // Three blocks, two pairs of blocks (the second of one block), and what joins these.
    assert_eq!((blocks.nodes(), blocks.routers()), (12, 6));
    refused("slurm", "SwitchName=a Nodes=n[0-1] LinkSpeed=10\n", Some(1), "LinkSpeed");
    refused("slurm", "BlockName=a Nodes=n[0-3]\nBlockSizes=0,4\n", Some(2), "each a multiple");
    refused("slurm", "SwitchName=a Switches=b\n", Some(1), "no line SwitchName=");
    refused("slurm", "SwitchName=a Nodes=n0\nSwitchName=b Nodes=n0\n", Some(2), "a node has one switch");
    refused("slurm", "SwitchName=a Nodes=n[0-\n", Some(1), "has no ]");
    refused("slurm", "SwitchName=a Nodes=n[0-99999999]\n", Some(1), "more than 16777216 hosts");
    refused("slurm", "SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\n", None, "cannot reach");
}

#[test]
fn a_tree_goes_to_slurm_and_back() {
    let text = "SwitchName=s0 Nodes=a[0-3]\nSwitchName=s1 Nodes=b[00-03],c\nSwitchName=top Switches=s[0-1]\n";
    let tree = read_machine("slurm", text);
    assert_eq!(written("slurm", &tree).unwrap(), text);
    let ring = read_machine("astra-network", "topology: Ring\nnpus_count: 4\nbandwidth: 1\nlatency: 1\n");
    assert!(written("slurm", &ring).unwrap_err().contains("no tree"));
}

/// Between hosts of HPCC there are switches only, also where a way through a host is as short.
#[test]
fn hosts_of_ns3_pass_nothing_on() {
    let text = "6 4 8\n2 3 4 5\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n1 4 100Gbps 1us 0\n1 5 100Gbps 1us 0\n2 3 1Gbps 1us 0\n3 4 100Gbps 1us 0\n4 5 1Gbps 1us 0\n2 5 100Gbps 1us 0\n";
    let far = read_machine("ns3", text);
    for (a, b) in [("host 0", "host 1"), ("host 1", "host 0")] {
        let links = links(&far, node(&far, a), node(&far, b));
        // Its own router, three links, the other's.
        assert_eq!(links.len(), 5);
        assert_eq!(links.iter().map(|link| link.1).sum::<u64>(), 3_000_000);
    }
    let star = read_machine("ns3", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 0.001ms 0\n");
    assert_eq!(links(&star, NodeId::new(0), NodeId::new(1)), [(12.5e9, 1_000_000); 2]);
    let ring = read_machine(
        "ns3",
        "4 0 4\n\n0 1 25Gbps 1us 0\n1 2 25Gbps 1us 0\n2 3 25Gbps 1us 0\n3 0 25Gbps 1us 0\n",
    );
    assert_eq!(links(&ring, NodeId::new(0), NodeId::new(2)).len(), 4);
    refused("ns3", &DUAL_HOMED.replace(" 1000ns 0.000000", " 1000ns 0.01"), Some(8), "lose nothing");
    refused("ns3", &DUAL_HOMED.replace("5 3 6", "5 3 7"), None, "first line says 7");
    refused("ns3", &DUAL_HOMED.replace("2 3 4\n", "2 3\n"), Some(2), "2 switches are listed");
    refused("ns3", &DUAL_HOMED.replace("0 2 100Gbps", "0 9 100Gbps"), Some(3), "below 5");
    refused("ns3", &DUAL_HOMED.replace("0 2 100Gbps", "0 2 100GB"), Some(3), "expected a rate");
}

/// SimAI: GPUs 0 to 3, of two servers with an NVSwitch each (4 and 5), and one switch for all (6).
#[test]
fn within_a_server_of_simai_messages_take_its_nvswitch() {
    let mut text = "7 2 2 1 8 A100\n4 5 6\n".to_owned();
    for gpu in 0..4 {
        text += &format!("{gpu} {} 2880Gbps 0.000025ms 0\n{gpu} 6 100Gbps 0.0005ms 0\n", 4 + gpu / 2);
    }
    let machine = read_machine("ns3", &text);
    let narrowest = |a: &str, b: &str| {
        links(&machine, node(&machine, a), node(&machine, b))
            .iter()
            .map(|link| link.0)
            .fold(f64::INFINITY, f64::min)
    };
    assert_eq!(narrowest("host 0", "host 1"), 360e9);
    assert_eq!(narrowest("host 0", "host 2"), 12.5e9);
}

#[test]
fn trees_of_htsim_have_its_switches_and_delays() {
    let tree = read_machine("htsim-topology", TREE);
    // Four racks, four switches of pods, four cores.
    assert_eq!((tree.nodes(), tree.routers(), tree.links()), (16, 12, 2 * (16 + 8 + 8)));
    let ps = |a: &str, b: &str| {
        links(&tree, node(&tree, a), node(&tree, b)).iter().map(|link| link.1 / 1000).collect::<Vec<_>>()
    };
    assert_eq!(ps("node 0", "node 1"), [1000, 1200]);
    assert_eq!(ps("node 0", "node 15"), [1000, 700, 300, 300, 500, 1200]);
    refused("htsim-topology", &TREE.replace("Oversubscribed 2", "Oversubscribed 4"), Some(12), "make it 2");
    refused("htsim-topology", &TREE.replace("Podsize 8", "Podsize 7"), None, "no multiple of Podsize");
    refused("htsim-topology", &TREE.replace("Radix_Down 4", "Radix_Down four"), Some(8), "whole number");
    refused("htsim-topology", TREE.split("Tier 2").next().unwrap(), None, "3 tiers, 2 are there");
    refused("htsim-topology", &TREE.replace("Nodes 16", "Nodes 99999992"), Some(2), "up to 4194304");
}

#[test]
fn trees_go_to_htsim_and_back() {
    let plain = TREE.replace("Switch_Latency_ns 200\n", "");
    let tree = read_machine("htsim-topology", &plain);
    let again = read_machine("htsim-topology", &written("htsim-topology", &tree).unwrap());
    assert_eq!(super::routes(&again).0, super::routes(&tree).0);
    let odd = read_machine(
        "slurm",
        "SwitchName=top Switches=s[0-1]\nSwitchName=s0 Nodes=a[0-3]\nSwitchName=s1 Nodes=b\n",
    );
    assert!(written("htsim-topology", &odd).unwrap_err().contains("no fat tree"));
}

fn pattern(text: &str, skip: bool) -> Result<Imported<Script>, Vec<weir_foreign::Mistake>> {
    match weir_foreign::named("htsim-matrix").unwrap().reader {
        Some(Reader::Pattern(reader)) => reader.read(text, Given { skip, ..Given::default() }),
        _ => panic!("a matrix is a pattern"),
    }
}

#[test]
fn connections_become_messages_and_triggers_chains() {
    let text = "Nodes 4\nConnections 4\nTriggers 1\n0->1 id 1 start 1000 size 10 send_done_trigger 7\n0->2 id 2 trigger 7 size 20\n0->3 id 3 start 0 size 30\n3->0 start 5 size 40\ntrigger id 7 oneshot\n";
    let script = pattern(text, false).unwrap().made;
    let entries =
        |rank: usize| (0..).map_while(|index| script.entry(Rank::new(rank), index)).collect::<Vec<_>>();
    let (bytes, ps) = (weir_units::Bytes, Duration::from_ps);
    let post = |to: usize, size: u64, wait: u64| Entry::Post {
        to: Rank::new(to),
        bytes: bytes(size),
        wait: ps(wait),
    };
    let chain = Entry::Send { to: Rank::new(1), bytes: bytes(10), wait: ps(1000) };
    assert_eq!(entries(0), [post(3, 30, 0), chain, post(2, 20, 0)]);
    assert_eq!(entries(3), [post(0, 40, 5)]);
    let words = |text: &str| {
        pattern(text, false)
            .unwrap_err()
            .iter()
            .map(|mistake| (mistake.line, mistake.what.clone()))
            .collect::<BTreeMap<_, _>>()
    };
    let other = text.replace("0->2 id 2 trigger", "1->2 id 2 trigger");
    assert!(words(&other)[&Some(5)].contains("another rank"));
    assert_eq!(pattern(&other, true).unwrap().skipped[0].count, 1);
    assert!(words(&text.replace("Connections 4", "Connections 5"))[&None].contains("4 are there"));
    assert!(words(&text.replace("3->0 start", "3->9 start"))[&Some(7)].contains("below Nodes"));
    assert!(words(&text.replace("size 40", "size 40 prio 3"))[&Some(7)].contains("priority"));
    let circle = "Nodes 2\nConnections 2\nTriggers 2\n0->1 id 1 trigger 1 size 1 send_done_trigger 2\n0->1 id 2 trigger 2 size 1 send_done_trigger 1\ntrigger id 1 oneshot\ntrigger id 2 oneshot\n";
    assert!(words(circle)[&None].contains("circle"));
}

#[test]
fn algorithms_of_astra_sim_become_keys() {
    let Some(Reader::Keys(reader)) = weir_foreign::named("astra-system").unwrap().reader else {
        panic!("it makes keys")
    };
    let text = "{\n\"endpoint-delay\": 10,\n\"preferred-dataset-splits\": 1,\n\"all-reduce-implementation\": [\"ring\", \"ring\"],\n\"all-to-all-implementation\": [\"direct\"],\n\"local-mem-bw\": 50\n}\n";
    let mistakes = reader.read(text, Given::default()).unwrap_err();
    assert_eq!(mistakes.iter().map(|mistake| mistake.line).collect::<Vec<_>>(), [Some(6)]);
    let keys = reader.read(text, Given { skip: true, ..Given::default() }).unwrap().made;
    let expected = [
        ("collectives.allreduce", "\"ring\""),
        ("collectives.alltoall", "\"linear\""),
        ("node.mpi_overhead", "\"10 ns\""),
    ];
    assert_eq!(keys, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
}

#[test]
fn lists_of_hosts_are_folded() {
    let hosts: Topology = read_machine("slurm", "SwitchName=s Nodes=n[08-11],n[1-3],x,y7\n");
    assert_eq!(
        written("slurm", &hosts).unwrap(),
        "SwitchName=s Nodes=n[1-3],n[08-11],x,y7\n".replace("n[1-3],n[08-11]", "n[1-3,08-11]")
    );
}
