//! Starting commands, and what they leave.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No command of the tests takes nearly as long, also on a busy machine: mpi4py's tests of collectives, of which the time
/// is Python's, take a minute and a half on five ranks of a quiet one.
const DEADLINE: Duration = Duration::from_secs(600);

/// A command that has ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Fails unless the exit status is this one; returns itself, for chains.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "exit status\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails unless all of these stand somewhere on standard error.
    #[track_caller]
    pub(crate) fn says(&self, parts: &[&str]) {
        all_in(parts, &self.stderr);
    }

    /// Fails unless all of these stand somewhere on standard output.
    #[track_caller]
    pub(crate) fn prints(&self, parts: &[&str]) {
        all_in(parts, &self.stdout);
    }

    /// The lines of standard output in alphabetical order: ranks print in any order.
    pub(crate) fn sorted_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.stdout.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    }

    /// The object that `--json` printed.
    #[track_caller]
    pub(crate) fn summary(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n--- stdout\n{}", self.stdout))
    }
}

#[track_caller]
fn all_in(parts: &[&str], text: &str) {
    let missing = parts.iter().find(|part| !text.contains(**part));
    assert_eq!(missing, None, "is not in\n{text}");
}

/// Whether there is time for more (`make soak`).
pub(crate) fn is_long() -> bool {
    std::env::var_os("WEIR_LONG").is_some()
}

/// The folder of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A folder that goes away with its value.
pub(crate) fn scratch() -> TempDir {
    tempfile::Builder::new().prefix("weir-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// The command under test, with a cache of its own, in the folder of the project.
pub(crate) fn weir<I: AsRef<OsStr>>(args: impl IntoIterator<Item = I>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.args(args).current_dir(root());
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    // Where cargo has it that was built with these tests.
    let library = Path::new(env!("CARGO_BIN_EXE_weir")).with_file_name("deps").join("libmpi_abi.so");
    command.env("WEIR_MPI_ABI", library);
    command.env_remove("WEIR_CC").env_remove("WEIR_CXX").env_remove("WEIR_FC").env_remove("RUST_BACKTRACE");
    command
}

/// `weir mpirun -n RANKS`, quiet, in the folder of the project; options and program are still missing.
pub(crate) fn mpirun(ranks: usize) -> Command {
    weir(["mpirun", "-n", &ranks.to_string(), "--quiet"])
}

/// A command of Open MPI: Debian's name for it, as the plain one is MPICH's where both are installed; elsewhere the plain one.
pub(crate) fn of_open_mpi(command: &str) -> Command {
    let own = format!("{command}.openmpi");
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&folders).any(|folder| folder.join(&own).exists());
    Command::new(if there { &own } else { command })
}

/// `mpirun -np RANKS` of Open MPI; the program is still missing.
///
/// It starts more processes than there are processors, as root if need be, and without what containers forbid:
/// no remote shell, no copies between processes by the kernel, no large files in shared memory.
pub(crate) fn open_mpi(ranks: usize) -> Command {
    let mut command = of_open_mpi("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--timeout", "100", "-np", &ranks.to_string()]);
    command.env("OMPI_MCA_plm", "isolated");
    // Ranks of one computer need no library that looks for networks first, for a fifth of a second.
    command.env("OMPI_MCA_pml", "ob1");
    // Windows of Open MPI need some such mechanism; this one works in every container.
    command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "emulated");
    command.env("OMPI_MCA_btl_vader_backing_directory", std::env::temp_dir());
    // Runs that share this folder take it away from each other. Its path must be short: sockets are in it.
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let own = format!("weir-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    command.env("OMPI_MCA_orte_tmpdir_base", std::env::temp_dir().join(own));
    command
}

/// A command of MPICH, which `make setup` unpacks into the target folder.
///
/// Its ranks are on one computer and talk through its memory: where the computer is busy, its library may measure a
/// bandwidth of 0 for other ways and refuse to begin.
pub(crate) fn mpich(command: &str) -> Command {
    let mut command = Command::new(root().join("target/mpich/bin").join(command));
    command.env("UCX_TLS", "self,shm");
    // Ranks that wait leave the processor to others, of which there are more than processors.
    command.env("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "true");
    command.env("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "100");
    command
}

/// Runs a command to its end, with an empty standard input.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Ended {
    run_with_input(command, "")
}

/// Runs a command to its end. Fails when it cannot be started, takes too long, dies by a signal or panics: nothing a
/// simulated program does may do that to the simulator.
#[track_caller]
pub(crate) fn run_with_input(command: &mut Command, input: &str) -> Ended {
    // Files instead of pipes: they need not be read while the command runs.
    let mut files = [(); 3].map(|()| tempfile::tempfile().unwrap());
    files[0].write_all(input.as_bytes()).unwrap();
    files[0].rewind().unwrap();
    let [stdin, stdout, stderr] = files.each_ref().map(|file| Stdio::from(file.try_clone().unwrap()));
    let mut child = match command.stdin(stdin).stdout(stdout).stderr(stderr).spawn() {
        Ok(child) => child,
        Err(error) => panic!("{:?}: {error}; `make setup` installs what tests need", command.get_program()),
    };
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if start.elapsed() > DEADLINE => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    let [_, stdout, stderr] = files.map(written);
    let shown = format!("{command:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
    let status = status.unwrap_or_else(|| panic!("does not end: {shown}"));
    assert_eq!(status.signal(), None, "died by a signal: {shown}");
    assert!(!stderr.contains("weir has made a mistake"), "{shown}");
    Ended { code: status.code().expect("no signal, so there is a code"), stdout, stderr }
}

fn written(mut file: File) -> String {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The compilers for a file, by the end of its name: of weir, and of Open MPI.
pub(crate) fn compilers(source: &Path) -> (&'static str, &'static str) {
    match source.extension().and_then(OsStr::to_str) {
        Some("cpp") => ("c++", "mpicxx"),
        Some("f90" | "f") => ("fort", "mpif90"),
        _ => ("cc", "mpicc"),
    }
}

/// Where a compiler of Fortran puts modules, for the others nothing.
fn modules(source: &Path, folder: &Path) -> Vec<PathBuf> {
    if compilers(source).0 == "fort" { vec!["-J".into(), folder.into()] } else { vec![] }
}

/// Compiles a program with `weir cc`, `weir c++` or `weir fort` into a folder and returns its path.
#[track_caller]
pub(crate) fn compile(source: &Path, folder: &Path) -> PathBuf {
    let program = folder.join(source.file_stem().unwrap());
    run(weir([compilers(source).0, "-O1"])
        .args(modules(source, folder))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg("-lm"))
    .expect(0);
    program
}

/// A program of the folder `tests`, compiled as by [`compile`]; once for all tests of this process.
#[track_caller]
pub(crate) fn compiled(source: &Path) -> PathBuf {
    static PROGRAMS: Mutex<BTreeMap<PathBuf, Arc<OnceLock<PathBuf>>>> = Mutex::new(BTreeMap::new());
    let program = PROGRAMS.lock().unwrap().entry(source.into()).or_default().clone();
    let compile = || {
        let folder = source.parent().and_then(Path::file_name).unwrap();
        let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled").join(folder);
        let unfinished = scratch();
        std::fs::create_dir_all(&own).unwrap();
        // Another process of the tests may run what is replaced: it keeps the old file.
        let program = own.join(source.file_stem().unwrap());
        std::fs::rename(compile(source, unfinished.path()), &program).unwrap();
        program
    };
    program.get_or_init(compile).clone()
}

/// Compiles a program whose text is given.
#[track_caller]
pub(crate) fn compile_text(text: &str, name: &str, folder: &Path) -> PathBuf {
    let source = folder.join(name).with_extension("c");
    std::fs::write(&source, text).unwrap();
    compile(&source, folder)
}

/// The text of a program that does this between `MPI_Init` and `MPI_Finalize`, with the variables of `body.c`.
pub(crate) fn with_body(body: &str) -> String {
    include_str!("../programs/body.c").replace("BODY", body)
}

/// Compiles a program with Open MPI's compiler of its language into a folder and returns its path.
#[track_caller]
pub(crate) fn compile_for_open_mpi(source: &Path, folder: &Path) -> PathBuf {
    let program = folder.join(source.file_stem().unwrap()).with_extension("openmpi");
    let folder = modules(source, folder);
    run(of_open_mpi(compilers(source).1)
        .args(["-w", "-O0"])
        .args(folder)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg("-lm"))
    .expect(0);
    program
}

/// Compiles a program with MPICH's `mpicc_abi`, for the standard's binary interface, into a folder and returns its path.
#[track_caller]
pub(crate) fn compile_for_mpich(source: &Path, folder: &Path) -> PathBuf {
    let program = folder.join(source.file_stem().unwrap()).with_extension("mpich");
    run(mpich("mpicc_abi").args(["-w", "-O0"]).arg(source).arg("-o").arg(&program).arg("-lm")).expect(0);
    program
}

/// Checks every item, two at a time, and fails at the end with what all the checks have found.
#[track_caller]
pub(crate) fn check_all<T: Sync>(items: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) {
    let next = AtomicUsize::new(0);
    let mistakes = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(mistake) = check(item) {
                        mistakes.lock().unwrap().push(mistake);
                    }
                }
            });
        }
    });
    let mistakes = mistakes.into_inner().unwrap();
    assert!(mistakes.is_empty(), "{} mistakes\n{}", mistakes.len(), mistakes.join("\n"));
}

/// The files in a folder whose names end like this, in alphabetical order.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|own| own == extension));
    files.sort_unstable();
    files
}

/// All files of a results folder with their contents, but for the summary, which has times of the clock on the wall.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for path in std::fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("summary.json") {
                all.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    all
}
