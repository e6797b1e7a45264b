//! `weir calibrate`

use crate::arguments::{CalibrateArgs, FoldedBy, LossForm};
use crate::load;
use crate::say::{print_as, write_file};
use crate::status::{interrupted, refused};
use crate::text::table;
use serde_json::{Value, json};
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use weir_calibrate::{
    Bound, CORRELATED, Calibration, CalibrationError, DETERMINED, End, Estimate, FittedRow, FoldBy, Form,
    Loss, Precision, Request, Spread, Stage, TriedLayout, Verdict,
};
use weir_experiment::foreign;
use weir_units::visible;

pub(crate) fn calibrate(args: CalibrateArgs) -> anyhow::Result<ExitCode> {
    let Some((machine, measured)) = args.files.split_last().filter(|(_, measured)| !measured.is_empty())
    else {
        return Err(refused(
            "measured times and a machine file are needed: weir calibrate MEASURED... MACHINE",
        ));
    };
    if args.fit == ["none"] && args.out.is_some() {
        return Err(refused("--out writes fitted values, and with --fit none there are none"));
    }
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
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| {
        path.as_ref().map_or(Ok(()), |path| write_file(path, text()))
    };
    write(&args.out, &|| calibration.machine_file())?;
    write(&args.residuals, &|| calibration.residuals())?;
    write(&args.picture, &|| calibration.picture())?;
    print_as(args.shown.json, || to_json(&calibration), || to_text(&calibration))
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

/// Rows and reasons that are listed.
const MOST_LISTED: usize = 5;
const MOST_REASONS: usize = 20;
/// Lines of a reason that are listed.
const MOST_LINES: usize = 8;

fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent < 0.1 { format!("{percent:.3} %") } else { format!("{percent:.1} %") }
}

fn to_text(calibration: &Calibration) -> String {
    let (rows, left_out, runs) = (calibration.rows.len(), calibration.left_out.count(), calibration.runs);
    let is_fitted = !calibration.estimates.is_empty();
    let what = if is_fitted { "fitted" } else { "predicted" };
    let mut text = format!("  {rows} rows {what}, {left_out} left out, {runs} runs\n");
    if is_fitted {
        let estimates = calibration.estimates.iter().map(|estimate| cells(estimate, calibration));
        text += &format!(
            "\n{}",
            table(["key", "first guess", "fitted", "95 % interval", "determined"], estimates)
        );
    }
    if !calibration.passed_over.is_empty() {
        let passed_over = calibration.passed_over.iter().map(|one| [one.key.clone(), one.why.clone()]);
        text += &format!("\n{}", table(["not fitted", "why"], passed_over));
    }

    let within = |spread: Spread| [percent(spread.median), percent(spread.ninth)];
    let row = |name: &str, [median, ninth]: [String; 2]| [name.to_owned(), median, ninth];
    let by = match calibration.fold_by {
        FoldBy::Rows => "rows not fitted to",
        FoldBy::Algorithm => "algorithms not fitted to",
    };
    let unseen = calibration.unseen().map_or(["no cross-validation".to_owned(), String::new()], within);
    let errors = if is_fitted {
        vec![
            row("first guesses", within(calibration.first())),
            row("fitted", within(calibration.fitted())),
            row(by, unseen),
        ]
    } else {
        vec![row("predicted", within(calibration.fitted()))]
    };
    text += &format!("\n{}", table(["error", "half of the rows within", "nine of ten within"], errors));

    if !calibration.layouts.is_empty() {
        let layouts = calibration.layouts.iter().map(|tried| {
            let [median, ninth] = tried.errors.map_or(["does not fit".to_owned(), String::new()], within);
            let chosen = if tried.chosen { "chosen" } else { "" };
            [format!("{} {}", tried.fold, tried.axes), median, ninth, chosen.to_owned()]
        });
        let head = ["layout", "half of the rows within", "nine of ten within", ""];
        text += &format!("\n{}", table(head, layouts));
    }

    let several = calibration.has_several_files();
    let worst = calibration.worst().into_iter().take(MOST_LISTED).map(|fitted| {
        let line = match several {
            true => format!("{}:{}", fitted.row.file, fitted.row.line),
            false => fitted.row.line.to_string(),
        };
        [fitted.row.name(), line, format!("{:.3}", fitted.error().exp())]
    });
    text += &format!("\n{}", table(["worst rows", "line", "predicted over measured"], worst));
    let suspects = calibration.suspects();
    if !suspects.is_empty() {
        text += "\n  suspects\n";
    }
    suspects.iter().for_each(|suspect| text += &format!("  {suspect}\n"));
    // Names of a foreign file are in it.
    visible(&(text + &left_out_text(calibration))).into_owned()
}

fn left_out_text(calibration: &Calibration) -> String {
    let mut text = String::new();
    if calibration.left_out.count() > 0 {
        text += "\n  left out\n";
    }
    let reasons: Vec<_> = calibration.left_out.reasons().collect();
    for (reason, lines) in reasons.iter().take(MOST_REASONS) {
        let numbers: Vec<String> = lines.iter().take(MOST_LINES).map(usize::to_string).collect();
        let more = if lines.len() > MOST_LINES { ", ..." } else { "" };
        let word = if lines.len() == 1 { "line" } else { "lines" };
        text += &format!("  {:>5}  {reason} ({word} {}{more})\n", lines.len(), numbers.join(", "));
    }
    if let Some(more) = reasons.len().checked_sub(MOST_REASONS).filter(|&more| more > 0) {
        text += &format!("  ... for {more} more reasons, which --json lists\n");
    }
    if !calibration.ignored.is_empty() {
        text += &format!("\n  columns not read: {}\n", calibration.ignored.join(", "));
    }
    text
}

fn cells(estimate: &Estimate, calibration: &Calibration) -> [String; 5] {
    let quantity = estimate.parameter.quantity;
    let interval = quantity.interval(estimate.value, estimate.precision.factor);
    [
        estimate.parameter.name.clone(),
        quantity.shown(estimate.parameter.start),
        quantity.shown(estimate.value),
        interval.unwrap_or_else(|| "none".to_owned()),
        why(&estimate.precision, calibration),
    ]
}

fn why(precision: &Precision, calibration: &Calibration) -> String {
    let said = match precision.verdict {
        Verdict::Determined => "yes".to_owned(),
        Verdict::NoEffect => "no: no row depends on it".to_owned(),
        Verdict::AtBound(Bound::Lower) => "no: at its lower limit, the rows would have less".to_owned(),
        Verdict::AtBound(Bound::Upper) => "no: at its upper limit, the rows would have more".to_owned(),
        Verdict::Undetermined => format!("no: known to more than a factor of {DETERMINED}"),
    };
    let names = precision.with.iter().map(|(other, _)| calibration.estimates[*other].parameter.name.as_str());
    let names: Vec<&str> = names.collect();
    if names.is_empty() { said } else { format!("{said}; only together with {}", names.join(", ")) }
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Determined => "determined",
        Verdict::NoEffect => "no-effect",
        Verdict::AtBound(Bound::Lower) => "at-lower-bound",
        Verdict::AtBound(Bound::Upper) => "at-upper-bound",
        Verdict::Undetermined => "undetermined",
    }
}

fn to_json(calibration: &Calibration) -> Value {
    let estimate = |estimate: &Estimate| {
        let (quantity, precision) = (estimate.parameter.quantity, &estimate.precision);
        let finite = precision.factor.is_finite().then_some(precision.factor);
        let with = precision.with.iter();
        let with = with.map(|(other, correlation)| {
            json!({ "key": calibration.estimates[*other].parameter.name, "correlation": correlation })
        });
        json!({
            "key": estimate.parameter.name,
            "first": estimate.parameter.start,
            "value": estimate.value,
            "written": quantity.written(estimate.value),
            "low": finite.map(|factor| estimate.value / factor),
            "high": finite.map(|factor| estimate.value * factor),
            "verdict": word(precision.verdict),
            "determined": precision.verdict == Verdict::Determined,
            "correlated": with.collect::<Vec<_>>(),
        })
    };
    let row = |fitted: &FittedRow| {
        let row = &fitted.row;
        json!({
            "file": row.file,
            "line": row.line,
            "collective": row.operation.name(),
            "algorithm": row.algorithm,
            "bytes": row.bytes,
            "set": row.set,
            "measured_s": row.seconds,
            "predicted_s": fitted.predicted,
            "fold": fitted.fold,
            "unseen_s": fitted.unseen,
        })
    };
    let spread = |spread: Spread| json!({ "median": spread.median, "ninth": spread.ninth });
    let reasons = calibration.left_out.reasons();
    let reasons = reasons.map(|(reason, lines)| json!({ "reason": reason, "lines": lines }));
    let end = match calibration.end {
        End::Converged => "converged",
        End::TooManySteps => "too-many-steps",
        End::Stuck => "stuck",
    };
    let layout = |tried: &TriedLayout| json!({ "fold": tried.fold, "axes": tried.axes, "errors": tried.errors.map(spread), "chosen": tried.chosen });
    json!({
        "schema_version": 1,
        "layouts": calibration.layouts.iter().map(layout).collect::<Vec<_>>(),
        "end": end,
        "runs": calibration.runs,
        "correlated_above": CORRELATED,
        "parameters": calibration.estimates.iter().map(estimate).collect::<Vec<_>>(),
        "errors": {
            "first": spread(calibration.first()),
            "fitted": spread(calibration.fitted()),
            "unseen": calibration.unseen().map(spread),
        },
        "rows": calibration.rows.iter().map(row).collect::<Vec<_>>(),
        "passed_over": calibration.passed_over.iter().map(|one| json!({ "key": one.key, "why": one.why })).collect::<Vec<_>>(),
        "suspects": calibration.suspects(),
        "notes": calibration.notes,
        "left_out": reasons.collect::<Vec<_>>(),
        "columns_not_read": calibration.ignored,
        "warnings": calibration.warnings(),
    })
}
