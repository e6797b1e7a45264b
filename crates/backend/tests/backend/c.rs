//! Programs in C.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compiles a program against the library that was built with this test.
fn compiled(folder: &Path, source: &Path) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let library = test.parent().unwrap();
    let program = folder.join("program");
    let output = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-I")
        .arg(root().join("include"))
        .arg("-L")
        .arg(library)
        .arg("-lweir_backend")
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

fn run(program: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

/// The example: each hop computes 500 ns and sends 1 kB in 1 us + 1 us, three times around four ranks.
#[test]
fn a_token_goes_around() {
    let folder = TempDir::new().unwrap();
    let program = compiled(folder.path(), &root().join("docs/guide/backend/token.c"));
    let experiment = folder.path().join("e.toml");
    fs::write(&experiment, "[engine]\nkind = 'ideal'\nlatency = '1 us'\nbandwidth = '1 GB/s'\n").unwrap();
    let experiment = experiment.to_str().unwrap();
    let output = run(&program, &[experiment, "3", "workload.ranks=4"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{} ps\n", 12 * 2_500_000 - 500_000));
    let output = run(&program, &[experiment, "3", "workload.ranks=4", "engine.latency=x"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("engine.latency"), "{said}");
}

/// Every mistake is a code and a sentence, and none ends the program.
#[test]
fn mistakes_are_sentences() {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("m.c");
    fs::write(&source, MISTAKES).unwrap();
    let program = compiled(folder.path(), &source);
    let output = run(&program, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines,
        [
            "-1 there is no backend",
            "-3 the backend was not opened",
            "-1 there is no rank 2: ranks are 0 to 1",
            "-1 there is no rank -5: ranks are 0 and more",
            "-1 bytes is -1: it must be 0 or more",
            "-1 there is no tag -3: tags are 0 to 2147483647",
            "-1 delay_ps is -1: it must be 0 or more",
            "-1 time cannot go back to 99 ps: it is 100 ps",
            "-2 nothing is left to happen, but rank 1 waits for a message of up to 10 B from rank 0 with tag 3, which no send there meets",
            "1 2 10",
            TOO_LONG,
            TOO_LONG,
        ]
    );
}

const TOO_LONG: &str = "-3 a receive of rank 1 from rank 0: MPI_ERR_TRUNCATE: a message of 11 bytes came for a buffer of 10 bytes";

const MISTAKES: &str = r#"
#include <stdio.h>
#include <weir_backend.h>

static void say(weir_backend *backend, int code)
{
    printf("%d %s\n", code, weir_backend_error(backend));
}

int main(void)
{
    const char *settings[] = {"engine.kind=ideal", "workload.ranks=2"};
    weir_backend *backend = NULL, *broken = NULL;
    say(backend, weir_backend_send(backend, 0, 1, 0, 1, NULL, NULL));
    if (weir_backend_open("no such file", NULL, 0, &broken) != WEIR_BACKEND_EXPERIMENT)
        return 1;
    say(broken, weir_backend_next(broken, 5, NULL));
    weir_backend_close(broken);
    if (weir_backend_open(NULL, settings, 2, &backend) != 0)
        return 2;
    say(backend, weir_backend_send(backend, 0, 2, 0, 1, NULL, NULL));
    say(backend, weir_backend_send(backend, -5, 1, 0, 1, NULL, NULL));
    say(backend, weir_backend_send(backend, 0, 1, 0, -1, NULL, NULL));
    say(backend, weir_backend_receive(backend, 0, 1, -3, 1, NULL, NULL));
    say(backend, weir_backend_schedule(backend, 0, -1, NULL, NULL));
    if (weir_backend_run(backend, 100) != 0)
        return 3;
    say(backend, weir_backend_run(backend, 99));
    weir_backend_receive(backend, 1, 0, 3, 10, NULL, NULL);
    say(backend, weir_backend_run(backend, WEIR_BACKEND_ANY));
    /* It goes on when somebody sends. */
    weir_backend_completion completion;
    weir_backend_send(backend, 0, 1, 3, 10, NULL, NULL);
    weir_backend_next(backend, WEIR_BACKEND_ANY, &completion);
    int code = weir_backend_next(backend, WEIR_BACKEND_ANY, &completion);
    printf("%d %d %lld\n", code, completion.kind, (long long)completion.bytes);
    weir_backend_receive(backend, 1, 0, 3, 10, NULL, NULL);
    weir_backend_send(backend, 0, 1, 3, 11, NULL, NULL);
    say(backend, weir_backend_run(backend, WEIR_BACKEND_ANY));
    say(backend, weir_backend_send(backend, 0, 1, 3, 11, NULL, NULL));
    weir_backend_close(backend);
    return 0;
}
"#;
