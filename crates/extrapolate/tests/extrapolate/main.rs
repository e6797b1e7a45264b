//! Extrapolated profiles beside those that the same program has at the larger size.

mod laws;
mod patterns;
mod program;
