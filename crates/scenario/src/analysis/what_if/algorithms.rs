//! Which other algorithms the collective could have that a call is.

use super::Change;
use serde_json::Value;
use weir_message::collective::Preset;
use weir_message::collective::choice::CATALOGUE;

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
#[must_use]
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
    let alternative = |name| {
        let change = |key: &String| Change { key: key.clone(), assignment: format!("{key}={name:?}") };
        Alternative { name, changes: keys.iter().map(change).collect() }
    };
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
    CATALOGUE.iter().map(|&(key, _)| key).find(|key| *key == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
