//! What runs make of `[[faults]]`.

use crate::{Folder, TORUS, again, check_problems, load, load_with, table};
use proptest::prelude::*;
use weir_analysis::bounds;
use weir_experiment::{FaultyPart, MachineDescription, Scenario, Source};
use weir_network::Outcome;
use weir_record::Faults;
use weir_run::run;

/// The small torus with these faults.
fn with(faults: &str) -> String {
    format!("{TORUS}\n{faults}\n")
}

#[track_caller]
fn check(faults: &str, expected: &str) {
    check_problems(load(&with(faults)), expected);
}

#[test]
fn what_is_refused() {
    let cases = r#"
        [faults]; cable = 'x' => faults: must be a list of tables begin each with [[faults]]
        [faults]; 1 = {} => faults: has no item 0
        [[faults]] => faults.0.cable: is missing: a fault befalls something
        [[faults]]; speed = 0.5 => faults.0.cable: is missing
        [[faults]]; cable = 'router (0,0) - router (1,0)'; speed = 1 => faults.0.speed: from 0 to below 1
        [[faults]]; router = 'router (0,0)'; speed = -0.5 => faults.0.speed: from 0 to below 1
        [[faults]]; random_cables = 0 => faults.0.random_cables: at least 1
        [[faults]]; random_cables = 33 => faults.0.random_cables: are more than there are: 32 cables between routers
        [[faults]]; random_cables = 1; link = 'router (0,0) -> router (1,0)' => faults.0.link: does not go with random_cables
        [[faults]]; seed = 1; router = 'router (0,0)'; speed = 0.5 => faults.0.seed: belongs to random_cables
        [[faults]]; router = 'router (0,0)'; speed = 0.5; [[faults]]; cables = 'x' => faults.1.cable: is missing && faults.1.cables: unknown key did you mean cable?
        [[faults]]; cable = 'router (0,0) - router (2,0)' => faults.0.cable: there is no such cable did you mean "router (0,0) - router (
        [[faults]]; cable = 'router (0,0) -> router (1,0)' => faults.0.cable: is a link write link = "router (0,0) -> router (1,0)"
        [[faults]]; link = 'router (0,0)' => faults.0.link: is a router write router = "router (0,0)"
        [[faults]]; router = 'router (4,0)' => faults.0.router: there is no such router did you mean
        [[faults]]; router = 99 => faults.0.router: must be a text in quotes
        [[faults]]; link = 'frobnicate' => faults.0.link: there is no such link weir routes writes names
    "#;
    for (faults, expected) in table(cases) {
        check(&faults, expected);
    }
    // The ideal engine has a machine, too, if it is said; without one there is nothing to fail.
    let ideal = "engine = { kind = 'ideal' }\nworkload = { kind = 'ring', ranks = 4, message_size = '1 kB' }\n\
                 faults = [{ random_cables = 1 }]\n";
    check_problems(load(ideal), "faults: need a [topology]");
}

/// A fault that disconnects the machine is an error that names the first pair of nodes with ranks, unless no rank is there.
#[test]
fn who_is_cut_off() {
    let said = "faults: leave rank 1 on node 1 without a way into the network put ranks on other nodes";
    check("[[faults]]\nrouter = '(1,0)'", said);
    let said = "faults: leave rank 1 on node 1 without a way into the network, nor 1 other ranks";
    check("[[faults]]\nrouter = '1'\n[[faults]]\nrouter = 'router (3,3)'\n", said);
    let around = ["(3,0)", "(1,0)", "(0,1)", "(0,3)"];
    let around = around.map(|at| format!("[[faults]]\ncable = 'router (0,0) - router {at}'\n")).concat();
    let said = "faults: disconnect the machine: there is no way from node 0 to node 1, nor between 29 other pairs of nodes";
    check(&around, said);
    let one_way = ["(3,0)", "(1,0)", "(0,1)", "(0,3)"];
    let one_way = one_way.map(|at| format!("[[faults]]\nlink = 'router {at} -> router (0,0)'\n")).concat();
    check(&one_way, "faults: there is no way from node 1 to node 0, nor between 14 other pairs");
    // Ranks elsewhere run.
    let text = with(&around)
        .replace("message_size", "ranks = 3\nmessage_size")
        .replace("[engine]", "[mapping]\nkind = 'file'\nfile = 'm.map'\n[engine]");
    let folder = Folder::with(&[("e.toml", &text), ("m.map", "0 1\n1 2\n2 15\n")]);
    let source = Source { experiment: folder.file("e.toml"), ..Source::default() };
    let report = weir_run::run(&Scenario::load(&source).unwrap(), &mut |_| {}).unwrap();
    assert_eq!(report.outcome, Outcome::Finished);
    // Nobody asks for ranks where there are none.
    let machine = MachineDescription::load(&folder.source("e.toml")).unwrap();
    assert_eq!(machine.fault_list().failed.len(), 4);
}

/// A ring of four, 1 MB to the next, 1 ms. From 0.5 ms on router 0 has half its speed: the other half of what node 0 sends takes
/// 1 ms. Until 1 ms only: 0.5 + 0.25 MB are there then. If it fails until 2 ms, the rest waits.
#[test]
fn faults_at_an_instant() {
    let ring = "[topology]\nkind = 'torus'\nshape = [4]\nbandwidth = '1 GB/s'\n[workload]\nkind = 'ring'\n\
                message_size = '1 MB'\n[[faults]]\nrouter = 'router (0)'\nat = '0.5 ms'\n";
    let end = |more: &str| {
        let scenario = load(&format!("{ring}{more}\n")).unwrap();
        let summary = run(&scenario, &mut |_| {}).unwrap().summary;
        (summary.simulated.as_ps() / 1_000_000, summary.faults.unwrap())
    };
    assert_eq!(end("speed = 0.5").0, 1500);
    assert_eq!(end("speed = 0.5\nuntil = '1 ms'").0, 1250);
    let (time, faults) = end("until = '2 ms'");
    assert_eq!((time, faults.failed_links), (2500, 6));
    assert_eq!(faults.failed, ["router (0) from 500 us until 2 ms"]);
    assert_eq!(end("speed = 0.5\n[[faults]]\nrouter = 'router (0)'\nspeed = 0.25\nat = '1 ms'").0, 2000);
    // With faults that come and go there are the bounds that hold with any routes and without faults: 1 ms.
    let scenario = load(&format!("{ring}speed = 0.5")).unwrap();
    let bounds = bounds(&scenario, &mut |_, _| {}).unwrap();
    assert!(bounds.bounds.iter().all(|bound| bound.kind.holds_for_any_routes()));
    assert_eq!(bounds.best().unwrap().time.as_ps(), 1_000_000_000);
    assert!(bounds.notes.iter().any(|note| note.contains("faults come and go")));
}

/// The same in packets. At each instant interfaces stop until those on their way have arrived and a window of the machine, 100 ns,
/// has passed: 1 us in all while links are equally fast. Before a slow router buffers are full: of two routers, two virtual
/// channels of 16 packets each, 64 packets, which take 0.5 us each.
#[test]
fn faults_at_an_instant_on_packets() {
    let ring = "[topology]\nkind = 'torus'\nshape = [4]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n[workload]\n\
                kind = 'ring'\nmessage_size = '1 MB'\n[engine]\nkind = 'packet'\n[packet]\nmtu = '256 B'\n\
                input_buffer = 16\nswitch_bandwidth = '1 GB/s'\n";
    let run = |more: &str| {
        let summary = run(&load(&format!("{ring}{more}\n")).unwrap(), &mut |_| {}).unwrap().summary;
        (summary.simulated.as_ps(), summary.counts.packet().unwrap().classes)
    };
    let (whole, _) = run("");
    assert!((1_000_000_000..1_001_000_000).contains(&whole));
    let slow = "[[faults]]\nrouter = 'router (0)'\nspeed = 0.5\nat = '0.5 ms'\n";
    let fails = "[[faults]]\nrouter = 'router (0)'\nat = '0.5 ms'\nuntil = '2 ms'\n";
    let slow_for_a_while = format!("{slow}until = '1 ms'\n");
    for (more, expected, drains) in [(slow, 1500, 1), (&slow_for_a_while, 1250, 32), (fails, 2500, 1)] {
        let (time, classes) = run(more);
        // A packet that is being sent at the instant keeps its speed.
        let more_than = time + 1_000_000 - whole - (expected - 1000) * 1_000_000;
        assert!((0..=(1 + drains) * 1_000_000).contains(&more_than), "{more}: {time} ps");
        assert_eq!(classes, 2);
    }
}

/// The packet engine with few virtual channels refuses a torus with detours, and says how many are enough.
#[test]
fn too_few_virtual_channels_for_detours() {
    let packets = with("[[faults]]\ncable = 'router (1,0) - router (2,0)'\n").replace("'flow'", "'packet'");
    let packets = packets.replace("\"flow\"", "\"packet\"");
    let said = "packet.virtual_channels: is 2: packets could wait for each other in a circle and never move again, as the routes";
    check_problems(load(&packets), said);
    let report = run(&load_with(&packets, &["packet.virtual_channels=3"]).unwrap(), &mut |_| {}).unwrap();
    assert_eq!(report.outcome, Outcome::Finished);
    assert_eq!(report.summary.counts.packet().unwrap().classes, 3);
}

/// Keys of single faults are set by number; a later fault may be added.
#[test]
fn overrides_of_items() {
    let text = with("[[faults]]\nrandom_cables = 2\nseed = 4\n[[faults]]\nrouter = '(1,1)'\nspeed = 0.5");
    let drawn = |overrides: &[&str]| load_with(&text, overrides).unwrap().faults.clone();
    let faults = drawn(&["faults.0.seed=7", "faults.1.speed=0.25"]);
    assert_eq!(faults[0].part, FaultyPart::RandomCables { count: 2, seed: 7 });
    assert_eq!((faults.len(), faults[1].speed), (2, 0.25));
    let faults = drawn(&["faults.2.link=router (0,0) -> router (1,0)"]);
    assert_eq!(faults[2].part, FaultyPart::Link("router (0,0) -> router (1,0)".into()));
    assert_eq!(drawn(&["faults=[]"]), []);
    let expected = FaultyPart::RandomCables { count: 1, seed: 1 };
    assert_eq!(drawn(&["faults=[{random_cables = 1}]"])[0].part, expected);
    let faults = load_with(TORUS, &["faults.0.random_cables=3", "seed=9"]).unwrap().faults.clone();
    assert_eq!(faults[0].part, FaultyPart::RandomCables { count: 3, seed: 9 });
    check_problems(load_with(&text, &["faults.3.seed=7"]), "faults: has no item 2");
    check_problems(load_with(&text, &["faults.speed=0.5"]), "faults: must be a list of tables");
    // Lists of other things, too.
    let scenario = load_with(TORUS, &["topology.shape.1=6"]).unwrap();
    assert_eq!(scenario.nodes(), 24);
}

/// A draw is the same on every run, another one with another seed, and has the cables of a smaller one.
#[test]
fn random_cables() {
    let failed = |count: u32, seed: u32| {
        let scenario = load(&with(&format!("[[faults]]\nrandom_cables = {count}\nseed = {seed}"))).unwrap();
        run(&scenario, &mut |_| {}).unwrap().summary.faults.unwrap()
    };
    let Faults { failed_links, slow_links, failed: three, slow } = failed(3, 1);
    assert_eq!((failed_links, slow_links, slow), (6, 0, Vec::new()));
    assert_eq!(failed(3, 1).failed, three);
    assert_ne!(failed(3, 2).failed, three);
    let five = failed(5, 1).failed;
    assert!(five.len() == 5 && three.iter().all(|cable| five.contains(cable)), "{three:?} {five:?}");
    assert!(three.iter().all(|cable| cable.starts_with("router (") && cable.contains(" - router (")));
}

/// The summary has what was drawn; the experiment in it gives the same run.
#[test]
fn a_summary_gives_the_same_run() {
    let text = with("[[faults]]\nrandom_cables = 2\n[[faults]]\nrouter = '(1,1)'\nspeed = 0.5");
    let scenario = load(&text).unwrap();
    let summary = run(&scenario, &mut |_| {}).unwrap().summary;
    let again = again(&scenario);
    assert_eq!(again, scenario);
    let repeated = run(&again, &mut |_| {}).unwrap().summary;
    assert_eq!((repeated.digest, &repeated.faults), (summary.digest, &summary.faults));
    let json = summary.to_json();
    assert_eq!((&json["faults"]["failed_links"], &json["faults"]["slow_links"]), (&4.into(), &10.into()));
    assert_eq!(json["faults"]["slow"][0]["name"], "(1,1)");
}

/// A machine file may have faults; those of the experiment take their place.
#[test]
fn faults_of_a_machine_file() {
    let machine =
        "[topology]\nkind = 'torus'\nshape = [4, 4]\nbandwidth = '1 GB/s'\n[[faults]]\nrandom_cables = 2\n";
    let run = "machine = 'm.toml'\nworkload = { kind = 'ring', message_size = '1 kB' }\n";
    for (more, expected) in [("", 2), ("faults = [{ random_cables = 3 }]\n", 3)] {
        let folder = Folder::with(&[("m.toml", machine), ("e.toml", &format!("{run}{more}"))]);
        let summary = weir_run::run(&folder.load("e.toml").unwrap(), &mut |_| {}).unwrap().summary;
        assert_eq!(summary.faults.unwrap().failed.len(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// On every topology and both engines messages get round faults, with any number of threads alike.
    #[test]
    fn both_engines_get_round(
        topology in prop_oneof![
            Just("kind = 'torus'\nshape = [4, 4]"), Just("kind = 'torus'\nshape = [5, 2, 2]"), Just("kind = 'mesh'\nshape = [4, 3]"),
            Just("kind = 'fat-tree'\nradix = 4"), Just("kind = 'hypercrossbar'\nshape = [4, 3]"), Just("kind = 'tofu'\nshape = [1, 1, 1]"),
        ],
        count in 1..3_u32, seed: u32, speed in prop_oneof![Just(0.0), Just(0.5)],
    ) {
        let text = format!(
            "[topology]\n{topology}\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[[faults]]\nrandom_cables = {count}\nseed = {seed}\n\
             speed = {speed:?}\n[packet]\nvirtual_channels = 5\n[workload]\nkind = 'permutation'\npermutation = 'random'\n\
             seed = {seed}\nmessage_size = '3 kB'\nmessages = 2\n"
        );
        let Ok(flow) = load(&text) else { return Ok(()) };
        let flow = run(&flow, &mut |_| {}).unwrap();
        prop_assert_eq!(flow.outcome, Outcome::Finished);
        let packets = |threads: u32| {
            let overrides = ["engine.kind=packet".to_owned(), format!("engine.threads={threads}")];
            let report = run(&load_with(&text, &overrides.each_ref().map(String::as_str)).unwrap(), &mut |_| {}).unwrap();
            (report.outcome, report.summary.digest, report.summary.simulated, report.summary.traffic)
        };
        let one = packets(1);
        prop_assert_eq!(&one.0, &Outcome::Finished);
        prop_assert_eq!(one.3.bytes, flow.summary.traffic.bytes);
        for threads in [2, 4] {
            prop_assert_eq!(&packets(threads), &one);
        }
    }
}
