//! Communication profiles as workloads.

use crate::{Folder, load, load_with};
use std::collections::BTreeMap;
use weir_analysis::write_pattern;
use weir_experiment::{Scenario, Workload};
use weir_run::run;
use weir_units::Rank;
use weir_workload::{Entry, Sequence};

const PROFILE: &str =
    "weir-profile 1\nranks 2\n0 compute 3 us\n0 send 1 20 kB\n0 end\n1 recv any 20 kB\n1 end\n";

fn experiment(folder: &Folder, keys: &str) -> String {
    let file = folder.path().join("p.profile");
    format!("[workload]\nkind = \"profile\"\nfile = \"{}\"\n{keys}\n", file.display())
}

fn simulated_ps(scenario: &Scenario) -> u64 {
    run(scenario, &mut |_| ()).unwrap().summary.simulated.as_ps()
}

#[test]
fn a_profile_brings_its_ranks_along_and_runs() {
    let folder = Folder::with(&[("p.profile", PROFILE)]);
    let text = experiment(&folder, "sources = \"as-posted\"\n[engine]\nlatency = \"1 us\"");
    let scenario = load_with(&text, &["node.eager_limit=20 kB"]).unwrap();
    assert!(matches!(scenario.workload.kind, Workload::Profile(_)));
    assert_eq!((scenario.workload.ranks, simulated_ps(&scenario)), (2, 4_000_000));
    let resolved = scenario.resolved();
    assert_eq!(resolved["workload"]["sources"], "as-posted");
    // By rendezvous, since it is longer than this: the request, the clearance, the data.
    let scenario = load_with(&text, &["node.eager_limit=10 kB"]).unwrap();
    assert_eq!(simulated_ps(&scenario), 6_000_000);
}

/// What each rank sends to each other, collectives by recursive doubling included; the pattern runs to its end, and its times
/// are those of the profile where nothing but sends and computing takes time.
#[test]
fn the_pattern_of_a_profile() {
    let profile = "weir-profile 1\nranks 4\n0 compute 3 us\n0 isend 1 20 kB tag 7 request 0\n0 wait 0\n\
                   0 allreduce 8 B element 8\n0 end\n1 recv any 20 kB tag any from 0 tagged 7\n1 compute 2 us\n1 send 2 5 B\n\
                   1 allreduce 8 B element 8\n1 end\n2 recv 1 5 B\n2 allreduce 8 B element 8\n2 end\n\
                   3 allreduce 8 B element 8\n3 end\n";
    let folder = Folder::with(&[("p.profile", profile)]);
    let keys = "[collectives]\nallreduce = 'recursive-doubling'\n[topology]\nkind = 'torus'\nshape = [4]\nbandwidth = '1 GB/s'";
    let scenario = load(&experiment(&folder, keys)).unwrap();
    let path = folder.path().join("x.pattern");
    let written = write_pattern(&scenario, &path).unwrap();
    let script = weir_formats::read(&path).unwrap().script;
    let mut pairs = BTreeMap::new();
    for rank in (0..4).map(Rank) {
        for entry in (0..).map_while(|index| script.entry(rank, index)) {
            if let Entry::Post { to, bytes, .. } = entry {
                *pairs.entry((rank.0, to.0)).or_insert(0) += bytes.0;
            }
        }
    }
    let doubling = [(0, 1), (1, 0), (2, 3), (3, 2), (0, 2), (2, 0), (1, 3), (3, 1)];
    let mut expected: BTreeMap<(u32, u32), u64> = doubling.map(|pair| (pair, 8)).into();
    *expected.get_mut(&(0, 1)).unwrap() += 20_000;
    expected.insert((1, 2), 5);
    assert_eq!(pairs, expected);
    let text = format!("[workload]\nkind = 'pattern-file'\nfile = 'x.pattern'\n{keys}\n");
    std::fs::write(folder.path().join("x.toml"), text).unwrap();
    let pattern = folder.load("x.toml").unwrap();
    let [of_profile, of_pattern] =
        [&scenario, &pattern].map(|scenario| run(scenario, &mut |_| ()).unwrap().summary.traffic);
    assert_eq!((of_profile.messages, of_profile.bytes), (of_pattern.messages, of_pattern.bytes));
    assert_eq!(written.messages, of_pattern.messages);
}

/// Ranks await messages where they have arrived, and pause for what they compute between.
#[test]
fn deeds_of_a_pattern_are_in_the_order_of_the_profile() {
    let profile = "weir-profile 1\nranks 3\n0 compute 3 us\n0 send 1 20 kB\n0 recv 2 7 B\n0 end\n1 recv 0 20 kB\n1 compute 2 us\n1 send 2 5 B\n\
                   1 end\n2 recv 1 5 B\n2 send 0 7 B\n2 end\n";
    let folder = Folder::with(&[("p.profile", profile)]);
    let mut text = Vec::new();
    weir_analysis::write_pattern_to(&load(&experiment(&folder, "")).unwrap(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let deeds = "0 pause 3 us\n0 post 1 20000\n0 await 2\n1 await 0\n1 pause 2 us\n1 post 2 5\n2 await 1\n2 post 0 7\n";
    assert!(text.ends_with(&format!("ranks 3\n{deeds}")), "{text}");
}
