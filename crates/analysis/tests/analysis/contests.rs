//! Which algorithm of a collective is best where.

use crate::Folder;
use weir_analysis::contest::{AlgorithmComparison, COLLECTIVES, ContestError, ContestRequest, repeated};
use weir_experiment::{Scenario, Source};
use weir_run::run;
use weir_units::{Bytes, Duration, Time};

const MACHINE: &str = "[topology]\nkind = 'torus'\nshape = [6]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[node]\nsend_overhead = '500 ns'\n\
                       [engine]\nkind = 'flow'\n";

fn request(folder: &Folder) -> ContestRequest {
    ContestRequest {
        machine: folder.file("m.toml").unwrap(),
        threads: std::num::NonZero::new(1),
        ..ContestRequest::default()
    }
}

/// Each time is that of the experiment that is named for it; what `auto` takes is one of those that take as long; the fastest is
/// first.
#[test]
fn times_are_those_of_the_experiments_that_are_named() {
    let folder = Folder::with(&[("m.toml", MACHINE)]);
    let texts = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let request = ContestRequest {
        sets: texts(&["node.receive_overhead=300 ns"]),
        operations: texts(&["allgather", "barrier", "allgather", "bcast"]),
        sizes: vec![Bytes(36), Bytes(12), Bytes(36)],
        ranks: vec![3, 2, 3],
        ..request(&folder)
    };
    let done = std::sync::Mutex::new(Vec::new());
    let found = AlgorithmComparison::run(&request, &|run, of| done.lock().unwrap().push((run, of))).unwrap();
    let cells: Vec<_> = found.cells.iter().map(|cell| (cell.operation, cell.bytes.0, cell.ranks)).collect();
    let each = |name, sizes: &[u64]| {
        sizes.iter().flat_map(|&bytes| [(name, bytes, 2), (name, bytes, 3)]).collect::<Vec<_>>()
    };
    assert_eq!(
        cells,
        [each("allgather", &[12, 36]), each("barrier", &[0]), each("bcast", &[12, 36])].concat()
    );
    let mut runs = 0;
    for cell in &found.cells {
        let time = |name| {
            let (text, arguments) = repeated(&request, cell, name);
            assert_eq!(arguments[..2], ["--machine", &request.machine.display().to_string()]);
            assert!(arguments[2..].iter().step_by(2).all(|option| option == "--set"));
            let overrides = arguments[2..].iter().skip(1).step_by(2).cloned().collect();
            let source =
                Source { machine: Some(request.machine.clone()), overrides, ..Source::of_text("e", text) };
            let scenario = Scenario::load(&source).unwrap();
            assert_eq!(scenario.workload.ranks, cell.ranks);
            run(&scenario, &mut |_| ()).unwrap().summary.simulated.since(Time::ZERO)
        };
        for (name, found) in &cell.times {
            if let Ok(found) = found {
                assert_eq!(*found, time(Some(name)), "{cell:?} {name}");
            }
        }
        runs += cell.times.len() + 1;
        assert_eq!(cell.auto, Ok(time(None)));
        assert!(
            !cell.auto_is.is_empty()
                && !cell.times.iter().any(|(name, _)| *name == "auto" || *name == "hardware")
        );
        let of = |name: &str| cell.times.iter().find(|(known, _)| *known == name).unwrap().1.clone();
        assert!(cell.auto_is.iter().all(|name| of(name) == cell.auto), "{cell:?}");
        let ranked = cell.ranked();
        assert!(ranked.is_sorted_by_key(|(_, time)| *time) && cell.best() == ranked.first().copied());
        assert!(ranked[0].1 > Duration::ZERO && ranked.len() > 1);
    }
    assert_eq!(done.into_inner().unwrap(), (1..=runs).map(|run| (run, runs)).collect::<Vec<_>>());
}

/// Without sizes and ranks: what ranks cannot share is left out. Mistakes are named, those of what was asked for among them.
#[test]
fn what_is_not_asked_for_is_all_there_is() {
    let folder = Folder::with(&[("m.toml", MACHINE)]);
    let one = |name: &str| vec![name.to_owned()];
    let request =
        ContestRequest { operations: one("allgather"), algorithms: one("ring"), ..request(&folder) };
    let found = AlgorithmComparison::run(&request, &|_, _| ()).unwrap();
    let cells: Vec<_> = found.cells.iter().map(|cell| (cell.bytes.0, cell.ranks)).collect();
    assert_eq!(cells, [8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20].map(|bytes| (bytes, 2)));
    let left_out: Vec<_> = found.left_out.iter().map(|(_, bytes, ranks)| (bytes.0, *ranks)).collect();
    assert_eq!(left_out, [8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20].map(|bytes| (bytes, 6)));
    assert!(found.cells.iter().all(|cell| cell.times.len() == 1 && cell.times[0].0 == "ring"));
    let refused = |changed: ContestRequest, expected: &str| {
        let Err(ContestError::Input(problems)) = AlgorithmComparison::run(&changed, &|_, _| ()) else {
            panic!("{expected}")
        };
        let said = problems.list().iter().map(|one| format!("{}: {} {:?}", one.key, one.what, one.hint));
        let said: Vec<_> = said.collect();
        let parts: Vec<_> = expected.split(" && ").collect();
        assert!(
            said.len() == parts.len() && said.iter().zip(parts).all(|(said, part)| said.contains(part)),
            "{said:?}"
        );
    };
    let all = format!("--operation: is no collective Some(\"choose among {}\")", COLLECTIVES.join(", "));
    refused(ContestRequest { operations: one("scam"), ..request.clone() }, &all);
    refused(ContestRequest { algorithms: one("rung"), ..request.clone() }, "choose among ");
    refused(ContestRequest { sizes: vec![Bytes(8), Bytes(16)], ..request.clone() }, "12 B && 18 B");
    let both = ContestRequest { sets: one("node.nix=1"), operations: one("scam"), ..request };
    refused(both, "--operation: is no collective && node.nix: ");
}
