//! How far a run is: a line that renews itself on a terminal, now and then a plain line elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use weir_network::Progress;

/// Between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// Nothing is said of runs shorter than this.
const SILENT: Duration = Duration::from_secs(1);

/// Shows progress on standard error.
pub(crate) enum Display {
    Terminal(ProgressBar),
    Plain { last: Instant },
    Quiet,
}

/// Shows how far a run is.
pub(crate) struct Shower {
    display: Display,
    start: Instant,
}

impl Shower {
    /// Begins; says nothing yet.
    pub(crate) fn begin(display: Display) -> Self {
        Self { display, start: Instant::now() }
    }

    /// Shows this.
    pub(crate) fn show(&mut self, progress: Progress) {
        let elapsed = self.start.elapsed();
        if elapsed < SILENT {
            return;
        }
        let text = || {
            let rate = progress.messages as f64 / elapsed.as_secs_f64();
            format!(
                "{} simulated, {} messages, {}, {rate:.0} messages/s",
                progress.now, progress.messages, progress.bytes
            )
        };
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

    /// Takes the line away.
    pub(crate) fn end(self) {
        if let Display::Terminal(bar) = self.display {
            bar.finish_and_clear();
        }
    }
}

impl Display {
    /// What suits standard error.
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
