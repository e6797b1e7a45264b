//! The tests: what there is, how long each takes, and which mutants it reaches.

use crate::compile::TestProgram;
use std::fs;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a test may take of memory, in KiB.
const MEMORY_KIB: u64 = 6 << 20;
/// What a test may take without a mutant.
const ALONE: Bounds = Bounds { cpu: Duration::from_secs(60), wall: Duration::from_secs(300) };

/// How long a test may take. What counts is processor time, whatever else the computer does; the clock on the wall is for
/// those that wait for ever.
#[derive(Clone, Copy)]
struct Bounds {
    cpu: Duration,
    wall: Duration,
}

/// A test, run once without a mutant.
pub struct Test {
    pub name: String,
    pub krate: String,
    command: [std::path::PathBuf; 2],
    test: String,
    /// Processor time.
    pub time: Duration,
    wall: Duration,
    reached: Vec<u8>,
}

/// How a run of a test ended.
#[derive(Clone, Copy, PartialEq)]
pub enum Verdict {
    Passed,
    Failed,
    TimedOut,
}

impl Test {
    pub fn reaches(&self, mutant: usize) -> bool {
        self.reached[mutant] != 0
    }

    pub fn reaches_any(&self) -> bool {
        self.reached.contains(&1)
    }

    /// Runs the test with a mutant.
    pub fn run(&self, mutant: usize) -> io::Result<Verdict> {
        let bounds = Bounds {
            cpu: self.time * 5 + Duration::from_secs(2),
            wall: self.wall * 10 + Duration::from_secs(20),
        };
        run(&self.command, &self.test, ("WEIR_MUTANT", mutant.to_string().as_ref()), bounds)
    }
}

/// Runs all tests of the programs without a mutant, but those whose name has one of the `skipped` words. Tests that fail
/// or take too long find nothing: their names are printed.
pub fn trace(
    programs: &[TestProgram],
    skipped: &[String],
    mutants: usize,
    marks: &Path,
) -> Result<Vec<Test>, String> {
    let mut tests = Vec::new();
    for program in programs {
        for name in names(program).map_err(|error| format!("{}: {error}", program.path.display()))? {
            let full = format!("{}:{}:{name}", program.krate, program.name);
            if skipped.iter().any(|word| name.contains(word)) {
                continue;
            }
            let command = [program.path.clone(), program.folder.clone()];
            fs::write(marks, vec![0; mutants]).map_err(|error| error.to_string())?;
            let (start, before) = (Instant::now(), time_of_children());
            let verdict = run(&command, &name, ("WEIR_MUTANT_TRACE", marks.as_os_str()), ALONE);
            if verdict.map_err(|error| error.to_string())? != Verdict::Passed {
                println!("left out, as it fails or is slow without a mutant: {full}");
                continue;
            }
            let reached = fs::read(marks).map_err(|error| error.to_string())?;
            let (time, wall) = (time_of_children().saturating_sub(before), start.elapsed());
            tests.push(Test {
                name: full,
                krate: program.krate.clone(),
                command,
                test: name,
                time,
                wall,
                reached,
            });
        }
    }
    Ok(tests)
}

fn names(program: &TestProgram) -> io::Result<Vec<String>> {
    let listed = Command::new(&program.path).args(["--list", "--format", "terse"]).output()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_string).collect())
}

/// Runs one test in a process group of its own, with bounds on time and memory. Random tests draw the same cases each
/// time, do not shrink what they find, and leave nothing behind.
fn run(
    [program, folder]: &[std::path::PathBuf; 2],
    test: &str,
    (key, value): (&str, &std::ffi::OsStr),
    bounds: Bounds,
) -> io::Result<Verdict> {
    let seconds = bounds.cpu.as_secs() + 1;
    let script = format!("ulimit -v {MEMORY_KIB}; ulimit -c 0; ulimit -t {seconds}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg("sh").arg(program);
    command.args(["--exact", test, "--test-threads=1"]).current_dir(folder).env(key, value);
    command.env("PROPTEST_RNG_SEED", "1").env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
    command.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn()?;
    let verdict = wait(&mut child, bounds.wall)?;
    // Whatever it has started and left running goes with it.
    let group = format!("-{}", child.id());
    if verdict != Verdict::Passed {
        Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status()?;
    }
    if verdict == Verdict::TimedOut {
        child.wait()?; // at once, if it was reaped before
    }
    Ok(verdict)
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<Verdict> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(Verdict::Passed),
            Some(status) if status.signal() == Some(libc::SIGXCPU) => return Ok(Verdict::TimedOut),
            Some(_) => return Ok(Verdict::Failed),
            None if start.elapsed() > limit => return Ok(Verdict::TimedOut),
            None => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Processor time of all processes that have been waited for.
fn time_of_children() -> Duration {
    // SAFETY: a structure of numbers, which the call fills.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |part: libc::timeval| Duration::new(part.tv_sec as u64, 1000 * part.tv_usec as u32);
    time(usage.ru_utime) + time(usage.ru_stime)
}
