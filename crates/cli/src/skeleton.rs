//! `weir skeleton check`

use crate::arguments::CheckArgs;
use crate::load;
use crate::say::print_as;
use crate::status::{self, interrupted, refused};
use crate::text::{self, short, table};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use weir_experiment::{ProgramCommand, Source};
use weir_network::{Outcome, SkeletonCounts};
use weir_run::skeleton::{Difference, LoggedSteps, differences};
use weir_run::{Printed, RunDigest, RunError, run_logged_apart};

/// Times of ranks that are listed, and differences; all are in the JSON.
const MOST_LISTED: usize = 10;
const MOST_DIFFERENCES: usize = 4;

/// Program and skeleton, both run to their end.
struct Pair {
    program: LoggedSteps,
    skeleton: LoggedSteps,
    differences: Vec<Difference>,
}

pub(crate) fn check(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let skeleton_compute = args.skeleton_compute.as_ref().unwrap_or(&args.compute);
    let source = |command: &str, compute: &str, without_data: bool| {
        let mut overrides = args.sets.overrides();
        overrides.push(format!("workload.compute={compute}"));
        overrides.extend(without_data.then(|| "workload.data=false".to_owned()));
        Source { machine: args.machine.clone(), ..source(command, args.ranks, overrides) }
    };
    let program = source(&args.program, &args.compute, false);
    let skeleton = source(&args.skeleton, skeleton_compute, args.skeleton_no_data);
    // What is wrong with either is reported before one of them is run.
    let (program, skeleton) = load::both(&program, &skeleton)?;
    let printed = if args.shown.quiet { Printed::Shown } else { Printed::WithProgress };
    let mut logged = Vec::new();
    for (what, scenario) in [("program", program), ("skeleton", skeleton)] {
        match run_logged_apart(scenario, printed) {
            Ok(log) => logged.push(log),
            Err(error @ (RunError::Program(_) | RunError::Options(_) | RunError::Budget(_))) => {
                return Err(refused(format!("{what}: {error}")));
            }
            Err(error) => return Err(error.into()),
        }
        let outcome = text::outcome(&logged[logged.len() - 1].run);
        if !outcome.is_empty() {
            eprintln!("{what}: {outcome}");
        }
        if let Some(status) = interrupted() {
            return Ok(status);
        }
    }
    let (Some(skeleton), Some(program)) = (logged.pop(), logged.pop()) else {
        unreachable!("both have been run")
    };
    let pair = Pair { differences: differences(&program, &skeleton), program, skeleton };
    print_as(args.shown.json, || pair.to_json(), || pair.to_text())?;
    if let Some(warning) = pair.warning() {
        eprintln!("{warning}");
    }
    Ok(pair.status(args.max_error))
}

/// A program with its arguments, written as one word, on so many ranks.
pub(crate) fn source(command: &str, ranks: usize, overrides: Vec<String>) -> Source {
    let (program, collectives) = (Some(words(command)), crate::run::default_algorithms());
    Source { overrides, program, ranks: Some(ranks), collectives, ..Source::default() }
}

/// A program and its arguments, with blanks between; a file whose whole name has blanks is a program without arguments.
fn words(command: &str) -> ProgramCommand {
    let mut words = command.split_whitespace().map(str::to_owned);
    match words.next() {
        Some(path) if !Path::new(command).is_file() => {
            ProgramCommand { path: path.into(), args: words.collect() }
        }
        _ => ProgramCommand { path: command.into(), args: Vec::new() },
    }
}

impl Pair {
    /// Simulated time of the skeleton over that of the program, less one.
    fn error(&self) -> Option<f64> {
        error(self.program.run.simulated.as_secs_f64(), self.skeleton.run.simulated.as_secs_f64())
    }

    /// Simulated seconds of each rank: in the program, in the skeleton.
    fn rank_times(&self) -> Vec<(f64, f64)> {
        let ends = self.program.ends.iter().zip(&self.skeleton.ends);
        let seconds = ends
            .filter_map(|(program, skeleton)| Some(((*program)?.as_secs_f64(), (*skeleton)?.as_secs_f64())));
        seconds.collect()
    }

    /// Errors of the times of all ranks: on average, and the largest, without sign.
    fn rank_errors(&self) -> Option<(f64, f64)> {
        let times = self.rank_times();
        let errors: Vec<f64> =
            times.iter().filter_map(|&(program, skeleton)| error(program, skeleton)).map(f64::abs).collect();
        let largest = errors.iter().copied().reduce(f64::max)?;
        Some((errors.iter().sum::<f64>() / errors.len() as f64, largest))
    }

    fn counts(&self) -> SkeletonCounts {
        self.skeleton.run.skeleton.clone().unwrap_or_default()
    }

    /// Wall-clock seconds of the run of the program and of that of the skeleton.
    fn wall_s(&self) -> [f64; 2] {
        [&self.program, &self.skeleton].map(|logged| logged.run.wall.as_secs_f64())
    }

    /// Wall-clock seconds that the skeleton saves, were its clock calls for nothing.
    fn saved_s(&self) -> f64 {
        let [program, skeleton] = self.wall_s();
        program - (skeleton - self.counts().cost_s())
    }

    fn warning(&self) -> Option<String> {
        let counts = self.counts();
        let costs_more = counts.clock_calls > 0 && counts.cost_s() > self.saved_s();
        costs_more.then(|| {
            format!(
                "warning: the {} clock calls cost {}, more than the {} that the skeleton saves without them\n\nhint: leave \
                 out larger blocks, that is, abstract on a higher level (docs/guide/skeletons.md)",
                counts.clock_calls,
                short(counts.cost_s()),
                short(self.saved_s().max(0.0))
            )
        })
    }

    fn status(&self, max_error: Option<f64>) -> ExitCode {
        for logged in [&self.program, &self.skeleton] {
            let RunDigest { outcome, exit_codes, .. } = &logged.run;
            if *outcome != Outcome::Finished || !exit_codes.is_empty() {
                return status::of_outcome(outcome, exit_codes);
            }
        }
        let is_off = max_error.is_some_and(|most| {
            // An error that cannot be written is one.
            self.error().is_none_or(|error| error.abs() * 100.0 > most)
        });
        if self.differences.is_empty() && !is_off { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }

    fn to_text(&self) -> String {
        let mut rows = Vec::new();
        let mut row = |name: &str, program: String, skeleton: String, both: String| {
            rows.push([name.to_owned(), program, skeleton, both]);
        };
        let [program, skeleton] = [&self.program, &self.skeleton].map(|logged| &logged.run);
        let steps = |logged: &LoggedSteps| logged.steps.iter().map(Vec::len).sum::<usize>().to_string();
        let same = match self.differences.len() {
            0 => "the same on every rank".to_owned(),
            1 => "another sequence on 1 rank".to_owned(),
            more => format!("another sequence on {more} ranks"),
        };
        row("sends, receives, collectives", steps(&self.program), steps(&self.skeleton), same);
        let percent =
            |error: Option<f64>| error.map_or_else(|| "-".into(), |error| format!("{:+.2} %", 100.0 * error));
        let [time, own_time] = [program, skeleton].map(|run| run.simulated.to_string());
        row("simulated time", time, own_time, percent(self.error()));
        if let Some((mean, largest)) = self.rank_errors() {
            let both = format!("{:.2} % on average, {:.2} % at most", 100.0 * mean, 100.0 * largest);
            row("  of the ranks", String::new(), String::new(), both);
        }
        let [wall, own_wall] = self.wall_s();
        let part = format!("{:.1} %", 100.0 * own_wall / wall);
        row("wall-clock time", format!("{wall:.3} s"), format!("{own_wall:.3} s"), part);
        let calls =
            |counts: Option<&SkeletonCounts>| counts.map_or(0, |counts| counts.clock_calls).to_string();
        let counts = self.counts();
        let cost = format!("cost {} ({} each)", short(counts.cost_s()), short(counts.call_cost_s));
        row("clock calls", calls(program.skeleton.as_ref()), calls(skeleton.skeleton.as_ref()), cost);
        let mut text = table(["", "program", "skeleton", "skeleton against program"], rows);
        let listed = self.rank_times();
        if listed.len() > 1 && listed.len() <= MOST_LISTED {
            for (rank, (program, skeleton)) in listed.into_iter().enumerate() {
                let off = percent(error(program, skeleton));
                _ = writeln!(text, "  rank {rank}: {} and {}, {off}", short(program), short(skeleton));
            }
        }
        for difference in self.differences.iter().take(MOST_DIFFERENCES) {
            _ = writeln!(text, "{}", line_of(difference));
        }
        if self.differences.len() > MOST_DIFFERENCES {
            let more = self.differences.len() - MOST_DIFFERENCES;
            _ = writeln!(text, "... and {more} ranks more (all with --json)");
        }
        text
    }

    fn to_json(&self) -> Value {
        let side = |logged: &LoggedSteps| {
            json!({
                "steps": logged.steps.iter().map(Vec::len).sum::<usize>(),
                "rank_s": logged.ends.iter().map(|end| end.map(weir_units::Time::as_secs_f64)).collect::<Vec<_>>(),
                "summary": logged.run.summary,
            })
        };
        let difference = |found: &Difference| {
            json!({
                "rank": found.rank.index(),
                "step": found.step,
                "program": found.program,
                "skeleton": found.skeleton,
            })
        };
        let counts = self.counts();
        json!({
            "same_messages": self.differences.is_empty(),
            "differences": self.differences.iter().map(difference).collect::<Vec<_>>(),
            "time_error": self.error(),
            "rank_time_error_mean": self.rank_errors().map(|(mean, _)| mean),
            "rank_time_error_max": self.rank_errors().map(|(_, largest)| largest),
            "wall_s": self.wall_s()[0],
            "skeleton_wall_s": self.wall_s()[1],
            "clock_calls": counts.clock_calls,
            "clock_calls_cost_s": counts.cost_s(),
            "costs_more_than_it_saves": self.warning().is_some(),
            "program": side(&self.program),
            "skeleton": side(&self.skeleton),
        })
    }
}

fn error(program: f64, skeleton: f64) -> Option<f64> {
    (program > 0.0).then(|| skeleton / program - 1.0)
}

fn line_of(difference: &Difference) -> String {
    let step = |step: &Option<String>| step.clone().unwrap_or_else(|| "nothing more".to_owned());
    let Difference { rank, step: number, program, skeleton } = difference;
    let [program, skeleton] = [program, skeleton].map(step);
    format!("rank {rank}, step {number}:\n  program:  {program}\n  skeleton: {skeleton}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_program_and_its_arguments() {
        let command = words("./eri -n 394");
        assert_eq!((command.path, command.args), ("./eri".into(), vec!["-n".to_owned(), "394".into()]));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b");
        std::fs::write(&file, "").unwrap();
        assert_eq!(words(&file.to_string_lossy()).path, file);
    }

    #[test]
    fn an_error_is_a_part_of_the_program_s_time() {
        assert_eq!(error(2.0, 2.5), Some(0.25));
        assert_eq!(error(0.0, 1.0), None);
    }
}
