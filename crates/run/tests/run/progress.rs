//! `node.progress` on every engine: computing and a long message, one after the other or at once.

use crate::{Folder, load_with};
use weir_run::run;

const MIB: u64 = 1 << 20;

/// Ends of a run in which rank 0 sends 1 MiB by rendezvous to rank 1; `computes` does so for 1 ms between the start of its part and its
/// wait. In ns.
fn end(computes: usize, engine: &str, overrides: &[&str]) -> u64 {
    let compute =
        |rank: usize| if rank == computes { format!("{rank} compute 1 ms\n") } else { String::new() };
    let rank = |rank: usize, start: &str| {
        format!("{rank} {start} {MIB} B request 0\n{}{rank} wait 0\n{rank} end\n", compute(rank))
    };
    let profile = format!("weir-profile 4\nranks 2\n{}{}", rank(0, "isend 1"), rank(1, "irecv 0"));
    let folder = Folder::with(&[("p.profile", &profile)]);
    let file = folder.path().join("p.profile").display().to_string();
    let machine = match engine {
        "ideal" => "[engine]\nkind = 'ideal'\nlatency = '300 ns'\nbandwidth = '1 GB/s'\n".to_owned(),
        other => format!(
            "[topology]\nkind = 'mesh'\nshape = [2]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n[engine]\nkind = '{other}'\n"
        ),
    };
    let text = format!("{machine}[workload]\nkind = 'profile'\nfile = '{file}'\n");
    let scenario = load_with(&text, overrides).unwrap();
    let report = run(&scenario, &mut |_| {}).unwrap();
    report.summary.simulated.as_ps() / 1000
}

const CALLS: &[&str] = &["node.progress=calls"];
const POLLS: &[&str] = &["node.progress=polls", "node.progress_interval=70 us"];

/// The way has three links of 100 ns. The request comes at 300 ns; answered then, the clearance is back at 600, and 1 MiB is there at 600 +
/// 1,048,576 + 300. Answered at 1 ms, or at the poll at 70 us: 600 + 1,048,576 ns later.
#[test]
fn a_receiver_that_computes() {
    for engine in ["flow", "ideal"] {
        let found = [&[][..], CALLS, POLLS].map(|overrides| end(1, engine, overrides));
        assert_eq!(found, [1_049_476, 2_049_176, 1_119_176], "{engine}");
    }
    // Packets are on their way for longer, each time for as long.
    let [always, calls, polls] = [&[][..], CALLS, POLLS].map(|overrides| end(1, "packet", overrides));
    let asked = 1_000_000 + always - calls;
    assert!((300..3000).contains(&asked), "{always} {calls}");
    assert_eq!(calls - polls, 930_000);
}

/// The clearance is back at 600 ns. Answered then, the data are there at 1,049,476; answered at 1 ms, or at the poll at 70 us: 1,048,876 ns
/// later. With a start that costs 1 us, that of the sender begins to compute later, and its polls come later.
#[test]
fn a_sender_that_computes() {
    for engine in ["flow", "ideal"] {
        let found = [&[][..], CALLS, POLLS].map(|overrides| end(0, engine, overrides));
        assert_eq!(found, [1_049_476, 2_048_876, 1_118_876], "{engine}");
        let later: Vec<&str> = [POLLS, &["node.send_overhead=1 us"]].concat();
        assert_eq!(end(0, engine, &later), 1_119_876, "{engine}");
    }
    let [always, calls, polls] = [&[][..], CALLS, POLLS].map(|overrides| end(0, "packet", overrides));
    assert!((600..6000).contains(&(1_000_000 + always - calls)), "{always} {calls}");
    assert_eq!(calls - polls, 930_000);
}

/// A short message needs no answer, and where nobody computes all rules are one.
#[test]
fn nothing_else_changes() {
    for engine in ["flow", "ideal", "packet"] {
        for computes in [0, 1] {
            let eager = |progress: &[&'static str]| {
                end(computes, engine, &[progress, &["node.eager_limit=2 MB"]].concat())
            };
            assert_eq!([eager(CALLS), eager(POLLS)], [eager(&[]); 2], "{engine}");
        }
        let idle = |progress: &[&str]| end(2, engine, progress);
        assert_eq!([idle(CALLS), idle(POLLS)], [idle(&[]); 2], "{engine}");
    }
}
