//! Facts that need no run: of a machine alone, its routes and cuts; of a scenario, bounds, gaps between
//! packets, its pattern.

pub(crate) mod assumed;
pub(crate) mod bound;
pub(crate) mod closed_form;
pub(crate) mod crossing;
pub(crate) mod facts;
pub(crate) mod machine;
pub(crate) mod pacing;
pub(crate) mod pattern_out;
pub(crate) mod placing;
pub(crate) mod profile_pattern;
pub(crate) mod route;
pub(crate) mod traffic;
pub mod what_if;
