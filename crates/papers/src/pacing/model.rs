//! The two models of the paper, and their points.

use crate::PapersError;
use crate::campaign::{Campaign, Experiment, Extent, Point};
use weir_scenario::Pacing;

/// Both models put eight messages on a node, two for each of four directions.
pub(super) const MESSAGES_PER_DIRECTION: f64 = 2.0;
/// Of the links of table 3 of paper 003.
const BYTES_PER_S: f64 = 8e9;

/// A model of the paper: what is run of it, by [`Extent`].
pub(super) struct Model {
    pub(super) kind: Kind,
    experiment: Experiment,
    /// Sizes of messages in KiB.
    sizes: [&'static [u32]; 3],
    /// Gaps between packets that figures 7 and 8 search, in packet times.
    gaps: [&'static [f64]; 3],
    /// Gaps of figures 9 and 10.
    imbalance_gaps: [&'static [f64]; 3],
    /// How far starts of figures 9 and 10 are apart.
    starts: [&'static [Start]; 3],
    /// Draws of each.
    seeds: [u32; 3],
    /// How far over share - 1 the best gap may be.
    pub(super) beyond_share: f64,
    /// A gap at which links are not loaded to the full.
    pub(super) paced: &'static [f64],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Small,
    Large,
}

/// When ranks begin: the panels of figures 9 and 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// All at once.
    Together,
    /// Within this imbalance factor.
    Within(&'static str),
    /// When they leave a dissemination barrier.
    Barrier,
}

use Start::{Barrier, Together, Within};

const ALL_STARTS: &[Start] =
    &[Together, Within("100 ns"), Within("1 us"), Within("10 us"), Within("100 us"), Within("1 ms"), Barrier];

pub(super) static SMALL: Model = Model {
    kind: Kind::Small,
    experiment: Experiment {
        name: "papers/004-pacing/small.toml",
        text: include_str!("../../../../papers/004-pacing/small.toml"),
    },
    // 288 and 1,152 are named; 96 KiB is a variable of 96 layers, 480 and 576 are five and six of them.
    sizes: [&[96], &[96, 288, 480, 576, 1152], &[96, 288, 480, 576, 1152]],
    gaps: [
        &[0.0, 1.0, 2.0, 2.125, 2.25, 3.0],
        &[
            0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.625, 1.75, 1.875, 2.0, 2.125, 2.25, 2.375, 2.5, 2.75,
            3.0, 3.5, 4.0,
        ],
        &[
            0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75,
            1.875, 2.0, 2.125, 2.25, 2.375, 2.5, 2.625, 2.75, 2.875, 3.0, 3.125, 3.25, 3.375, 3.5, 3.625,
            3.75, 3.875, 4.0,
        ],
    ],
    imbalance_gaps: [
        &[0.0, 1.0, 2.125, 3.0],
        &[0.0, 1.0, 1.5, 2.0, 2.125, 2.25, 3.0],
        &[0.0, 0.5, 1.0, 1.5, 1.75, 1.875, 2.0, 2.125, 2.25, 2.5, 3.0, 4.0],
    ],
    starts: [&[Together, Within("1 us"), Barrier], ALL_STARTS, ALL_STARTS],
    seeds: [1, 2, 5],
    beyond_share: 0.25,
    paced: &[2.0, 2.125, 2.25],
};

pub(super) static LARGE: Model = Model {
    kind: Kind::Large,
    experiment: Experiment {
        name: "papers/004-pacing/large.toml",
        text: include_str!("../../../../papers/004-pacing/large.toml"),
    },
    sizes: [&[8], &[32], &[32, 96, 288]],
    gaps: [
        &[0.0, 5.25, 7.0],
        &[0.0, 16.0, 16.5, 17.0, 17.5, 20.0],
        &[
            0.0, 4.0, 8.0, 12.0, 15.0, 16.0, 16.25, 16.5, 16.75, 17.0, 17.125, 17.25, 17.5, 18.0, 20.0, 24.0,
            30.0,
        ],
    ],
    imbalance_gaps: [&[0.0, 5.25], &[0.0, 17.0], &[0.0, 8.0, 16.0, 17.0, 18.0, 24.0]],
    starts: [&[Together, Within("1 us")], &[Within("10 us"), Within("1 ms"), Barrier], ALL_STARTS],
    seeds: [1, 1, 1],
    beyond_share: 1.5,
    paced: &[17.0],
};

impl Start {
    pub(super) fn name(self) -> String {
        match self {
            Together => "no imbalance".to_owned(),
            Within(factor) => format!("imbalance {factor}"),
            Barrier => "barrier".to_owned(),
        }
    }

    /// Whether something is drawn.
    fn is_random(self) -> bool {
        matches!(self, Within(_))
    }
}

impl Model {
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Small => "small",
            Kind::Large => "large",
        }
    }

    /// Those that were asked for, or its own.
    pub(super) fn sizes<'a>(&self, campaign: &Campaign<'a>) -> &'a [u32] {
        if campaign.sizes.is_empty() { self.sizes[campaign.extent as usize] } else { campaign.sizes }
    }

    pub(super) fn gaps(&self, campaign: &Campaign<'_>) -> &'static [f64] {
        self.gaps[campaign.extent as usize]
    }

    pub(super) fn imbalance_gaps(&self, campaign: &Campaign<'_>) -> &'static [f64] {
        self.imbalance_gaps[campaign.extent as usize]
    }

    pub(super) fn starts(&self, campaign: &Campaign<'_>) -> &'static [Start] {
        self.starts[campaign.extent as usize]
    }

    /// How often a start is drawn.
    pub(super) fn seeds(&self, campaign: &Campaign<'_>, start: Start) -> u32 {
        if start.is_random() { self.seeds[campaign.extent as usize] } else { 1 }
    }

    /// Gaps to choose the best from, where it need not be searched.
    pub(super) fn paced_gaps(&self, campaign: &Campaign<'_>) -> &'static [f64] {
        if self.is_whole(campaign) { self.paced } else { &[5.25] }
    }

    /// Gaps at which congestion is looked at: none first, then towards the one that leaves least of it.
    pub(super) fn congestion_gaps(&self, campaign: &Campaign<'_>) -> &'static [f64] {
        campaign.choose(&[0.0, 5.5], &[0.0, 8.0, 17.0], &[0.0, 4.0, 8.0, 12.0, 16.0, 16.5, 17.0])
    }

    /// How many nodes the torus of the large model has in y, and in z.
    pub(super) fn side(&self, campaign: &Campaign<'_>) -> u32 {
        if self.is_whole(campaign) { 32 } else { 4 }
    }

    /// Whether it is the model of the paper; the few points of tests have a smaller one instead of the large one.
    pub(super) fn is_whole(&self, campaign: &Campaign<'_>) -> bool {
        self.kind == Kind::Small || campaign.extent != Extent::Few
    }

    /// Keys that make a large model small enough for tests: 640 nodes on 40 x 4 x 4.
    fn scale(&self, campaign: &Campaign<'_>) -> Vec<String> {
        if self.is_whole(campaign) {
            return Vec::new();
        }
        vec!["workload.rlevel=4".to_owned(), "topology.shape=[40, 4, 4]".to_owned()]
    }

    pub(super) fn point(
        &self,
        campaign: &Campaign<'_>,
        bytes: u64,
        gap: f64,
        start: Start,
        seed: u32,
    ) -> Point {
        let mut overrides = self.scale(campaign);
        overrides.push(format!("workload.message_size='{bytes} B'"));
        overrides.push(format!("node.packet_gap={gap}"));
        match start {
            Together => {}
            Within(factor) => {
                overrides.push(format!("workload.start_imbalance='{factor}'"));
                overrides.push(format!("workload.seed={seed}"));
            }
            Barrier => overrides.push("workload.start_barrier=true".to_owned()),
        }
        let name = format!("{} model, {bytes} B, gap {gap}, {}, seed {seed}", self.name(), start.name());
        Point { name, experiment: self.experiment_ref(), overrides }
    }

    /// With the gaps that `weir advise pacing` gives, each message its own.
    pub(super) fn advised_point(&self, campaign: &Campaign<'_>, bytes: u64) -> Point {
        let mut point = self.point(campaign, bytes, 0.0, Together, 1);
        point.overrides.push("node.packet_gap=max-min".to_owned());
        point.name = format!("{} model, {bytes} B, gaps as advised", self.name());
        point
    }

    fn experiment_ref(&self) -> &'static Experiment {
        match self.kind {
            Kind::Small => &SMALL.experiment,
            Kind::Large => &LARGE.experiment,
        }
    }

    /// How many routes share the busiest link, and the one gap that `weir advise pacing` gives for all messages.
    ///
    /// # Errors
    /// When the experiment is wrong.
    pub(super) fn advice(&self, campaign: &Campaign<'_>) -> Result<(f64, f64), PapersError> {
        let point = self.point(campaign, 1024, 0.0, Together, 1);
        let pacing = point
            .scenario()?
            .advise_pacing(Pacing::MARGIN)
            .map_err(|error| PapersError::Run { point: point.name.clone(), what: error.to_string() })?;
        let largest = pacing.largest();
        Ok((pacing.busiest.map_or(1.0, |(_, share)| share as f64), largest))
    }
}

pub(super) fn bytes(kib: u32) -> u64 {
    u64::from(kib) * 1024
}

/// What a message of so many KiB takes on a link, in seconds.
pub(super) fn message_time_s(kib: u32) -> f64 {
    bytes(kib) as f64 / BYTES_PER_S
}
