//! Jobs that are folded into a Tofu.

use crate::{again, load};
use serde_json::json;

const TOFU: &str = "[topology]\nkind = 'tofu'\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n";

fn experiment(topology: &str, mapping: &str) -> String {
    format!(
        "{TOFU}{topology}\n[mapping]\nkind = 'folded'\n{mapping}\n[workload]\nkind = 'ring'\nmessage_size = '1 MB'\n"
    )
}

/// The machine is the part that the job needs, and the job has a rank for each place; what is resolved is the same again. With sides, a machine
/// of Fugaku's: a side of 64 fits along y alone, three places in each of 22 groups, the other one has eight rows of eight along x and z.
#[test]
fn a_job_has_the_part_that_it_needs() {
    let fugaku = "shape = [24, 23, 24]";
    for (topology, mapping, shape, ranks, [order, axes]) in [
        ("", "job = [8, 4, 2]\nrank_order = 'yzx'", [4, 2, 1], 64, ["yzx", "xyz"]),
        ("", "job = [8, 4, 2]\naxes = 'zyx'", [1, 2, 4], 64, ["xyz", "zyx"]),
        ("", "job = [64, 64]\nrank_order = 'yzx'\naxes = 'xy'", [32, 32, 1], 4096, ["yx", "xy"]),
        ("", "job = [64, 64]\nrank_order = 'yzx'\naxes = 'xzy'", [32, 4, 4], 4096, ["yx", "xyy"]),
        (fugaku, "job = [64, 64]\nrank_order = 'yzx'\naxes = 'xzy'", [4, 22, 4], 4096, ["yx", "yxy"]),
        (fugaku, "job = [32, 256]", [16, 8, 8], 8192, ["xy", "xyy"]),
        (fugaku, "job = [32, 256]\nrows = 8", [16, 16, 4], 8192, ["xy", "xyy"]),
        (fugaku, "job = [8, 8, 8]\nfold = 'full'", [4, 3, 4], 512, ["xyz", "xyz"]),
        ("", "job = [6]\nranks_per_node = 3\naxes = 'x'", [3, 1, 1], 18, ["x", "x"]),
        ("", "job = [5, 2]\nfold = 'zig-zag'\naxes = 'xy'", [5, 1, 1], 10, ["xy", "xy"]),
    ] {
        let scenario = load(&experiment(topology, mapping)).unwrap();
        let resolved = scenario.resolved();
        let [x, y, z] = shape;
        assert_eq!(resolved["topology"]["shape"], json!([x, y, z, 2, 3, 2]), "{mapping}");
        assert_eq!(scenario.workload.ranks, ranks);
        assert_eq!(
            [&resolved["mapping"]["rank_order"], &resolved["mapping"]["axes"]],
            [&json!(order), &json!(axes)]
        );
        let again = again(&scenario);
        assert_eq!((again.placement(), again.resolved()), (scenario.placement(), resolved));
    }
}

/// A dimension is closed in the part if the machine closes it and the job has all of it: x with 24 groups, of which 12 would be enough for 24
/// places, but not for 48; with faults, which name the machine, all of that is there.
#[test]
fn a_part_is_closed_where_it_has_all() {
    let closed = "shape = [24, 23, 24]\nwrap = [true, false, true, false, true, false]";
    for (job, shape, wraps) in [
        ("job = [24, 2, 2]", [12, 1, 1], [false, false, false, false, true, false]),
        ("job = [48, 2, 2]", [24, 1, 1], [true, false, false, false, true, false]),
        ("job = [2, 46, 2]", [1, 23, 1], [false, false, false, false, true, false]),
    ] {
        let resolved = load(&experiment(closed, job)).unwrap().resolved();
        let [x, y, z] = shape;
        assert_eq!(resolved["topology"]["shape"], json!([x, y, z, 2, 3, 2]));
        assert_eq!(resolved["topology"]["wrap"], json!(wraps));
    }
    let faulty = experiment(closed, "job = [8, 8, 8]") + "[[faults]]\nrouter = 'router (20,20,20,0,0,0)'\n";
    let resolved = load(&faulty).unwrap().resolved();
    assert_eq!(resolved["topology"]["shape"], json!([24, 23, 24, 2, 3, 2]));
}

/// More nodes than ranks are said: two of the three places of b stay idle in a group, with sides of two, and eight of nine along y and b are taken.
#[test]
fn idle_nodes_are_said() {
    let warnings = |mapping: &str| load(&experiment("shape = [24, 23, 24]", mapping)).unwrap().warnings();
    let of_eight =
        "the job of 8 x 8 x 8 has 4 x 4 x 4 groups of 12 nodes: 512 of 768 nodes have ranks, 256 stay idle";
    assert_eq!(warnings("job = [8, 8, 8]"), [of_eight]);
    assert_eq!(
        warnings("job = [64, 64]"),
        [
            "the job of 64 x 64 has 4 x 22 x 4 groups of 12 nodes: 4096 of 4224 nodes have ranks, 128 stay idle"
        ]
    );
    assert_eq!(warnings("job = [4, 6, 16]\nfold = 'full'"), Vec::<String>::new());
}
