//! Figure 6: skeletons of a 3-D FFT, on levels 1 and 3.

use super::programs::{Best, Charged, Command, Programs, Source, with_notes};
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Extent, Item, PapersError, Plot, Row, Series, SeriesKind, Target, Tolerance};
use weir_record::SkeletonBlock;

static SOURCE: Source = Source {
    name: "ft",
    text: include_str!("../../../../examples/skeletons/ft.c"),
    // Counted instructions are those of loops that are not vectorised.
    options: &["-O2", "-fno-tree-vectorize"],
};

const RANKS: usize = 8;
const LEVELS: &str = "section 7.2";
/// Kinds of loops of the 1-D transforms, `cffts` in the paper.
const TRANSFORMS: [&str; 2] = ["copy", "butterflies"];
const TRANSPOSES: [&str; 1] = ["transpose"];

/// What is estimated with a small run.
struct Estimates {
    /// Seconds of an inner iteration by kind of loop.
    blocks: Vec<SkeletonBlock>,
    /// Seconds of a counted instruction: CPI x CCT.
    instruction_s: f64,
}

impl Estimates {
    /// The argument of the skeleton on level 3.
    fn times(&self) -> String {
        // The order in which the program names them.
        let names = ["set up", "copy", "butterflies", "transpose", "evolve", "verify"];
        let time = |name: &&str| self.blocks.iter().find(|block| block.name == **name)?.mean_s;
        names.iter().map(|name| format!("{:e}", time(name).unwrap_or(0.0))).collect::<Vec<_>>().join(",")
    }
}

/// A run of program and skeletons.
struct Runs {
    program: Best,
    level_1: Best,
    level_3: Best,
    /// The same without the data of its messages.
    without_data: Best,
    /// Kinds of loops of the program, measured.
    blocks: Vec<SkeletonBlock>,
    estimates: Estimates,
}

fn command(variant: &'static str, size: &str, ranks: usize, more: &[String]) -> Command {
    let is_skeleton = variant.starts_with("level");
    Command {
        variant,
        args: [&["-n".to_owned(), size.to_owned()], more].concat(),
        ranks,
        charged: if is_skeleton { Charged::Nothing } else { Charged::Measured },
        without_data: false,
    }
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let variants =
        [("program", ""), ("measured", "MEASURE"), ("level-1", "SKELETON=1"), ("level-3", "SKELETON=3")];
    let programs = Programs::compile(&SOURCE, &variants)?;
    let (small, size, rounds) = match campaign.extent {
        Extent::Few => ("32,32,32", "64,64,64", 3),
        Extent::Short => ("64,64,64", "256,256,128", 3),
        Extent::Full => ("64,64,64", "512,256,256", 3),
    };
    let commands = [
        command("program", small, 1, &[]),
        command("measured", small, 1, &[]),
        command("level-1", small, 1, &[]),
        command("program", size, RANKS, &[]),
        command("level-1", size, RANKS, &[]),
    ];
    let ran = programs.run(campaign, &commands, rounds)?;
    let [alone, measured, counted, program, level_1] =
        <[Best; 5]>::try_from(ran).unwrap_or_else(|_| unreachable!("there is a result for each command"));
    let estimates = Estimates {
        blocks: measured.skeleton().blocks,
        instruction_s: alone.simulated_s / counted.skeleton().instructions.max(1.0),
    };
    let times = ["-t".to_owned(), estimates.times()];
    let with_data = command("level-3", size, RANKS, &times);
    let commands = [
        Command { without_data: true, ..with_data.clone() },
        with_data,
        command("measured", size, RANKS, &[]),
    ];
    let [without_data, level_3, measured] =
        <[Best; 3]>::try_from(programs.run(campaign, &commands, rounds.min(2))?)
            .unwrap_or_else(|_| unreachable!("there is a result for each command"));
    let blocks = measured.skeleton().blocks;
    let runs = Runs { program, level_1, level_3, without_data, blocks, estimates };
    let notes = vec![
        format!(
            "{size} numbers on {RANKS} ranks, and {small} on one for the estimates; shortest of {rounds} runs. The paper has 512 \
             x 512 x 512 (class C), for which memory and time of one small computer are too short: classes A and, with \
             --full, B of NPB."
        ),
        "CPI x CCT is the time of the program on the small size over the instructions that the skeleton of level 1 counts \
         there. The paper took both from hardware counters, which are not everywhere to be had."
            .to_owned(),
        "Of skeletons only clock calls are charged; the program is charged what it takes.".to_owned(),
    ];
    let comparison = Comparison { rows: rows(&runs), plots: vec![plot(&runs)], ..item.comparison("model") };
    Ok(with_notes(comparison, notes))
}

/// Simulated time of the level 1: a counted instruction takes 1 ns in the run.
fn level_1_s(runs: &Runs) -> f64 {
    runs.level_1.simulated_s * runs.estimates.instruction_s / 1e-9
}

/// Seconds of kinds of loops, all ranks together: measured, and estimated with the means of the small run.
fn of_kinds(runs: &Runs, kinds: &[&str]) -> (f64, f64) {
    let of = |block: &&SkeletonBlock| kinds.contains(&block.name.as_str());
    let measured = runs.blocks.iter().filter(of).map(|block| block.charged_s).sum();
    let estimated = runs.blocks.iter().filter(of).map(|block| {
        let small = runs.estimates.blocks.iter().find(|small| small.name == block.name);
        block.iterations * small.and_then(|small| small.mean_s).unwrap_or(0.0)
    });
    (measured, estimated.sum())
}

fn rows(runs: &Runs) -> Vec<Row> {
    let program = &runs.program;
    let (messages, bytes) = program.traffic();
    let mut rows = vec![
        Row::new("FFT", "predicted time, program", "s", program.simulated_s),
        Row::new("FFT", "logging time, program", "s", program.logging_s),
        Row::new("FFT-L1", "CPI x CCT", "ns", 1e9 * runs.estimates.instruction_s),
    ];
    let models = [
        ("FFT-L1", &runs.level_1, level_1_s(runs), 19.0),
        ("FFT-L3", &runs.level_3, runs.level_3.simulated_s, 85.0),
    ];
    for (name, skeleton, simulated_s, cut) in models {
        let row = |what: &str, unit, own| Row::new(name, what, unit, own);
        let counts = skeleton.skeleton();
        rows.extend([
            row("predicted time, skeleton", "s", simulated_s),
            row(
                "error of the predicted time, either way",
                "%",
                100.0 * (simulated_s / program.simulated_s - 1.0).abs(),
            )
            .published(Target::Value(11.0), Tolerance::NotStated, LEVELS),
            row("logging time, skeleton", "s", skeleton.logging_s),
            row("logging time cut by", "%", 100.0 * (1.0 - skeleton.logging_s / program.logging_s))
                .published(Target::Value(cut), Tolerance::NotStated, LEVELS),
            row("messages of the skeleton", "", skeleton.traffic().0 as f64).expected(
                Target::Value(messages as f64),
                Tolerance::Exact,
                "those of the program",
            ),
            row("bytes of the skeleton", "", skeleton.traffic().1 as f64).expected(
                Target::Value(bytes as f64),
                Tolerance::Exact,
                "those of the program",
            ),
            row("clock calls", "", counts.clock_calls as f64),
            row("clock calls cost", "ms", 1e3 * counts.cost_s()),
        ]);
    }
    let cut = 100.0 * (1.0 - runs.without_data.logging_s / program.logging_s);
    rows.push(Row::new("FFT-L3", "logging time cut by, messages without data", "%", cut));
    let calls = |run: &Best| run.skeleton().clock_calls as f64;
    let both = |what: &str, unit, own| Row::new("both", what, unit, own);
    rows.extend([
        both("clock calls, L1 / L3", "", calls(&runs.level_1) / calls(&runs.level_3)).published(
            Target::Value(1e4),
            Tolerance::NotStated,
            "section 7.2 (or 10^4 more in number: the text allows both)",
        ),
        both("level 1 makes more clock calls: L1 / L3", "", calls(&runs.level_1) / calls(&runs.level_3))
            .published(Target::Above(1.0), Tolerance::Exact, LEVELS),
        both(
            "logging level 3 is faster than the program: L3 / program",
            "",
            runs.level_3.logging_s / program.logging_s,
        )
        .published(Target::Below(1.0), Tolerance::Exact, LEVELS),
        both(
            "logging level 3 is faster than level 1: L3 / L1",
            "",
            runs.level_3.logging_s / runs.level_1.logging_s,
        )
        .published(Target::Below(1.0), Tolerance::Exact, LEVELS),
    ]);
    for (what, kinds) in [("1-D transforms", &TRANSFORMS[..]), ("transposes", &TRANSPOSES[..])] {
        let (measured, estimated) = of_kinds(runs, kinds);
        let row = Row::new("FFT-L3", format!("error of {what}"), "%", 100.0 * (estimated / measured - 1.0));
        rows.push(row);
    }
    rows
}

fn plot(runs: &Runs) -> Plot {
    let models = || Axis { label: "model", scale: crate::Scale::Names(vec!["program", "L1", "L3"]) };
    let points = |values: [f64; 3]| (0..).map(f64::from).zip(values).collect();
    Plot {
        name: "001-figure-6",
        title: "Paper 001, figure 6: a 3-D FFT, program and skeletons",
        x: models(),
        y: Axis::linear("time [s]"),
        series: vec![
            Series::new(
                "predicted",
                SeriesKind::Own,
                points([runs.program.simulated_s, level_1_s(runs), runs.level_3.simulated_s]),
            ),
            Series::new(
                "logging",
                SeriesKind::Own,
                points([runs.program.logging_s, runs.level_1.logging_s, runs.level_3.logging_s]),
            ),
        ],
    }
}
