//! Output of `weir calibrate`.

use crate::text::aligned;
use serde_json::{Value, json};
use weir_calibrate::{
    Bound, CORRELATED, Calibration, DETERMINED, End, Estimate, FittedRow, FoldBy, Precision, Spread,
    TriedLayout, Verdict,
};
use weir_units::visible;

/// Rows and reasons that are listed.
const MOST_LISTED: usize = 5;
const MOST_REASONS: usize = 20;
/// Lines of a reason that are listed.
const MOST_LINES: usize = 8;

fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent < 0.1 { format!("{percent:.3} %") } else { format!("{percent:.1} %") }
}

pub(super) fn to_text(calibration: &Calibration) -> String {
    let left_out = calibration.left_out.count();
    let mut text = format!(
        "  {} rows fitted, {left_out} left out, {} runs\n\n",
        calibration.rows.len(),
        calibration.runs
    );
    let head = ["key", "first guess", "fitted", "95 % interval", "determined"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    table.extend(calibration.estimates.iter().map(|estimate| cells(estimate, calibration)));
    text += &aligned(&table);
    if !calibration.passed_over.is_empty() {
        let mut passed_over = vec![["not fitted", "why"].map(str::to_owned).to_vec()];
        passed_over.extend(calibration.passed_over.iter().map(|one| vec![one.key.clone(), one.why.clone()]));
        text += &format!("\n{}", aligned(&passed_over));
    }

    let mut errors =
        vec![["error", "half of the rows within", "nine of ten within"].map(str::to_owned).to_vec()];
    let mut put = |name: &str, spread: Spread| {
        errors.push(vec![name.to_owned(), percent(spread.median), percent(spread.ninth)]);
    };
    put("first guesses", calibration.first());
    put("fitted", calibration.fitted());
    let by = match calibration.fold_by {
        FoldBy::Rows => "rows not fitted to",
        FoldBy::Algorithm => "algorithms not fitted to",
    };
    match calibration.unseen() {
        Some(spread) => put(by, spread),
        None => errors.push([by, "no cross-validation", ""].map(str::to_owned).to_vec()),
    }
    text += &format!("\n{}", aligned(&errors));

    if !calibration.layouts.is_empty() {
        let head = ["layout", "half of the rows within", "nine of ten within", ""];
        let mut layouts = vec![head.map(str::to_owned).to_vec()];
        layouts.extend(calibration.layouts.iter().map(|tried| {
            let [median, ninth] = match tried.errors {
                Some(spread) => [percent(spread.median), percent(spread.ninth)],
                None => ["does not fit".to_owned(), String::new()],
            };
            let chosen = if tried.chosen { "chosen" } else { "" };
            vec![format!("{} {}", tried.fold, tried.axes), median, ninth, chosen.to_owned()]
        }));
        text += &format!("\n{}", aligned(&layouts));
    }

    let several = calibration.has_several_files();
    let mut worst = vec![["worst rows", "line", "predicted over measured"].map(str::to_owned).to_vec()];
    worst.extend(calibration.worst().into_iter().take(MOST_LISTED).map(|fitted| {
        let line = match several {
            true => format!("{}:{}", fitted.row.file, fitted.row.line),
            false => fitted.row.line.to_string(),
        };
        vec![fitted.row.name(), line, format!("{:.3}", fitted.error().exp())]
    }));
    text += &format!("\n{}", aligned(&worst));
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

fn cells(estimate: &Estimate, calibration: &Calibration) -> Vec<String> {
    let quantity = estimate.parameter.quantity;
    let interval = quantity.interval(estimate.value, estimate.precision.factor);
    vec![
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
        Verdict::AtBound(Bound::Lower) => "no: ran away, the rows would have less".to_owned(),
        Verdict::AtBound(Bound::Upper) => "no: ran away, the rows would have more".to_owned(),
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

pub(super) fn to_json(calibration: &Calibration) -> Value {
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
