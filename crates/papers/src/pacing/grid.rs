//! Runs a model for all sizes, gaps, starts and draws that are asked for.

use super::model::{Model, Start, bytes};
use crate::PapersError;
use crate::campaign::Campaign;

/// Simulated times in seconds, by size, gap, start and draw.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) sizes: &'static [u32],
    pub(super) gaps: Vec<f64>,
    /// By start, size and gap: a time for each draw.
    times: Vec<Vec<f64>>,
}

impl Grid {
    /// # Errors
    /// When a point cannot be run to its end.
    pub(super) fn run(
        campaign: &Campaign<'_>,
        model: &Model,
        gaps: &[f64],
        starts: &[Start],
    ) -> Result<Self, PapersError> {
        let sizes = model.sizes(campaign);
        let mut points = Vec::new();
        let mut draws = Vec::new();
        for &start in starts {
            for &size in sizes {
                for &gap in gaps {
                    let seeds = model.seeds(campaign, start);
                    draws.push(seeds as usize);
                    points
                        .extend((1..=seeds).map(|seed| model.point(campaign, bytes(size), gap, start, seed)));
                }
            }
        }
        let summaries = campaign.run(&points)?;
        let mut seconds = summaries.iter().map(|summary| summary.simulated.as_secs_f64());
        let times = draws.into_iter().map(|draws| seconds.by_ref().take(draws).collect()).collect();
        Ok(Self { sizes, gaps: gaps.to_vec(), times })
    }

    fn draws(&self, start: usize, size: usize, gap: usize) -> &[f64] {
        &self.times[(start * self.sizes.len() + size) * self.gaps.len() + gap]
    }

    /// The mean over all draws.
    pub(super) fn time(&self, start: usize, size: usize, gap: usize) -> f64 {
        let draws = self.draws(start, size, gap);
        draws.iter().sum::<f64>() / draws.len() as f64
    }

    /// The shortest and the longest draw.
    pub(super) fn spread(&self, start: usize, size: usize, gap: usize) -> (f64, f64) {
        let draws = self.draws(start, size, gap);
        (draws.iter().copied().fold(f64::INFINITY, f64::min), draws.iter().copied().fold(0.0, f64::max))
    }

    /// The gap, by its number, with the least mean time; of equals the smallest.
    pub(super) fn best(&self, start: usize, size: usize) -> usize {
        let mut best = 0;
        for gap in 1..self.gaps.len() {
            if self.time(start, size, gap) < self.time(start, size, best) {
                best = gap;
            }
        }
        best
    }
}
