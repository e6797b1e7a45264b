//! Communication profiles as workloads.

use crate::{Expected, Folder, check_problems, load, load_with};
use weir_scenario::{Scenario, Workload};

const PROFILE: &str =
    "weir-profile 1\nranks 2\n0 compute 3 us\n0 send 1 20 kB\n0 end\n1 recv any 20 kB\n1 end\n";

fn experiment(folder: &Folder, keys: &str) -> String {
    let file = folder.path().join("p.profile");
    format!("[workload]\nkind = \"profile\"\nfile = \"{}\"\n{keys}\n", file.display())
}

#[track_caller]
fn check(profile: &str, keys: &str, expected: Expected<'_>) {
    let folder = Folder::with(&[("p.profile", profile)]);
    check_problems(load(&experiment(&folder, keys)), expected);
}

fn simulated_ps(scenario: &Scenario) -> u64 {
    scenario.run(&mut |_| ()).unwrap().summary.simulated.as_ps()
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

#[test]
fn profiles_that_make_no_sense_are_refused() {
    check(PROFILE, "ranks = 3", &[("workload.ranks", "the profile has 2 ranks leave ranks away")]);
    check(PROFILE, "sources = \"guessed\"", &[("workload.sources", "recorded")]);
    check(PROFILE, "message_size = \"1 kB\"", &[("workload.message_size", "belongs to the patterns")]);
    check("weir-profile 1\nranks 1\n0 wait 1\n", "", &[("workload.file", "request 1 is not under way")]);
    let missing = load("[workload]\nkind = \"profile\"\nfile = \"no.profile\"\n");
    check_problems(missing, &[("workload.file", "cannot be read")]);
    let foreign = load("[workload]\nkind = \"profile\"\nfile = \"no.txt\"\n");
    check_problems(foreign, &[("workload.file", "ends in .profile (text) or .parquet")]);
    check_problems(load("[workload]\nkind = \"profile\"\n"), &[("workload.file", "weir log writes one")]);
}
