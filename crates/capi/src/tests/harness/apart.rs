//! Tests that need a process of their own: the test program is started again for one of them, in an empty folder.

use std::path::Path;
use std::process::{Command, Stdio};

/// Says in its environment that a process was started by [`apart`]; its value is the folder.
const FOLDER: &str = "WEIR_TEST_FOLDER";

/// Result of a test in a process of its own.
pub struct Apart {
    /// Its standard output.
    pub printed: String,
    /// Its standard error.
    pub errors: String,
}

/// The command that carries out one test of this program, by its name behind `tests::`.
pub fn one_test(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test program knows its file"));
    command.args([&format!("tests::{name}"), "--exact", "--nocapture", "--test-threads=1"]);
    command.stdin(Stdio::null());
    command
}

/// Carries out `body`, which is all that the test of this name does, in a process of its own: that process gets `None`. Caches
/// are empty there, and the library of the standard's binary interface is an empty file.
pub fn apart(name: &str, body: impl FnOnce(&Path)) -> Option<Apart> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        body(Path::new(&folder));
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let library = folder.path().join("libmpi_abi.so");
    std::fs::write(&library, "").expect("a file can be written");
    let mut command = one_test(name);
    command.env(FOLDER, folder.path()).env("XDG_CACHE_HOME", folder.path().join("cache"));
    command.env("WEIR_MPI_ABI", library).current_dir(folder.path());
    let output = command.output().expect("the test program starts again");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{printed}\n{errors}", output.status);
    Some(Apart { printed, errors })
}
