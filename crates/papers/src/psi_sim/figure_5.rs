//! Figure 5: the skeleton of the two-electron integrals, on level 4.

use super::programs::{Best, Charged, Command, Programs, Source, with_notes};
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Extent, Item, PapersError, Plot, Row, Series, SeriesKind, Target, Tolerance};

static SOURCE: Source =
    Source { name: "eri", text: include_str!("../../../../examples/skeletons/eri.c"), options: &["-O2"] };

/// Numbers of basis functions (section 6.1).
const SIZES: [usize; 3] = [394, 679, 1009];
const RANKS: usize = 8;
const SECTION: &str = "section 7.1";

/// A size: the program and its skeleton.
struct Pair {
    functions: usize,
    program: Best,
    skeleton: Best,
}

impl Pair {
    /// How far the skeleton's time is off, as a part of the program's.
    fn error(&self) -> f64 {
        self.skeleton.simulated_s / self.program.simulated_s - 1.0
    }

    fn logging(&self) -> f64 {
        self.skeleton.logging_s / self.program.logging_s
    }
}

fn command(variant: &'static str, functions: usize, ranks: usize, more: &[String]) -> Command {
    let args = [&["-n".to_owned(), functions.to_string()], more].concat();
    Command { variant, args, ranks, charged: Charged::Measured, without_data: false }
}

/// The mean time of an integral and its addition to the Fock matrix: what a run of the program on one rank takes longer than
/// its loops alone, over the number of integrals (section 4).
fn time_per_integral(program: &Best, loops: &Best) -> f64 {
    let integrals = loops.skeleton().clock_calls.max(1) as f64;
    (program.simulated_s - loops.simulated_s).max(0.0) / integrals
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let programs = Programs::compile(&SOURCE, &[("program", ""), ("skeleton", "SKELETON=4")])?;
    let (sizes, rounds) = match campaign.extent {
        Extent::Few => (&SIZES[..1], 1),
        Extent::Short | Extent::Full => (&SIZES[..], 4),
    };
    let alone = ["program", "skeleton"].map(|variant| command(variant, sizes[0], 1, &[]));
    let together = sizes.iter().map(|&functions| command("program", functions, RANKS, &[]));
    let commands: Vec<Command> = alone.into_iter().chain(together).collect();
    let mut ran = programs.run(campaign, &commands, rounds)?;
    let originals = ran.split_off(2);
    let each = time_per_integral(&ran[0], &ran[1]);
    let time = ["-t".to_owned(), format!("{each:e}")];
    let commands: Vec<Command> =
        sizes.iter().map(|&functions| command("skeleton", functions, RANKS, &time)).collect();
    let skeletons = programs.run(campaign, &commands, rounds)?;
    let both = originals.into_iter().zip(skeletons).zip(sizes);
    let pairs: Vec<Pair> =
        both.map(|((program, skeleton), &functions)| Pair { functions, program, skeleton }).collect();
    let mut rows = vec![Row::new("all", "time per integral", "us", each * 1e6)];
    rows.extend(pairs.iter().flat_map(rows_of));
    let notes = vec![
        format!(
            "The time per integral is that of one rank with {} functions, less that of the loops; {RANKS} ranks run the \
             sizes. Shortest of {rounds} runs.",
            sizes[0]
        ),
        "The integrals are of s shells of 3 primitives on a chain of atoms; the paper's molecules are not known.".to_owned(),
    ];
    let comparison = Comparison { rows, plots: vec![plot(&pairs)], ..item.comparison("functions") };
    Ok(with_notes(comparison, notes))
}

fn rows_of(pair: &Pair) -> Vec<Row> {
    let row = |what: &str, unit, own| Row::new(format!("ERI{}", pair.functions), what, unit, own);
    let (messages, bytes) = pair.program.traffic();
    let same = Tolerance::Exact;
    vec![
        row("predicted time, program", "s", pair.program.simulated_s),
        row("predicted time, skeleton", "s", pair.skeleton.simulated_s),
        row("error of the predicted time", "%", 100.0 * pair.error()).published(
            Target::Between(-1.5, 1.5),
            Tolerance::NotStated,
            SECTION,
        ),
        row("logging time, program", "s", pair.program.logging_s),
        row("logging time, skeleton", "s", pair.skeleton.logging_s),
        row("logging time, skeleton / program", "%", 100.0 * pair.logging()).published(
            Target::Between(3.0, 9.0),
            Tolerance::NotStated,
            SECTION,
        ),
        row("logging the skeleton is faster: skeleton / program", "", pair.logging()).published(
            Target::Below(1.0),
            Tolerance::Exact,
            SECTION,
        ),
        row("messages of the skeleton", "", pair.skeleton.traffic().0 as f64).expected(
            Target::Value(messages as f64),
            same,
            "those of the program",
        ),
        row("bytes of the skeleton", "", pair.skeleton.traffic().1 as f64).expected(
            Target::Value(bytes as f64),
            same,
            "those of the program",
        ),
        row("clock calls", "", pair.skeleton.skeleton().clock_calls as f64),
        row("clock calls cost", "ms", 1e3 * pair.skeleton.skeleton().cost_s()),
    ]
}

fn plot(pairs: &[Pair]) -> Plot {
    let series = |name: &str, value: fn(&Pair) -> f64| {
        let points = pairs.iter().map(|pair| (pair.functions as f64, value(pair)));
        Series::new(name, SeriesKind::Own, points.collect())
    };
    Plot {
        name: "001-figure-5",
        title: "Paper 001, figure 5: two-electron integrals, program and skeleton",
        x: Axis::span("basis functions"),
        y: Axis::log("time [s]"),
        series: vec![
            series("predicted, program", |pair| pair.program.simulated_s),
            series("predicted, skeleton", |pair| pair.skeleton.simulated_s),
            series("logging, program", |pair| pair.program.logging_s),
            series("logging, skeleton", |pair| pair.skeleton.logging_s),
        ],
    }
}
