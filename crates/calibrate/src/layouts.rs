//! Tries all layouts of a job in a Tofu while its machine is fitted.
//!
//! A fit begins with the layout whose errors are least with the first guesses. With what it finds all layouts are predicted again; if another one is better,
//! the fit is made anew with that, until none is.

use crate::auto;
use crate::calibration::{self, Calibration, Spread, Stage, TriedLayout};
use crate::measured::{Measured, Reading};
use crate::predict::Predictions;
use crate::request::{CalibrationError, Mistake, Request, Result};
use std::collections::BTreeSet;
use toml_edit::DocumentMut;

/// Which side lies along x, y and z, in the order in which the reference page has them.
const AXES: [&str; 6] = ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"];
const FOLDS: [&str; 3] = ["snake", "zig-zag", "full"];
/// So often a fit is made at most.
const MOST_FITS: usize = 3;

/// Fits the parameters; `watch` is shown how far it is. Where the request asks for it, with the layout of a job in a Tofu that fits best.
///
/// # Errors
/// All mistakes in the input; a run that does not come to its end with values that are tried; an interruption.
pub fn calibrate(request: &Request, watch: &dyn Fn(Stage)) -> Result<Calibration> {
    if request.keys == [auto::NONE] {
        return calibrate(&Request { keys: Vec::new(), folds: 0, ..request.clone() }, watch);
    }
    let texts =
        request.measured.iter().map(|path| Ok((path.display().to_string(), calibration::read(path)?)));
    let texts = texts.collect::<Result<Vec<_>>>()?;
    let fit = |request: &Request| {
        if request.layouts {
            return with_layouts(request, &texts, watch);
        }
        let machine = calibration::machine(request)?;
        let measured = read_all(&texts, &reading(request, &machine.document))?;
        calibration::fit_to(request, machine, measured, watch)
    };
    if request.keys != [auto::AUTO] {
        return fit(request);
    }
    let measured = || {
        let machine = calibration::machine(&Request { keys: Vec::new(), ..request.clone() })?;
        read_all(&texts, &reading(request, &machine.document))
    };
    auto::calibrate(request, &measured, &fit, watch)
}

fn reading(request: &Request, document: &DocumentMut) -> Reading {
    Reading { ranks: request.ranks, ..Reading::of_machine(document.as_item()) }
}

fn read_all(texts: &[(String, String)], reading: &Reading) -> Result<Measured> {
    if let [(file, text)] = texts {
        return Measured::read(file, text, reading);
    }
    let mut all = Measured::default();
    let mut mistakes = Vec::new();
    for (file, text) in texts {
        match Measured::read(file, text, reading) {
            Ok(measured) => all.add(file, measured),
            Err(CalibrationError::Input(found)) => mistakes.extend(found),
            Err(error) => return Err(error),
        }
    }
    if mistakes.is_empty() { Ok(all) } else { Err(CalibrationError::Input(mistakes)) }
}

fn with(request: &Request, layout: &TriedLayout) -> Request {
    let sets = request.sets.iter().cloned().chain(layout.sets()).collect();
    Request { sets, layouts: false, ..request.clone() }
}

fn with_layouts(request: &Request, texts: &[(String, String)], watch: &dyn Fn(Stage)) -> Result<Calibration> {
    let machine = calibration::machine(request)?;
    let reading = reading(request, &machine.document);
    if !reading.is_folded {
        let what = "has mapping.kind other than \"folded\": there are no layouts to try";
        let mistake = Mistake::new(request.machine.display().to_string(), what);
        return Err(mistake
            .hint("leave out --layouts, or describe the job: mapping.kind = \"folded\"")
            .into());
    }
    let measured = || read_all(texts, &reading);
    let of = |axes| FOLDS.map(|fold| TriedLayout { fold, axes, errors: None, chosen: false });
    let mut layouts: Vec<TriedLayout> = AXES.into_iter().flat_map(of).collect();
    let rows = measured()?;
    let mut best = least(request, &mut layouts, &rows, &machine.start())?;
    let (mut fitted_with, mut runs) = (BTreeSet::new(), 0);
    loop {
        let request = with(request, &layouts[best]);
        let mut found = calibration::fit_to(&request, calibration::machine(&request)?, measured()?, watch)?;
        fitted_with.insert(best);
        let values: Vec<f64> = found.estimates.iter().map(|estimate| estimate.value).collect();
        let better = least(&request, &mut layouts, &rows, &values)?;
        runs += found.runs;
        if fitted_with.contains(&better) || fitted_with.len() == MOST_FITS {
            layouts[best].chosen = true;
            found.layouts = layouts;
            found.runs = runs;
            return Ok(found);
        }
        best = better;
    }
}

/// Predicts the rows with each layout, and returns the one whose errors count least.
fn least(request: &Request, layouts: &mut [TriedLayout], rows: &Measured, values: &[f64]) -> Result<usize> {
    let mut costs = Vec::new();
    for layout in layouts.iter_mut() {
        let request = with(request, layout);
        let machine = calibration::machine(&request)?;
        let logs = Predictions::new(&request, &machine, &rows.rows).each(values)?;
        let errors = rows.rows.iter().zip(logs).filter_map(|(row, log)| Some(log.ok()? - row.seconds.ln()));
        let errors: Vec<f64> = errors.collect();
        let cost: f64 = errors.iter().map(|&error| request.loss.residual(error).powi(2)).sum();
        costs.push((errors.len(), cost));
        layout.errors = (!errors.is_empty()).then(|| Spread::of(errors.into_iter()));
    }
    // A layout in which fewer rows run is worse: a job does not fit so.
    let most = costs.iter().map(|&(count, _)| count).max().unwrap_or_default();
    let full = costs.iter().enumerate().filter(|(_, (count, _))| *count == most);
    let least = full.min_by(|(_, (_, one)), (_, (_, other))| one.total_cmp(other));
    Ok(least.map_or(0, |(at, _)| at))
}
