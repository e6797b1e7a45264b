//! The fit: logarithms of parameters that make the squares of logarithms of errors least.
//!
//! Levenberg and Marquardt's method, as in Moré, "The Levenberg-Marquardt algorithm: implementation and theory", 1978 (the crate
//! `levenberg-marquardt`, after MINPACK). A parameter p is p0 exp(L tanh(u / L)), u from 0: it stays above 0 and within a
//! factor exp(L) of its start, and the method has no bounds to mind. Slopes are differences.

use crate::loss::{Form, Loss};
use crate::measured::Row;
use crate::predict::Predictions;
use crate::request::{CalibrationError, FoldBy, Result};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt, TerminationReason};
use nalgebra::{DMatrix, DVector, Dyn, U1, VecStorage};
use std::cell::RefCell;

/// By how much a logarithm differs to each side in a difference. Times jump a little where two messages change their order, so that
/// smaller steps give slopes of jumps; larger ones lose bends.
const STEP: f64 = 0.02;
/// A change this small ends the fit: of the sum of squares, and of the logarithms.
const ENOUGH: f64 = 1e-5;
/// All rows are predicted at most this many times per parameter.
const MOST_PREDICTIONS: usize = 15;
/// The part of the way to a bound from which on a parameter is at it, as tanh has it.
const AT_BOUND: f64 = 0.98;

/// A fit that is to be made, with its rows.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) predictions: &'a Predictions<'a>,
    /// Logarithms of the measured times, of all rows.
    pub(crate) measured: &'a [f64],
    pub(crate) weights: &'a [f64],
    /// Start values of the parameters.
    pub(crate) start: &'a [f64],
    /// The logarithm of the factor that a parameter may differ by from its start.
    pub(crate) reach: f64,
    pub(crate) loss: Loss,
}

/// Where the fit has come to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fitted {
    /// The parameters in the form that the method varies.
    pub(crate) u: Vec<f64>,
    pub(crate) end: End,
}

/// Reason for which a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing is better nearby.
    Converged,
    /// It took too many steps.
    TooManySteps,
    /// It cannot get on: times jump, or the slopes are no use.
    Stuck,
}

/// At which bound a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The data would have less.
    Lower,
    /// The data would have more.
    Upper,
}

impl Task<'_> {
    /// The values for which the method has `u`.
    pub(crate) fn values(&self, u: &[f64]) -> Vec<f64> {
        let value = |(u, start): (&f64, &f64)| start * (self.reach * (u / self.reach).tanh()).exp();
        u.iter().zip(self.start).map(value).collect()
    }

    /// The residual that least squares are made of, for the error of a row.
    fn residual(&self, row: usize, error: f64) -> f64 {
        self.weights[row].sqrt() * self.loss.residual(error)
    }

    pub(crate) fn bound(&self, parameter: usize, value: f64) -> Option<Bound> {
        let way = (value / self.start[parameter]).ln() / self.reach;
        match way {
            way if way > AT_BOUND => Some(Bound::Upper),
            way if way < -AT_BOUND => Some(Bound::Lower),
            _ => None,
        }
    }

    /// Logarithms of predicted over measured times.
    pub(crate) fn errors(&self, values: &[f64], rows: &[usize]) -> Result<Vec<f64>> {
        let predicted = self.predictions.at(&[values.to_vec()], rows)?.remove(0);
        Ok(rows.iter().zip(predicted).map(|(&row, log)| log - self.measured[row]).collect())
    }

    /// The slopes of the errors over the logarithms of parameters, from differences to both sides. A row of the matrix for each of
    /// these rows.
    pub(crate) fn slopes(&self, values: &[f64], rows: &[usize]) -> Result<DMatrix<f64>> {
        let differences = self.differences(values.len(), rows, |parameter, step| {
            let mut beside = values.to_vec();
            beside[parameter] *= step.exp();
            beside
        })?;
        Ok(differences.map(|difference| difference / (2.0 * STEP)))
    }

    /// Differences of the logarithms of times between both sides of each parameter; `beside` gives the values with a step of one.
    fn differences(
        &self,
        parameters: usize,
        rows: &[usize],
        beside: impl Fn(usize, f64) -> Vec<f64>,
    ) -> Result<DMatrix<f64>> {
        let both = |parameter| [-STEP, STEP].map(|step| beside(parameter, step));
        let at = self.predictions.at(&(0..parameters).flat_map(both).collect::<Vec<_>>(), rows)?;
        let difference = |row: usize, parameter: usize| at[2 * parameter + 1][row] - at[2 * parameter][row];
        Ok(DMatrix::from_fn(rows.len(), parameters, difference))
    }

    /// Fits to these rows, from `u` on; `watch` gets the mean square error's root after each try.
    pub(crate) fn fit(&self, u: &[f64], rows: &[usize], watch: &dyn Fn(f64)) -> Result<Fitted> {
        let problem =
            Problem { task: self, rows, u: DVector::from_column_slice(u), watch, failed: RefCell::new(None) };
        let method = LevenbergMarquardt::new()
            .with_ftol(ENOUGH)
            .with_xtol(ENOUGH)
            .with_gtol(1e-12)
            .with_stepbound(1.0)
            .with_scale_diag(false)
            .with_patience(MOST_PREDICTIONS);
        let (problem, report) = method.minimize(problem);
        if let Some(error) = problem.failed.into_inner() {
            return Err(error);
        }
        let end = match report.termination {
            TerminationReason::Converged { .. }
            | TerminationReason::Orthogonal
            | TerminationReason::ResidualsZero => End::Converged,
            TerminationReason::LostPatience => End::TooManySteps,
            _ => End::Stuck,
        };
        Ok(Fitted { u: problem.u.as_slice().to_vec(), end })
    }
}

/// A fit begins anew from where it ended at most this often, and the sum of squares has to lose this part each time.
const BEGINNINGS: usize = 4;
const GAIN: f64 = 0.01;

impl Task<'_> {
    /// Like [`Self::fit`], and again from there as long as that helps: slopes that are differences mislead the method at times.
    pub(crate) fn fit_again(&self, u: &[f64], rows: &[usize], watch: &dyn Fn(f64)) -> Result<Fitted> {
        let squares = |u: &[f64]| -> Result<f64> {
            let errors = self.errors(&self.values(u), rows)?;
            let residuals = rows.iter().zip(errors).map(|(&row, error)| self.residual(row, error));
            Ok(residuals.map(|residual| residual * residual).sum())
        };
        let mut u = u.to_vec();
        if self.loss.form != Form::Square {
            // Far from the measured times all errors are large, and pull at nothing where large ones count little.
            u = Task { loss: Loss::default(), ..*self }.fit(&u, rows, &|_| ())?.u;
        }
        let mut fitted = self.fit(&u, rows, watch)?;
        let mut left = squares(&fitted.u)?;
        for _ in 1..BEGINNINGS {
            let next = self.fit(&fitted.u, rows, watch)?;
            let now = squares(&next.u)?;
            if now > left * (1.0 - GAIN) {
                break;
            }
            (fitted, left) = (next, now);
        }
        Ok(fitted)
    }
}

struct Problem<'a> {
    task: &'a Task<'a>,
    rows: &'a [usize],
    u: DVector<f64>,
    watch: &'a dyn Fn(f64),
    /// Why a prediction could not be made: the method only stops.
    failed: RefCell<Option<CalibrationError>>,
}

impl Problem<'_> {
    fn kept<T>(&self, result: Result<T>) -> Option<T> {
        result.map_err(|error| *self.failed.borrow_mut() = Some(error)).ok()
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_> {
    type ParameterStorage = VecStorage<f64, Dyn, U1>;
    type ResidualStorage = VecStorage<f64, Dyn, U1>;
    type JacobianStorage = VecStorage<f64, Dyn, Dyn>;

    fn set_params(&mut self, u: &DVector<f64>) {
        self.u.copy_from(u);
    }

    fn params(&self) -> DVector<f64> {
        self.u.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let values = self.task.values(self.u.as_slice());
        let errors = self.kept(self.task.errors(&values, self.rows))?;
        let rows = self.rows.iter().zip(errors);
        let residuals: Vec<f64> = rows.map(|(&row, error)| self.task.residual(row, error)).collect();
        let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
        (self.watch)((squares / residuals.len() as f64).sqrt());
        Some(DVector::from_vec(residuals))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let differences = self.kept(self.task.differences(self.u.len(), self.rows, |parameter, step| {
            let mut u = self.u.as_slice().to_vec();
            u[parameter] += step;
            self.task.values(&u)
        }))?;
        let errors = self.kept(self.task.errors(&self.task.values(self.u.as_slice()), self.rows))?;
        let slope =
            |(&row, &error): (&usize, &f64)| self.task.weights[row].sqrt() * self.task.loss.slope(error);
        let follows: Vec<f64> = self.rows.iter().zip(&errors).map(slope).collect();
        let slope = |row: usize, at: usize| follows[row] * differences[(row, at)] / (2.0 * STEP);
        Some(DMatrix::from_fn(self.rows.len(), self.u.len(), slope))
    }
}

/// The fold of each row, from 0; not more than `folds` of them.
pub(crate) fn folds(rows: &[Row], folds: usize, by: FoldBy) -> Vec<usize> {
    let mut seen = Vec::new();
    let mut group = |row: &Row| {
        let group = (row.operation, row.algorithm.clone());
        seen.iter().position(|known| *known == group).unwrap_or_else(|| {
            seen.push(group);
            seen.len() - 1
        })
    };
    let number = |(at, row)| match by {
        FoldBy::Rows => at,
        FoldBy::Algorithm => group(row),
    };
    rows.iter().enumerate().map(number).map(|number| number % folds).collect()
}

/// Errors of all rows, each predicted with what is fitted without its fold; `None` where there are too few rows or a single
/// fold.
pub(crate) fn validate(task: &Task<'_>, fitted: &[f64], folds: &[usize]) -> Result<Option<Vec<f64>>> {
    let most = folds.iter().copied().max().unwrap_or(0);
    let of = |fold: usize, inside: bool| -> Vec<usize> {
        (0..folds.len()).filter(|&row| (folds[row] == fold) == inside).collect()
    };
    if most == 0 || (0..=most).any(|fold| of(fold, false).len() <= fitted.len()) {
        return Ok(None);
    }
    let mut errors = vec![0.0; folds.len()];
    for fold in 0..=most {
        let without = task.fit(fitted, &of(fold, false), &|_| ())?;
        let left_out = of(fold, true);
        let unseen = task.errors(&task.values(&without.u), &left_out)?;
        left_out.into_iter().zip(unseen).for_each(|(row, error)| errors[row] = error);
    }
    Ok(Some(errors))
}
