//! `[[faults]]`: what is accepted, what is refused and how, and what runs make of them.

use crate::{TORUS, check_problems, load, load_with};

/// The small torus with these faults.
fn with(faults: &str) -> String {
    format!("{TORUS}\n{faults}\n")
}

#[track_caller]
fn check(faults: &str, expected: &str) {
    check_problems(load(&with(faults)), expected);
}

#[test]
fn faults_at_an_instant_that_are_refused() {
    let cut = "[[faults]]\ncable = 'router (0,0) - router (1,0)'\n";
    check(&format!("{cut}at = '2 us'\nuntil = '2 us'"), "faults.0.until: must be later than at");
    check(&format!("{cut}until = '0 s'"), "faults.0.until: must be later than at");
    check(&format!("{cut}at = '-1 us'"), "faults.0.at: must not be negative");
    check("[[faults]]\nrouter = '(1,0)'\nat = '1 us'", "faults: leave rank 1 on node 1 without a way");
    let of = |overrides: &[&str]| {
        load_with(&with(&format!("{cut}at = '1 us'\n{cut}until = '1 us'\n{cut}")), overrides)
    };
    of(&[]).unwrap();
    let expected = |why| format!("faults.0.at: {why} && faults.1.until: {why}");
    of(&["engine.kind=packet", "packet.virtual_channels=3"]).unwrap();
    let later = "[[faults]]\nrandom_cables = 2\nseed = 4\nat = '1 us'";
    let said = "packet.virtual_channels: as the routes of this machine go, from 1 us on";
    check_problems(load_with(&with(later), &["engine.kind=packet"]), said);
    check_problems(of(&["engine.kind=ideal"]), &expected("no message meets a link"));
    let quotient = ["engine.method=quotient", "workload.algorithm=simple-spread-2d"];
    let found = of(&quotient).unwrap_err();
    let keys: Vec<_> = found.list().iter().map(|problem| problem.key.as_str()).collect();
    assert!(keys.contains(&"faults.0.at") && keys.contains(&"faults.1.until"), "{found}");
}
