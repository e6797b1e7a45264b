//! The experiments of the papers that weir follows: published and own values side by side.
//!
//! ```text
//!   catalogue: paper, item --> Item::run --> Comparison --> text, CSV, Markdown, JSON
//!                                 |              \-> Plot --> SVG
//!        papers/*/*.toml + overrides per point --> Scenario::run --> Summary
//! ```
//!
//! An [`Item`] is a figure or a table of a paper. Its file here says which points it runs, which values the paper
//! states, and how far ours may lie from them. Everything a value is compared with has a [`ReferenceKind`]: a value is called
//! *published* only if the paper prints it in its text or in a table; nothing is read off a figure. What a paper leaves
//! open is settled by an outside model of it, by a formula, or by another way of weir's own, and these are not called
//! published. Run times depend on the computer and are shown, never judged.
//!
//! A published value that is not met is *not reproduced*; its row says why, as far as that is known.
//!
//! Points are runs of their own, so their results are the same for any number of threads.

mod campaign;
mod catalogue;
mod comparison;
mod error;
mod items;
mod mfs;
mod nsim;
mod numbers;
mod others;
mod overview;
mod pacing;
mod page;
mod parallel_mfs;
mod psi_sim;
mod reference;
mod table;

pub use campaign::{Extent, Options, PointDone, Watch};
pub use catalogue::Item;
pub use comparison::{Comparison, Row};
pub use error::PapersError;
pub use items::items;
pub use others::{Others, Used};
pub use overview::overview;
pub use page::write;
pub use reference::{Reference, ReferenceKind, Target, Tolerance, Verdict};
pub use table::aligned;
pub use weir_picture::{Axis, Plot, Series, SeriesKind};
