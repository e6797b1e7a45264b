//! Report of clock calls at the end of a run.

use crate::text::{grouped, short};
use weir_record::{SkeletonBlock, SkeletonCounts};

/// Blocks listed of a skeleton; all are in the summary.
const MOST_LISTED: usize = 20;

pub(crate) fn rows(skeleton: &SkeletonCounts) -> Vec<(&'static str, String)> {
    let mut rows = vec![(
        "clock calls",
        format!(
            "{} for {}; they cost {} ({} each)",
            skeleton.clock_calls,
            short(skeleton.charged_s),
            short(skeleton.cost_s()),
            short(skeleton.call_cost_s)
        ),
    )];
    rows.extend(skeleton.blocks.iter().take(MOST_LISTED).map(|found| ("block", block(found))));
    if skeleton.blocks.len() > MOST_LISTED {
        rows.push(("", format!("... and {} more (all with --json)", skeleton.blocks.len() - MOST_LISTED)));
    }
    rows
}

fn block(block: &SkeletonBlock) -> String {
    let level = block.level.map_or_else(String::new, |level| format!(", level {level}"));
    let mut text = format!("{}{level}: {} executions", block.name, block.executions);
    if let Some(mean) = block.mean_s {
        text += &format!(", {} measured, mean {}", block.measured, short(mean));
        if let Some(deviation) = block.deviation_s {
            text += &format!(" +- {}", short(deviation));
        }
        if block.iterations != block.executions as f64 {
            text += &format!(" per iteration ({} iterations)", block.iterations);
        }
    }
    text + &format!(", {} charged", short(block.charged_s))
}

/// A warning where clock calls cost more than they save.
pub(crate) fn warning(skeleton: &SkeletonCounts) -> Option<String> {
    skeleton.costs_more_than_it_saves().then(|| {
        format!(
            "warning: weir_compute and its kin are called too finely: {} calls for {} of simulated time took {} of this \
             computer's\n\nhint: move the call out of the inner loop, and charge the loop at once (docs/guide/skeletons.md)",
            grouped(skeleton.clock_calls),
            short(skeleton.charged_s),
            short(skeleton.cost_s())
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_shown_in_a_line() {
        let sampled = SkeletonBlock {
            name: "relax".into(),
            level: None,
            executions: 100,
            measured: 10,
            iterations: 100.0,
            mean_s: Some(2e-6),
            deviation_s: Some(1e-7),
            charged_s: 2e-4,
        };
        let line = "relax: 100 executions, 10 measured, mean 2 us +- 100 ns, 200 us charged";
        assert_eq!(block(&sampled), line);
        let loops = SkeletonBlock { iterations: 400.0, deviation_s: None, ..sampled.clone() };
        let line =
            "relax: 100 executions, 10 measured, mean 2 us per iteration (400 iterations), 200 us charged";
        assert_eq!(block(&loops), line);
        let given = SkeletonBlock { level: Some(4), measured: 0, mean_s: None, ..loops };
        assert_eq!(block(&given), "relax, level 4: 100 executions, 200 us charged");
    }
}
