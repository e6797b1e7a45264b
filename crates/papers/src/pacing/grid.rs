//! Runs a model for all sizes, gaps, starts and draws that are asked for.

use super::model::{Model, Start, bytes};
use crate::PapersError;
use crate::campaign::Campaign;

/// The paper states a best gap to an eighth of a packet time.
const RESOLUTION: f64 = 0.125;

/// Simulated times in seconds, by size, gap, start and draw.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) sizes: Vec<u32>,
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
        Ok(Self { sizes: sizes.to_vec(), gaps: gaps.to_vec(), times })
    }

    /// Runs more gaps until the best one of every size, with the first start, has a neighbour on either side no farther
    /// than [`RESOLUTION`]: finer around it, and beyond the largest gap while that is the best.
    ///
    /// # Errors
    /// When a point cannot be run to its end.
    pub(super) fn search(
        &mut self,
        campaign: &Campaign<'_>,
        model: &Model,
        starts: &[Start],
    ) -> Result<(), PapersError> {
        loop {
            let more = (0..self.sizes.len()).flat_map(|size| around(&self.gaps, self.best(0, size)));
            let mut more: Vec<f64> = more.collect();
            more.sort_by(f64::total_cmp);
            more.dedup();
            if more.is_empty() {
                return Ok(());
            }
            let found = Self::run(campaign, model, &more, starts)?;
            self.merge(found, starts.len());
        }
    }

    /// Takes over the gaps of another grid of the same sizes and starts, none of which are here already.
    fn merge(&mut self, other: Self, starts: usize) {
        let mut order: Vec<(f64, bool, usize)> = Vec::new();
        order.extend(self.gaps.iter().enumerate().map(|(place, &gap)| (gap, false, place)));
        order.extend(other.gaps.iter().enumerate().map(|(place, &gap)| (gap, true, place)));
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut times = Vec::new();
        for (start, size) in
            (0..starts).flat_map(|start| (0..self.sizes.len()).map(move |size| (start, size)))
        {
            times.extend(order.iter().map(|&(_, is_other, place)| {
                let grid = if is_other { &other } else { &*self };
                grid.draws(start, size, place).to_vec()
            }));
        }
        self.times = times;
        self.gaps = order.into_iter().map(|(gap, _, _)| gap).collect();
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

/// Gaps to run next when that at `best` is the best of these: half way to neighbours that are too far, and as far beyond the
/// last one as the one before it is away. No gap (0) is the least there is.
fn around(gaps: &[f64], best: usize) -> Vec<f64> {
    let between = |a: f64, b: f64| ((a + b) / 2.0 / RESOLUTION).round() * RESOLUTION;
    let mut more = Vec::new();
    if best > 0 && gaps[best] - gaps[best - 1] > RESOLUTION {
        more.push(between(gaps[best - 1], gaps[best]));
    }
    match gaps.get(best + 1) {
        Some(next) if next - gaps[best] > RESOLUTION => more.push(between(gaps[best], *next)),
        None if best > 0 => more.push(2.0 * gaps[best] - gaps[best - 1]),
        _ => {}
    }
    more.retain(|gap| !gaps.contains(gap));
    more
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beyond its edges, and finer around the best one, to an eighth.
    #[test]
    fn a_search_goes_on_until_the_best_gap_is_inside() {
        assert_eq!(around(&[0.0, 16.0, 16.5, 17.0], 2), [16.25, 16.75]);
        assert_eq!(around(&[0.0, 16.0, 16.5], 2), [16.25, 17.0]);
        assert_eq!(around(&[0.0, 2.0], 0), [1.0]);
        assert_eq!(around(&[1.875, 2.0, 2.125], 1), [0.0; 0]);
        assert_eq!(around(&[1.875, 2.0], 1), [2.125]);
        assert_eq!(around(&[0.0], 0), [0.0; 0]);
    }

    /// One size, one start: times stay with their gaps.
    #[test]
    fn grids_of_other_gaps_are_put_in_order() {
        let grid = |gaps: &[f64], times: &[f64]| Grid {
            sizes: vec![96],
            gaps: gaps.to_vec(),
            times: times.iter().map(|&time| vec![time]).collect(),
        };
        let mut whole = grid(&[0.0, 2.0, 4.0], &[5.0, 3.0, 4.0]);
        whole.merge(grid(&[1.0, 3.0], &[6.0, 2.0]), 1);
        assert_eq!(whole.gaps, [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!((0..5).map(|gap| whole.time(0, 0, gap)).collect::<Vec<_>>(), [5.0, 6.0, 3.0, 2.0, 4.0]);
        assert_eq!(whole.best(0, 0), 3);
    }
}
