//! Reads keys of a TOML table and collects what is wrong with them.

use crate::mistake::Mistake;
use std::cell::RefCell;
use toml_edit::{Item, TableLike};
use weir_scenario::is_name;
use weir_units::parse;

/// A table whose keys are asked for one by one; those that are never asked for are mistakes in the end.
pub(super) struct Keys<'a> {
    file: &'a str,
    /// What stands before keys in mistakes: `target 2, `.
    place: String,
    table: &'a dyn TableLike,
    mistakes: &'a RefCell<Vec<Mistake>>,
    known: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    pub(super) fn of(file: &'a str, table: &'a dyn TableLike, mistakes: &'a RefCell<Vec<Mistake>>) -> Self {
        Self { file, place: String::new(), table, mistakes, known: Vec::new() }
    }

    fn get(&mut self, key: &'static str) -> Option<&'a Item> {
        self.known.push(key);
        self.table.get(key)
    }

    /// A mistake in the value of a key.
    pub(super) fn wrong(&self, key: &str, what: &str, hint: &str) {
        let written = self.table.get(key).and_then(Item::as_value).map(|value| value.to_string());
        let written = written.map(|text| format!(" = {}", text.trim())).unwrap_or_default();
        self.put(format!("{key}{written}: {what}"), hint);
    }

    /// A key that is not there, or is and has been refused already.
    pub(super) fn required(&self, key: &str, hint: &str) {
        if self.table.get(key).is_none() {
            self.put(format!("{key}: is missing"), hint);
        }
    }

    fn put(&self, what: String, hint: &str) {
        let mistake = Mistake::new(self.file, format!("{}{what}", self.place)).hint(hint);
        self.mistakes.borrow_mut().push(mistake);
    }

    pub(super) fn optional_text(&mut self, key: &'static str) -> Option<String> {
        let item = self.get(key)?;
        let text = item.as_str().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            self.wrong(key, "must be a text in quotes that is not empty", &format!("write {key} = \"...\""));
        }
        text.map(str::to_owned)
    }

    pub(super) fn text(&mut self, key: &'static str) -> String {
        let text = self.optional_text(key);
        self.required(key, &format!("write {key} = \"...\""));
        text.unwrap_or_default()
    }

    /// A list of texts; no key, no text.
    pub(super) fn texts(&mut self, key: &'static str) -> Vec<String> {
        let Some(item) = self.get(key) else { return Vec::new() };
        let texts: Option<Vec<String>> = item
            .as_array()
            .and_then(|list| list.iter().map(|value| value.as_str().map(str::to_owned)).collect());
        if texts.is_none() {
            self.wrong(key, "must be a list of texts", &format!("write {key} = [\"...\", \"...\"]"));
        }
        texts.unwrap_or_default()
    }

    pub(super) fn number(&mut self, key: &'static str) -> Option<f64> {
        let value = self.get(key)?.as_value();
        let number =
            value.and_then(|value| value.as_float().or(value.as_integer().map(|whole| whole as f64)));
        let number = number.filter(|number| number.is_finite());
        if number.is_none() {
            self.wrong(key, "must be a number", &format!("write {key} = 0.1"));
        }
        number
    }

    /// A number from 0 to 1 that has to be there.
    pub(super) fn part(&mut self, key: &'static str) -> f64 {
        self.required(key, &format!("write {key} = 0.1"));
        let number = self.number(key).unwrap_or(0.0);
        if !(0.0..=1.0).contains(&number) {
            self.wrong(key, "must be from 0 to 1", "0.05 stands for 5 %");
        }
        number
    }

    pub(super) fn bytes(&mut self, key: &'static str) -> Option<u64> {
        let text = self.get(key)?.as_str();
        let bytes = text.and_then(|text| parse::bytes(text).ok());
        if bytes.is_none() {
            self.wrong(key, "must be a size in quotes, with its unit", &format!("write {key} = \"128 KiB\""));
        }
        bytes.map(|bytes| bytes.0)
    }

    pub(super) fn one_of<T: Copy>(&mut self, key: &'static str, names: &[(&str, T)]) -> Option<T> {
        let found = self.get(key)?.as_str();
        let found = names
            .iter()
            .find(|(name, _)| found.is_some_and(|text| is_name(name, text)))
            .map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            self.wrong(key, "is not known", &format!("it is one of {}", names.join(", ")));
        }
        found
    }

    /// All pairs of a table of texts.
    pub(super) fn pairs(&mut self, key: &'static str) -> Vec<(String, String)> {
        let Some(item) = self.get(key) else { return Vec::new() };
        let Some(table) = item.as_table_like() else {
            self.wrong(key, "must be a table", &format!("write [{key}]"));
            return Vec::new();
        };
        let mut pairs = Vec::new();
        for (name, item) in table.iter() {
            match item.as_str() {
                Some(text) => pairs.push((name.to_owned(), text.to_owned())),
                None => {
                    self.put(
                        format!("{key}: {name}: must be a text in quotes"),
                        "write the value and its source",
                    );
                }
            }
        }
        pairs
    }

    pub(super) fn table(&mut self, key: &'static str) -> Option<Keys<'a>> {
        let table = self.get(key)?.as_table_like();
        if table.is_none() {
            self.wrong(key, "must be a table", &format!("write [{key}]"));
        }
        table.map(|table| self.inner(format!("[{key}] "), table))
    }

    pub(super) fn required_table(&mut self, key: &'static str) -> Option<Keys<'a>> {
        self.required(key, &format!("write [{key}]"));
        self.table(key)
    }

    /// The tables of a list, `[[key]]`.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<Keys<'a>> {
        let Some(item) = self.get(key) else { return Vec::new() };
        let Some(list) = item.as_array_of_tables() else {
            self.wrong(key, "must be a list of tables", &format!("write [[{key}]]"));
            return Vec::new();
        };
        let table = |(number, table): (usize, &'a toml_edit::Table)| {
            self.inner(format!("[[{key}]] number {number}, "), table)
        };
        (1..).zip(list.iter()).map(table).collect()
    }

    fn inner(&self, place: String, table: &'a dyn TableLike) -> Keys<'a> {
        Keys { file: self.file, place, table, mistakes: self.mistakes, known: Vec::new() }
    }

    /// Keys that are known and not read.
    pub(super) fn known(&mut self, key: &'static str) {
        self.known.push(key);
    }

    /// Refuses what has not been asked for.
    pub(super) fn finish(self) {
        for (key, _) in self.table.iter() {
            if !self.known.contains(&key) {
                self.put(format!("{key}: is no key here"), &format!("there are {}", self.known.join(", ")));
            }
        }
    }
}
