//! Why a run has not come to its end, in a few words.

use weir_network::Outcome;

/// Without ranks and events, so that runs that end alike say the same; `None` for a run that finished.
pub(crate) fn why_unfinished(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Finished => None,
        // What a collective says of itself.
        Outcome::Aborted { why, .. } => {
            Some(why.split_once("MPI_ERR_OTHER: ").map_or(why.as_str(), |(_, said)| said).to_owned())
        }
        Outcome::Deadlock(_) => Some("ranks wait for ever".to_owned()),
        Outcome::Limit(which) => Some(format!("limit: {which}")),
    }
}
