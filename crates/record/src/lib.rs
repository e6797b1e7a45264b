//! What a run leaves: the summary.
