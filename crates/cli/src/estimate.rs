//! `weir skeleton estimate`

use crate::arguments::{EstimateArgs, Method};
use crate::load;
use crate::say::{print_as, write_file};
use crate::skeleton::source;
use crate::status::refused;
use crate::text::{self, short, table};
use anyhow::bail;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::ExitCode;
use weir_experiment::Scenario;
use weir_network::{SkeletonBlock, SkeletonCounts};
use weir_run::{Printed, RunDigest, run_isolated};
use weir_units::Frequency;

/// Times of blocks, or of instructions.
enum Found {
    /// By block, with the time of an iteration.
    Loops(Vec<SkeletonBlock>),
    Instructions(Instructions),
}

/// Cycles per instruction (paper 001, equation 2: T = IC x CPI x CCT).
struct Instructions {
    /// Seconds of the program, all ranks together.
    seconds: f64,
    /// Instructions that the skeleton has counted.
    count: f64,
    clock: Frequency,
}

impl Instructions {
    fn cpi(&self) -> f64 {
        self.seconds * self.clock.hertz() / self.count
    }
}

pub(crate) fn estimate(args: &EstimateArgs) -> anyhow::Result<ExitCode> {
    let Ok(clock) = weir_units::parse::frequency(&args.clock) else {
        let clock = &args.clock;
        let what = format!("--clock {clock:?}: expected a frequency above 0 with its unit, as \"3 GHz\"");
        return Err(refused(what));
    };
    let with = |command: &str, keys: &[&str]| {
        let keys = keys.iter().map(|&key| key.to_owned());
        source(command, args.ranks, args.sets.overrides().into_iter().chain(keys).collect())
    };
    // What is wrong with either is reported before one of them is run.
    let program = with(&args.program, &["workload.compute=measured"]);
    let counting = ["workload.compute=none", "workload.data=false", "node.cpi=1", "node.clock='1 GHz'"];
    let (program, counting) = match (args.method, &args.counting) {
        (Method::Cpi, Some(command)) => {
            let (program, counting) = load::both(&program, &with(command, &counting))?;
            (program, Some(counting))
        }
        _ => (load::scenario(&program)?, None),
    };
    let inputs = [program.files(), counting.iter().flat_map(Scenario::files).collect()].concat();
    load::spares(&inputs, args.output.as_deref())?;
    let mut runs = (0..args.runs.get()).map(|_| run(args, &program)).collect::<anyhow::Result<Vec<_>>>()?;
    runs.sort_by_key(|run| run.simulated);
    let median = runs.swap_remove((runs.len() - 1) / 2);
    let found = match counting {
        None => Found::Loops(measured_blocks(&median)?),
        Some(skeleton) => {
            let count = run(args, &skeleton)?.skeleton.map_or(0.0, |counts| counts.instructions);
            if count <= 0.0 {
                bail!("the skeleton counts no instructions: it has no call of weir_compute_instructions");
            }
            Found::Instructions(Instructions { seconds: working_s(&median, args.ranks), count, clock })
        }
    };
    if let Some(path) = &args.output {
        write_file(path, found.to_file(args))?;
    }
    print_as(args.shown.json, || found.to_json(), || found.to_text())
}

/// A run to its end, in a process of its own; what the program prints goes to standard error.
fn run(args: &EstimateArgs, scenario: &Scenario) -> anyhow::Result<RunDigest> {
    let printed = if args.shown.quiet { Printed::Shown } else { Printed::WithProgress };
    let run = run_isolated(scenario.clone(), printed).0?;
    match text::outcome(&run) {
        outcome if outcome.is_empty() => Ok(run),
        outcome => bail!("{outcome}"),
    }
}

/// Work of all ranks together, in seconds: in the measured blocks, or if there are none all the time. A rank that
/// waits for another one executes none of the instructions.
fn working_s(run: &RunDigest, ranks: usize) -> f64 {
    let blocks = run.skeleton.as_ref().map_or(&[][..], |counts| &counts.blocks);
    let measured_s: f64 = blocks.iter().map(|block| block.charged_s).sum();
    if measured_s > 0.0 { measured_s } else { run.simulated.as_secs_f64() * ranks as f64 }
}

fn measured_blocks(run: &RunDigest) -> anyhow::Result<Vec<SkeletonBlock>> {
    let SkeletonCounts { blocks, .. } = run.skeleton.clone().unwrap_or_default();
    let measured: Vec<_> = blocks.into_iter().filter(|block| block.mean_s.is_some()).collect();
    if measured.is_empty() {
        bail!(
            "the program measures no block\n\nhint: put WEIR_MEASURE(\"name\", iterations) before the code to be left out \
             (docs/guide/skeletons.md)"
        );
    }
    Ok(measured)
}

fn macro_name(block: &str) -> String {
    let letters = block.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    format!("WEIR_SECONDS_{}", letters.collect::<String>())
}

impl Found {
    fn to_text(&self) -> String {
        match self {
            Self::Loops(blocks) => {
                let row = |block: &SkeletonBlock| {
                    [
                        block.name.clone(),
                        block.executions.to_string(),
                        block.iterations.to_string(),
                        short(block.mean_s.unwrap_or(0.0)),
                        block.deviation_s.map_or_else(String::new, short),
                    ]
                };
                let head = ["block", "executions", "iterations", "time of an iteration", "+-"];
                table(head, blocks.iter().map(row))
            }
            Self::Instructions(found) => {
                let Instructions { seconds, count, clock } = found;
                let (time, each, cpi) = (short(*seconds), short(seconds / count), found.cpi());
                format!(
                    "  {count} instructions in {time}: {each} each\n  node.cpi = {cpi:.6}, node.clock = \"{clock}\"\n"
                )
            }
        }
    }

    fn to_file(&self, args: &EstimateArgs) -> String {
        let command = format!("weir skeleton estimate {:?} -n {}", args.program, args.ranks);
        match self {
            Self::Loops(blocks) => {
                let mut text = format!("/* Seconds of an iteration, by {command} */\n");
                for block in blocks {
                    let (name, seconds) = (macro_name(&block.name), block.mean_s.unwrap_or(0.0));
                    _ = writeln!(text, "#define {name} {seconds:e}");
                }
                text
            }
            Self::Instructions(found) => {
                let (cpi, clock) = (found.cpi(), found.clock);
                format!("# By {command} --method cpi\n[node]\ncpi = {cpi}\nclock = \"{clock}\"\n")
            }
        }
    }

    fn to_json(&self) -> Value {
        let block = |block: &SkeletonBlock| {
            json!({
                "name": block.name,
                "executions": block.executions,
                "iterations": block.iterations,
                "mean_s": block.mean_s,
                "deviation_s": block.deviation_s,
            })
        };
        match self {
            Self::Loops(blocks) => json!({ "blocks": blocks.iter().map(block).collect::<Vec<_>>() }),
            Self::Instructions(found) => json!({
                "seconds": found.seconds,
                "instructions": found.count,
                "instruction_s": found.seconds / found.count,
                "cpi": found.cpi(),
                "clock_hz": found.clock.hertz(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_blocks_become_names_of_macros() {
        assert_eq!(macro_name("set up"), "WEIR_SECONDS_SET_UP");
        assert_eq!(macro_name("1-D"), "WEIR_SECONDS_1_D");
    }

    /// 2 s for 8 billion instructions at 2 GHz are half a cycle each.
    #[test]
    fn cycles_per_instruction_are_time_over_instructions() {
        let clock = weir_units::parse::frequency("2 GHz").unwrap();
        assert!((Instructions { seconds: 2.0, count: 8e9, clock }.cpi() - 0.5).abs() < 1e-12);
    }
}
