//! Times of accesses to files, computed by hand from `[storage]`, and what becomes of mistakes with files.

use crate::command::{Ended, compile_text, mpirun, run, scratch};

/// Two ranks: each prints the microseconds at which an access of its own is over.
const PROGRAM: &str = include_str!("../programs/file_access_timed.c");

fn timed(storage: &[&str]) -> Vec<String> {
    let folder = scratch();
    let program = compile_text(PROGRAM, "timed", folder.path());
    let mut command = mpirun(2);
    storage.iter().for_each(|key| _ = command.args(["--set", key]));
    run(command.arg(&program).current_dir(folder.path())).expect(0).sorted_lines()
}

fn lines(texts: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    lines.sort_unstable();
    lines
}

/// Messages take no time here. One server, 10 us for each operation, 1 byte per ns. Writing 2000 bytes takes 12 us: rank
/// 0 is through at 12, rank 1 waits for it and is through at 24. Rank 1, the last to come to the barrier, finds rank 0's
/// message there and goes on a round earlier; so it is the first to read 1000 bytes, 11 us each: 35, and rank 0 at 46.
/// Writing 4000 bytes from 46 on ends at 60; a rank that tests finds out at that instant, for then something changes. Of
/// the last read 1000 bytes are there: 71.
#[test]
fn one_server() {
    let expected = [
        "0: open 0.000",
        "1: open 0.000",
        "0: write 12.000",
        "1: write 24.000",
        "0: begun 24.000",
        "1: begun 24.000",
        "1: read 35.000",
        "0: read 46.000",
        "0: tested 60.000",
        "0: end of the file 71.000",
        "0: nothing 71.000",
    ];
    assert_eq!(timed(&["storage.latency=10 us", "storage.bandwidth=1 GB/s"]), lines(&expected));
}

/// The same with two servers and stripes of 500 bytes: 2000 bytes are 1000 on each, 11 us; rank 1 follows, 22. 1000
/// bytes are 10.5 us, rank 1 first: 32.5 and 43. 4000 bytes are 12 us: 55. The last 1000 bytes: 65.5.
#[test]
fn two_servers() {
    let expected = [
        "0: open 0.000",
        "1: open 0.000",
        "0: write 11.000",
        "1: write 22.000",
        "0: begun 22.000",
        "1: begun 22.000",
        "1: read 32.500",
        "0: read 43.000",
        "0: tested 55.000",
        "0: end of the file 65.500",
        "0: nothing 65.500",
    ];
    let storage =
        ["storage.latency=10 us", "storage.bandwidth=1 GB/s", "storage.servers=2", "storage.stripe=500 B"];
    assert_eq!(timed(&storage), lines(&expected));
}

#[test]
fn without_disks_files_take_no_time() {
    let found = timed(&[]);
    assert!(found.len() == 11 && found.iter().all(|line| line.ends_with(" 0.000")), "{found:?}");
}

fn on_two_ranks(body: &str) -> Ended {
    let folder = scratch();
    let text = format!(
        "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) {{\n    int rank, code, class;\n    \
         MPI_File file;\n    MPI_Init(&argc, &argv);\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n{body}\n    \
         MPI_Finalize();\n    return 0;\n}}\n"
    );
    let program = compile_text(&text, "mistaken", folder.path());
    run(mpirun(2).arg(&program).current_dir(folder.path()))
}

/// Prints whether the class of `code` is this one.
fn class(name: &str) -> String {
    format!("MPI_Error_class(code, &class); printf(\"%d: {name} %d\\n\", rank, class == {name});\n")
}

#[test]
fn what_has_to_be_the_same_on_all_ranks() {
    let open =
        "MPI_File_open(MPI_COMM_WORLD, \"f\", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);\n";
    let calls = [
        "code = MPI_File_open(MPI_COMM_WORLD, \"f\", MPI_MODE_CREATE | (rank ? MPI_MODE_WRONLY : MPI_MODE_RDWR), \
         MPI_INFO_NULL, &file);",
        "code = MPI_File_set_size(file, 10 * rank);",
        "code = MPI_File_preallocate(file, 10 * rank);",
        "code = MPI_File_set_atomicity(file, rank);",
        "code = MPI_File_seek_shared(file, rank, MPI_SEEK_SET);",
        "code = MPI_File_set_view(file, 0, rank ? MPI_INT : MPI_DOUBLE, rank ? MPI_INT : MPI_DOUBLE, \"native\", \
         MPI_INFO_NULL);",
        "code = MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank ? \"native\" : \"external32\", MPI_INFO_NULL);",
    ];
    for (number, call) in calls.iter().enumerate() {
        let before = if number == 0 { "" } else { open };
        let found = on_two_ranks(&format!("{before}{call}\n{}", class("MPI_ERR_NOT_SAME"))).expect(0);
        assert_eq!(found.sorted_lines(), ["0: MPI_ERR_NOT_SAME 1", "1: MPI_ERR_NOT_SAME 1"], "{call}");
    }
}

#[test]
fn fatal_mistakes_end_the_run() {
    let body = "MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);\n\
                MPI_File_open(MPI_COMM_WORLD, \"nothing\", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);\n\
                code = class = 0;\n";
    on_two_ranks(body).expect(1).says(&["MPI_File_open failed: MPI_ERR_NO_SUCH_FILE: nothing: No such"]);
}
