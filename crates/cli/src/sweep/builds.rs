//! A folder that another build of weir has begun: its points are kept if this build comes to the same.
//!
//! Points are found by their work, which has every key of their experiment and the bytes of its files. What a build computes of the same work may
//! differ still: so some of them are run again, and unless all come to the same events the folder is refused.

use super::folder::Folder;
use super::{Ended, Sweep};
use std::collections::BTreeSet;
use weir_scenario::Printed;

impl Sweep<'_> {
    /// Runs the first, the middle and the last of the points that a folder of another build has. If they come to the same, the folder is of
    /// this build, too.
    ///
    /// # Errors
    /// Says which point comes to something else.
    pub(super) fn check_build(&self, folder: &mut Folder, build: &str) -> Result<(), String> {
        let known = |point: &usize| folder.line(&self.works[*point]).map(Ended::of_line);
        let reached =
            |point: usize| Some((point, known(&point).filter(|ended| ended.why.is_none())?.reached?));
        let points: Vec<_> = (0..self.points()).filter_map(reached).collect();
        let checked: BTreeSet<usize> = match points.len() {
            0 => BTreeSet::new(),
            count => [0, count / 2, count - 1].into(),
        };
        for (point, (simulated, digest)) in checked.iter().map(|&place| &points[place]) {
            let scenario = self.scenario(*point);
            let scenario = scenario.map_err(|why| format!("a point is refused by this build: {why}"))?;
            let (result, _) = scenario.run_apart(Printed::Kept);
            let now = Ended::of(&result).reached;
            if now.as_ref() != Some(&(*simulated, digest.clone())) {
                let now = now.map_or("nothing".to_owned(), |(simulated, _)| simulated.to_string());
                return Err(format!(
                    "{}: was begun by another build of weir, which came to other results: {} is {now} in this one, and {simulated} there\n\n\
                     hint: take another folder, or the weir of then",
                    folder.file("").display(),
                    self.named(*point),
                ));
            }
        }
        if !self.args.shown.quiet && !points.is_empty() {
            eprintln!(
                "note: the folder was begun by another build of weir; {} of its {} points were run again and came to the same",
                checked.len(),
                points.len()
            );
        }
        folder.take_over(build)
    }
}
