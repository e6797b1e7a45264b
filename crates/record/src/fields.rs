//! Fields of an object in JSON, in the order in which they are added.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// An object that is being made.
#[derive(Default)]
pub(crate) struct Fields(pub(crate) Map<String, Value>);

impl Fields {
    pub(crate) fn add(&mut self, name: &str, value: impl Serialize) {
        self.0.insert(name.to_owned(), json!(value));
    }

    /// Adds a field unless it has no value, or an empty list.
    pub(crate) fn add_any(&mut self, name: &str, value: impl Serialize) {
        let value = json!(value);
        if !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()) {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// Adds all fields of a value that is an object.
    pub(crate) fn add_all(&mut self, value: impl Serialize) {
        if let Value::Object(fields) = json!(value) {
            self.0.extend(fields);
        }
    }
}
