//! `weir calibrate`

mod text;

use crate::arguments::{CalibrateArgs, FoldedBy, LossForm};
use crate::say::print;
use crate::status::{interrupted, refused};
use crate::{load, whole};
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use weir_calibrate::{Calibration, CalibrationError, FoldBy, Form, Loss, Request, Stage};
use weir_scenario::foreign;
use weir_units::visible;

pub(crate) fn calibrate(args: CalibrateArgs) -> anyhow::Result<ExitCode> {
    let Some((measured, machine)) = args.measured_and_machine() else {
        return Err(refused(
            "measured times and a machine file are needed: weir calibrate MEASURED... MACHINE",
        ));
    };
    let outputs = [args.out.as_deref(), args.residuals.as_deref(), args.picture.as_deref()];
    load::spares(&args.files, outputs.into_iter().flatten())?;
    let threads = args.threads.or_else(|| thread::available_parallelism().ok());
    let request = Request {
        measured: measured.to_vec(),
        machine: machine.clone(),
        keys: args.fit.iter().map(|key| key.trim().to_owned()).collect(),
        ranks: args.ranks,
        sets: args.sets.overrides(),
        within: args.within,
        loss: Loss {
            form: match args.loss {
                LossForm::Square => Form::Square,
                LossForm::Huber => Form::Huber,
                LossForm::SoftL1 => Form::SoftL1,
                LossForm::Cauchy => Form::Cauchy,
            },
            scale: args.loss_scale.ln_1p(),
        },
        folds: args.folds,
        fold_by: match args.fold_by {
            FoldedBy::Rows => FoldBy::Rows,
            FoldedBy::Algorithm => FoldBy::Algorithm,
        },
        layouts: args.layouts,
        threads: threads.unwrap_or(NonZeroUsize::MIN),
    };
    let calibration = match weir_calibrate::calibrate(&request, &|stage| show(stage, args.shown.quiet)) {
        Ok(calibration) => calibration,
        Err(CalibrationError::Interrupted) => {
            eprintln!("interrupted: nothing is written");
            return Ok(interrupted().unwrap_or(ExitCode::from(1)));
        }
        Err(error) => {
            // Rows of measured times have been read already: a problem with them is the more exact answer.
            let elsewhere = measured.iter().find_map(|file| {
                let sentence =
                    foreign::data(file).filter(|sentence| !sentence.contains(": measured times"))?;
                Some(format!("{}: {sentence}", file.display()))
            });
            return Err(refused(elsewhere.unwrap_or_else(|| error.to_string())));
        }
    };
    calibration.warnings().iter().for_each(|warning| eprintln!("warning: {}", visible(warning)));
    calibration.notes.iter().for_each(|note| eprintln!("note: {}", visible(note)));
    write_files(&args, &calibration)?;
    let text = if args.shown.json {
        format!("{}\n", text::to_json(&calibration))
    } else {
        text::to_text(&calibration)
    };
    print(&text)
}

thread_local! {
    static LEAST: Cell<f64> = const { Cell::new(f64::INFINITY) };
}

/// Shows each step that has made errors less.
fn show(stage: Stage, quiet: bool) {
    match stage {
        _ if quiet => (),
        Stage::Tried(count, error) => {
            if error < LEAST.get() {
                LEAST.set(error);
                eprintln!("try {count}: errors of {:.3} % (root of the mean square)", 100.0 * error.exp_m1());
            }
        }
        Stage::Chosen(count) => eprintln!("{count} keys are fitted"),
        Stage::Judging => eprintln!("intervals"),
        Stage::Validating => eprintln!("cross-validation"),
    }
}

fn write_files(args: &CalibrateArgs, calibration: &Calibration) -> anyhow::Result<()> {
    let write = |path: &Option<std::path::PathBuf>, text: &dyn Fn() -> String| {
        path.as_deref().map_or(Ok(()), |path: &Path| whole::write(path, text()))
    };
    write(&args.out, &|| calibration.machine_file())?;
    write(&args.residuals, &|| calibration.residuals())?;
    write(&args.picture, &|| calibration.picture())
}
