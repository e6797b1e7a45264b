//! Pages made of the rows of keys: tables of the reference page, an explanation of a key, a JSON Schema of experiments.

use super::{AnyKey, DefaultValue, Lowers, Row, Table};
use crate::foreign;
use crate::sections::{
    classes, collectives, combining, faults, job_list, jobs, limits, mapping, node, output, selection,
    storage, topology, upgrades, work, workload,
};
use crate::source::nearest::nearest;
use crate::{engine, scenario};
use serde_json::{Value as Json, json};

fn tables() -> [&'static Table; 22] {
    [
        &scenario::KEYS,
        &topology::KEYS,
        &topology::switched::KEYS,
        &topology::rails::KEYS,
        &faults::KEYS,
        &upgrades::KEYS,
        &node::KEYS,
        &combining::KEYS,
        &mapping::KEYS,
        &engine::KEYS,
        &workload::KEYS,
        &jobs::KEYS,
        &job_list::KEYS,
        &work::KEYS,
        &collectives::KEYS,
        &selection::KEYS,
        &storage::KEYS,
        &limits::KEYS,
        &output::KEYS,
        &output::stays::KEYS,
        &engine::packet::KEYS,
        &classes::KEYS,
    ]
}

/// The kinds to which a key of a table belongs; none if it belongs to all, or is none of its keys.
pub(crate) fn kinds_of(table: &str, key: &str) -> Vec<&'static str> {
    let table = tables().into_iter().find(|known| known.name == table);
    table.map_or_else(Vec::new, |table| table.kinds_of(key))
}

/// The tables of which an experiment may have several, as lists.
const LISTED: [&str; 8] =
    ["faults", "upgrades", "combining", "work", "selection", "classes", "jobs", topology::rails::NAME];

/// Every key with its table, as in `node.nics`; in the order of the reference page, each once.
pub fn keys() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for table in tables() {
        for name in table.rows().map(|row| super::full(table.name, row.name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// A key as it is set on the command line: of a list of tables that of the first one, as in `faults.0.speed`.
pub fn to_set(key: &str) -> String {
    match key.rsplit_once('.') {
        Some((table, key)) if LISTED.contains(&table) => format!("{table}.0.{key}"),
        _ => key.to_owned(),
    }
}

/// The keys of which another value makes a cause take less time, in the order of the reference page.
pub fn lowering(lowers: Lowers) -> impl Iterator<Item = String> {
    let of_table = move |table: &'static Table| {
        let rows = table.rows().filter(move |row| row.lowers == Some(lowers));
        rows.map(|row| super::full(table.name, row.name))
    };
    tables().into_iter().flat_map(of_table)
}

/// Which other tables have a key of this name, in words.
pub(crate) fn elsewhere(table: &str, name: &str) -> Option<String> {
    let others = tables().into_iter().filter(|other| !other.name.is_empty() && other.name != table);
    let has = |table: &&Table| table.rows().any(|row| row.name == name);
    let others: Vec<String> = others.filter(has).map(|table| format!("[{}]", table.name)).collect();
    (!others.is_empty()).then(|| format!("{name} is a key of {}, too", others.join(" and ")))
}

/// The keys of a table as a table in Markdown, with a column for kinds where there are any; `None` if there is no such table.
/// The top level is the table without a name.
pub fn reference(table: &str) -> Option<String> {
    let table = tables().into_iter().find(|known| known.name == table)?;
    let with_kinds = table.rows().any(|row| !row.kinds.is_empty());
    let mut text = match with_kinds {
        true => "| key | kinds | meaning | default |\n|---|---|---|---|\n".to_owned(),
        false => "| key | meaning | default |\n|---|---|---|\n".to_owned(),
    };
    for row in table.rows() {
        let kinds =
            if with_kinds { format!(" {} |", super::kinds_in_words(row.kinds)) } else { String::new() };
        text +=
            &format!("| `{}` |{kinds} {} | {} |\n", row.name, row.meaning, default_in_words(&row.default));
    }
    Some(text)
}

fn default_in_words(default: &DefaultValue) -> String {
    match (default.value(), default) {
        (Some(value), _) => format!("`{value}`"),
        (None, DefaultValue::Words(words)) => (*words).to_owned(),
        (None, _) => "required".to_owned(),
    }
}

/// Explains a key for a terminal: `node.nics`, or `nics`, of which there may be several.
///
/// # Errors
/// When there is no such key, with the nearest one.
pub fn explain(asked: &str) -> Result<String, String> {
    // As it is set on the command line: faults.0.speed.
    let numbers = |part: &&str| !part.bytes().all(|digit| digit.is_ascii_digit());
    let asked = asked.split('.').filter(numbers).collect::<Vec<_>>().join(".");
    let asked = asked.as_str();
    let all = tables().into_iter().flat_map(|table| table.keys().map(move |key| (table, key)));
    let found: Vec<(&Table, &dyn AnyKey)> = all
        .filter(|(table, key)| asked == key.row().name || asked == super::full(table.name, key.row().name))
        .collect();
    if found.is_empty() {
        let (table, key) = asked.rsplit_once('.').unwrap_or(("", asked));
        if let Some(sentence) = foreign::key(table, key).or_else(|| foreign::any_value(key)) {
            return Err(format!("{asked} {sentence}"));
        }
        let names = keys();
        let short = names.iter().map(|name| name.rsplit('.').next().unwrap_or(name));
        let near = nearest(asked, names.iter().map(String::as_str)).or_else(|| nearest(asked, short));
        let hint = near.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
        return Err(format!("there is no key {asked}{hint}"));
    }
    Ok(found.into_iter().map(|(table, key)| of_one(table, key)).collect::<Vec<_>>().join("\n"))
}

fn of_one(table: &Table, key: &dyn AnyKey) -> String {
    let row = key.row();
    let mut text = format!("{}\n  {}\n", super::full(table.name, row.name), plain(row.meaning));
    if !row.kinds.is_empty() {
        text += &format!("  kinds    {}\n", super::kinds_in_words(row.kinds));
    }
    text += &format!("  values   {}\n", values(&key.schema()));
    let default = match (row.default.value(), &row.default) {
        (_, DefaultValue::Required(hint)) => format!("none: {hint}"),
        (_, DefaultValue::Words(words)) => plain(words),
        (value, _) => value.unwrap_or_default().to_owned(),
    };
    let example: String =
        shortest_with(table.name, row).lines().map(|line| format!("    {line}\n")).collect();
    text + &format!("  default  {default}\n  example, to be run by weir run\n{example}")
}

/// Whole experiments that run as they are and have every key once at least. Lines that begin with `# $` are commands that make the files they need.
static EXAMPLES: &str = include_str!("examples.txt");

/// The tables of a name in some tables; a list of tables has all keys of its tables.
fn within<'t>(outer: Vec<&'t toml::Table>, name: &str) -> Vec<&'t toml::Table> {
    let values = outer.into_iter().filter_map(|table| table.get(name));
    let each = values.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), |list| list));
    each.filter_map(toml::Value::as_table).collect()
}

/// The shortest experiment that has this key in this table, there with a kind to which the key belongs.
fn shortest_with(table: &str, row: &Row) -> &'static str {
    let has_it = |example: &&str| {
        let whole: toml::Table = example.parse().expect("examples are TOML");
        let inner = table.split('.').filter(|name| !name.is_empty()).fold(vec![&whole], within);
        let fits = |inner: &toml::Table| {
            let kind = inner.get("kind").and_then(toml::Value::as_str);
            row.kinds.is_empty() || kind.is_some_and(|kind| row.kinds.contains(&kind))
        };
        inner.into_iter().any(|inner| inner.contains_key(row.name) && fits(inner))
    };
    let all = EXAMPLES.split("----\n").filter(has_it);
    all.min_by_key(|example| example.lines().count()).expect("every key is in an example")
}

fn values(schema: &Json) -> String {
    let all = |key: &str| -> Vec<Json> { schema[key].as_array().cloned().unwrap_or_default() };
    let joined = |list: Vec<String>, last: &str| match list.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => list.concat(),
    };
    let (either, names) = (all("anyOf"), all("enum"));
    if !either.is_empty() {
        return joined(either.iter().map(values).collect(), "or");
    }
    if !names.is_empty() {
        return joined(names.iter().map(Json::to_string).collect(), "or");
    }
    if let Some(example) = all("examples").first() {
        return format!("as in {example}");
    }
    let of = |bound: &str, words: &str| {
        schema.get(bound).map_or_else(String::new, |number| format!(" {words} {number}"))
    };
    // The largest 32-bit number and what is above stand for no limit.
    let has_limit = schema["maximum"].as_u64().is_none_or(|most| most < u64::from(u32::MAX) - 1);
    let bounds = match has_limit {
        true => [
            of("minimum", "from"),
            of("exclusiveMinimum", "above"),
            of("maximum", "to"),
            of("exclusiveMaximum", "below"),
        ]
        .concat(),
        false => of("minimum", "from") + " on",
    };
    match schema["type"].as_str() {
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => format!("a whole number{bounds}"),
        Some("number") => format!("a number{bounds}"),
        Some("array") => format!("a list, each item {}", values(&schema["items"])),
        _ => "a text in quotes".to_owned(),
    }
}

/// Markdown without its marks: names of links, no backquotes.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((name, (_, after))) =
            link.split_once("](").and_then(|(name, behind)| Some((name, behind.split_once(')')?)))
        else {
            break;
        };
        text += &format!("{before}{name}");
        rest = after;
    }
    (text + rest).replace('`', "")
}

/// A JSON Schema (draft 2020-12) of experiments, with which editors complete and check TOML while it is typed.
pub fn schema() -> Json {
    let mut schema = json!({});
    for table in tables() {
        match table.name.split_once('.') {
            None if table.name.is_empty() => schema = table.schema(),
            None if LISTED.contains(&table.name) => {
                schema["properties"][table.name] = json!({ "type": "array", "items": table.schema() });
            }
            None => schema["properties"][table.name] = table.schema(),
            // Its items have the keys of a topology as well.
            Some(_) if LISTED.contains(&table.name) => {}
            Some((outer, inner)) => schema["properties"][outer]["properties"][inner] = table.schema(),
        }
    }
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "weir experiment".into();
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::PATTERNS;

    #[test]
    fn defaults_are_values_of_their_keys() {
        for table in tables() {
            for key in table.keys() {
                key.check_default();
            }
        }
    }

    #[test]
    fn patterns_are_the_first_kinds() {
        let kinds = workload::keys::KINDS.iter().map(|(name, _)| *name);
        assert!(kinds.take(PATTERNS.len()).eq(PATTERNS.iter().copied()));
    }

    #[test]
    fn meanings_are_sentences() {
        for row in tables().into_iter().flat_map(Table::rows) {
            let begins = row.meaning.starts_with(|first: char| first.is_uppercase() || "`[".contains(first));
            let is_sentence = begins && row.meaning.ends_with('.') && !row.meaning.contains("ikewise");
            assert!(is_sentence, "{}: {}", row.name, row.meaning);
        }
    }

    #[test]
    fn every_key_has_an_example() {
        for name in keys() {
            explain(&name).unwrap();
        }
    }

    #[test]
    fn a_key_is_explained() {
        let text = explain("packet.route_delay").unwrap();
        let (meaning, example) = text.split_once("  example").unwrap();
        assert_eq!(
            meaning,
            "packet.route_delay\n  Time to compute a route.\n  values   as in \"100 ns\"\n  default  \"2 ns\"\n"
        );
        assert!(example.contains("\n    [packet]\n    route_delay = \"3 ns\"\n"), "{example}");
        let twice = explain("sample_interval").unwrap();
        assert!(twice.starts_with("output.sample_interval\n"), "{twice}");
        assert!(
            explain("latency").unwrap().contains("topology.latency")
                && explain("latency").unwrap().contains("storage.latency")
        );
        assert_eq!(
            explain("packet.route_dely").unwrap_err(),
            "there is no key packet.route_dely; did you mean packet.route_delay?"
        );
        assert!(!explain("eager_messages").unwrap().contains("]("));
    }
}
