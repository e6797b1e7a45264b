//! Changes of an experiment for a cause to take less of its time: for running it once more.

use serde_json::{Value, json};
use weir_collectives::Preset;
use weir_collectives::choice::CATALOG;
use weir_experiment::keys::{Lowers, pages};
use weir_network::causes::Cause;
use weir_units::parse;

/// Factor by which input buffers are larger that are tried for less waiting for credits.
pub const MORE_BUFFER: u64 = 4;

/// A change of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The key, with the place in a list where only one entry changes: `topology.bandwidth[1]`.
    pub key: String,
    /// The assignment that `--set` takes.
    pub assignment: String,
}

impl Change {
    fn of(key: impl Into<String>, value: &Value) -> Self {
        let key = key.into();
        Self { assignment: format!("{key}={}", in_toml(value)), key }
    }
}

/// Changes of a resolved experiment for a cause to take so many per cent less: one for each key, in the order
/// of keys. None where no key is behind the cause, or where values come from a file.
///
/// A rate is divided by what is left of a time, so that times become less by the same part. How much less waiting for credits there is with
/// larger buffers nothing says: they are [`MORE_BUFFER`] times as large.
pub fn improvements(experiment: &Value, cause: Cause, percent: f64) -> Vec<Change> {
    match cause {
        Cause::Compute => return vec![work(experiment, None, percent)],
        Cause::Credits => return more_buffer(experiment).into_iter().collect(),
        _ => {}
    }
    scaled(experiment, cause, percent).map(|(key, value)| Change::of(key, &value)).collect()
}

/// The same changes one by one: each key alone, and of a list each entry alone.
pub fn single_improvements(experiment: &Value, cause: Cause, percent: f64) -> Vec<Change> {
    if let Cause::Compute | Cause::Credits = cause {
        return improvements(experiment, cause, percent);
    }
    let entries = |(key, value): (String, Value)| -> Vec<Change> {
        let now = at(experiment, &key);
        match (now.and_then(Value::as_array), &value) {
            (Some(now), Value::Array(better)) if now.len() > 1 => (0..now.len())
                .map(|place| {
                    let mut only = now.clone();
                    only[place] = better[place].clone();
                    Change { key: format!("{key}[{place}]"), ..Change::of(&*key, &Value::Array(only)) }
                })
                .collect(),
            _ => vec![Change::of(key, &value)],
        }
    };
    scaled(experiment, cause, percent).flat_map(entries).collect()
}

fn more_buffer(experiment: &Value) -> Option<Change> {
    let key = "packet.input_buffer";
    let larger = match at(experiment, key)? {
        Value::Number(packets) => json!(packets.as_u64()? * MORE_BUFFER),
        Value::String(bytes) => format!("{} B", parse::bytes(bytes).ok()?.0 * MORE_BUFFER).into(),
        _ => return None,
    };
    Some(Change::of(key, &larger))
}

/// The change for each virtual channel of an input buffer to have room for so many packets.
pub(crate) fn buffer(packets: u64) -> Change {
    Change::of("packet.input_buffer", &json!(packets))
}

/// The change for those packets to go first that are in the network longest; none where they do.
pub(crate) fn oldest_first(experiment: &Value) -> Option<Change> {
    let (key, oldest_first) = ("packet.arbiter", "oldest-first");
    let is_other = at(experiment, key)?.as_str() != Some(oldest_first);
    is_other.then(|| Change::of(key, &json!(oldest_first)))
}

/// The change for the work of a rank to take so many per cent less.
pub fn of_rank(experiment: &Value, rank: u64, percent: f64) -> Vec<Change> {
    vec![work(experiment, Some(rank), percent)]
}

/// One row more for each group of ranks, whose work is multiplied by a factor.
pub(crate) fn work_of(experiment: &Value, groups: &[(Vec<String>, f64)]) -> Change {
    let mut rows = experiment["work"].as_array().cloned().unwrap_or_default();
    rows.extend(groups.iter().map(|(ranks, factor)| json!({ "ranks": ranks, "factor": factor })));
    Change::of("work", &Value::Array(rows))
}

/// The change for bytes to take so many per cent less at a link.
pub fn of_link(experiment: &Value, link: &str, percent: f64) -> Vec<Change> {
    let mut rows = experiment["upgrades"].as_array().cloned().unwrap_or_default();
    rows.push(json!({ "link": link, "speed": (1.0 - percent / 100.0).recip() }));
    vec![Change::of("upgrades", &Value::Array(rows))]
}

/// One more row for the work of a rank, or of all: factors of several rows multiply.
fn work(experiment: &Value, rank: Option<u64>, percent: f64) -> Change {
    let mut rows = experiment["work"].as_array().cloned().unwrap_or_default();
    let factor = 1.0 - percent / 100.0;
    rows.push(match rank {
        Some(rank) => json!({ "ranks": rank, "factor": factor }),
        None => json!({ "factor": factor }),
    });
    Change::of("work", &Value::Array(rows))
}

/// The changes for the links of a class ([`weir_topology::LinkClasses`]) to take so many per cent less, latency and bytes; none
/// for classes that no key is behind alone, as those of a graph, and injection or ejection links without the other.
pub fn of_class(experiment: &Value, class: &str, percent: f64) -> Vec<Change> {
    let Some((place, count)) = entry_of_class(&experiment["topology"], class) else { return Vec::new() };
    let left = 1.0 - percent / 100.0;
    let keys = [("topology.bandwidth", left.recip()), ("topology.latency", left)];
    let changes = keys.into_iter().filter_map(|(key, factor)| {
        let now = at(experiment, key)?;
        let mut entries = now.as_array().cloned().unwrap_or_else(|| vec![now.clone(); count]);
        entries[place] = scale(entries.get(place)?, factor)?;
        Some(Change::of(key, &Value::Array(entries)))
    });
    changes.collect()
}

/// Which entry of a list by dimension or stage is that of a class, and how many there are.
fn entry_of_class(topology: &Value, class: &str) -> Option<(usize, usize)> {
    let shape = topology["shape"].as_array().map_or(0, Vec::len);
    match topology["kind"].as_str()? {
        "fat-tree" => {
            let stages = &topology["stages"];
            let stages = stages
                .as_array()
                .map_or_else(|| stages.as_u64().map(|n| n as usize), |all| Some(all.len()))?;
            let lower: usize = class.strip_prefix("stages ")?.split('-').next()?.parse().ok()?;
            Some((lower.checked_sub(1)?, stages.checked_sub(1)?))
        }
        "dragonfly" | "dragonfly-plus" | "slim-fly" => {
            Some((["local", "global"].iter().position(|name| *name == class)?, 2))
        }
        "full-mesh" => (class == "dimension x").then_some((0, 1)),
        "polar-fly" => (class == "network").then_some((0, 1)),
        kind @ ("torus" | "mesh" | "tofu" | "hypercrossbar" | "hyperx") => {
            let count = if kind == "tofu" { TOFU.len() } else { shape };
            let axes = if kind == "tofu" { &TOFU[..] } else { &TOFU[..3] };
            let axis = class.strip_prefix("dimension ")?;
            let place = axes.iter().position(|name| *name == axis);
            let place = place.or_else(|| axis.strip_prefix('d')?.parse().ok())?;
            (place < count).then_some((place, count))
        }
        _ => None,
    }
}

/// The dimensions of a Tofu; the first three are those of any grid, and others have numbers.
const TOFU: [&str; 6] = ["x", "y", "z", "a", "b", "c"];

fn scaled(experiment: &Value, cause: Cause, percent: f64) -> impl Iterator<Item = (String, Value)> + '_ {
    let left = 1.0 - percent / 100.0;
    let less = pages::lowering(Lowers::Less(cause)).map(move |key| (key, left));
    // The copy of an eager message counts as start-up, a message within a node as bytes: both go through the memory.
    let copies = (cause == Cause::StartUp).then(|| "node.memory_bandwidth".to_owned());
    let more = pages::lowering(Lowers::More(cause)).chain(copies).map(move |key| (key, left.recip()));
    less.chain(more).flat_map(move |(key, factor)| {
        let places: Vec<String> = match key.strip_prefix("combining.") {
            None => vec![key],
            Some(key) => (0..experiment["combining"].as_array().map_or(0, Vec::len))
                .map(|row| format!("combining.{row}.{key}"))
                .collect(),
        };
        places.into_iter().filter_map(move |key| {
            let better = scale(at(experiment, &key)?, factor)?;
            Some((key, better))
        })
    })
}

fn at<'v>(experiment: &'v Value, key: &str) -> Option<&'v Value> {
    experiment.pointer(&format!("/{}", key.replace('.', "/")))
}

/// A value times a factor; `None` if it is no quantity, or nothing.
fn scale(value: &Value, factor: f64) -> Option<Value> {
    match value {
        Value::String(text) => {
            if let Ok(time) = parse::duration(text) {
                let scaled = (time.as_ps() as f64 * factor).round();
                return (scaled > 0.0).then(|| format!("{scaled} ps").into());
            }
            let rate = parse::bandwidth(text).ok()?;
            Some(format!("{} B/s", rate.bytes_per_second() * factor).into())
        }
        Value::Number(number) => {
            let scaled = number.as_f64()? * factor;
            (scaled > 0.0).then(|| scaled.into())
        }
        Value::Array(entries) => {
            let scaled: Vec<_> = entries.iter().map(|entry| scale(entry, factor)).collect();
            // Of a list some entries may be nothing.
            let is_better = scaled.iter().any(Option::is_some);
            let entries =
                entries.iter().zip(scaled).map(|(entry, better)| better.unwrap_or_else(|| entry.clone()));
            is_better.then(|| entries.collect())
        }
        _ => None,
    }
}

fn in_toml(value: &Value) -> String {
    match value {
        Value::Array(entries) => format!("[{}]", entries.iter().map(in_toml).collect::<Vec<_>>().join(", ")),
        Value::Object(table) => {
            let entries = table.iter().map(|(key, value)| format!("{key} = {}", in_toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Another algorithm, and what the experiment needs for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Its name with the preset of the experiment.
    pub name: &'static str,
    /// The key of the collective, and that of the workload if it says the algorithm, too.
    pub changes: Vec<Change>,
}

const AUTO: &str = "auto";

/// Every other algorithm for the collective that a call is, by the name that a function of MPI has (`MPI_Allreduce`), or events of
/// profiles (`allreduce`); none if it is no collective whose algorithm can be chosen. Not all of them fit every number of ranks: the
/// check of the experiment refuses those that do not.
pub fn of_call(experiment: &Value, call: &str) -> Vec<Alternative> {
    let Some(collective) = collective(call) else { return Vec::new() };
    let of_table = &experiment["collectives"];
    let preset = Preset::ALL.iter().find(|(name, _)| of_table["preset"] == *name);
    let preset = preset.map_or_else(Preset::default, |&(_, preset)| preset);
    let now = &of_table[collective];
    let names = preset.names_of(collective).into_iter().filter(|name| *name != AUTO && now != *name);
    let workload = &experiment["workload"];
    let both = workload["operation"] == collective && workload["algorithm"].is_string();
    let keys = [format!("collectives.{collective}"), "workload.algorithm".to_owned()];
    let keys = if both { &keys[..] } else { &keys[..1] };
    let alternative =
        |name| Alternative { name, changes: keys.iter().map(|key| Change::of(key, &name.into())).collect() };
    names.map(alternative).collect()
}

fn collective(call: &str) -> Option<&'static str> {
    let name = call.strip_prefix("MPI_").unwrap_or(call).to_lowercase().replace('-', "_");
    let name = match name.as_str() {
        "allgatherv" => "allgather",
        "alltoallv" => "alltoall",
        "exscan" => "scan",
        "reduce_scatter_block" => "reduce_scatter",
        name => name,
    };
    CATALOG.iter().map(|&(key, _)| key).find(|key| *key == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn experiment() -> Value {
        json!({
            "topology": { "kind": "torus", "latency": ["100 ns", "0 ps"], "bandwidth": "10 GB/s" },
            "node": { "send_overhead": "300 ns", "mpi_overhead": "0 ps", "nic_bandwidth": "20 GB/s" },
            "combining": [{ "bandwidth": "1 GB/s" }, { "bandwidth": "2 GB/s" }],
        })
    }

    fn assignments(changes: Vec<Change>) -> Vec<String> {
        changes.into_iter().map(|change| change.assignment).collect()
    }

    /// Ten per cent less: times by 0.9, rates by 1 / 0.9; what is zero stays, and is named only in a list.
    #[test]
    fn times_and_rates() {
        let of = |cause, percent| assignments(improvements(&experiment(), cause, percent));
        assert_eq!(of(Cause::Latency, 10.0), [r#"topology.latency=["90000 ps", "0 ps"]"#]);
        assert_eq!(
            of(Cause::StartUp, 50.0),
            [
                r#"node.send_overhead="150000 ps""#,
                r#"combining.0.bandwidth="2000000000 B/s""#,
                r#"combining.1.bandwidth="4000000000 B/s""#
            ]
        );
        assert_eq!(
            of(Cause::Serialization, 50.0),
            [r#"topology.bandwidth="20000000000 B/s""#, r#"node.nic_bandwidth="40000000000 B/s""#]
        );
        assert_eq!(of(Cause::LateSender, 50.0), [""; 0]);
    }

    /// Work has a row more, behind those that there are.
    #[test]
    fn work_of_a_rank_or_of_all() {
        assert_eq!(assignments(of_rank(&experiment(), 3, 50.0)), ["work=[{ ranks = 3, factor = 0.5 }]"]);
        let mut some = experiment();
        some["work"] = json!([{ "ranks": [1, "4-7"], "factor": 2 }]);
        let rows = r#"work=[{ ranks = [1, "4-7"], factor = 2 }, { factor = 0.9 }]"#;
        assert_eq!(assignments(improvements(&some, Cause::Compute, 10.0)), [rows]);
        assert_eq!(single_improvements(&some, Cause::Compute, 10.0)[0].key, "work");
        some["upgrades"] = json!([{ "router": "leaf 3", "speed": 2 }]);
        let rows = r#"upgrades=[{ router = "leaf 3", speed = 2 }, { link = "a -> b", speed = 2.0 }]"#;
        assert_eq!(assignments(of_link(&some, "a -> b", 50.0)), [rows]);
    }

    /// Four times as many packets or bytes; of other engines nothing.
    #[test]
    fn buffers() {
        for (buffer, larger) in [(json!(16), "64"), (json!("16 KiB"), r#""65536 B""#)] {
            let packet = json!({ "packet": { "input_buffer": buffer } });
            for changes in [improvements, single_improvements] {
                let found = assignments(changes(&packet, Cause::Credits, 10.0));
                assert_eq!(found, [format!("packet.input_buffer={larger}")]);
            }
        }
        assert!(improvements(&experiment(), Cause::Credits, 10.0).is_empty());
    }

    /// A scalar becomes a list; links of nodes, and a class that is several, have no key alone.
    #[test]
    fn links_of_a_class() {
        let of =
            |topology: Value, class| assignments(of_class(&json!({ "topology": topology }), class, 50.0));
        let torus = json!({ "kind": "torus", "shape": [4, 4], "latency": ["100 ns", "0 ps"], "bandwidth": "10 GB/s" });
        let faster = r#"topology.bandwidth=["20000000000 B/s", "10 GB/s"]"#;
        assert_eq!(of(torus.clone(), "dimension x"), [faster, r#"topology.latency=["50000 ps", "0 ps"]"#]);
        assert_eq!(
            of(torus.clone(), "dimension y"),
            [r#"topology.bandwidth=["10 GB/s", "20000000000 B/s"]"#]
        );
        for none in ["injection", "ejection", "dimension d5 and on", "dimension z", "stages 1-2", "network"] {
            assert_eq!(of(torus.clone(), none), [""; 0], "{none}");
        }
        let tofu = json!({ "kind": "tofu", "shape": [2, 2, 2], "latency": "10 ns", "bandwidth": "1 GB/s" });
        assert!(of(tofu, "dimension b")[1].ends_with(r#""10 ns", "5000 ps", "10 ns"]"#));
        for stages in [json!(3), json!([{}, {}, {}])] {
            let tree =
                json!({ "kind": "fat-tree", "stages": stages, "latency": "10 ns", "bandwidth": "1 GB/s" });
            assert_eq!(of(tree, "stages 2-3")[1], r#"topology.latency=["10 ns", "5000 ps"]"#);
        }
        for (kind, class, faster) in [
            ("dragonfly", "global", r#"["1 GB/s", "2000000000 B/s"]"#),
            ("slim-fly", "local", r#"["2000000000 B/s", "1 GB/s"]"#),
            ("full-mesh", "dimension x", r#"["2000000000 B/s"]"#),
            ("polar-fly", "network", r#"["2000000000 B/s"]"#),
        ] {
            let found = of(json!({ "kind": kind, "bandwidth": "1 GB/s" }), class);
            assert_eq!(found, [format!("topology.bandwidth={faster}")], "{kind}");
            assert_eq!(of(json!({ "kind": kind, "bandwidth": "1 GB/s" }), "injection"), [""; 0]);
        }
    }

    #[test]
    fn entries_of_a_list_change_alone() {
        let mut experiment = experiment();
        experiment["topology"]["bandwidth"] = json!(["1 GB/s", "2 GB/s"]);
        let single = single_improvements(&experiment, Cause::Serialization, 50.0);
        assert_eq!(single[0].key, "topology.bandwidth[0]");
        assert_eq!(
            assignments(single),
            [
                r#"topology.bandwidth=["2000000000 B/s", "2 GB/s"]"#,
                r#"topology.bandwidth=["1 GB/s", "4000000000 B/s"]"#,
                r#"node.nic_bandwidth="40000000000 B/s""#
            ]
        );
    }

    fn found(experiment: &Value, call: &str) -> Vec<String> {
        let all = of_call(experiment, call).into_iter().flat_map(|other| other.changes);
        all.map(|change| change.assignment).collect()
    }

    #[test]
    fn all_but_the_one_that_it_has() {
        let program = |scan: &str| json!({ "collectives": { "scan": scan } });
        let both = [r#"collectives.scan="recursive-doubling""#, r#"collectives.scan="linear""#];
        for call in ["MPI_Scan", "MPI_Exscan", "scan"] {
            assert_eq!(found(&program("auto"), call), both, "{call}");
        }
        assert_eq!(found(&program("linear"), "MPI_Scan"), both[..1]);
        let mut alone = program("linear");
        alone["workload"] = json!({ "kind": "collective", "operation": "scan", "algorithm": "linear" });
        assert_eq!(found(&alone, "scan"), [both[0], r#"workload.algorithm="recursive-doubling""#]);
        alone["workload"]["operation"] = json!("bcast");
        assert_eq!(found(&alone, "scan"), both[..1]);
        for none in
            ["MPI_Send", "MPI_Wait", "MPI_Iallreduce", "await message", "own work", "others", "MPI_Gatherv"]
        {
            assert_eq!(found(&program("auto"), none), [""; 0], "{none}");
        }
    }

    /// The names of the library that the experiment has; its own `linear` is something else than weir's.
    #[test]
    fn names_are_those_of_the_preset() {
        let of = |preset: &str| {
            let experiment = json!({ "collectives": { "preset": preset, "bcast": "auto" } });
            of_call(&experiment, "MPI_Bcast").into_iter().map(|other| other.name).collect::<Vec<_>>()
        };
        assert_ne!(of("mpich"), of("open-mpi"));
        assert!(of("open-mpi").iter().all(|name| Preset::OpenMpi.known("bcast", name).is_ok()));
    }
}
