//! Communication profiles as workloads.

use crate::{Folder, check_problems, load};

const PROFILE: &str =
    "weir-profile 1\nranks 2\n0 compute 3 us\n0 send 1 20 kB\n0 end\n1 recv any 20 kB\n1 end\n";

fn experiment(folder: &Folder, keys: &str) -> String {
    let file = folder.path().join("p.profile");
    format!("[workload]\nkind = \"profile\"\nfile = \"{}\"\n{keys}\n", file.display())
}

#[track_caller]
fn check(profile: &str, keys: &str, expected: &str) {
    let folder = Folder::with(&[("p.profile", profile)]);
    check_problems(load(&experiment(&folder, keys)), expected);
}

#[test]
fn profiles_that_make_no_sense_are_refused() {
    check(PROFILE, "ranks = 3", "workload.ranks: the profile has 2 ranks leave ranks away");
    check(PROFILE, "sources = \"guessed\"", "workload.sources: recorded");
    check(PROFILE, "message_size = \"1 kB\"", "workload.message_size: belongs to the patterns");
    check("weir-profile 1\nranks 1\n0 wait 1\n", "", "workload.file: request 1 is not under way");
    let missing = load("[workload]\nkind = \"profile\"\nfile = \"no.profile\"\n");
    check_problems(missing, "workload.file: cannot be read");
    let foreign = load("[workload]\nkind = \"profile\"\nfile = \"no.txt\"\n");
    check_problems(foreign, "workload.file: ends in .profile (text) or .parquet");
    check_problems(load("[workload]\nkind = \"profile\"\n"), "workload.file: weir log writes one");
}
