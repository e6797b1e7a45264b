//! A section with every default filled in, key by key, as it would be written.

use super::Key;
use super::form::{Form, Write};
use crate::Units;
use serde_json::{Map, Value};

/// What has been written of a section.
pub(crate) struct Resolved {
    units: Units,
    object: Map<String, Value>,
}

impl Resolved {
    /// Nothing yet; quantities will be written like this.
    pub(crate) fn new(units: Units) -> Self {
        Self { units, object: Map::new() }
    }

    /// A key with its value.
    pub(crate) fn put<F: Write>(&mut self, key: &Key<F>, value: impl Into<F::Value>) {
        let value = key.form.write(self.units, value.into());
        self.put_written(key, value);
    }

    /// A key with its value, if it has one.
    pub(crate) fn put_some<F: Write>(&mut self, key: &Key<F>, value: Option<impl Into<F::Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// A key whose value the section writes itself.
    pub(crate) fn put_written<F: Form>(&mut self, key: &Key<F>, value: Value) {
        self.object.insert(key.name.to_owned(), value);
    }

    /// A table within this one.
    pub(crate) fn put_table(&mut self, name: &str, table: Value) {
        self.object.insert(name.to_owned(), table);
    }

    /// The whole section.
    pub(crate) fn into_value(self) -> Value {
        Value::Object(self.object)
    }
}
