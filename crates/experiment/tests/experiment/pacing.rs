//! NICAM, and advice on gaps.

use crate::common::nicam::*;
use crate::{Folder, load};
use weir_experiment::Scenario;

#[test]
fn the_advice_for_the_small_model() {
    let pacing = with(&[]).advise_pacing(0.0).unwrap();
    let largest = pacing.classes[0];
    assert_eq!((largest.share, largest.exact, pacing.largest()), (3.0, 2.0, 2.0));
    assert_eq!(pacing.classes.iter().map(|class| class.messages).sum::<u64>(), 320);
    assert_eq!((pacing.turns, pacing.busiest.as_ref().unwrap().1), (2, 3));
    assert_eq!(pacing.expected.as_ps(), THEORY_PS);
    let margin = with(&[]).advise_pacing(0.05).unwrap();
    assert!((margin.largest() - 2.15).abs() < 1e-9, "{}", margin.largest());
}

/// Seventeen routes on a link, in seconds.
#[test]
fn the_advice_for_the_large_model() {
    let scenario = with(&["workload.rlevel=7", "topology.shape=[40, 32, 32]"]);
    assert_eq!(scenario.workload.ranks, 40_960);
    let pacing = scenario.advise_pacing(0.0).unwrap();
    assert_eq!((pacing.classes[0].exact, pacing.busiest.as_ref().unwrap().1), (16.0, 17));
    assert_eq!(pacing.classes.iter().map(|class| class.messages).sum::<u64>(), 327_680);
}

/// A node whose two interfaces have a message each, and may send or receive together what one of them could: each message has half
/// of that. What it may copy within itself changes nothing.
#[test]
fn limits_of_nodes_are_shared() {
    let text = "[topology]\nkind = 'mesh'\nshape = [4]\nbandwidth = '8 GB/s'\n[engine]\nkind = 'packet'\n[node]\nnics = 2\n\
                nic_bandwidth = '1 GB/s'\n[workload]\nkind = 'pattern-file'\nfile = 'x.pattern'\n";
    let share = |pattern: &str, limit: &str| {
        let pattern = format!("weir-pattern 1\nranks 4\n{pattern}");
        let text = text.replace("nics = 2", &format!("nics = 2\n{limit} = '1 GB/s'"));
        let folder = Folder::with(&[("e.toml", text.as_str()), ("x.pattern", &pattern)]);
        let pacing = folder.load("e.toml").unwrap().advise_pacing(0.0).unwrap();
        pacing.classes.iter().map(|class| class.share).fold(0.0, f64::max)
    };
    let (out, into) = ("1 post 0 9000\n1 post 2 9000\n", "0 send 1 9000\n2 post 3 9000\n2 post 1 9000\n");
    let limits = ["injection_limit", "ejection_limit", "memory_limit"];
    let found = [out, into].map(|pattern| limits.map(|limit| share(pattern, limit)));
    assert_eq!(found, [[2.0, 1.0, 1.0], [2.0, 2.0, 1.0]]);
}

#[test]
fn there_is_no_advice_without_packets_or_pattern() {
    let flow = ["engine.kind=flow", "node.nics=1"];
    let why = |scenario: Scenario| scenario.advise_pacing(0.05).unwrap_err().to_string();
    assert!(why(with(&flow)).starts_with("only the packet engine"));
    let synthetic = "[topology]\nkind = 'mesh'\nshape = [4, 4]\n[engine]\nkind = 'packet'\n[packet]\npreset = 'nsim-torus'\n\
                     [workload]\nkind = 'synthetic'\noffered_load = 0.3\nduration = '10 us'\n";
    assert!(why(load(synthetic).unwrap()).starts_with("the workload is synthetic traffic"));
}

#[test]
fn gaps_of_a_file_need_packets() {
    let text = "[topology]\nkind = 'torus'\nshape = [4]\n[workload]\nkind = 'pattern-file'\nfile = 'x.pattern'\n[packet]\npreset = 'nsim-torus'\n";
    let folder =
        Folder::with(&[("e.toml", text), ("x.pattern", "weir-pattern 1\nranks 4\n0 send 1 9 gap 2\n")]);
    let problems = folder.load("e.toml").unwrap_err().to_string();
    assert!(
        problems.contains("workload.file") && problems.contains("has gaps between packets"),
        "{problems}"
    );
    assert!(folder.load_with("e.toml", &["engine.kind=packet"]).is_ok());
    let both = folder.load_with("e.toml", &["engine.kind=packet", "node.packet_gap=max-min"]);
    let both = both.unwrap_err().to_string();
    assert!(both.contains("the pattern file has gaps already"), "{both}");
}

/// Seven messages of a rank take as many turns as interfaces that send some at once need for them.
#[test]
fn an_interface_sends_so_many_messages_in_a_turn() {
    let text = "[topology]\nkind = 'mesh'\nshape = [4]\nbandwidth = '1 GB/s'\n[engine]\nkind = 'packet'\n\
                [workload]\nkind = 'pattern-file'\nfile = 'x.pattern'\n";
    let pattern = format!("weir-pattern 1\nranks 4\n{}", "0 post 3 9000\n".repeat(7));
    let folder = Folder::with(&[("e.toml", text), ("x.pattern", &pattern)]);
    for (at_once, nics) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (7, 1)] {
        let keys = [format!("node.messages_at_once={at_once}"), format!("node.nics={nics}")];
        let scenario = folder.load_with("e.toml", &keys.each_ref().map(String::as_str)).unwrap();
        let pacing = scenario.advise_pacing(0.0).unwrap();
        assert_eq!(pacing.turns, 7_u32.div_ceil(nics).div_ceil(at_once), "{at_once} {nics}");
    }
}
