//! The points of figures 2 and 3: fat trees of nine sizes, two mappings, four sharing rules.

use crate::campaign::{Campaign, Experiment, Point};

/// The file of both figures.
static EXPERIMENT: Experiment = Experiment {
    name: "papers/000-mfs/figure-2.toml",
    text: include_str!("../../../../papers/000-mfs/figure-2.toml"),
};

/// Ports of a switch are 2p. Section 4.2 names the first and the last size; p = 11 is left out, as the mean of 3.1
/// over "all" sizes does not depend on it.
const FEW: [usize; 2] = [3, 4];
const SHORT: [usize; 6] = [3, 4, 5, 6, 7, 8];
const FULL: [usize; 9] = [3, 4, 5, 6, 7, 8, 9, 10, 12];

/// How ranks are placed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranks {
    Regular,
    Random,
}

/// How links are shared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    F,
    /// In the form that comes to max-min.
    N,
    /// To the letter.
    LiteralN,
    MaxMin,
}

pub(super) const MODES: [Mode; 4] = [Mode::F, Mode::N, Mode::LiteralN, Mode::MaxMin];
/// Both readings of Mode N.
pub(super) const BOTH_N: [Mode; 2] = [Mode::N, Mode::LiteralN];

impl Ranks {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Random => "random",
        }
    }
}

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::F => "Mode F",
            Self::N => "Mode N",
            Self::LiteralN => "literal Mode N",
            Self::MaxMin => "max-min",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::F => "single-pass",
            Self::N => "iterative",
            Self::LiteralN => "iterative-literal",
            Self::MaxMin => "max-min",
        }
    }
}

/// Results of all points.
pub(super) struct Runs<T> {
    /// Nodes of each size.
    pub(super) nodes: Vec<usize>,
    all: Vec<T>,
}

/// Nodes of the full-bisection tree of 2p-port switches (section 4.1).
pub(super) fn nodes(p: usize) -> usize {
    2 * p.pow(3)
}

const PER_SIZE: [(Ranks, Mode); 8] = [
    (Ranks::Regular, Mode::F),
    (Ranks::Regular, Mode::N),
    (Ranks::Regular, Mode::LiteralN),
    (Ranks::Regular, Mode::MaxMin),
    (Ranks::Random, Mode::F),
    (Ranks::Random, Mode::N),
    (Ranks::Random, Mode::LiteralN),
    (Ranks::Random, Mode::MaxMin),
];

impl<T> Runs<T> {
    /// Runs all points of the campaign's extent, `run` doing the work.
    pub(super) fn of<E>(
        campaign: &Campaign<'_>,
        run: impl FnOnce(&[Point]) -> Result<Vec<T>, E>,
    ) -> Result<Self, E> {
        let sizes = campaign.choose(&FEW, &SHORT, &FULL);
        let points = sizes.iter().flat_map(|&p| PER_SIZE.map(|(ranks, mode)| point(p, ranks, mode)));
        let all = run(&points.collect::<Vec<_>>())?;
        Ok(Self { nodes: sizes.iter().map(|&p| nodes(p)).collect(), all })
    }

    /// The result at one point.
    pub(super) fn at(&self, size: usize, ranks: Ranks, mode: Mode) -> &T {
        let place = PER_SIZE.iter().position(|&other| other == (ranks, mode));
        &self.all[size * PER_SIZE.len() + place.expect("every pair is run")]
    }

    /// One number per size, over the number of nodes.
    pub(super) fn series(&self, number: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        self.nodes.iter().enumerate().map(|(size, &nodes)| (nodes as f64, number(size))).collect()
    }
}

fn point(p: usize, ranks: Ranks, mode: Mode) -> Point {
    let mut overrides = vec![format!("topology.radix={}", 2 * p), format!("engine.sharing={}", mode.key())];
    if ranks == Ranks::Random {
        let random = ["mapping.kind=random", "mapping.seed=1", "mapping.generator=lcg"];
        overrides.extend(random.map(str::to_owned));
    }
    let name = format!("{} nodes, {}, {}", nodes(p), ranks.name(), mode.name());
    Point { name, experiment: &EXPERIMENT, overrides }
}
