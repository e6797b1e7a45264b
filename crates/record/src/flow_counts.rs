//! Counts of the flow engine.

use crate::seconds::{Seconds, seconds, seconds_if_any};
use serde::{Serialize, Serializer};
use serde_json::json;
use weir_units::Time;

/// Counts of the flow engine alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlowCounts {
    /// Method by which rates were found: `incremental`, `quotient` or `sweep`.
    pub method: &'static str,
    /// Instants at which rates changed.
    pub cycles: u64,
    /// Iterations the fair share solver needed altogether: links looked at in max-min, repetitions of Step 5 in Mode N.
    pub solver_iterations: u64,
    /// Most iterations the fair share solver needed for one of the cycles.
    pub solver_iterations_max: u64,
    /// Comparison with max-min, if that was asked for.
    #[serde(rename = "compared_with_max_min", skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// By which part of its size a message was made larger or smaller at most; not in `summary.json`.
    #[serde(skip)]
    pub jitter: f64,
    /// Runs with other ties, if that was asked for.
    #[serde(rename = "tie_sensitivity", skip_serializing_if = "Option::is_none")]
    pub ties: Option<TieSensitivity>,
    /// Steps of a parallel sweep, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<SweepStep>,
}

/// A run of another sharing rule against max-min.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fairness {
    /// The least that a flow ever got, as a part of its max-min fair rate.
    pub least_rate: f64,
    /// The most that a flow ever got, as a part of its max-min fair rate.
    pub most_rate: f64,
    /// Bytes of all flows over the whole run, as a part of those that max-min would have given the same flows.
    pub throughput: f64,
    /// Simulated time of the same workload with max-min; `None` where it was not run again.
    #[serde(
        rename = "max_min_simulated_s",
        serialize_with = "seconds_if_any",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_min: Option<Time>,
}

/// Runs of the same experiment with ties broken in different ways.
#[derive(Clone, Debug, PartialEq)]
pub struct TieSensitivity {
    /// By how much, as a part of its size, each message was made larger or smaller at most.
    pub jitter: f64,
    /// Simulated times: first the run as it is, then those with perturbed ties.
    pub simulated: Vec<Time>,
}

/// A step of a parallel sweep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SweepStep {
    /// Its name.
    pub name: &'static str,
    /// Mean time of a thread at work in it.
    #[serde(rename = "work_s", serialize_with = "seconds")]
    pub work: std::time::Duration,
    /// Mean time of a thread at the barrier behind it.
    #[serde(rename = "wait_s", serialize_with = "seconds")]
    pub wait: std::time::Duration,
    /// Work of the busiest thread over the mean; 1 is balanced.
    pub imbalance: f64,
}

impl TieSensitivity {
    /// From the shortest to the longest run, as a part of the shortest.
    #[must_use]
    pub fn spread(&self) -> f64 {
        let (least, most) = (self.simulated.iter().min(), self.simulated.iter().max());
        match (least, most) {
            (Some(least), Some(most)) if *least > Time::ZERO => {
                most.as_secs_f64() / least.as_secs_f64() - 1.0
            }
            _ => 0.0,
        }
    }

    /// Returns whether the result hangs on ties: the spread is 0.1 % or more, and ten times the jitter or more. Where little
    /// hangs on them it stays near the jitter.
    #[must_use]
    pub fn is_sensitive(&self) -> bool {
        self.spread() >= (10.0 * self.jitter).max(1e-3)
    }
}

impl Serialize for TieSensitivity {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let object = json!({
            "jitter": self.jitter,
            "simulated_s": self.simulated.iter().map(Seconds::seconds).collect::<Vec<_>>(),
            "spread": self.spread(),
            "sensitive": self.is_sensitive(),
        });
        object.serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_far_above_the_jitter_is_sensitive() {
        let ties = |last| TieSensitivity {
            jitter: 1e-8,
            simulated: vec![Time::from_ps(1_000_000_000), Time::from_ps(1_000_000_100), Time::from_ps(last)],
        };
        let calm = ties(1_000_000_050);
        assert!((calm.spread() - 1e-7).abs() < 1e-12 && !calm.is_sensitive());
        let chaotic = ties(1_010_000_000);
        assert!((chaotic.spread() - 0.01).abs() < 1e-12 && chaotic.is_sensitive());
        let short_messages = TieSensitivity { jitter: 2e-3, ..chaotic };
        assert!(!short_messages.is_sensitive());
        assert_eq!(TieSensitivity { jitter: 1e-8, simulated: Vec::new() }.spread(), 0.0);
    }

    #[test]
    fn names_in_the_summary() {
        let counts = FlowCounts {
            method: "sweep",
            cycles: 4,
            solver_iterations: 3,
            solver_iterations_max: 2,
            fairness: Some(Fairness {
                least_rate: 0.5,
                most_rate: 1.0,
                throughput: 0.75,
                max_min: Some(Time::from_ps(1_500_000_000_000)),
            }),
            ties: Some(TieSensitivity { jitter: 1e-8, simulated: vec![Time::from_ps(1_000_000_000_000); 2] }),
            jitter: 0.0,
            steps: vec![SweepStep {
                name: "clear counters",
                work: std::time::Duration::from_millis(500),
                wait: std::time::Duration::from_millis(250),
                imbalance: 1.5,
            }],
        };
        let expected = json!({
            "method": "sweep", "cycles": 4, "solver_iterations": 3, "solver_iterations_max": 2,
            "compared_with_max_min": {
                "least_rate": 0.5, "most_rate": 1.0, "throughput": 0.75, "max_min_simulated_s": 1.5,
            },
            "tie_sensitivity": { "jitter": 1e-8, "simulated_s": [1.0, 1.0], "spread": 0.0, "sensitive": false },
            "steps": [{ "name": "clear counters", "work_s": 0.5, "wait_s": 0.25, "imbalance": 1.5 }],
        });
        assert_eq!(json!(counts), expected);
    }
}
