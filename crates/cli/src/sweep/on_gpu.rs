//! `--gpu`: points of a sweep that run side by side on the GPU of this computer.

use super::Sweep;
use crate::status::{of_error, refused};
use std::sync::{Mutex, PoisonError};
use weir_experiment::Scenario;
use weir_network::interrupted_by;
use weir_run::{GpuBatch, GpuProcessor, RunDigest, RunError, SharedMachines};
use weir_units::side_by_side;

impl Sweep<'_> {
    /// Checks that the GPU can run a point, if points are to run there.
    ///
    /// # Errors
    /// All reasons why it cannot, with the name of the point.
    pub(super) fn check_gpu(&self, point: usize, scenario: &Scenario) -> anyhow::Result<()> {
        let Some(gpu) = &self.gpu else { return Ok(()) };
        // A computer without a GPU has none for any point.
        let name = gpu.name().map_or_else(String::new, |_| format!("{}: ", self.named(point)));
        gpu.check_point(scenario).map_err(|why| refused(format!("{name}{why}")))
    }

    /// Runs these points in batches. `has_run` gets the result of each, and says whether to go on.
    pub(super) fn run_on_gpu(
        &self,
        gpu: &GpuProcessor,
        points: &[usize],
        has_run: &mut dyn FnMut(usize, Result<RunDigest, RunError>) -> bool,
    ) {
        let goes_on = || interrupted_by().is_none();
        for piece in points.chunks(GpuBatch::MOST) {
            let shared = Mutex::new(SharedMachines::default());
            let prepared = side_by_side(piece, None, |&point| {
                let prepare = || {
                    let mut scenario = self.scenario(point)?;
                    shared.lock().unwrap_or_else(PoisonError::into_inner).share(&mut scenario);
                    self.check_gpu(point, &scenario).map(|()| scenario)
                };
                goes_on().then(prepare)
            });
            let (mut batch, mut names) = (GpuBatch::new(gpu), Vec::new());
            for (&point, scenario) in piece.iter().zip(prepared) {
                let scenario = match scenario {
                    Some(Ok(scenario)) => scenario,
                    Some(Err(error)) => {
                        _ = of_error(&error);
                        continue;
                    }
                    None => return,
                };
                if let Some(scenario) = batch.add(scenario) {
                    if !end(std::mem::replace(&mut batch, GpuBatch::new(gpu)), &mut names, has_run) {
                        return;
                    }
                    // The first one of a batch has room.
                    _ = batch.add(scenario);
                }
                names.push(point);
            }
            if !end(batch, &mut names, has_run) {
                return;
            }
        }
    }
}

/// Runs a batch of these points, and says whether to go on.
fn end(
    batch: GpuBatch,
    points: &mut Vec<usize>,
    has_run: &mut dyn FnMut(usize, Result<RunDigest, RunError>) -> bool,
) -> bool {
    points.drain(..).zip(batch.run()).fold(true, |goes_on, (point, result)| has_run(point, result) && goes_on)
}
