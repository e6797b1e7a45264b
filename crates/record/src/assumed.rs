//! Defaults on which a result hangs.

use serde::Serialize;
use serde_json::Value;

/// A default on which the result hangs, and which the input did not say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumed {
    /// The key with its table, as in `node.interface`.
    pub key: String,
    /// Its value, as it would be written; in words where it follows from something else.
    pub value: Value,
    /// One sentence that says what the default means, and when another value is right.
    pub why: &'static str,
}

impl Assumed {
    /// The value for people: a text without its quotes.
    #[must_use]
    pub fn value_in_words(&self) -> String {
        self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned)
    }
}
