//! mpi4py and its own tests. Other programs whose ranks are processes: `cases/processes.toml`.

use crate::command::{check_all, is_long, mpirun, root, run};

/// mpi4py's own tests of point-to-point communication and files, on 2 ranks; those of collectives, and 3 to 5 ranks, where there is
/// time (`make soak`), for it is Python's. `make setup` builds mpi4py into the target folder.
#[test]
fn the_tests_of_mpi4py_pass() {
    let mpi4py = root().join("target/mpi4py");
    assert!(mpi4py.join("lib").exists(), "there is no mpi4py: tools/fetch_mpi4py.py says why");
    let (ranks, parts) =
        if is_long() { (2..=5, &["p2p", "test_io", "cco"][..]) } else { (2..=2, &["p2p", "test_io"][..]) };
    let cases: Vec<(&str, usize)> =
        ranks.flat_map(|ranks| parts.iter().map(move |part| (*part, ranks))).collect();
    check_all(&cases, |&(files, ranks)| {
        let mut command = mpirun(ranks);
        command.arg("python3").env("PYTHONPATH", mpi4py.join("lib")).arg(mpi4py.join("test/main.py"));
        let ended = run(command.args(["-q", "-f", "-i", files]));
        let passed = ended.stderr.lines().filter(|line| line.starts_with("OK")).count();
        if ended.code == 0 && passed == ranks {
            return Ok(());
        }
        let end: Vec<&str> = ended.stderr.lines().rev().take(30).collect();
        let end: Vec<&str> = end.into_iter().rev().collect();
        Err(format!("{files} on {ranks} ranks: {passed} passed\n{}", end.join("\n")))
    });
}
