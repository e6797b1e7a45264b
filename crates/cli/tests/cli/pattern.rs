//! Pattern files: what `weir pattern` writes runs like the experiment it comes from.

use crate::command::{check_all, run, scratch, weir};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Every kind of pattern, on 16 ranks.
const PATTERNS: [&str; 20] = [
    "kind = 'all-to-all'",
    "kind = 'all-to-all'\nalgorithm = 'simple-spread-2d'\nsynchronised = true",
    "kind = 'all-to-all'\nalgorithm = 'pairwise'\nmessages = 2",
    "kind = 'all-to-all'\nalgorithm = 'bruck'",
    "kind = 'ring'\nmessages = 3",
    "kind = 'ring'\nsynchronised = true\nsize_spread = 0.5",
    "kind = 'random-ring'",
    "kind = 'broadcast'\nroot = 5",
    "kind = 'broadcast'\nalgorithm = 'flat'",
    "kind = 'broadcast'\nalgorithm = 'ring-pipeline'\nsegments = 4",
    "kind = 'gather'",
    "kind = 'gather'\nalgorithm = 'flat'\nroot = 3",
    "kind = 'scatter'\nmessages = 2",
    "kind = 'halo'\nsynchronised = true\nmessages = 2",
    "kind = 'halo'\ngrid = [4, 2, 2]\nperiodic = [true, false, true]",
    "kind = 'permutation'\npermutation = 'bit-reverse'",
    "kind = 'permutation'\npermutation = 'random'\nsynchronised = true\nmessages = 3",
    "kind = 'permutation'\npermutation = 'shift'\ndistance = 3",
    "kind = 'incast'\nroot = 7\nmessages = 2",
    "kind = 'hot-spot'\nmessages = 20\nsize_spread = 0.2",
];

const MACHINE: &str =
    "[topology]\nkind = 'torus'\nshape = [4, 4]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n";

fn summary(experiment: &Path) -> Value {
    run(weir(["run", "--json"]).arg(experiment)).expect(0).summary()
}

fn check(workload: &str, folder: &Path) -> Result<(), String> {
    let path = |name: &str| folder.join(name);
    let workload = format!("[workload]\n{workload}\nmessage_size = '20 kB'\n");
    fs::write(path("original.toml"), format!("{MACHINE}{workload}")).unwrap();
    let original = summary(&path("original.toml"));
    for ending in ["pattern", "parquet"] {
        let file = path("x").with_extension(ending);
        run(weir(["pattern"]).arg(path("original.toml")).arg("--out").arg(&file)).expect(0);
        let again = format!("{MACHINE}[workload]\nkind = 'pattern-file'\nfile = 'x.{ending}'\n");
        fs::write(path("again.toml"), again).unwrap();
        let again = summary(&path("again.toml"));
        for field in ["digest", "simulated_ps", "messages", "bytes", "events", "ranks", "outcome"] {
            if again[field] != original[field] || again[field].is_null() {
                return Err(format!("{ending}: {field}: {} {}: {workload}", again[field], original[field]));
            }
        }
    }
    Ok(())
}

#[test]
fn a_written_pattern_gives_the_same_run() {
    let folder = scratch();
    let items: Vec<_> = PATTERNS.iter().enumerate().collect();
    check_all(&items, |(number, workload)| {
        let folder = folder.path().join(number.to_string());
        fs::create_dir(&folder).unwrap();
        check(workload, &folder)
    });
}
