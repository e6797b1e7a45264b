//! Changes of a machine file that leave the rest of it as it is.

use crate::parameter::{item, item_mut};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};
use weir_experiment::option_of;

/// Takes what `--unset` names out of the document, and puts what `--set` says into its tables; what does not fit there has been refused
/// elsewhere.
pub(crate) fn set_all(document: &mut DocumentMut, sets: &[String]) {
    let mut unset: Vec<String> = sets
        .iter()
        .map(|set| option_of(set))
        .filter(|[option, _]| option == "--unset")
        .map(|[_, key]| key)
        .collect();
    // Of a list the last rows first: those before them keep their numbers.
    unset.sort_unstable_by_key(|key| std::cmp::Reverse((key.len(), key.clone())));
    unset.iter().for_each(|key| remove(document.as_item_mut(), key));
    for (key, text) in sets.iter().filter_map(|set| set.split_once('=')) {
        if key.starts_with("workload.") || key.starts_with("output.") || key.starts_with("limits.") {
            continue;
        }
        let text = text.trim();
        let value: Value = text.parse().unwrap_or_else(|_| text.into());
        let (tables, last) = key.trim().rsplit_once('.').unwrap_or(("", key.trim()));
        if let Some(table) = table_mut(document.as_table_mut(), tables) {
            put(table.entry(last).or_insert(Item::None), value);
        }
    }
}

/// The table of this name, made if need be; a number is that of a row in a list of tables.
fn table_mut<'a>(table: &'a mut dyn TableLike, name: &str) -> Option<&'a mut dyn TableLike> {
    if name.is_empty() {
        return Some(table);
    }
    let (first, rest) = name.split_once('.').unwrap_or((name, ""));
    let (number, behind) = rest.split_once('.').unwrap_or((rest, ""));
    let row: Option<usize> = number.parse().ok();
    let empty = || if row.is_some() { Item::ArrayOfTables(ArrayOfTables::new()) } else { toml_edit::table() };
    match table.entry(first).or_insert_with(empty) {
        Item::ArrayOfTables(rows) => {
            if row == Some(rows.len()) {
                rows.push(Table::new());
            }
            table_mut(rows.get_mut(row?)?, behind)
        }
        inner => table_mut(inner.as_table_like_mut()?, rest),
    }
}

/// Takes a key, a table, or a row of a list of tables out, if it is there.
fn remove(document: &mut Item, key: &str) {
    let (tables, last) = key.rsplit_once('.').unwrap_or(("", key));
    let is_there = item(document, tables).is_some();
    match (is_there.then(|| item_mut(document, tables)).flatten(), last.parse()) {
        (Some(Item::ArrayOfTables(rows)), Ok(row)) if row < rows.len() => _ = rows.remove(row),
        (Some(table), _) => _ = table.as_table_like_mut().and_then(|table| table.remove(last)),
        (None, _) => (),
    }
}

/// Puts a value, with what stands around the one before.
pub(crate) fn put(item: &mut Item, value: Value) {
    let mut value = value;
    if let Some(before) = item.as_value() {
        *value.decor_mut() = before.decor().clone();
    }
    *item = Item::Value(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_experiment::unset;

    #[test]
    fn keys_are_taken_back_and_set() {
        let text = "# own\n[node]\nnics = 2 # two\ninjection_limit = \"1 GB/s\"\n[[combining]]\nbandwidth = \"1 GB/s\"\n\
                    [[combining]]\nbandwidth = \"2 GB/s\"\nup_to = \"1 kB\"\n[mapping]\nkind = \"random\"\n";
        let mut document: DocumentMut = text.parse().unwrap();
        let taken = ["node.injection_limit", "combining.0", "combining.1.up_to", "mapping", "node.gone"];
        let sets: Vec<String> = taken.map(unset).into_iter().chain(["node.nics=4".to_owned()]).collect();
        set_all(&mut document, &sets);
        let expected = "# own\n[node]\nnics = 4 # two\n[[combining]]\nbandwidth = \"2 GB/s\"\n";
        assert_eq!(document.to_string(), expected);
    }
}
