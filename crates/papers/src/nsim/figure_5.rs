//! Figure 5: wall-clock time and memory of Bruck's all-to-all on the tori of table 3, over the number of nodes.

use super::bruck;
use crate::campaign::{Alone, Campaign, Experiment, Point};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

static EXPERIMENT: Experiment = Experiment {
    name: "papers/003-nsim/figure-5.toml",
    text: include_str!("../../../../papers/003-nsim/figure-5.toml"),
};

/// The tori, 8 to 65,536 nodes; section 6.3 names the last one and that of 4096 nodes.
const SHAPES: [[u64; 3]; 14] = [
    [2, 2, 2],
    [4, 2, 2],
    [4, 4, 2],
    [4, 4, 4],
    [8, 4, 4],
    [8, 8, 4],
    [8, 8, 8],
    [16, 8, 8],
    [16, 16, 8],
    [16, 16, 16],
    [32, 16, 16],
    [32, 32, 16],
    [32, 32, 32],
    [64, 32, 32],
];
const BLOCKS: [u64; 2] = [4, 1024];
/// Most nodes with each size of blocks: tests, seconds, all of the paper.
const FEW: [u64; 2] = [64, 16];
const SHORT: [u64; 2] = [8192, 512];
const FULL: [u64; 2] = [65_536, 4096];

/// Nodes, bytes per block, and wall-clock seconds of NSIM on eight cores: "just under" 7 and 1.5 hours.
const SECONDS: [(u64, u64, f64); 2] = [(65_536, 4, 7.0 * 3600.0), (4096, 1024, 1.5 * 3600.0)];
/// Nodes, bytes per block, and memory of NSIM in MB.
const MEGABYTES: [(u64, u64, f64); 2] = [(1024, 4, 2.3e3), (65_536, 4, 16e3)];

const SECTION: &str = "paper 003, section 6.3";

/// One run.
struct Run {
    shape: [u64; 3],
    block: u64,
    alone: Alone,
}

impl Run {
    fn nodes(&self) -> u64 {
        self.shape.iter().product()
    }

    fn seconds(&self) -> f64 {
        self.alone.wall_s
    }

    fn megabytes(&self) -> Option<f64> {
        self.alone.memory_bytes.map(|bytes| bytes as f64 / 1e6)
    }

    fn published(&self, table: &[(u64, u64, f64)]) -> Option<f64> {
        table.iter().find(|line| (line.0, line.1) == (self.nodes(), self.block)).map(|line| line.2)
    }

    fn row(&self, what: &str, unit: &'static str, own: f64) -> Row {
        Row::new(self.nodes(), format!("{what}, {} B", self.block), unit, own)
    }
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let most = campaign.choose(&FEW, &SHORT, &FULL);
    let runs = run(campaign, most)?;
    let mut notes = vec![
        "Packets and packet-hops are judged: they follow from the algorithm. One packet-hop is one router and its output \
         link, that to the node included."
            .to_owned(),
        "Run times and memory depend on the computer: they are shown, not judged. The paper ran on eight cores of two Xeon \
         E5440 and took virtual memory; here it is the largest resident memory of the run, which is a process of its own."
            .to_owned(),
        format!("Runs are single ones, one at a time, on up to {} threads.", threads(&runs)),
    ];
    if most != FULL {
        notes.push(
            "Left out without --full: more than 8192 nodes with 4 B, and than 512 with 1024 B.".to_owned(),
        );
    }
    let rows = runs.iter().flat_map(rows).collect();
    Ok(Comparison {
        rows,
        plots: vec![time_plot(&runs), memory_plot(&runs)],
        notes,
        ..item.comparison("nodes")
    })
}

fn run(campaign: &Campaign<'_>, most: &[u64]) -> Result<Vec<Run>, PapersError> {
    let mut cases = Vec::new();
    for shape in SHAPES {
        let nodes: u64 = shape.iter().product();
        let blocks = BLOCKS.iter().zip(most).filter(|(_, most)| nodes <= **most);
        cases.extend(blocks.map(|(&block, _)| (shape, block)));
    }
    let point = |&([x, y, z], block): &([u64; 3], u64)| Point {
        name: format!("{} nodes, {block} B", x * y * z),
        experiment: &EXPERIMENT,
        overrides: vec![
            format!("topology.shape=[{x},{y},{z}]"),
            format!("workload.message_size='{block} B'"),
        ],
    };
    let alone = campaign.run_alone(&cases.iter().map(point).collect::<Vec<_>>())?;
    let runs = cases.into_iter().zip(alone);
    Ok(runs.map(|((shape, block), alone)| Run { shape, block, alone }).collect())
}

fn threads(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.alone.threads).max().unwrap_or(1)
}

fn rows(run: &Run) -> Vec<Row> {
    let expected = bruck::counts(run.shape, run.block);
    let [packets, hops] = run.alone.counted;
    let counted =
        |row: Row, expected: u64| row.formula(Target::exactly(expected as f64), "counted from the algorithm");
    let published = |row: Row, value: Option<f64>| match value {
        Some(value) => row.published(Target::shown(value), SECTION),
        None => row,
    };
    let speed = run.row("packet-hops per second", "", hops as f64 / run.seconds());
    let mut rows = vec![
        counted(run.row("packets", "", packets as f64), expected.packets),
        counted(run.row("packet-hops", "", hops as f64), expected.packet_hops),
        run.row("simulated time", "ms", run.alone.simulated_s * 1e3),
        published(run.row("wall-clock time", "s", run.seconds()), run.published(&SECONDS)),
        match run.published(&SECONDS) {
            Some(seconds) => speed.published(
                Target::shown(expected.packet_hops as f64 / seconds),
                "paper 003, section 6.3: our count of packet-hops in the published time of NSIM on eight cores",
            ),
            None => speed,
        },
    ];
    if let Some(megabytes) = run.megabytes() {
        rows.push(published(run.row("memory", "MB", megabytes), run.published(&MEGABYTES)));
    }
    rows
}

fn series(runs: &[Run], value: impl Fn(&Run) -> Option<f64>) -> Vec<Series> {
    let of_block = |block| {
        let points = runs.iter().filter(|run| run.block == block);
        let points = points.filter_map(|run| Some((run.nodes() as f64, value(run)?)));
        Series::new(format!("packet engine, {block} B"), SeriesKind::Own, points.collect())
    };
    BLOCKS.map(of_block).into()
}

fn published(table: &[(u64, u64, f64)]) -> Vec<Series> {
    let of_block = |block| {
        let points = table.iter().filter(|line| line.1 == block).map(|line| (line.0 as f64, line.2));
        Series::new(format!("published, {block} B"), SeriesKind::Published, points.collect())
    };
    BLOCKS.map(of_block).into_iter().filter(|series| !series.points.is_empty()).collect()
}

fn time_plot(runs: &[Run]) -> Plot<'static> {
    let mut series = series(runs, |run| Some(run.seconds()));
    series.extend(published(&SECONDS));
    Plot {
        name: "003-figure-5-time",
        title: "Paper 003, figure 5: what Bruck's all-to-all costs",
        x: Axis::log("nodes"),
        y: Axis::log("wall-clock time [s]"),
        series,
    }
}

fn memory_plot(runs: &[Run]) -> Plot<'static> {
    let mut series = series(runs, Run::megabytes);
    series.extend(published(&MEGABYTES));
    Plot {
        name: "003-figure-5-memory",
        title: "Paper 003, figure 5: how much memory Bruck's all-to-all needs",
        x: Axis::log("nodes"),
        y: Axis::log("memory [MB]"),
        series,
    }
}
