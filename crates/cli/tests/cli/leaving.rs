//! Ranks that leave in odd ways, break in threads of their own, or do what only a process of its own could do: each is
//! reported with its rank and what it did, or does what it would do in a process of its own.

use crate::command::{check_all, compile, mpirun, root, run, scratch};
use std::path::Path;

/// How rank 1 of 3 leaves, and what becomes of it.
struct Case {
    how: &'static str,
    code: i32,
    /// What standard error says.
    says: &'static str,
    /// Lines of standard output that have to be there.
    prints: &'static [&'static str],
}

const fn aborted(how: &'static str, says: &'static str) -> Case {
    Case { how, code: 1, says, prints: &[] }
}

const fn finished(how: &'static str, prints: &'static [&'static str]) -> Case {
    Case { how, code: 0, says: "", prints }
}

const REPLACED: &str = "the process that would be replaced is that of all ranks";

const CASES: &[Case] = &[
    aborted("exit", "rank 1: it called exit(3) before MPI_Finalize"),
    aborted("_exit", "rank 1: it called _exit(3) before MPI_Finalize"),
    aborted("_Exit", "rank 1: it called _exit(3) before MPI_Finalize"),
    Case {
        how: "quick_exit",
        code: 1,
        says: "rank 1: it called quick_exit(3) before MPI_Finalize",
        prints: &["quick handler"],
    },
    aborted("err", "rank 1: it called exit(3) by way of a library before MPI_Finalize"),
    aborted("pthread_exit", "rank 1: it called pthread_exit before MPI_Finalize"),
    aborted("thrd_exit", "rank 1: it called pthread_exit before MPI_Finalize"),
    aborted("execv", "rank 1: it called execv(\"/bin/true\")"),
    aborted("execve", "rank 1: it called execve(\"/bin/true\")"),
    aborted("execvp", "rank 1: it called execvp(\"true\")"),
    aborted("execl", REPLACED),
    aborted("execlp", REPLACED),
    aborted("execle", REPLACED),
    aborted("daemon", "rank 1: it called daemon"),
    aborted("in_qsort", "rank 1: it called exit(4) before MPI_Finalize"),
    aborted("in_attribute", "rank 1: it called exit(5) before MPI_Finalize"),
    aborted("in_error_handler", "rank 1: it called exit(6) before MPI_Finalize"),
    aborted("in_atexit", "rank 1: it called exit(7) before MPI_Finalize"),
    // What it had before it broke is gone, and with it the way back.
    aborted("over_its_stack", "memory of weir was damaged, most likely by the program"),
    aborted("freopen", "rank 1: it called freopen on standard output"),
    finished("fclose", &["rank 0 goes on", "rank 2 goes on"]),
    aborted("thread_crash", "a thread that the program of rank 1 made crashed: segmentation fault"),
    aborted("thread_overflow", "a thread that the program of rank 1 made crashed: stack overflow"),
    aborted("thread_abort", "a thread that the program of rank 1 made crashed: abort"),
    aborted("thread_exit", "a thread that the program of rank 1 made called exit(9)"),
    aborted("thread_execv", "a thread that the program of rank 1 made called execv(\"/bin/true\")"),
    aborted(
        "thread_mpi",
        "a thread that the program of rank 1 made called MPI_Barrier; only the thread that runs main",
    ),
    finished("thread_pthread_exit", &["joined 1", "rank 0 goes on"]),
    // A process shares what is begun of a line, as any does.
    finished("fork_exit", &["before", "begun child ended with 3"]),
    finished("fork_return", &["before", "begun child ended with 2"]),
    finished("fork_execl", &["before", "from echo", "begun child ended with 0"]),
    finished("vfork", &["before", "from echo", "begun child ended with 0"]),
    Case {
        how: "fork_mpi",
        code: 0,
        says: "error: rank 1: a process that it has forked called MPI_Barrier",
        prints: &["begun child ended with 1"],
    },
    Case {
        how: "fork_crash",
        code: 0,
        says: "error: rank 1: a process that it has forked crashed: segmentation fault",
        prints: &["begun child ended with 1"],
    },
];

fn check(case: &Case, program: &Path) -> Result<(), String> {
    let ended = run(mpirun(3).arg(program).arg(case.how));
    let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = ended.sorted_lines();
    let printed = case.prints.iter().all(|text| lines.iter().any(|line| line == text));
    let summaries = ended.stderr.matches("simulated time").count();
    let once = lines.iter().filter(|line| *line == "before").count() <= 1;
    if ended.code == case.code && said.contains(case.says) && printed && summaries <= 1 && once {
        return Ok(());
    }
    Err(format!("{}: {}\n--- stdout\n{}\n--- stderr\n{}", case.how, ended.code, ended.stdout, ended.stderr))
}

#[test]
fn a_rank_that_leaves_is_reported_with_what_it_did() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/leaving/leaving.c"), folder.path());
    check_all(CASES, |case| check(case, &program));
}

#[test]
fn after_finalize_a_rank_may_leave_as_it_likes() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/leaving/leaving.c"), folder.path());
    for (how, code) in [("pthread_exit", 0), ("_exit", 1), ("quick_exit", 1), ("exit", 1)] {
        let ended = run(mpirun(3).arg(&program).args([how, "after"])).expect(code);
        let says = if code == 0 { "" } else { "rank 1 ended with exit code 3" };
        ended.says(&[says]);
    }
}

/// The functions of a program that MPI calls: an operation (in the call of a collective, and in one that has nothing to do with
/// it), copying and deleting of attributes, an error handler, those of a generalised request.
const PLACES: [(&str, &str); 10] = [
    ("operation", "MPI_Wait"),
    ("later", "MPI_Barrier"),
    ("local", "MPI_Reduce_local"),
    ("copy", "MPI_Comm_dup"),
    ("delete", "MPI_Comm_delete_attr"),
    ("finalize", "MPI_Finalize"),
    ("handler", "MPI_Send"),
    ("query", "MPI_Wait"),
    ("free", "MPI_Wait"),
    ("cancel", "MPI_Cancel"),
];

/// How rank 1 of 3 leaves in such a function, and what standard error says, with the call for CALL; 0 and nothing of what it
/// prints if it goes on.
const WAYS: [(&str, i32, &str); 12] = [
    ("exit", 1, "rank 1: it called exit(3) before MPI_Finalize"),
    ("_exit", 1, "rank 1: it called _exit(3) before MPI_Finalize"),
    ("quick_exit", 1, "rank 1: it called quick_exit(3) before MPI_Finalize"),
    ("abort", 1, "rank 1: it crashed in or after CALL: abort"),
    ("crash", 1, "rank 1: it crashed in or after CALL: segmentation fault: it used a null pointer"),
    ("pthread_exit", 1, "rank 1: it called pthread_exit before MPI_Finalize"),
    ("execv", 1, "rank 1: it called execv(\"/bin/true\")"),
    ("mpi_abort", 1, "rank 1: it called MPI_Abort with error code 7"),
    ("fork_exit", 0, "child ended with 3"),
    ("fork_execv", 0, "child ended with 0"),
    ("fork_crash", 0, "rank 1: a process that it has forked crashed: abort"),
    ("stay", 0, "rank 2 goes on"),
];

#[test]
fn a_rank_that_leaves_in_a_function_that_mpi_calls_is_reported() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/leaving/callbacks.c"), folder.path());
    check_all(&PLACES, |(place, call)| {
        for (how, code, says) in WAYS {
            let ended = run(mpirun(3).arg(&program).args([place, how]));
            let said = [&*ended.stderr, &*ended.stdout].concat();
            let goes_on = ended.stdout.contains("rank 0 goes on") && ended.stdout.contains("rank 2 goes on");
            if ended.code != code || !said.contains(&says.replace("CALL", call)) || goes_on != (code == 0) {
                return Err(format!("{place} {how}: {}\n{said}", ended.code));
            }
        }
        Ok(())
    });
}

/// A program that damages or unmaps what the allocator has given ends with a word. Where the allocator finds that out it keeps
/// its lock, for which the end of the run does not wait.
#[test]
fn damaged_heaps_end_with_a_word() {
    const DAMAGED: &str = "memory of weir was damaged, most likely by the program";
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/leaving/heap.c"), folder.path());
    let list = "rank 1: it crashed in or after MPI_Barrier";
    for (how, says) in [("list", list), ("unmap", DAMAGED), ("protect", DAMAGED)] {
        run(mpirun(3).arg(&program).arg(how)).expect(1).says(&[says]);
    }
}
