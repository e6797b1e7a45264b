//! Losses: the weight of errors in a fit.
//!
//! With squares, a row that is wrong by a factor of three counts as much as a thousand rows that are wrong by a few per cent, and the
//! parameters make up for it. The other losses let large errors count less: with e an error (a logarithm), c the scale and
//! s = (e / c)^2, what is summed is c^2 g(s).
//!
//! ```text
//!   square    g(s) = s
//!   huber     g(s) = s up to s = 1, from there on 2 sqrt(s) - 1   (Huber 1964)
//!   soft-l1   g(s) = 2 (sqrt(1 + s) - 1)
//!   cauchy    g(s) = ln(1 + s)
//! ```
//!
//! A large error pulls as hard as one of size c with the second and the third, and hardly at all with the last. The method of least squares gets
//! residuals whose squares these are, with the signs of the errors.

/// The form of a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Errors count by their squares.
    #[default]
    Square,
    /// By their squares up to the scale, and beyond it by their sizes.
    Huber,
    /// The same, without the bend.
    SoftL1,
    /// By their squares up to about the scale, and beyond it by the logarithms of their sizes.
    Cauchy,
}

/// Loss of an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Its form.
    pub form: Form,
    /// Errors well below it count by their squares: a logarithm, above 0. [`Form::Square`] has no use for it.
    pub scale: f64,
}

impl Loss {
    /// The scale where none is given: a factor of 1.1.
    pub const SCALE: f64 = 0.1;

    /// A loss of this form with the usual scale.
    pub const fn of(form: Form) -> Self {
        Self { form, scale: Self::SCALE }
    }

    /// g and its slope at s.
    fn at(self, s: f64) -> (f64, f64) {
        match self.form {
            Form::Square => (s, 1.0),
            Form::Huber if s <= 1.0 => (s, 1.0),
            Form::Huber => (2.0 * s.sqrt() - 1.0, 1.0 / s.sqrt()),
            // The same as 2 (sqrt(1 + s) - 1), and exact for small s.
            Form::SoftL1 => (2.0 * s / ((1.0 + s).sqrt() + 1.0), 1.0 / (1.0 + s).sqrt()),
            Form::Cauchy => (s.ln_1p(), 1.0 / (1.0 + s)),
        }
    }

    /// The residual whose square is the loss of an error.
    pub(crate) fn residual(self, error: f64) -> f64 {
        let (g, _) = self.at((error / self.scale).powi(2));
        self.scale * g.sqrt() * error.signum()
    }

    /// By how much the residual follows the error.
    pub(crate) fn slope(self, error: f64) -> f64 {
        let (_, slope) = self.at((error / self.scale).powi(2));
        let residual = self.residual(error);
        if residual == 0.0 { 1.0 } else { slope * error / residual }
    }

    /// The weight that a square of this error would have to have so that it pulls as hard: 1 for small errors.
    pub(crate) fn weight(self, error: f64) -> f64 {
        self.at((error / self.scale).powi(2)).1
    }
}

impl Default for Loss {
    fn default() -> Self {
        Self::of(Form::Square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [Form; 4] = [Form::Square, Form::Huber, Form::SoftL1, Form::Cauchy];

    /// By hand, with a scale of 1 and an error of 2, so s = 4: 4, 2 * 2 - 1, 2 (sqrt 5 - 1), ln 5.
    #[test]
    fn losses_of_an_error_of_two() {
        let expected = [4.0, 3.0, 2.0 * (5f64.sqrt() - 1.0), 5f64.ln()];
        for (form, expected) in FORMS.into_iter().zip(expected) {
            let loss = Loss { form, scale: 1.0 };
            assert!((loss.residual(2.0).powi(2) - expected).abs() < 1e-12, "{form:?}");
            assert_eq!(loss.residual(-2.0), -loss.residual(2.0), "{form:?}");
        }
    }

    #[test]
    fn small_errors_count_by_their_squares() {
        for form in FORMS {
            let loss = Loss::of(form);
            for error in [0.0, 1e-5, -1e-5] {
                assert!((loss.residual(error) - error).abs() < 1e-9, "{form:?}");
                assert!((loss.slope(error) - 1.0).abs() < 1e-4, "{form:?}");
                assert!((loss.weight(error) - 1.0).abs() < 1e-4, "{form:?}");
            }
        }
    }

    #[test]
    fn slopes_are_those_of_the_residuals() {
        for form in FORMS {
            let loss = Loss::of(form);
            for error in [-2.0, -0.2, -0.05, 0.03, 0.3, 1.5] {
                let difference = (loss.residual(error + 1e-6) - loss.residual(error - 1e-6)) / 2e-6;
                assert!((loss.slope(error) - difference).abs() < 1e-6, "{form:?} at {error}");
                let pull = loss.residual(error) * loss.slope(error);
                assert!((pull - loss.weight(error) * error).abs() < 1e-12, "{form:?} at {error}");
            }
        }
    }
}
