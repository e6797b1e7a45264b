//! Reasons for which a run did not finish, as part of the summary.

use crate::fields::Fields;
use crate::{StuckChannel, waiting_cycle};
use serde_json::{Map, Value, json};
use weir_network::{Outcome, Peer, Waiting};

/// The word for an outcome in `summary.json`.
#[must_use]
pub fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Finished => "finished",
        Outcome::Deadlock(_) => "deadlock",
        Outcome::Aborted { .. } => "aborted",
        Outcome::Limit(_) => "limit",
    }
}

/// Who waits for whom, who aborted and why, or which limit was reached; `None` for a run that finished. Where packets have
/// stopped moving, `stuck` is the circle of virtual channels in which they wait for each other; else it is empty.
pub(crate) fn explanation(outcome: &Outcome, stuck: &[StuckChannel]) -> Option<Value> {
    match outcome {
        Outcome::Finished => None,
        Outcome::Deadlock(waiting) => {
            let mut fields = Fields::default();
            fields.add_any("channels", stuck);
            fields.add_any("cycle", waiting_cycle(waiting));
            fields.add("waiting", waiting.iter().map(waiting_rank).collect::<Vec<_>>());
            Some(Value::Object(fields.0))
        }
        Outcome::Aborted { rank, why } => Some(json!({ "rank": rank, "why": why })),
        Outcome::Limit(which) => Some(json!({ "limit": which })),
    }
}

fn waiting_rank(waiting: &Waiting) -> Value {
    let peer = match waiting.peer {
        Peer::Rank(rank) => json!(rank),
        Peer::Any => json!("any"),
        Peer::Several => json!("several"),
    };
    let details: Map<String, Value> =
        waiting.details.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({ "rank": waiting.rank, "call": waiting.call, "peer": peer, "details": details })
}
