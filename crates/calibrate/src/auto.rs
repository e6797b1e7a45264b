//! Chooses the keys that measured times can determine.
//!
//! Candidates are all times and bandwidths of `[topology]` and `[node]` of the machine file. With the first guesses, the slopes of the rows over
//! the candidates say what each would be known to if rows erred by [`ERROR`]: one after the other is taken, those with most effect first, if
//! all that are taken stay determined and none goes together with another. After the fit, with the errors that there really are, whatever is not
//! determined is left out, and the fit is made anew.

use crate::calibration::{self, Calibration, PassedOver, Stage};
use crate::judge::{CORRELATED, Verdict, judge};
use crate::measured::{Measured, Operation};
use crate::parameter::{Machine, Parameter, Quantity};
use crate::request::{Mistake, Request, Result};
use nalgebra::DMatrix;
use toml_edit::{DocumentMut, Item, Value};

pub(crate) const AUTO: &str = "auto";
pub(crate) const NONE: &str = "none";

/// The error that rows are taken to have before there is a fit: a logarithm.
const ERROR: f64 = 0.1;
/// A key that moves no row by a hundredth of itself has no effect.
const NO_EFFECT: f64 = 0.01;

/// Fits the keys that the times determine.
///
/// # Errors
/// Those of [`crate::calibrate`], and that no key is determined.
pub(crate) fn calibrate(
    request: &Request,
    measured: &dyn Fn() -> Result<Measured>,
    fit: &dyn Fn(&Request) -> Result<Calibration>,
    watch: &dyn Fn(Stage),
) -> Result<Calibration> {
    let (mut keys, mut passed_over) = choose(request, &mut measured()?)?;
    watch(Stage::Chosen(keys.len()));
    loop {
        let found = fit(&Request { keys: keys.clone(), ..request.clone() })?;
        let worst = found
            .estimates
            .iter()
            .filter(|estimate| estimate.precision.verdict != Verdict::Determined)
            .max_by(|one, other| one.precision.factor.total_cmp(&other.precision.factor));
        let Some(worst) = worst.filter(|_| keys.len() > 1) else {
            return Ok(Calibration { passed_over, ..found });
        };
        let why = match worst.precision.verdict {
            Verdict::NoEffect => "no row depends on it".to_owned(),
            Verdict::AtBound(_) => "the fit drove it to its limit".to_owned(),
            Verdict::Determined | Verdict::Undetermined => {
                "the times know it to more than a factor of 2".to_owned()
            }
        };
        let name = worst.parameter.name.clone();
        keys.retain(|key| *key != name);
        passed_over.push(PassedOver { key: name, why });
    }
}

/// Times and bandwidths of the machine, each element of a list.
fn candidates(document: &DocumentMut, file: &str) -> Vec<Parameter> {
    let mut names = Vec::new();
    for table in ["topology", "node"] {
        for (key, item) in
            document.get(table).and_then(Item::as_table_like).into_iter().flat_map(|table| table.iter())
        {
            match item.as_value() {
                Some(Value::Array(list)) => {
                    names.extend((0..list.len()).map(|at| format!("{table}.{key}.{at}")))
                }
                Some(_) => names.push(format!("{table}.{key}")),
                None => {}
            }
        }
    }
    let read = |name: String| Parameter::read(&name, document.as_item(), file).ok();
    let is_fit = |parameter: &Parameter| matches!(parameter.quantity, Quantity::Time | Quantity::Rate);
    names.into_iter().filter_map(read).filter(is_fit).collect()
}

fn choose(request: &Request, measured: &mut Measured) -> Result<(Vec<String>, Vec<PassedOver>)> {
    let file = request.machine.display().to_string();
    let Machine { document, .. } = calibration::machine(&Request { keys: Vec::new(), ..request.clone() })?;
    let parameters = candidates(&document, &file);
    let machine = Machine { document, parameters };
    let Machine { document, parameters } = &machine;
    let (chosen, passed_over) = calibration::with_task(request, &machine, 0, measured, |task, rows| {
        let slopes = task.slopes(task.start, &(0..rows.len()).collect::<Vec<_>>())?;
        let weighted = |row: usize, at: usize| task.weights[row].sqrt() * slopes[(row, at)];
        let slopes = DMatrix::from_fn(slopes.nrows(), slopes.ncols(), weighted);
        let (chosen, mut passed_over) = choice(&slopes, parameters);
        passed_over.extend(absent(document, &rows.iter().map(|row| row.operation).collect::<Vec<_>>()));
        Ok((chosen, passed_over))
    })?;
    if chosen.is_empty() {
        let reasons = passed_over.first().map(|one| format!("{}: {}", one.key, one.why));
        let what = "has no time and no bandwidth in [topology] or [node] that these times determine";
        return Err(Mistake::new(file, what)
            .hint(reasons.unwrap_or_else(|| "write first guesses into it".into()))
            .into());
    }
    Ok((chosen.into_iter().map(|at| parameters[at].name.clone()).collect(), passed_over))
}

/// The columns that can be distinguished, in their order, and why the others cannot.
fn choice(slopes: &DMatrix<f64>, parameters: &[Parameter]) -> (Vec<usize>, Vec<PassedOver>) {
    let errors = vec![ERROR; slopes.nrows()];
    let effect = |at: usize| if slopes.nrows() == 0 { 0.0 } else { slopes.column(at).amax() };
    let mut order: Vec<usize> = (0..parameters.len()).collect();
    order.sort_by(|&one, &other| slopes.column(other).norm().total_cmp(&slopes.column(one).norm()));
    let (mut chosen, mut passed_over) = (Vec::<usize>::new(), Vec::new());
    for at in order {
        let name = |at: usize| parameters[at].name.clone();
        let mut pass = |why: String| passed_over.push((at, PassedOver { key: name(at), why }));
        if effect(at) < NO_EFFECT {
            pass("no row depends on it".to_owned());
            continue;
        }
        let set: Vec<usize> = chosen.iter().copied().chain([at]).collect();
        if slopes.nrows() <= set.len() {
            pass("there are too few rows".to_owned());
            continue;
        }
        let judged = judge(&slopes.select_columns(&set), &errors, &vec![None; set.len()]);
        let together: Vec<String> =
            judged[set.len() - 1].with.iter().map(|(other, _)| name(set[*other])).collect();
        if !together.is_empty() {
            let others = together.join(", ");
            pass(format!("the times know it only together with {others} (correlation above {CORRELATED})"));
        } else if judged.iter().any(|one| one.verdict != Verdict::Determined) {
            pass("with it the times would know some key to more than a factor of 2".to_owned());
        } else {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    passed_over.sort_by_key(|(at, _)| *at);
    (chosen, passed_over.into_iter().map(|(_, passed)| passed).collect())
}

/// Keys that such operations mostly need and that have no first guess.
fn absent(document: &DocumentMut, operations: &[Operation]) -> Vec<PassedOver> {
    let reduces = |operation: &Operation| {
        matches!(
            operation,
            Operation::Collective("reduce" | "allreduce" | "reduce_scatter" | "scan" | "exscan")
        )
    };
    let usual = [
        ("send_overhead", true),
        ("receive_overhead", true),
        ("memory_bandwidth", true),
        ("combine_bandwidth", operations.iter().any(reduces)),
    ];
    let is_absent = |key: &str| document.get("node").and_then(|node| node.get(key)).is_none();
    let usual = usual.into_iter().filter(|(key, is_needed)| *is_needed && is_absent(key));
    let passed = |(key, _): (&str, bool)| PassedOver {
        key: format!("node.{key}"),
        why: "is not in the machine file: write a first guess".to_owned(),
    };
    usual.map(passed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str) -> Parameter {
        Parameter { name: name.into(), key: name.into(), element: None, quantity: Quantity::Time, start: 1.0 }
    }

    /// Four columns: small rows follow a, and b as much; large ones follow c; nothing follows d. So a and c are chosen: b goes with a.
    #[test]
    fn what_goes_together_is_chosen_once() {
        let (small, large) = ([1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]);
        let rows: Vec<[f64; 4]> = (0..12).map(|row| if row % 2 == 0 { small } else { large }).collect();
        let slopes = DMatrix::from_fn(12, 4, |row, at| rows[row][at]);
        let names = ["a", "b", "c", "d"].map(parameter);
        let (chosen, passed) = choice(&slopes, &names);
        assert_eq!(chosen, [0, 2]);
        let passed: Vec<(&str, bool)> =
            passed.iter().map(|one| (one.key.as_str(), one.why.contains("together with a"))).collect();
        assert_eq!(passed, [("b", true), ("d", false)]);
    }

    /// Three rows do not determine two keys: one degree of freedom makes any interval wide. A key that moves its rows by a fiftieth of itself is as good as unknown.
    #[test]
    fn rows_have_to_suffice() {
        let names = ["a", "b"].map(parameter);
        let three = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(choice(&three, &names).0, [0]);
        let faint = DMatrix::from_fn(9, 2, |row, at| if at == 0 { 1.0 } else { 0.02 * (row % 2) as f64 });
        let (chosen, passed) = choice(&faint, &names);
        assert_eq!((chosen, passed[0].why.contains("factor of 2")), (vec![0], true));
    }
}
