//! The tree of keys follows its kinds: the part of a Tofu that a job has stands for the whole machine, and keys of a kind go where a stronger
//! source replaces it: `--engine packet` takes `engine.sharing` of the experiment with it, and `mapping.kind = "random"` of an experiment
//! takes the job with it that its machine file says.
//!
//! Messages of a job stay in its part: its routes go along each dimension between places that the job has, so that nothing is lost with the
//! rest of the machine. A dimension of which the job has less than all is a line. Faults and upgrades name the machine: with them all of it is there.

use crate::keys::{self, Key, KeyPath};
use crate::sections::{mapping, topology};
use crate::source::findings::Findings;
use crate::source::nearest::is_name;
use crate::source::tree::{Entry, Tree, Value};
use weir_topology::{Folding, Wrap, tofu};

/// More groups than any machine has, along each dimension.
const UNBOUNDED: [u32; 3] = [1 << 16; 3];

/// Writes the part into `topology.shape`, which dimensions are closed there into `topology.wrap`, and how the job lies into `mapping.axes`. What is
/// wrong with the job is found later.
pub(super) fn fill_in(tree: &mut Tree) {
    let has = |table: &str| tree.entries.contains_key(table);
    let shape = tree.find("topology", "shape");
    let of_job = ["folded", "file"].contains(&text(tree, "mapping", "kind"));
    let folds = text(tree, "topology", "kind") == "tofu" && of_job;
    if !folds || shape.is_some() && (has("faults") || has("upgrades")) {
        return;
    }
    let sizes = || <[u32; 3]>::try_from(value(tree, "topology", &topology::SHAPE)?.get(..3)?).ok();
    let groups = if shape.is_some() { sizes() } else { Some(UNBOUNDED) };
    let (Some(groups), Some(job)) = (groups, tree.find("mapping", "job").cloned()) else { return };
    let Some(folding) = folding(tree) else { return };
    let Ok((part, axes)) = folding.part(groups) else { return };
    let entry = |value, written: String| Entry { value, written, place: job.place.clone() };
    let list = |items: Vec<Entry>| {
        let written: Vec<&str> = items.iter().map(|item| item.written.as_str()).collect();
        let written = format!("[{}]", written.join(", "));
        entry(Value::List(items), written)
    };
    let wraps = shape.map(|_| {
        let whole = value(tree, "topology", &topology::WRAP);
        let whole = whole.unwrap_or_else(|| tofu::WRAPS.map(|wrap| wrap == Wrap::Torus).to_vec());
        let is_all = |i: usize| part.get(i).is_none_or(|&part| part == groups[i]);
        let wraps = whole.iter().enumerate().map(|(i, &wrap)| wrap && is_all(i));
        list(wraps.map(|wrap| entry(Value::Boolean(wrap), wrap.to_string())).collect())
    });
    let shape = list(part.map(|size| entry(Value::Integer(size.into()), size.to_string())).into());
    let letters = mapping::letters(&axes);
    let axes = self::axes(tree, folding.job.len()).map(|_| entry(Value::Text(letters.clone()), letters));
    for (table, key, value) in
        [("topology", "shape", Some(shape)), ("topology", "wrap", wraps), ("mapping", "axes", axes)]
    {
        if let (Some(table), Some(value)) = (tree.table_mut(table), value) {
            table.entries.insert(key.to_owned(), value);
        }
    }
}

fn text<'a>(tree: &'a Tree, table: &str, key: &str) -> &'a str {
    tree.table(table).and_then(|table| table.text(key)).unwrap_or_default()
}

/// The value of a key, if it is there and right: what is wrong with it is found later.
fn value<T>(tree: &Tree, table: &str, key: &'static Key<T>) -> Option<T> {
    let entry = tree.find(table, key.name)?;
    key.form.read(&mut KeyPath::new(table, key.name, &mut Findings::default()), entry)
}

fn axes(tree: &Tree, sides: usize) -> Option<Vec<usize>> {
    match tree.find("mapping", "axes") {
        None => Some(vec![0, 1, 2]),
        Some(_) => mapping::axes_of(text(tree, "mapping", "axes"), sides),
    }
}

fn folding(tree: &Tree) -> Option<Folding> {
    let job = value(tree, "mapping", &mapping::JOB).filter(|sides| sides.len() <= 3)?;
    let order: Vec<usize> = (0..job.len()).collect();
    let axes = axes(tree, job.len()).unwrap_or_else(|| order.clone());
    let fold = value(tree, "mapping", &mapping::FOLD).unwrap_or_default();
    Some(Folding { job, order, axes, fold, rows: value(tree, "mapping", &mapping::ROWS) })
}

/// Takes out of a weaker source the keys of mapping and engine that belong to the kind it says, where stronger sources say another one.
/// Keys that belong to both kinds stay where the stronger sources say one of those, too: their job is laid out as the machine does it.
pub(super) fn leave_out_other_kinds(weaker: &mut Tree, stronger: &Tree) {
    for table in ["mapping", "engine"] {
        let (Some(stronger), Some(weaker)) = (stronger.table(table), weaker.table_mut(table)) else {
            continue;
        };
        let Some(kind) = stronger.text("kind") else { continue };
        let belongs =
            |key: &str, kind: &str| keys::pages::kinds_of(table, key).iter().any(|name| is_name(name, kind));
        let replaced = weaker.text("kind").filter(|replaced| *replaced != kind).map(str::to_owned);
        let is_shared = |key: &String| replaced.as_ref().is_some_and(|replaced| belongs(key, replaced));
        let keeps_shared = stronger.entries.keys().any(|key| is_shared(key) && belongs(key, kind));
        weaker.entries.retain(|key, _| {
            keys::pages::kinds_of(table, key).is_empty()
                || belongs(key, kind) && (keeps_shared || !is_shared(key))
        });
    }
}
