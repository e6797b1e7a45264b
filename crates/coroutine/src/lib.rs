//! Stack switching and per-rank globals.
