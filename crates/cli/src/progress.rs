//! Progress of a run: a line that renews itself on a terminal, now and then a plain line elsewhere.

use crate::overdue::Overdue;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use weir_network::{Progress, Stage};
use weir_units::Time;

const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// Nothing is said of runs shorter than this.
const SILENT: Duration = Duration::from_secs(1);

pub(crate) enum Display {
    Terminal(ProgressBar),
    Plain { last: Instant },
    Quiet,
}

pub(crate) struct Shower {
    display: Display,
    start: Instant,
    /// Messages of the whole run, where that is known.
    total: Option<u64>,
    /// When the first event was seen, and whether it has been said that a machine is being built.
    begun: Option<Instant>,
    said_building: bool,
    overdue: Overdue,
}

impl Shower {
    pub(crate) fn begin(display: Display) -> Self {
        let overdue = Overdue::default();
        Self { display, start: Instant::now(), total: None, begun: None, said_building: false, overdue }
    }

    /// The same for a run that has so many messages, if that is known.
    pub(crate) fn with_total(self, total: Option<u64>) -> Self {
        Self { total, ..self }
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
        let text = || in_words(progress, self.total, running);
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
/// known.
fn in_words(progress: Progress, total: Option<u64>, running: Duration) -> String {
    let Progress { now, messages, bytes, .. } = progress;
    let rate = messages as f64 / running.as_secs_f64().max(1e-3);
    let Some(total) = total.filter(|&total| total > 0) else {
        return format!("{now} simulated, {messages} messages, {bytes}, {rate:.0} messages/s");
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
    pub(crate) fn fitting() -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_a_total_there_is_an_end() {
        let progress = Progress { messages: 50, events: 100, ..Progress::default() };
        let minute = Duration::from_secs(60);
        let unknown = "0 ps simulated, 50 messages, 0 B, 1 messages/s";
        assert_eq!(in_words(progress, None, minute), unknown);
        let known = "0 ps simulated, 50 of 1000000 messages (0.0 %), 0 B, 1 messages/s, about 14 days left";
        assert_eq!(in_words(progress, Some(1_000_000), minute), known);
        let nearly = in_words(progress, Some(100), minute);
        assert!(
            nearly.ends_with("50 of 100 messages (50.0 %), 0 B, 1 messages/s, about 60 s left"),
            "{nearly}"
        );
    }
}
