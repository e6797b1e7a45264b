//! Where a row was measured: how many nodes and ranks, and keys of the experiment.

use super::Operation;
use weir_collectives::Preset;
use weir_experiment::keys::pages;

/// The key that says whose names algorithms have.
pub(crate) const PRESET: &str = "collectives.preset";

pub(crate) fn preset_of(name: &str) -> Option<Preset> {
    Preset::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, preset)| preset)
}

/// Keys and numbers that hold for a row beside the machine file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(super) nodes: Option<u64>,
    pub(super) ranks_per_node: Option<u64>,
    pub(super) ranks: Option<u64>,
    /// The sides of a job on a torus.
    pub(super) shape: Option<Vec<u64>>,
    /// Keys of the experiment and their values.
    pub(super) keys: Vec<(String, String)>,
    /// For rows of a log, which do not say it.
    pub(super) algorithm: String,
    /// The operation of a log that does not say it.
    pub(super) operation: String,
}

/// Names of columns that say where.
pub(super) const NAMES: [&str; 4] = ["nodes", "ranks_per_node", "ranks", "job_shape"];

/// Returns whether a column of this name is a key of the experiment.
pub(super) fn is_key(name: &str) -> bool {
    pages::keys().iter().any(|key| key == name)
}

impl Setting {
    /// Takes in what stands under a name; an empty text says nothing.
    pub(super) fn put(&mut self, name: &str, text: &str) -> Result<(), String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        let count = || {
            let number = text.parse().ok().filter(|&number: &u64| number > 0);
            number.ok_or_else(|| format!("{name} = {text}: must be a whole number, at least 1"))
        };
        match name {
            "nodes" => self.nodes = Some(count()?),
            "ranks_per_node" => self.ranks_per_node = Some(count()?),
            "ranks" => self.ranks = Some(count()?),
            "job_shape" => {
                let sides: Option<Vec<u64>> =
                    text.split('x').map(|side| side.trim().parse().ok().filter(|&side| side > 0)).collect();
                let wrong = || format!("job_shape = {text}: must be whole numbers such as 4x4x4");
                self.shape = Some(sides.ok_or_else(wrong)?);
            }
            key => {
                self.keys.retain(|(known, _)| known != key);
                self.keys.push((key.to_owned(), text.to_owned()));
            }
        }
        Ok(())
    }

    /// Takes in what a line of ours says under a name.
    pub(super) fn say(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "algorithm" => value.trim().clone_into(&mut self.algorithm),
            "operation" => value.trim().clone_into(&mut self.operation),
            name if NAMES.contains(&name) || is_key(name) => self.put(name, value)?,
            name => return Err(format!("{name}: neither a key nor one of {}", NAMES.join(", "))),
        }
        Ok(())
    }

    /// The library whose names its algorithm has, if that is said.
    pub(super) fn preset(&self) -> Option<Preset> {
        let (_, name) = self.keys.iter().find(|(key, _)| key == PRESET)?;
        preset_of(name)
    }

    /// Number of ranks that took part, if that is said.
    pub(super) fn ranks(&self) -> Option<u64> {
        let of_keys = || self.keys.iter().find(|(key, _)| key == "workload.ranks")?.1.parse().ok();
        let nodes = self.nodes.or_else(|| self.shape.as_ref().map(|sides| sides.iter().product()));
        self.ranks.or_else(of_keys).or_else(|| nodes.map(|nodes| nodes * self.ranks_per_node.unwrap_or(1)))
    }

    /// Where it ran, in a few words: `4x4x4`, `32 nodes`, `8 nodes, 2 ranks on each`.
    pub(super) fn job(&self) -> String {
        let place = match (&self.shape, self.nodes, self.ranks()) {
            (Some(sides), ..) => sides.iter().map(u64::to_string).collect::<Vec<_>>().join("x"),
            (None, Some(nodes), _) => format!("{nodes} nodes"),
            (None, None, Some(ranks)) => return format!("{ranks} ranks"),
            (None, None, None) => "the machine".to_owned(),
        };
        match self.ranks_per_node {
            Some(count) if count > 1 => format!("{place}, {count} ranks on each"),
            _ => place,
        }
    }

    /// Arguments of `--set`; where jobs are folded, the sides of a job are no sides of the machine.
    pub(super) fn overrides(&self, operation: Operation, is_folded: bool) -> Vec<String> {
        let mut set = Vec::new();
        if let Some(sides) = &self.shape {
            let sides: Vec<String> = sides.iter().map(u64::to_string).collect();
            let key = if is_folded { "mapping.job" } else { "topology.shape" };
            set.push(format!("{key}=[{}]", sides.join(",")));
        }
        if let Some(count) = self.ranks_per_node {
            set.push(format!("mapping.ranks_per_node={count}"));
        }
        set.extend(self.keys.iter().map(|(key, value)| format!("{key}={value}")));
        let ranks = match operation {
            Operation::PingPong => self.ranks().or(Some(2)),
            Operation::Collective(_) => self.ranks(),
        };
        if let Some(ranks) = ranks.filter(|_| !self.keys.iter().any(|(key, _)| key == "workload.ranks")) {
            set.push(format!("workload.ranks={ranks}"));
        }
        set
    }
}
