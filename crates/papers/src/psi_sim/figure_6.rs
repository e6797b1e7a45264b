//! Figure 6: skeletons of a 3-D FFT, on levels 1 and 3.

use super::class_c::{self, ClassC};
use super::programs::{Charged, Command, Programs, Source, Typical, with_notes};
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Extent, Item, PapersError, Plot, Row, Series, SeriesKind, Target};
use weir_record::SkeletonBlock;

static SOURCE: Source = Source {
    name: "ft",
    text: include_str!("../../../../examples/skeletons/ft.c"),
    // Counted instructions are those of loops that are not vectorised.
    options: &["-O2", "-fno-tree-vectorize"],
};

pub(super) const RANKS: usize = 8;
pub(super) const LEVELS: &str = "paper 001, section 7.2";
/// Why the errors are not those of the paper.
const OTHER_ERROR: &str = "Estimates are from runs of the size itself: hardware counters, from which the paper has them, are not everywhere to be had. \
     On one quiet computer the error of level 1 was 2 to 21 %, that of level 3 9 to 16 %, and that of the program of class C 5.9 %. It is that of the \
     transposes, which caches of today do not hold; the paper finds it in the 1-D transforms.";
/// Why other parts of the logging time are saved.
const OTHER_CUT: &str = "A clock call takes half a nanosecond on processors of today, less of the time of a block than in the paper, so level 1 saves more \
     (43 to 50 % were measured). What level 3 leaves is moving the data of messages, which is more of the whole than it was (62 to 80 % less, 99.9 % without the data).";
/// Kinds of loops of the 1-D transforms, `cffts` in the paper.
const TRANSFORMS: [&str; 2] = ["copy", "butterflies"];
const TRANSPOSES: [&str; 1] = ["transpose"];

/// The paper's own size, class C of NPB.
pub(super) const CLASS_C: &str = "512,512,512";

/// What is estimated with a short or a small run.
pub(super) struct Estimates {
    /// Kinds of loops with the seconds of an inner iteration.
    pub(super) blocks: Vec<SkeletonBlock>,
    /// Seconds of a counted instruction: CPI x CCT.
    pub(super) instruction_s: f64,
    /// What they have cost: logging times of the runs for level 1 and of that for level 3.
    pub(super) cost_s: [f64; 2],
}

impl Estimates {
    /// From the program with its loops measured, and the skeleton that counts instructions. A rank that waits for another one
    /// executes none: the instructions took as long as the loops.
    fn new(measured: &Typical, counted: &Typical) -> Self {
        let blocks = measured.skeleton().blocks;
        let loops_s: f64 = blocks.iter().map(|block| block.charged_s).sum();
        Self {
            instruction_s: loops_s / counted.skeleton().instructions.max(1.0),
            blocks,
            cost_s: [measured.logging_s + counted.logging_s, measured.logging_s],
        }
    }

    /// The argument of the skeleton on level 3.
    pub(super) fn times(&self) -> [String; 2] {
        // The order in which the program names them.
        let names = ["set up", "copy", "butterflies", "transpose", "evolve", "verify"];
        let time = |name: &&str| self.blocks.iter().find(|block| block.name == **name)?.mean_s;
        let times = names.iter().map(|name| format!("{:e}", time(name).unwrap_or(0.0)));
        ["-t".to_owned(), times.collect::<Vec<_>>().join(",")]
    }
}

/// A run of program and skeletons.
struct Runs {
    program: Typical,
    level_1: Typical,
    level_3: Typical,
    /// Level 3 without the data of its messages.
    without_data: Typical,
    /// Level 3 with the estimates of the small size.
    level_3_small: Typical,
    /// Level 3 on the paper's size, where an iteration takes 1 ns.
    class_c: Typical,
    /// Kinds of loops of the program, measured.
    blocks: Vec<SkeletonBlock>,
    /// From the first steps of the size that is run.
    estimates: Estimates,
    /// From another size.
    small: Estimates,
    small_size: &'static str,
    size: &'static str,
    predicted_c: Option<ClassC>,
}

pub(super) fn command(variant: &'static str, size: &str, ranks: usize, more: &[String]) -> Command {
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
    let short = ["-i".to_owned(), "1".to_owned()];
    // What is timed goes in turn. The skeleton on level 3 takes as long with any estimates; the right ones are known later.
    let each_1_ns = ["-t".to_owned(), ["1e-9"; 6].join(",")];
    let level_3 = |size, times: &[String]| command("level-3", size, RANKS, times);
    let lengths_only = |command| Command { without_data: true, ..command };
    let in_turn = [
        command("measured", small, 1, &[]),
        command("measured", size, RANKS, &short),
        command("program", size, RANKS, &[]),
        command("measured", size, RANKS, &[]),
        command("level-1", size, RANKS, &[]),
        level_3(size, &each_1_ns),
        lengths_only(level_3(size, &each_1_ns)),
    ];
    let [loops, loops_here, program, measured, level_1, logged_3, without_data] =
        exactly(programs.run(campaign, &in_turn, rounds)?);
    // Their simulated times are the same every time.
    let once = [
        lengths_only(command("level-1", small, 1, &[])),
        lengths_only(command("level-1", size, RANKS, &short)),
        lengths_only(level_3(CLASS_C, &each_1_ns)),
    ];
    let [counted, counted_here, class_c] = exactly(programs.run(campaign, &once, 1)?);
    let small_estimates = Estimates::new(&loops, &counted);
    let estimates = Estimates::new(&loops_here, &counted_here);
    let with_estimates =
        [&estimates, &small_estimates].map(|known| lengths_only(level_3(size, &known.times())));
    let [predicted_3, level_3_small] = exactly(programs.run(campaign, &with_estimates, 1)?);
    let predicted_c = match campaign.extent {
        Extent::Few => None,
        Extent::Short | Extent::Full => Some(class_c::predict(&programs, campaign, &estimates)?),
    };
    let level_3 = Typical { simulated_s: predicted_3.simulated_s, ..logged_3 };
    let runs = Runs {
        program,
        level_1,
        level_3,
        without_data,
        level_3_small,
        class_c,
        blocks: measured.skeleton().blocks,
        estimates,
        small: small_estimates,
        small_size: small,
        size,
        predicted_c,
    };
    let notes = vec![
        format!(
            "{size} numbers on {RANKS} ranks, 6 steps; medians of {rounds} runs in turn: classes A and, with --full, B of NPB. \
             The paper has 512 x 512 x 512 (class C): its skeleton is run here, with times that one rank's share of class C takes; \
             the program of class C, single and with --full only."
        ),
        format!(
            "Estimates are from runs of the same size with 1 step instead of 6: for level 1 CPI x CCT is the time of the \
             program's loops over the instructions that the skeleton counts, for level 3 each kind of loop is measured. Other rows \
             have them from {small} on one rank, as the paper has its CPI (from hardware counters, which are not everywhere to \
             be had)."
        ),
        "Of skeletons only clock calls are charged; the program is charged what it takes.".to_owned(),
    ];
    let comparison = Comparison { rows: rows(&runs), plots: vec![plot(&runs)], ..item.comparison("model") };
    Ok(with_notes(comparison, notes))
}

/// A result for each of so many commands.
pub(super) fn exactly<const N: usize>(ran: Vec<Typical>) -> [Typical; N] {
    ran.try_into().unwrap_or_else(|_| unreachable!("there is a result for each command"))
}

/// Simulated time of the level 1: a counted instruction takes 1 ns in the run.
fn level_1_s(runs: &Runs, estimates: &Estimates) -> f64 {
    runs.level_1.simulated_s * estimates.instruction_s / 1e-9
}

/// Without sign, in percent of the program's time.
fn error(runs: &Runs, simulated_s: f64) -> f64 {
    100.0 * (simulated_s / runs.program.simulated_s - 1.0).abs()
}

/// Seconds of kinds of loops, all ranks together: measured, and estimated.
fn of_kinds(runs: &Runs, estimates: &Estimates, kinds: &[&str]) -> (f64, f64) {
    let of = |block: &&SkeletonBlock| kinds.contains(&block.name.as_str());
    let measured = runs.blocks.iter().filter(of).map(|block| block.charged_s).sum();
    let estimated = runs.blocks.iter().filter(of).map(|block| {
        let known = estimates.blocks.iter().find(|known| known.name == block.name);
        block.iterations * known.and_then(|known| known.mean_s).unwrap_or(0.0)
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
        (
            ("FFT-L1", &runs.level_1, level_1_s(runs, &runs.estimates), 19.0),
            (level_1_s(runs, &runs.small), runs.estimates.cost_s[0]),
        ),
        (
            ("FFT-L3", &runs.level_3, runs.level_3.simulated_s, 85.0),
            (runs.level_3_small.simulated_s, runs.estimates.cost_s[1]),
        ),
    ];
    for ((name, skeleton, simulated_s, cut), (small_s, estimates_s)) in models {
        let row = |what: &str, unit, own| Row::new(name, what, unit, own);
        let counts = skeleton.skeleton();
        rows.extend([
            row("predicted time, skeleton", "s", simulated_s),
            row("error of the predicted time, either way", "%", error(runs, simulated_s))
                .published(Target::shown(11.0), LEVELS)
                .declared(OTHER_ERROR),
            Row::new(
                name,
                format!("error of the predicted time, estimates of {}", runs.small_size),
                "%",
                error(runs, small_s),
            ),
            row(
                "logging time of the runs for the estimates, of that of the program",
                "%",
                100.0 * estimates_s / program.logging_s,
            ),
            row("logging time, skeleton", "s", skeleton.logging_s),
            row("logging time cut by", "%", 100.0 * (1.0 - skeleton.logging_s / program.logging_s))
                .published(Target::shown(cut), LEVELS)
                .declared(OTHER_CUT),
            row("messages of the skeleton", "", skeleton.traffic().0 as f64)
                .second_way(Target::exactly(messages as f64), "those of the program"),
            row("bytes of the skeleton", "", skeleton.traffic().1 as f64)
                .second_way(Target::exactly(bytes as f64), "those of the program"),
            row("clock calls", "", counts.clock_calls as f64),
            row("clock calls cost", "ms", 1e3 * counts.cost_s()),
        ]);
    }
    let cut = 100.0 * (1.0 - runs.without_data.logging_s / program.logging_s);
    rows.push(Row::new("FFT-L3", "logging time cut by, messages without data", "%", cut));
    rows.extend(orders(runs));
    if let Some(class_c) = &runs.predicted_c {
        rows.extend(class_c::rows(class_c, runs.size));
    }
    for (what, kinds) in [("1-D transforms", &TRANSFORMS[..]), ("transposes", &TRANSPOSES[..])] {
        let from =
            [(String::new(), &runs.estimates), (format!(", estimates of {}", runs.small_size), &runs.small)];
        rows.extend(from.map(|(from, estimates)| {
            let (measured, estimated) = of_kinds(runs, estimates, kinds);
            Row::new("FFT-L3", format!("error of {what}{from}"), "%", 100.0 * (estimated / measured - 1.0))
        }));
    }
    rows
}

/// How the levels and the program stand to each other.
fn orders(runs: &Runs) -> [Row; 5] {
    let calls = |run: &Typical| run.skeleton().clock_calls as f64;
    let both = |what: &str, unit, own| Row::new("both", what, unit, own);
    [
        both("clock calls, L1 / L3", "", calls(&runs.level_1) / calls(&runs.level_3))
            .published(Target::shown(1e4), "paper 001, section 7.2, of class C")
        .declared("The larger the transform, the more iterations a clock call of level 3 stands for: class C, that of the paper, has a row of its own."),
        // An iteration on level 3 is a clock call on level 1.
        both("clock calls, L1 / L3, class C", "", {
            let counts = runs.class_c.skeleton();
            counts.charged_s / 1e-9 / counts.clock_calls as f64
        })
        .published(
            Target::Between(10f64.powf(3.5), 10f64.powf(4.5)),
            "paper 001, section 7.2: about 10^4 times (or 10^4 more in number: the text allows both)",
        ),
        both("level 1 makes more clock calls: L1 / L3", "", calls(&runs.level_1) / calls(&runs.level_3))
            .claimed(Target::Above(1.0), LEVELS),
        both(
            "logging level 3 is faster than the program: L3 / program",
            "",
            runs.level_3.logging_s / runs.program.logging_s,
        )
        .claimed(Target::Below(1.0), LEVELS),
        both(
            "logging level 3 is faster than level 1: L3 / L1",
            "",
            runs.level_3.logging_s / runs.level_1.logging_s,
        )
        .claimed(Target::Below(1.0), LEVELS),
    ]
}

fn plot(runs: &Runs) -> Plot<'static> {
    let models = || Axis::names("model", vec!["program", "L1", "L3"]);
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
                points([
                    runs.program.simulated_s,
                    level_1_s(runs, &runs.estimates),
                    runs.level_3.simulated_s,
                ]),
            ),
            Series::new(
                "logging",
                SeriesKind::Own,
                points([runs.program.logging_s, runs.level_1.logging_s, runs.level_3.logging_s]),
            ),
        ],
    }
}
