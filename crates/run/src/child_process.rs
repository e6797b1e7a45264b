//! Runs in processes of their own.
//!
//! A process runs one MPI program ([`weir_capi::ProcessWorld`]). Whoever runs several starts a process for each: the running
//! executable once more, which calls [`serve`].
//!
//! ```text
//!   sweep, skeleton, bands ---- experiment, resolved ---> standard input of the process: serve --> run
//!                           <-- one line of JSON -------- its standard output
//!                           <-- what ranks print -------- its standard error
//! ```
//!
//! A crash, a limit, or a signal is that run's own, and ranks of one run never meet those of another.

use crate::budget::run;
use crate::skeleton::{LoggedSteps, run_logged};
use crate::{Result, RunDigest, RunError};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::{fs, io};
use weir_capi::signals::Forwarded;
use weir_capi::stdio::ToStandardError;
use weir_capi::{signals, stdio};
use weir_experiment::{Scenario, Source};
use weir_network::Watch;

/// So much is kept of what the ranks of a run print: the last of it.
const MOST_PRINTED: usize = 4096;

/// The argument with which this executable is started once more for a run, so that it calls [`serve`].
const SERVES: &str = "serve-run";

/// Destination of the output of ranks of a run in a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// It goes to standard error.
    Shown,
    /// The same, and the process shows its progress there.
    WithProgress,
    /// The last of it is kept.
    Kept,
}

#[derive(Serialize, Deserialize)]
struct Request {
    /// A resolved experiment, as text: it is read by who reads experiments.
    experiment: String,
    asked: ChildTask,
    shows: bool,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum ChildTask {
    Run,
    Steps,
}

type Answer = Result<LoggedSteps>;

/// Runs once, beside other runs of this process: an MPI program in a process of its own, anything else here. Writes
/// nothing. Returns also what is kept of what was printed.
pub fn run_isolated(scenario: Scenario, printed: Printed) -> (Result<RunDigest>, String) {
    if scenario.workload.kind.is_program() {
        return run_in_child(scenario, printed);
    }
    (run_timed(&scenario, &mut |_| {}), String::new())
}

/// Runs once in a process of its own, whatever it is, so that its memory is its own. Writes nothing. Returns also what is
/// kept of what was printed.
pub fn run_in_child(scenario: Scenario, printed: Printed) -> (Result<RunDigest>, String) {
    let (answer, printed) = ask(scenario, ChildTask::Run, printed);
    (answer.map(|logged| logged.run), printed)
}

/// Runs, and keeps also how much processor time of this thread it took.
fn run_timed(scenario: &Scenario, watch: Watch<'_>) -> Result<RunDigest> {
    let start = processor_time();
    let report = run(scenario, watch)?;
    Ok(RunDigest::new(report, start.zip(processor_time()).map(|(start, end)| end - start)))
}

/// Like [`run_logged`], in a process of its own.
///
/// # Errors
/// Those of [`run_logged`], and when the process is lost.
pub fn run_logged_apart(scenario: Scenario, printed: Printed) -> Result<LoggedSteps> {
    ask(scenario, ChildTask::Steps, printed).0
}

/// Starts a process, asks it and awaits its end. What was made for the check is dropped before: the process makes its own.
fn ask(scenario: Scenario, asked: ChildTask, printed: Printed) -> (Answer, String) {
    let shows = printed == Printed::WithProgress;
    let request = Request { experiment: scenario.resolved().to_string(), asked, shows };
    drop(scenario);
    let request = serde_json::to_vec(&request).expect("texts are JSON");
    let lost = |error: io::Error| RunError::Process(format!("no process for the run: {error}"));
    let mut child = match start(printed) {
        Ok(child) => child,
        Err(error) => return (Err(lost(error)), String::new()),
    };
    let forwarded = Forwarded::to(child.id());
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (answer, printed) = std::thread::scope(|scope| {
        let printed = errors.map(|errors| scope.spawn(|| last_of(errors)));
        // A process that ends before it has read all answers nothing, and that is found next.
        _ = input.map(|mut input| input.write_all(&request));
        let answer = output.and_then(|output| answer(BufReader::new(output)));
        (answer, printed.and_then(|thread| thread.join().ok()).unwrap_or_default())
    });
    drop(forwarded);
    let result = match (answer, child.wait()) {
        (Some(answer), _) => answer,
        (None, Ok(status)) => Err(RunError::Process(in_words(status))),
        (None, Err(error)) => Err(lost(error)),
    };
    (result, printed)
}

/// Starts the process. It has a group of its own: signals for ours come to it once, by us.
fn start(printed: Printed) -> io::Result<Child> {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("weir").arg(SERVES).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    if printed == Printed::Kept {
        command.stderr(Stdio::piped());
    }
    signals::dies_with_us(&mut command);
    command.spawn()
}

/// The answer is a line; others may come before it.
fn answer(mut output: impl BufRead) -> Option<Answer> {
    let mut line = String::new();
    while output.read_line(&mut line).is_ok_and(|length| length > 0) {
        if let Some(answer) = line.strip_prefix('{').and_then(|_| serde_json::from_str(&line).ok()) {
            return Some(answer);
        }
        line.clear();
    }
    None
}

/// The last of what is printed, from the beginning of a line.
fn last_of(mut errors: ChildStderr) -> String {
    let (mut kept, mut piece) = (VecDeque::new(), [0; 1 << 13]);
    let mut cut = false;
    while let Ok(length @ 1..) = errors.read(&mut piece) {
        kept.extend(&piece[..length]);
        cut |= kept.len() > MOST_PRINTED;
        kept.drain(..kept.len().saturating_sub(MOST_PRINTED));
    }
    let bytes: Vec<u8> = kept.into();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match text.split_once('\n') {
        Some((_, rest)) if cut => rest.to_owned(),
        _ => text,
    }
}

fn in_words(status: ExitStatus) -> String {
    const KILL: i32 = 9;
    const PANIC: i32 = 101;
    match (status.signal(), status.code()) {
        (Some(signal @ KILL), _) => {
            format!("its process was killed (signal {signal}), for instance because memory ran out")
        }
        (Some(signal), _) => format!("its process died by signal {signal}"),
        (None, Some(PANIC)) => "weir has made a mistake in its process".into(),
        (None, code) => format!("its process ended with {} before its time", code.unwrap_or_default()),
    }
}

/// In the process of its own: reads what is asked for, runs it, answers. `watch` shows how far the run is, where that is
/// asked for; `begins` gets the experiment before it runs. Returns whether all of that could be done.
pub fn serve(begins: impl FnOnce(&Scenario), watch: Watch<'_>) -> bool {
    let mut text = String::new();
    let request = io::stdin().read_to_string(&mut text).ok().and_then(|_| serde_json::from_str(&text).ok());
    // What ranks print must not be taken for an answer.
    let (Some(request), Ok(redirected)) = (request, ToStandardError::begin()) else { return false };
    let answer = request_answered(request, begins, watch);
    stdio::flush();
    drop(redirected);
    let mut line = serde_json::to_vec(&answer).expect("answers are JSON");
    line.push(b'\n');
    let mut output = io::stdout();
    output.write_all(&line).and_then(|()| output.flush()).is_ok()
}

fn request_answered(request: Request, begins: impl FnOnce(&Scenario), watch: Watch<'_>) -> Answer {
    let Request { experiment: text, asked, shows } = request;
    let watch: Watch<'_> = &mut |progress| {
        if shows {
            watch(progress);
        }
    };
    let scenario = Scenario::load(&Source::of_text("experiment.json", text))
        .map_err(|problems| RunError::Program(problems.to_string()))?;
    begins(&scenario);
    match asked {
        ChildTask::Run => run_timed(&scenario, watch).map(LoggedSteps::of),
        ChildTask::Steps => run_logged(&scenario, watch),
    }
}

/// Processor time of this thread so far, in seconds (Linux: the first number of `schedstat`, in nanoseconds).
fn processor_time() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}
