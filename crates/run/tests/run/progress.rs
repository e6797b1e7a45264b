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
/// 1,048,576 + 300. A receiver that computes answers at 1 ms, or at the poll at 70 us: 600 + 1,048,576 ns later; a sender at the same
/// instants: 300 less. With a start that costs 1 us the sender begins to compute later, and its polls come later. Packets are on their way
/// for longer, each time for as long.
#[test]
fn a_rank_that_computes() {
    for (computes, there) in [(1, 600 + 1_048_576), (0, 300 + 1_048_576)] {
        let ends = |engine| [&[][..], CALLS, POLLS].map(|overrides| end(computes, engine, overrides));
        for engine in ["flow", "ideal"] {
            assert_eq!(ends(engine), [1_049_476, 1_000_000 + there, 70_000 + there], "{engine}");
        }
        let [always, calls, polls] = ends("packet");
        let asked = 1_000_000 + always - calls;
        assert!((300..6000).contains(&asked), "{always} {calls}");
        assert_eq!(calls - polls, 930_000);
    }
    let later: Vec<&str> = [POLLS, &["node.send_overhead=1 us"]].concat();
    assert_eq!(["flow", "ideal"].map(|engine| end(0, engine, &later)), [1_119_876; 2]);
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
