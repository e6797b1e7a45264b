//! What faster links make of runs and of their lower bounds.

use crate::{Folder, TORUS, again, load, load_with};
use proptest::prelude::*;
use std::fmt::Write;
use weir_analysis::bounds;
use weir_experiment::{FaultyPart, Upgrade};
use weir_run::run;
use weir_units::LinkId;

fn with(rows: &str) -> String {
    format!("{TORUS}\n{rows}\n")
}

#[test]
fn rows_are_read() {
    let text = with(
        "[[upgrades]]\nlink = 'router (0,0) -> router (1,0)'\nspeed = 2\n[[upgrades]]\ncable = ' router (0,0) - router (0,1)'\n\
         speed = 1.5\n[[upgrades]]\nrouter = '(2,2)'\nspeed = 1\n",
    );
    let scenario = load(&text).unwrap();
    let row = |part, speed| Upgrade { part, speed };
    let expected = [
        row(FaultyPart::Link("router (0,0) -> router (1,0)".into()), 2.0),
        row(FaultyPart::Cable("router (0,0) - router (0,1)".into()), 1.5),
        row(FaultyPart::Router("(2,2)".into()), 1.0),
    ];
    assert_eq!(scenario.upgrades, expected);
    assert_eq!(again(&scenario), scenario);
    assert!(load(TORUS).unwrap().resolved().get("upgrades").is_none());
    assert_eq!(load_with(&text, &["upgrades.2.speed=8"]).unwrap().upgrades[2].speed, 8.0);
    // What is faster is no fault.
    assert_eq!(run(&scenario, &mut |_| ()).unwrap().summary.faults, None);
    let machine =
        format!("{}[[upgrades]]\nrouter = '3'\nspeed = 2\n", TORUS.split("[workload]").next().unwrap());
    let experiment = "machine = 'm.toml'\n[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n";
    let folder = Folder::with(&[("m.toml", &machine), ("e.toml", experiment)]);
    assert_eq!(folder.load("e.toml").unwrap().upgrades, [row(FaultyPart::Router("3".into()), 2.0)]);
}

fn simulated(text: &str, overrides: &[&str]) -> u64 {
    let scenario = load_with(text, overrides).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    run(&scenario, &mut |_| ()).unwrap().summary.simulated.as_ps()
}

/// Two messages of 1 MB, one each way over a cable of 1 GB/s: with that one way twice as fast the other one decides; rows multiply, and
/// what a fault leaves is a part of what there is.
#[test]
fn a_faster_link_by_hand() {
    let text = "[topology]\nkind = 'mesh'\nshape = [2]\nbandwidth = '1 GB/s'\n[node]\nnic_bandwidth = '100 GB/s'\n[engine]\n\
                kind = 'flow'\n[workload]\nkind = 'ring'\nmessage_size = '1 MB'\n";
    let (there, back) = ("router (0) -> router (1)", "router (1) -> router (0)");
    let of = |rows: &str| simulated(&format!("{text}{rows}"), &[]) / 1_000_000;
    let row = |link: &str, speed| format!("[[upgrades]]\nlink = '{link}'\nspeed = {speed}\n");
    assert_eq!(of(""), 1000);
    assert_eq!(of(&row(there, 2)), 1000);
    let both = format!("{}{}", row(there, 2), row(back, 4));
    assert_eq!(of(&both), 500);
    assert_eq!(of(&format!("{both}{}", row(there, 2))), 250);
    let slow = format!("[[faults]]\nlink = '{there}'\nspeed = 0.25\n");
    assert_eq!(of(&format!("{both}{slow}")), 2000);
    assert_eq!(of(&format!("{both}{slow}at = '250 us'\nuntil = '350 us'\n")), 575);
}

const MACHINES: [&str; 7] = [
    "kind = 'torus'\nshape = [4, 4]",
    "kind = 'mesh'\nshape = [4, 3]",
    "kind = 'mesh'\nshape = [5]",
    "kind = 'fat-tree'\nradix = 4",
    "kind = 'fat-tree'\nstages = [8]",
    "kind = 'hypercrossbar'\nshape = [4, 3]",
    "kind = 'tofu'\nshape = [1, 1, 1]",
];

fn experiment(machine: &str, rest: &str) -> String {
    format!(
        "[topology]\n{machine}\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[packet]\nvirtual_channels = 5\n[workload]\n\
         kind = 'all-to-all'\nmessage_size = '6 kB'\n{rest}"
    )
}

/// Rows for these links, each so many times as fast; of all links if there is none.
fn rows(text: &str, links: &[usize], speed: f64) -> String {
    let machine = load(text).unwrap().topology().unwrap();
    let mut links: Vec<usize> = links.iter().map(|link| link % machine.links()).collect();
    if links.is_empty() {
        links = (0..machine.links()).collect();
    }
    let mut rows = String::new();
    for link in links {
        let name = machine.link_name(LinkId::new(link));
        _ = writeln!(rows, "[[upgrades]]\nlink = '{name}'\nspeed = {speed:?}");
    }
    rows
}

/// All links twice as fast is a machine of twice the bandwidth, on both engines, event by event.
#[test]
fn all_links_faster_is_more_bandwidth() {
    for machine in MACHINES {
        let text = experiment(machine, "");
        let upgraded = format!("{text}{}", rows(&text, &[], 2.0));
        for engine in ["flow", "packet"] {
            let engine = format!("engine.kind={engine}");
            let digest = |text: &str, more: &[&str]| {
                let overrides = [&[engine.as_str()], more].concat();
                let summary = run(&load_with(text, &overrides).unwrap(), &mut |_| ()).unwrap().summary;
                (summary.simulated, summary.digest)
            };
            assert_eq!(
                digest(&upgraded, &[]),
                digest(&text, &["topology.bandwidth=2 GB/s"]),
                "{machine}, {engine}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// No run is faster than its bounds, whichever links are faster, also where faults come and go.
    #[test]
    fn bounds_stay_bounds(
        machine in prop::sample::select(MACHINES.to_vec()), links in prop::collection::vec(any::<usize>(), 0..6),
        speed in prop::sample::select(vec![1.25, 4.0]), comes_and_goes: bool,
    ) {
        let text = experiment(machine, "");
        let fault = "[[faults]]\nrandom_cables = 1\nspeed = 0.5\nat = '1 us'\nuntil = '9 us'\n";
        let fault = if comes_and_goes && !machine.contains("[8]") { fault } else { "" };
        let upgraded = format!("{text}{}{fault}", rows(&text, &links, speed));
        let bounds = bounds(&load(&upgraded).unwrap(), &mut |_, _| ()).unwrap();
        for engine in ["flow", "packet"] {
            let simulated = simulated(&upgraded, &[&format!("engine.kind={engine}")]);
            for bound in &bounds.bounds {
                prop_assert!(bound.time.as_ps() <= simulated, "{engine}: {bound:?}, and it takes {simulated}");
            }
        }
    }
}
