//! Figure 5: the skeleton of the two-electron integrals, on level 4.

use super::figure_6::exactly;
use super::programs::{Charged, Command, Programs, Source, Typical, with_notes};
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Extent, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

static SOURCE: Source =
    Source { name: "eri", text: include_str!("../../../../examples/skeletons/eri.c"), options: &["-O2"] };

/// Numbers of basis functions (section 6.1).
const SIZES: [usize; 3] = [394, 679, 1009];
const RANKS: usize = 8;
/// For the estimate one pair of so many is computed: a number that the atoms of the chain do not repeat after.
const SAMPLED: usize = 29;
const SECTION: &str = "paper 001, section 7.1";

/// A size: the program, its skeleton, and the run that the skeleton has its times from.
struct Pair {
    functions: usize,
    estimate: Typical,
    program: Typical,
    skeleton: Typical,
    /// How far the skeleton's time is off in each round, as a part of the program's; the least first.
    errors: Vec<f64>,
}

impl Pair {
    /// Each round runs the estimate, the program, and the skeleton with this estimate, one behind the other: what the computer does meanwhile
    /// meets all three, and the error of a round is that of runs that belong together.
    fn run(
        programs: &Programs,
        campaign: &Campaign<'_>,
        functions: usize,
        rounds: usize,
    ) -> Result<Self, PapersError> {
        let sample = ["-s".to_owned(), SAMPLED.to_string()];
        let first = [command("measured", functions, 1, &sample), command("program", functions, RANKS, &[])];
        let mut ran = Vec::new();
        for _ in 0..rounds {
            let [estimate, program] = exactly(programs.run(campaign, &first, 1)?);
            let times = format!("{:e},{:e}", mean(&estimate, "integral"), mean(&estimate, "pair"));
            let skeleton = command("skeleton", functions, RANKS, &["-t".to_owned(), times]);
            let [skeleton] = exactly(programs.run(campaign, &[skeleton], 1)?);
            ran.push([estimate, program, skeleton]);
        }
        let mut errors: Vec<f64> = ran
            .iter()
            .map(|[_, program, skeleton]| skeleton.simulated_s / program.simulated_s - 1.0)
            .collect();
        errors.sort_by(f64::total_cmp);
        let typical = |which: usize| Typical::of_rounds(ran.iter().map(|round| &round[which]));
        let (estimate, program, skeleton) = (typical(0), typical(1), typical(2));
        Ok(Self { functions, estimate, program, skeleton, errors })
    }

    /// The median of the rounds.
    fn error(&self) -> f64 {
        self.errors[(self.errors.len() - 1) / 2]
    }

    fn logging(&self) -> f64 {
        self.skeleton.logging_s / self.program.logging_s
    }

    /// The same with the estimate.
    fn logging_in_all(&self) -> f64 {
        (self.skeleton.logging_s + self.estimate.logging_s) / self.program.logging_s
    }
}

fn command(variant: &'static str, functions: usize, ranks: usize, more: &[String]) -> Command {
    let args = [&["-n".to_owned(), functions.to_string()], more].concat();
    Command { variant, args, ranks, charged: Charged::Measured, without_data: false }
}

/// The mean time of an iteration of a block, in seconds.
fn mean(estimate: &Typical, name: &str) -> f64 {
    let blocks = estimate.skeleton().blocks;
    blocks.iter().find(|block| block.name == name).and_then(|block| block.mean_s).unwrap_or(0.0)
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let variants = [("program", ""), ("measured", "MEASURE"), ("skeleton", "SKELETON=4")];
    let programs = Programs::compile(&SOURCE, &variants)?;
    let (sizes, rounds) = match campaign.extent {
        Extent::Few => (&SIZES[..1], 1),
        Extent::Short => (&SIZES[..], 5),
        Extent::Full => (&SIZES[..], 15),
    };
    let pairs = sizes.iter().map(|&functions| Pair::run(&programs, campaign, functions, rounds));
    let pairs: Vec<Pair> = pairs.collect::<Result<_, _>>()?;
    let rows = pairs.iter().flat_map(rows_of).collect();
    let notes = vec![
        format!(
            "The time per integral is the mean of one pair in {SAMPLED} of the outer loop, in a run of the program on one rank \
             with the same size; {RANKS} ranks run the sizes. Medians of {rounds} rounds of estimate, program and skeleton in turn; \
             the error is the median of those of the rounds."
        ),
        "The integrals are of s shells of 3 primitives on a chain of atoms; the paper's molecules are not known.".to_owned(),
    ];
    let comparison = Comparison { rows, plots: vec![plot(&pairs)], ..item.comparison("functions") };
    Ok(with_notes(comparison, notes))
}

fn rows_of(pair: &Pair) -> Vec<Row> {
    let row = |what: &str, unit, own| Row::new(format!("ERI{}", pair.functions), what, unit, own);
    let (messages, bytes) = pair.program.traffic();
    vec![
        row("time per integral", "us", 1e6 * mean(&pair.estimate, "integral")),
        row("predicted time, program", "s", pair.program.simulated_s),
        row("predicted time, skeleton", "s", pair.skeleton.simulated_s),
        row("error of the predicted time", "%", 100.0 * pair.error())
            .published(Target::About(-1.5, 1.5), SECTION),
        row("error of the predicted time, least of a round", "%", 100.0 * pair.errors[0]),
        row("error of the predicted time, most of a round", "%", 100.0 * pair.errors[pair.errors.len() - 1]),
        row("logging time, program", "s", pair.program.logging_s),
        row("logging time, skeleton", "s", pair.skeleton.logging_s),
        row("logging time, skeleton / program", "%", 100.0 * pair.logging())
            .published(Target::About(3.0, 9.0), SECTION),
        row("logging time, estimate and skeleton / program", "%", 100.0 * pair.logging_in_all()),
        row("logging the skeleton is faster: skeleton / program", "", pair.logging())
            .claimed(Target::Below(1.0), SECTION),
        row("messages of the skeleton", "", pair.skeleton.traffic().0 as f64)
            .second_way(Target::exactly(messages as f64), "those of the program"),
        row("bytes of the skeleton", "", pair.skeleton.traffic().1 as f64)
            .second_way(Target::exactly(bytes as f64), "those of the program"),
        row("clock calls", "", pair.skeleton.skeleton().clock_calls as f64),
        row("clock calls cost", "ms", 1e3 * pair.skeleton.skeleton().cost_s()),
    ]
}

fn plot(pairs: &[Pair]) -> Plot<'static> {
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
