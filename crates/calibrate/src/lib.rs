//! Fits parameters of a machine to measured times.
//!
//! ```text
//!   measured times (table, OSU, IMB)    machine file, keys to fit
//!          |  measured                        |  parameter
//!          v                                  v
//!        rows ------------ predict: a run of weir for each row and each list of values
//!                             |
//!                             v  fit: least squares of logarithms of errors
//!                             |  judge: intervals, what is not determined
//!                             v  cross: errors of rows that the fit has not seen
//!                        Calibration --- output: machine file, table, picture
//! ```
//!
//! [`calibrate`] does all of it. The result is the same for any number of threads.

mod auto;
mod calibration;
mod document;
mod fit;
mod judge;
mod layouts;
mod loss;
mod measured;
mod output;
mod parameter;
mod predict;
mod request;

pub use calibration::{Calibration, Estimate, FittedRow, PassedOver, Spread, Stage, TriedLayout};
pub use fit::{Bound, End};
pub use judge::{CORRELATED, DETERMINED, Precision, Verdict};
pub use layouts::calibrate;
pub use loss::{Form, Loss};
pub use measured::{LeftOut, Operation, Row};

pub use parameter::{Parameter, Quantity};
pub use request::{CalibrationError, FoldBy, Mistake, Request};
