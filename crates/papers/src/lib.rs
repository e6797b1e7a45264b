//! The experiments of the papers that weir follows: published and own values side by side.
//!
//! ```text
//!   catalogue: paper, item --> Item::run --> Comparison --> text, CSV, Markdown, JSON
//!                                 |              \-> Plot --> SVG
//!        papers/*/*.toml + overrides per point --> Scenario::run --> Summary
//! ```
//!
//! An [`Item`] is a figure or a table of a paper. Its file here says which points it runs, which values the paper
//! states, and how far ours may lie from them. A value is called *published* only if the paper states it in its text or
//! in a table; nothing is read off a figure. What a paper leaves open is settled by a second, independent model of it,
//! or by a formula: those values are called *expected*. Run times depend on the computer and are shown, never judged.
//!
//! Points are runs of their own, so their results are the same for any number of threads.

mod campaign;
mod catalogue;
mod comparison;
mod error;
mod memory;
mod mfs;
mod nsim;
mod numbers;
mod overview;
mod pacing;
mod page;
mod parallel_mfs;
mod plot;
mod psi_sim;
mod svg;
mod table;

pub use campaign::{Extent, Options, Step, Watch};
pub use catalogue::{Item, items};
pub use comparison::{Comparison, Origin, Reference, Row, Target, Tolerance, Verdict};
pub use error::PapersError;
pub use overview::{Counts, overview};
pub use page::write;
pub use plot::{Axis, Plot, Scale, Series, SeriesKind};
