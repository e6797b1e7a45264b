//! What only the flow engine counts.

use serde_json::{Map, Value, json};
use weir_units::Time;

/// What only the flow engine counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowCounts {
    /// How rates were found: `incremental`, `quotient` or `sweep`.
    pub method: &'static str,
    /// Instants at which rates changed.
    pub cycles: u64,
    /// Iterations the fair share solver needed altogether: links looked at in max-min, repetitions of Step 5 in Mode N.
    pub solver_iterations: u64,
    /// Most iterations the fair share solver needed for one of the cycles.
    pub solver_iterations_max: u64,
    /// How far rates were from max-min, if that was asked for.
    pub fairness: Option<Fairness>,
    /// By which part of its size a message was made larger or smaller at most; not in `summary.json`.
    pub jitter: f64,
    /// What other ties would give, if that was asked for.
    pub ties: Option<TieSensitivity>,
    /// Of a parallel sweep, in their order.
    pub steps: Vec<SweepStep>,
}

/// A run of another sharing rule against max-min.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fairness {
    /// The least that a flow ever got, as a part of its max-min fair rate.
    pub least_rate: f64,
    /// The most that a flow ever got, as a part of its max-min fair rate.
    pub most_rate: f64,
    /// What all flows got over the whole run, as a part of what max-min would have given the same flows.
    pub throughput: f64,
    /// Simulated time of the same workload with max-min; `None` where it was not run again.
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepStep {
    /// What it does.
    pub name: &'static str,
    /// Mean time of a thread at work in it.
    pub work: std::time::Duration,
    /// Mean time of a thread at the barrier behind it.
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

    /// Whether the result hangs on ties: the spread is 0.1 % or more, and ten times the jitter or more. Where little
    /// hangs on them it stays near the jitter.
    #[must_use]
    pub fn is_sensitive(&self) -> bool {
        self.spread() >= (10.0 * self.jitter).max(1e-3)
    }

    fn to_json(&self) -> Value {
        let seconds = |time: &Time| time.as_ps() as f64 / 1e12;
        json!({
            "jitter": self.jitter,
            "simulated_s": self.simulated.iter().map(seconds).collect::<Vec<_>>(),
            "spread": self.spread(),
            "sensitive": self.is_sensitive(),
        })
    }
}

impl FlowCounts {
    /// Adds what there is to the object of `summary.json`.
    pub(crate) fn put(&self, object: &mut Map<String, Value>) {
        let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
        put("method", json!(self.method));
        put("cycles", json!(self.cycles));
        put("solver_iterations", json!(self.solver_iterations));
        put("solver_iterations_max", json!(self.solver_iterations_max));
        if let Some(fairness) = self.fairness {
            let mut compared = json!({
                "least_rate": fairness.least_rate,
                "most_rate": fairness.most_rate,
                "throughput": fairness.throughput,
            });
            if let Some(max_min) = fairness.max_min {
                compared["max_min_simulated_s"] = json!(max_min.as_ps() as f64 / 1e12);
            }
            put("compared_with_max_min", compared);
        }
        if let Some(ties) = &self.ties {
            put("tie_sensitivity", ties.to_json());
        }
        if !self.steps.is_empty() {
            let step = |step: &SweepStep| {
                json!({
                    "name": step.name,
                    "work_s": step.work.as_secs_f64(),
                    "wait_s": step.wait.as_secs_f64(),
                    "imbalance": step.imbalance,
                })
            };
            put("steps", self.steps.iter().map(step).collect());
        }
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
        let mut object = Map::new();
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
        counts.put(&mut object);
        let expected = json!({
            "method": "sweep", "cycles": 4, "solver_iterations": 3, "solver_iterations_max": 2,
            "compared_with_max_min": {
                "least_rate": 0.5, "most_rate": 1.0, "throughput": 0.75, "max_min_simulated_s": 1.5,
            },
            "tie_sensitivity": { "jitter": 1e-8, "simulated_s": [1.0, 1.0], "spread": 0.0, "sensitive": false },
            "steps": [{ "name": "clear counters", "work_s": 0.5, "wait_s": 0.25, "imbalance": 1.5 }],
        });
        assert_eq!(Value::Object(object), expected);
    }
}
