//! Answers about experiments and machines without a run, or by several: of a machine its facts, its routes and its worst permutation; of a scenario bounds of its
//! time, its pattern, better places for its ranks, and the best algorithms of collectives.

mod bound;
pub mod contest;
mod crossing;
mod facts;
mod pattern_out;
mod placing;
mod traffic;
mod worst;

pub use bound::{Bound, BoundKind, Bounds, ClosedForm, bounds};
pub use crossing::{Crossing, MachineRoute, RankPair, RankRoute, RouteLink, crossings, routes_of};
pub use facts::{Extent, MachineFacts, facts};
pub use pattern_out::{
    PatternError, WrittenPattern, is_its_pattern, write_paced, write_pattern, write_pattern_to,
};
pub use placing::{Placing, PlacingRequest, RatedPlacement, advise_placing};
pub use worst::{Worst, WorstSearch, worst_permutation};

use weir_experiment::AnalysisError;

fn refused<T>(why: impl Into<String>) -> Result<T, AnalysisError> {
    AnalysisError::refused(why)
}
