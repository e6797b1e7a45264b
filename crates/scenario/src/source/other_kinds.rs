//! Keys that go with a kind that a stronger source replaces: `--engine packet` takes `engine.sharing` of the experiment with it, and
//! `mapping.kind = "random"` of an experiment takes the job with it that its machine file says.

use crate::keys;
use crate::source::nearest::is_name;
use crate::source::tree::{Tree, Value};

/// Takes out of a weaker source the keys of mapping and engine that belong to the kind it says, where stronger sources say another one.
/// Keys that belong to both kinds stay where the stronger sources say one of those, too: their job is laid out as the machine does it.
pub(super) fn leave_out(weaker: &mut Tree, stronger: &Tree) {
    for table in ["mapping", "engine"] {
        let (Some(stronger), Some(weaker)) = (keys_of(stronger, table), weaker.entries.get_mut(table)) else {
            continue;
        };
        let (Some(kind), Value::Table(weaker)) = (kind_of(stronger), &mut weaker.value) else { continue };
        let belongs =
            |key: &str, kind: &str| keys::pages::kinds_of(table, key).iter().any(|name| is_name(name, kind));
        let replaced = kind_of(weaker).filter(|replaced| *replaced != kind).map(str::to_owned);
        let is_shared = |key: &String| replaced.as_ref().is_some_and(|replaced| belongs(key, replaced));
        let keeps_shared = stronger.entries.keys().any(|key| is_shared(key) && belongs(key, kind));
        weaker.entries.retain(|key, _| {
            keys::pages::kinds_of(table, key).is_empty()
                || belongs(key, kind) && (keeps_shared || !is_shared(key))
        });
    }
}

fn keys_of<'a>(tree: &'a Tree, table: &str) -> Option<&'a Tree> {
    match tree.entries.get(table).map(|entry| &entry.value) {
        Some(Value::Table(keys)) => Some(keys),
        _ => None,
    }
}

fn kind_of(keys: &Tree) -> Option<&str> {
    match keys.entries.get("kind").map(|entry| &entry.value) {
        Some(Value::Text(kind)) => Some(kind),
        _ => None,
    }
}
