//! Jobs that are folded into a Tofu.

use crate::{Expected, check_problems, load, load_with};
use serde_json::{Value, json};
use weir_scenario::{ExperimentText, Scenario, Source};

const TOFU: &str = "[topology]\nkind = 'tofu'\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n";

fn experiment(topology: &str, mapping: &str) -> String {
    format!(
        "{TOFU}{topology}\n[mapping]\nkind = 'folded'\n{mapping}\n[workload]\nkind = 'ring'\nmessage_size = '1 MB'\n"
    )
}

fn load_json(resolved: &Value) -> Scenario {
    let text = ExperimentText { name: "again.json".into(), text: resolved.to_string() };
    Scenario::load(&Source { experiment_text: Some(text), ..Source::default() }).unwrap()
}

/// The machine is the part that the job needs, and the job has a rank for each place; what is resolved is the same again.
#[test]
fn a_job_has_the_part_that_it_needs() {
    for (mapping, shape, ranks, order) in [
        ("job = [8, 4, 2]\nrank_order = 'yzx'", [4, 2, 1], 64, "yzx"),
        ("job = [8, 4, 2]\naxes = 'zyx'", [1, 2, 4], 64, "xyz"),
        ("job = [64, 64]\nrank_order = 'yzx'\naxes = 'xzy'", [32, 32, 1], 4096, "yx"),
        ("job = [32, 256]", [16, 128, 1], 8192, "xy"),
        ("job = [6]\nranks_per_node = 3", [3, 1, 1], 18, "x"),
        ("job = [5, 2]\nfold = 'zig-zag'", [5, 1, 1], 10, "xy"),
    ] {
        let scenario = load(&experiment("", mapping)).unwrap();
        let resolved = scenario.resolved();
        let [x, y, z] = shape;
        assert_eq!(resolved["topology"]["shape"], json!([x, y, z, 2, 3, 2]), "{mapping}");
        assert_eq!((scenario.workload.ranks, &resolved["mapping"]["rank_order"]), (ranks, &json!(order)));
        assert_eq!(load_json(&resolved).placement(), scenario.placement());
    }
}

/// Every rank of a ring sends to the next one, over one link between routers where these are neighbours: 1 MB at 1 GB/s, and 300 ns. In
/// the machine's own order some are further.
#[test]
fn a_ring_of_neighbours_has_its_links_alone() {
    let time = |mapping: &str| {
        let scenario = load(&experiment("shape = [2, 2, 2]", mapping)).unwrap();
        scenario.run(&mut |_| ()).unwrap().summary.simulated.as_ps()
    };
    assert_eq!(time("job = [4]"), 1_000_300_000);
    // Four ranks that are no neighbours.
    let text =
        experiment("shape = [2, 2, 2]", "job = [4]").replace("kind = 'folded'\njob = [4]", "kind = 'random'");
    let random = load_with(&text, &["workload.ranks=4"]).unwrap().run(&mut |_| ()).unwrap();
    assert!(random.summary.simulated.as_ps() > 1_000_300_000);
}

#[test]
fn what_cannot_be_is_refused() {
    let cases: &[(&str, &str, Expected<'_>)] = &[
        ("shape = [2, 2, 2]", "", &[("mapping.job", "write the sides of the job's torus")]),
        (
            "shape = [2, 2, 2]",
            "job = [8, 2, 2]",
            &[("mapping.job", "a side of 8 that needs 4 along x, and there are 2")],
        ),
        (
            "",
            "job = [4, 4, 4, 4]",
            &[("topology.shape", "missing"), ("mapping.job", "has 4 sides; a job has at most three")],
        ),
        ("", "job = [4, 0]", &[("topology.shape", "missing"), ("mapping.job", "a whole number")]),
        (
            "shape = [2, 2, 2]",
            "job = [4000000000, 4000000000]",
            &[("mapping.job", "more than 4294967295 places")],
        ),
        (
            "",
            "job = [4, 4]\nrank_order = 'xx'",
            &[("mapping.rank_order", "must name each side of the job once")],
        ),
        ("", "job = [4, 4]\naxes = 'abc'", &[("mapping.axes", "must name each side of the job once")]),
        ("", "job = [4, 4]\nfold = 'half'", &[("mapping.fold", "snake, zig-zag")]),
        ("", "job = [4, 4]\nseed = 3", &[("mapping.seed", "belongs to kind = \"random\"")]),
    ];
    for (topology, mapping, expected) in cases {
        check_problems(load(&experiment(topology, mapping)), expected);
    }
    let many = experiment("", "job = [4, 4]") + "ranks = 17\n";
    check_problems(load(&many), &[("mapping.job", "has 16 places: too few for 17 ranks")]);
    let alone = "[mapping]\nkind = 'folded'\njob = [4]\n[engine]\nkind = 'ideal'\n[workload]\nkind = 'ring'\nranks = 4\nmessage_size = '1 B'\n";
    check_problems(load(alone), &[("mapping.kind", "needs a [topology]")]);
}
