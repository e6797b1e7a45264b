//! Figure 6 on the paper's own size, class C of NPB.

use super::figure_6::{CLASS_C, Estimates, LEVELS, RANKS, command, exactly};
use super::programs::{Command, Programs, Typical};
use crate::campaign::Campaign;
use crate::{Extent, PapersError, Row, Target};

/// Why the program of class C is not.
const NOT_RUN: &str =
    "The program of class C is run with --full only: it takes 11 GB of memory and some minutes.";

/// The paper's own size, class C of NPB: the share of one rank is measured, and the program is run if there is time.
pub(super) struct ClassC {
    /// Seconds by the skeleton on level 3, with the times of one rank's share, and with those of the size that is run.
    predicted_s: f64,
    predicted_by_class_s: f64,
    program: Option<Typical>,
}

/// Class C on level 3. One rank computes its share for one step, in memory of the right size and with the right strides, so that
/// the times hold what moving the data costs there: transposes of other sizes do not show that.
pub(super) fn predict(
    programs: &Programs,
    campaign: &Campaign<'_>,
    class: &Estimates,
) -> Result<ClassC, PapersError> {
    let lengths_only = |command| Command { without_data: true, ..command };
    let share = ["-i", "1", "-s", "1"].map(str::to_owned);
    let [share] =
        exactly(programs.run(campaign, &[lengths_only(command("measured", CLASS_C, RANKS, &share))], 1)?);
    let share = Estimates { blocks: share.skeleton().blocks, instruction_s: 0.0, cost_s: [0.0; 2] };
    let predict = |known: &Estimates| lengths_only(command("level-3", CLASS_C, RANKS, &known.times()));
    let [by_share, by_class] = exactly(programs.run(campaign, &[predict(&share), predict(class)], 1)?);
    let program = match campaign.extent {
        Extent::Full => {
            Some(programs.run(campaign, &[command("program", CLASS_C, RANKS, &[])], 1)?.swap_remove(0))
        }
        Extent::Few | Extent::Short => None,
    };
    Ok(ClassC { predicted_s: by_share.simulated_s, predicted_by_class_s: by_class.simulated_s, program })
}

/// Rows of class C: what is predicted, and how far it is off where the program has been run.
pub(super) fn rows(of: &ClassC, size: &str) -> Vec<Row> {
    let row = |what: &str, unit, own| Row::new("FFT-L3C", what, unit, own);
    let by_class = format!("predicted time, skeleton, estimates of {size}");
    let mut rows = vec![
        row("predicted time, skeleton, estimates of one rank's share", "s", of.predicted_s),
        row(&by_class, "s", of.predicted_by_class_s),
    ];
    let error = "error of the predicted time, either way, estimates of one rank's share";
    let published = |row: Row| row.published(Target::shown(11.0), LEVELS);
    match &of.program {
        None => rows.push(published(Row::missing("FFT-L3C", error, "%", NOT_RUN))),
        Some(program) => {
            let off = |predicted_s: f64| 100.0 * (predicted_s / program.simulated_s - 1.0).abs();
            rows.push(row("predicted time, program", "s", program.simulated_s));
            rows.push(published(row(error, "%", off(of.predicted_s))));
            let by_class = format!("error of the predicted time, either way, estimates of {size}");
            rows.push(row(&by_class, "%", off(of.predicted_by_class_s)));
        }
    }
    rows
}
