//! Machines made comparable: `topology.bandwidth` of each point is multiplied until all have as much as the first point.

use serde::Deserialize;
use serde_json::Value;
use weir_analysis::{Extent, facts};
use weir_experiment::{MachineDescription, Scenario, Source};
use weir_units::parse;

/// Quantity that all machines have as much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Same {
    /// Bandwidth of the narrowest cut into halves.
    Bisection,
    /// Bandwidth of all links between routers together.
    Links,
}

/// The part of an experiment with every default filled in that describes its machine: where it is equal, so is the machine.
pub(super) fn machine_of(mut resolved: Value) -> String {
    if let Value::Object(tables) = &mut resolved {
        for other in ["title", "workload", "engine", "packet", "mapping", "collectives", "output", "limits"] {
            tables.remove(other);
        }
    }
    resolved.to_string()
}

/// The bandwidths that an assignment of [`Same::scaled`] says, rounded as people read them.
pub(super) fn in_words(assignment: &str) -> String {
    let quoted = assignment.split('"').skip(1).step_by(2);
    let rates = quoted.filter_map(|text| parse::bandwidth(text).ok());
    rates.map(|rate| rate.to_string()).collect::<Vec<_>>().join(", ")
}

impl Same {
    /// Returns the quantity of the machine of an experiment, in bytes per second.
    ///
    /// # Errors
    /// When that is not known.
    pub(super) fn measure(self, source: &Source) -> Result<f64, String> {
        let machine = MachineDescription::load(source).map_err(|problems| problems.to_string())?;
        let found = match self {
            Self::Bisection => {
                let bisection = facts(&machine, Extent::Full).bisection;
                bisection
                    .ok_or("the machine has no halves, so study.same = \"bisection\" says nothing")?
                    .cut
                    .one_way()
            }
            Self::Links => machine.bandwidth_between_routers(),
        };
        if found > 0.0 {
            Ok(found)
        } else {
            Err("the machine has no links between routers, so study.same says nothing".to_owned())
        }
    }

    /// `--set` that multiplies the bandwidth of an experiment's links.
    ///
    /// # Errors
    /// When there is none to multiply.
    pub(super) fn scaled(scenario: &Scenario, factor: f64) -> Result<String, String> {
        let bandwidth = &scenario.resolved()["topology"]["bandwidth"];
        let scale = |value: &Value| {
            let rate = match value {
                Value::String(text) => parse::bandwidth(text).ok()?.bytes_per_second(),
                _ => return None,
            };
            Some(format!("\"{} B/s\"", (factor * rate).round()))
        };
        let scaled = match bandwidth {
            Value::Array(list) => {
                let list: Option<Vec<String>> = list.iter().map(scale).collect();
                list.map(|list| format!("[{}]", list.join(", ")))
            }
            value => scale(value),
        };
        let scaled =
            scaled.ok_or("study.same needs topology.bandwidth, with units: it is what is multiplied")?;
        Ok(format!("topology.bandwidth={scaled}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_experiment::ExperimentText;

    /// The work that runs is no part of the machine; its links, its faults and the seed that draws them are.
    #[test]
    fn machines_are_the_same_or_not() {
        let machine = |more: &str| {
            let text = format!(
                "seed = 1\ntopology = {{ kind = 'torus', shape = [4], bandwidth = '1 GB/s' }}\nengine = {{ kind = 'flow' }}\n\
                 workload = {{ kind = 'ring', message_size = '1 kB' }}\n{more}"
            );
            let source = |name: &str, text: String| Source {
                experiment_text: Some(ExperimentText { name: name.into(), text }),
                ..Source::default()
            };
            machine_of(Scenario::load(&source("e.toml", text)).unwrap().resolved())
        };
        let plain = machine("");
        assert_eq!(
            machine("title = 'other'\nlimits = { wall_time = '1 h' }\nmapping = { kind = 'random' }\n"),
            plain
        );
        assert_ne!(machine("[[faults]]\nrandom_cables = 1\n"), plain);
        assert_ne!(
            machine("[[faults]]\nrandom_cables = 1\nseed = 3\n"),
            machine("[[faults]]\nrandom_cables = 1\n")
        );
    }
}
