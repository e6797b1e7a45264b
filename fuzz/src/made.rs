//! Experiments made of known keys: one that is right, in which some keys are changed, added or left out.

use crate::keys::{BASES, KEYS, ODD};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use std::collections::BTreeMap;
use std::fmt::Write;
use weir_experiment::{ExperimentText, Source};

/// Whether values may be what no key means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    Meant,
    Odd,
}

/// Tables that may stand in a machine file.
const OF_MACHINES: [&str; 8] =
    ["topology", "faults", "node", "packet", "mapping", "engine", "collectives", "storage"];

type Tables = BTreeMap<&'static str, BTreeMap<&'static str, String>>;

/// A source: an experiment, sometimes with a machine file, and with overrides.
pub(crate) fn source(u: &mut Unstructured<'_>, values: Values) -> Result<Source> {
    let mut tables = Tables::new();
    for &(table, key, value) in *u.choose(BASES)? {
        tables.entry(table).or_default().insert(key, value.to_owned());
    }
    let mut source = Source::default();
    for _ in 0..u.int_in_range(0..=8)? {
        let &(table, key, lists) = u.choose(KEYS)?;
        match u.int_in_range(0..=9)? {
            0 => {
                tables.entry(table).or_default().remove(key);
            }
            1 => {
                let name = match table {
                    "" => key.to_owned(),
                    "faults" => format!("faults.0.{key}"),
                    _ => format!("{table}.{key}"),
                };
                source.overrides.push(format!("{name}={}", value(u, lists, values)?));
            }
            _ => {
                let value = value(u, lists, values)?;
                tables.entry(table).or_default().insert(key, value);
            }
        }
    }
    if u.ratio(1, 8)? {
        let (machine, rest): (Tables, Tables) =
            tables.into_iter().partition(|(table, _)| OF_MACHINES.contains(table));
        source.machine = Some(crate::scratch::write("machine.toml", text(&machine)));
        tables = rest;
    }
    source.experiment_text = Some(ExperimentText { name: "made.toml".into(), text: text(&tables) });
    Ok(source)
}

fn value(u: &mut Unstructured<'_>, lists: &[&[&str]], values: Values) -> Result<String> {
    if values == Values::Odd && u.ratio(1, 4)? {
        return Ok((*u.choose(ODD)?).to_owned());
    }
    if values == Values::Odd && u.ratio(1, 8)? {
        return Ok(format!("{:?}", u.arbitrary::<&str>()?));
    }
    let list = *u.choose(lists)?;
    Ok((*u.choose(list)?).to_owned())
}

fn text(tables: &Tables) -> String {
    let mut text = String::new();
    for (table, keys) in tables {
        let _ = match *table {
            "" => Ok(()),
            "faults" => writeln!(text, "[[faults]]"),
            _ => writeln!(text, "[{table}]"),
        };
        for (key, value) in keys {
            let _ = writeln!(text, "{key} = {value}");
        }
    }
    text
}
