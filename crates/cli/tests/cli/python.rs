//! Programs whose ranks are processes: Python with mpi4py and its own tests, and what is refused.

use crate::command::{
    check_all, compile, compile_for_mpich, compile_for_open_mpi, compile_text, is_long, mpirun, root, run,
    scratch, weir,
};
use std::path::PathBuf;
use std::process::Command;

/// mpi4py, which `make setup` builds into the target folder.
fn mpi4py() -> PathBuf {
    let folder = root().join("target/mpi4py");
    assert!(folder.join("lib").exists(), "there is no mpi4py: tools/fetch_mpi4py.py says why");
    folder
}

/// Python with mpi4py, on so many ranks; what to run is still missing.
fn python(ranks: usize, options: &[&str]) -> Command {
    let mut command = mpirun(ranks);
    command.args(options).arg("python3").env("PYTHONPATH", mpi4py().join("lib"));
    command
}

/// mpi4py's own tests of point-to-point communication, collectives and files, on 3 ranks; on 2, 4 and 5 too where there is time
/// (`make soak`): what they take is Python's.
#[test]
fn the_tests_of_mpi4py_pass() {
    let main = mpi4py().join("test/main.py");
    let ranks = if is_long() { 2..=5 } else { 3..=3 };
    let cases: Vec<(&str, usize)> =
        ranks.flat_map(|ranks| [("p2p", ranks), ("cco", ranks), ("test_io", ranks)]).collect();
    check_all(&cases, |&(files, ranks)| {
        let mut command = python(ranks, &[]);
        let ended = run(command.arg(&main).args(["-q", "-f", "-i", files]));
        let passed = ended.stderr.lines().filter(|line| line.starts_with("OK")).count();
        if ended.code == 0 && passed == ranks {
            return Ok(());
        }
        let end: Vec<&str> = ended.stderr.lines().rev().take(30).collect();
        let end: Vec<&str> = end.into_iter().rev().collect();
        Err(format!("{files} on {ranks} ranks: {passed} passed\n{}", end.join("\n")))
    });
}

/// A ring of numpy-free objects and buffers, on a machine: the time is simulated, and the same in every run.
#[test]
fn a_python_program_sees_simulated_time() {
    let folder = scratch();
    let program = folder.path().join("ring.py");
    std::fs::write(
        &program,
        r#"
from mpi4py import MPI

world = MPI.COMM_WORLD
right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
got = world.sendrecv({"from": world.rank}, dest=right, source=left)
world.Barrier()
start = MPI.Wtime()
data = bytearray(1 << 20)
world.Sendrecv_replace([data, MPI.BYTE], dest=right, source=left)
print(world.rank, got["from"], MPI.Get_processor_name(), f"{(MPI.Wtime() - start) * 1e6:.3f} us")
"#,
    )
    .unwrap();
    let output = || {
        let ended = run(python(4, &["--machine", "examples/torus.toml"]).arg(&program)).expect(0);
        ended.sorted_lines()
    };
    let lines = output();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (rank, line) in lines.iter().enumerate() {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[..3], [&rank.to_string(), &((rank + 3) % 4).to_string(), &format!("node000{rank}")]);
        let time: f64 = words[3].parse().unwrap();
        assert!(time > 50.0, "a megabyte takes its time: {line}");
    }
    assert_eq!(lines, output());
}

/// What a rank finds of where it is: names of its node, and what launchers say in the environment.
const WHERE: &str = include_str!("../programs/python_where.c");

/// Two ranks on each of two nodes, in one process and each in its own: a program that groups ranks by the names of their
/// computers finds the nodes of the machine.
#[test]
fn ranks_find_the_nodes_of_the_machine() {
    let folder = scratch();
    let source = folder.path().join("where.c");
    std::fs::write(&source, WHERE).unwrap();
    let machine = ["--machine", "examples/torus.toml", "--set", "mapping.ranks_per_node=2"];
    let expected: Vec<String> = (0..4)
        .map(|rank| format!("{rank} node000{} same same 2 {} {} 2", rank / 2, rank % 2, rank / 2))
        .collect();
    let own = compile(&source, folder.path());
    assert_eq!(run(mpirun(4).args(machine).arg(&own).arg("looks")).expect(0).sorted_lines(), expected);
    let program = compile_for_mpich(&source, folder.path());
    assert_eq!(run(mpirun(4).args(machine).arg(&program)).expect(0).sorted_lines(), expected);
    // MPICH 5.0.0 and 5.0.1 have another name for the library.
    let mut bytes = std::fs::read(&program).unwrap();
    let name = b"libmpi_abi.so.1";
    let place = bytes.windows(name.len()).position(|part| part == name).unwrap();
    bytes[place + name.len() - 1] = b'0';
    std::fs::write(&program, bytes).unwrap();
    assert_eq!(run(mpirun(4).args(machine).arg(&program)).expect(0).sorted_lines(), expected);
}

/// Programs for other interfaces would run past us, each rank alone; so would ours without its library.
#[test]
fn programs_that_would_run_past_the_simulator_are_refused() {
    let folder = scratch();
    let text =
        "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n";
    let source = folder.path().join("begin.c");
    std::fs::write(&source, text).unwrap();
    run(mpirun(2).arg(compile_for_open_mpi(&source, folder.path())))
        .expect(2)
        .says(&["is built for another MPI library, libmpi.so"]);
    let program = compile_for_mpich(&source, folder.path());
    run(mpirun(2).env("WEIR_MPI_ABI", "/no/such/file").arg(&program))
        .expect(2)
        .says(&["/no/such/file, which the environment variable"]);
    run(weir(["skeleton", "check", "-n", "2", "--compute", "none"]).arg(&program).arg(&program))
        .expect(2)
        .says(&["only programs of weir cc can be compared"]);
    let alone = run(&mut Command::new(&program));
    assert!(alone.code == 0, "on its own it runs on the MPI that it was built with");
}

/// What ranks share of a file costs the time that it costs ranks of one process; disks are simulated for those only.
#[test]
fn ranks_that_are_processes_open_files_together() {
    let folder = scratch();
    let text = r#"
from mpi4py import MPI

world = MPI.COMM_WORLD
start = MPI.Wtime()
file = MPI.File.Open(world, "together.data", MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
file.Write_ordered(bytes([world.rank]) * (world.rank + 1))
file.Seek_shared(1, MPI.SEEK_SET)
got = bytearray(2)
file.Read_ordered(got)
size, place = file.Get_size(), file.Get_position_shared()
file.Close()
print(world.rank, list(got), size, place, f"{(MPI.Wtime() - start) * 1e6:.3f} us")
"#;
    let program = folder.path().join("together.py");
    std::fs::write(&program, text).unwrap();
    let source = include_str!("../programs/python_together.c");
    let c_program = compile_text(source, "together", folder.path());
    let machine = ["--machine", "torus"];
    let here =
        run(mpirun(3).args(machine).arg(c_program).current_dir(folder.path())).expect(0).sorted_lines();
    let apart = run(python(3, &machine).arg(&program).current_dir(folder.path())).expect(0).sorted_lines();
    assert_eq!(here, apart);
    assert!(
        here[0].starts_with("0 [1, 1] 6 7 ") && here[2].starts_with("2 [") && here.len() == 3,
        "{here:?}"
    );
    assert!(!folder.path().join("together.data").exists());
    let mut disks = python(3, &["--machine", "torus", "--set", "storage.bandwidth=1 GB/s"]);
    let refused = run(disks.arg(&program).current_dir(folder.path())).expect(2);
    assert!(
        refused.stderr.contains(
            "storage: is for programs of weir cc; ranks that are processes of their own share no disks"
        ),
        "{}",
        refused.stderr
    );
}

/// All ranks have the file that the first one has opened, wherever they are and whatever becomes of its name.
#[test]
fn ranks_that_are_processes_have_one_file() {
    let text = r#"
import os
from mpi4py import MPI

world = MPI.COMM_WORLD
os.makedirs(f"at{world.rank}", exist_ok=True)
os.chdir(f"at{world.rank}")
file = MPI.File.Open(world, "one.data", MPI.MODE_CREATE | MPI.MODE_RDWR)
if os.path.exists("one.data"):
    os.remove("one.data")
file.Write_at_all(world.rank, bytes([10 + world.rank]))
file.Sync()
world.Barrier()
got = bytearray(3)
file.Read_at_all(0, got)
print(world.rank, list(got), file.Get_size(), os.listdir("."))
file.Close()
"#;
    let folder = scratch();
    let program = folder.path().join("one.py");
    std::fs::write(&program, text).unwrap();
    let lines = run(python(3, &[]).arg(&program).current_dir(folder.path())).expect(0).sorted_lines();
    assert_eq!(lines, ["0 [10, 11, 12] 3 []", "1 [10, 11, 12] 3 []", "2 [10, 11, 12] 3 []"]);
}
