//! Progress of a run: a line that renews itself on a terminal, now and then a plain line elsewhere, a file for programs; and the
//! last net for time.

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use weir_capi::signals;
use weir_network::{Progress, Stage, begin_thread};
use weir_units::Time;

const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// Nothing is said of runs shorter than this.
const SILENT: Duration = Duration::from_secs(1);

enum Display {
    Terminal(ProgressBar),
    Plain { last: Instant },
    Quiet,
}

pub(crate) struct Shower {
    display: Display,
    start: Instant,
    /// Messages of the whole run, where that is known.
    total: Option<u64>,
    /// The end in simulated time, where that is known.
    end: Option<Time>,
    /// When the first event was seen, and whether it has been said that a machine is being built.
    begun: Option<Instant>,
    said_building: bool,
    overdue: Overdue,
}

impl Shower {
    /// Shows a run of so many messages, if that is known; nothing if it is to be quiet.
    pub(crate) fn begin(quiet: bool, total: Option<u64>) -> Self {
        let display = if quiet { Display::Quiet } else { Display::fitting() };
        let overdue = Overdue::default();
        Self { display, start: Instant::now(), total, end: None, begun: None, said_building: false, overdue }
    }

    /// The same for a run to this instant of simulated time, if that is known.
    pub(crate) fn until(self, end: Option<Time>) -> Self {
        Self { end, ..self }
    }

    /// Shows this, and looks after what is done before a run.
    pub(crate) fn show(&mut self, progress: Progress) {
        self.overdue.set(progress.stage);
        let elapsed = self.start.elapsed();
        let building = progress.events == 0 && progress.now == Time::ZERO;
        if !building {
            self.begun.get_or_insert_with(Instant::now);
        }
        if elapsed < SILENT {
            return;
        }
        if building {
            return progress.stage.map_or((), |stage| self.show_building(stage));
        }
        let running = self.begun.map_or(elapsed, |begun| begun.elapsed());
        let text = || in_words(progress, (self.total, self.end), running);
        match &mut self.display {
            Display::Terminal(bar) => {
                bar.set_message(text());
                bar.tick();
            }
            Display::Plain { last } if last.elapsed() >= PLAIN_EVERY => {
                *last = Instant::now();
                eprintln!("{} after {} s", text(), elapsed.as_secs());
            }
            Display::Plain { .. } | Display::Quiet => {}
        }
    }

    fn show_building(&mut self, stage: Stage) {
        match &self.display {
            Display::Terminal(bar) => {
                bar.set_message(stage.what);
                bar.tick();
            }
            Display::Plain { .. } if !self.said_building => eprintln!("{}", stage.what),
            Display::Plain { .. } | Display::Quiet => {}
        }
        self.said_building = true;
    }

    pub(crate) fn end(self) {
        if let Display::Terminal(bar) = self.display {
            bar.finish_and_clear();
        }
    }
}

/// Progress of a run that has gone on for so long, with the time that is left, if it goes on like this and its messages are
/// known. A GPU counts nothing before its end.
fn in_words(progress: Progress, (total, end): (Option<u64>, Option<Time>), running: Duration) -> String {
    let Progress { now, messages, bytes, .. } = progress;
    let part = end.map(|end| format!(" ({:.1} %)", 100.0 * now.as_secs_f64() / end.as_secs_f64()));
    let part = part.unwrap_or_default();
    if messages == 0 && end.is_some() {
        return format!("{now} simulated{part}");
    }
    let rate = messages as f64 / running.as_secs_f64().max(1e-3);
    let Some(total) = total.filter(|&total| total > 0) else {
        return format!("{now} simulated{part}, {messages} messages, {bytes}, {rate:.0} messages/s");
    };
    let percent = 100.0 * messages as f64 / total as f64;
    let left = total.saturating_sub(messages) as f64 / rate;
    let end = if messages == 0 { String::new() } else { format!(", about {} left", rough(left)) };
    format!(
        "{now} simulated, {messages} of {total} messages ({percent:.1} %), {bytes}, {rate:.0} messages/s{end}"
    )
}

/// Seconds as people say them.
pub(crate) fn rough(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6_000.0 => format!("{:.0} min", seconds / 60.0),
        ..200_000.0 => format!("{:.0} h", seconds / 3_600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

impl Display {
    fn fitting() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::Plain { last: Instant::now() };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        bar.set_style(
            ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("the template is right"),
        );
        Self::Terminal(bar)
    }
}

const WRITTEN_EVERY: Duration = Duration::from_millis(100);

/// The file of `--progress`, for programs that follow the run: one object in JSON, written anew ten times a second. The Python package
/// reads it.
pub(crate) struct ProgressFile {
    path: PathBuf,
    written: Mutex<Instant>,
}

impl ProgressFile {
    /// The file that `--progress` names, with nothing done yet.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn begin(path: &Path) -> anyhow::Result<Self> {
        let file = Self { path: path.to_owned(), written: Mutex::new(Instant::now()) };
        file.write(Progress::default())
            .with_context(|| format!("--progress {}: the file cannot be written", path.display()))?;
        Ok(file)
    }

    /// Writes the progress of the run, which goes on if that cannot be written any more.
    pub(crate) fn note(&self, progress: Progress) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.elapsed() >= WRITTEN_EVERY {
            *written = Instant::now();
            let _ = self.write(progress);
        }
    }

    fn write(&self, progress: Progress) -> std::io::Result<()> {
        let Progress { now, messages, bytes, stage, .. } = progress;
        let stage = stage.map(|stage| stage.what);
        let state = json!({ "simulated_s": now.as_secs_f64(), "messages": messages, "bytes": bytes.0, "stage": stage });
        // Who reads it finds a whole object.
        weir_record::write_soon(&self.path, |out| writeln!(out, "{state}"))
    }
}

const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Time in which work that is under way can see for itself that it is to end.
const GRACE: Duration = Duration::from_millis(1000);

/// Looks after what is done before a run, from a thread of its own: a command that does not come to look at its limits is ended.
///
/// Reading a large file, building a machine of millions of nodes and making tables for it take seconds each. Where that can
/// end early with a summary it does so at once; all else is given a moment, and then the command ends with a word about what
/// was under way. A run itself looks at its limits, and is left alone.
#[derive(Debug, Default)]
struct Overdue {
    stage: Arc<Mutex<Option<Stage>>>,
    thread: Option<JoinHandle<()>>,
}

impl Overdue {
    /// Sets the stage that is under way now; `None`: nothing that has to be looked after.
    fn set(&mut self, stage: Option<Stage>) {
        if stage.is_none() && self.thread.is_none() {
            return;
        }
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        match self.thread.take() {
            // It ends by itself, and is not waited for: where the loading of a program has broken, threads may be unable to
            // begin or to end.
            Some(thread) if stage.is_none() => {
                thread.thread().unpark();
                self.stage = Arc::default();
            }
            None => {
                let stage = Arc::clone(&self.stage);
                let look = move || look(|| *stage.lock().unwrap_or_else(PoisonError::into_inner));
                // Where the system has no thread to give, this check is left out.
                self.thread =
                    begin_thread(look, |thread, look| thread.name("overdue".into()).spawn(look)).ok();
            }
            running => self.thread = running,
        }
    }
}

impl Drop for Overdue {
    fn drop(&mut self) {
        self.set(None);
    }
}

/// Ends the command when something under way takes longer than it may.
fn look(under_way: impl Fn() -> Option<Stage>) {
    let mut over = None;
    while let Some(stage) = under_way() {
        if let Some(why) = stage.limits.wall_is_over(stage.since)
            && over.get_or_insert_with(Instant::now).elapsed() >= GRACE
        {
            signals::end_at_once(&format!("limit: {why}: {}", stage.what));
        }
        thread::park_timeout(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_a_total_there_is_an_end() {
        let progress = Progress { messages: 50, events: 100, ..Progress::default() };
        let minute = Duration::from_secs(60);
        let unknown = "0 ps simulated, 50 messages, 0 B, 1 messages/s";
        assert_eq!(in_words(progress, (None, None), minute), unknown);
        let known = "0 ps simulated, 50 of 1000000 messages (0.0 %), 0 B, 1 messages/s, about 14 days left";
        assert_eq!(in_words(progress, (Some(1_000_000), None), minute), known);
        let nearly = in_words(progress, (Some(100), None), minute);
        assert!(
            nearly.ends_with("50 of 100 messages (50.0 %), 0 B, 1 messages/s, about 60 s left"),
            "{nearly}"
        );
        let half = Progress { now: Time::from_ps(500), events: 1, ..Progress::default() };
        let end = Some(Time::from_ps(1000));
        assert_eq!(in_words(half, (None, end), minute), "500 ps simulated (50.0 %)");
    }
}
