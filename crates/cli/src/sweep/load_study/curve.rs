//! A curve of a load study: one pattern with one rule at many loads, and where the network saturates.

use super::LOAD;
use crate::sweep::Done;
use crate::sweep::picture::SATURATED;
use std::path::PathBuf;

/// The interval of saturation is no longer than this in the end.
pub(super) const WITHIN: f64 = 0.01;
/// With fewer packets at the least load chance shows in its latency, on which all else hangs.
const FEW: f64 = 1000.0;

pub(super) struct Curve {
    pub(super) experiment: PathBuf,
    /// The pattern, written as on the command line.
    pub(super) pattern: String,
    /// The value of `topology.routing`; empty where the machine has no choice.
    pub(super) rule: String,
    /// Keys and values of all its points.
    pub(super) row: Vec<(String, String)>,
    /// Assignments that take keys back which the pattern does not have.
    pub(super) taken_back: Vec<String>,
    /// By load.
    pub(super) points: Vec<Point>,
}

pub(super) struct Point {
    pub(super) load: f64,
    pub(super) done: Done,
}

impl Point {
    /// A number of its summary.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.done.line["summary"][name].as_f64()
    }

    /// Mean latency from the generation of a packet, in seconds; `None` where the run has not finished, or no packet has arrived.
    pub(super) fn latency(&self) -> Option<f64> {
        self.number("generation_latency_mean_s").filter(|_| self.done.has_finished())
    }

    pub(super) fn accepted(&self) -> Option<f64> {
        self.number("accepted_load").filter(|_| self.done.has_finished())
    }

    /// Routers on the way of a packet, on average.
    pub(super) fn hops(&self) -> Option<f64> {
        Some(self.number("packet_hops")? / self.number("packets").filter(|packets| *packets > 0.0)?)
    }
}

/// The interval in which a network saturates; no end where it carries all loads, or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Saturation {
    /// The greatest load that is carried below the first that is not.
    pub(super) carried: Option<f64>,
    /// The least load that is not carried.
    pub(super) not_carried: Option<f64>,
}

impl Curve {
    /// Keys and values of a point.
    pub(super) fn row(&self, load: f64) -> Vec<(String, String)> {
        self.row.iter().cloned().chain([(LOAD.to_owned(), load.to_string())]).collect()
    }

    /// Pattern and rule, in words.
    pub(super) fn name(&self) -> String {
        let parts = [&self.pattern, &self.rule].map(String::as_str);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn add(&mut self, point: Point) {
        let place = self.points.partition_point(|other| other.load < point.load);
        self.points.insert(place, point);
    }

    /// Latency of the network when it is nearly idle: that at the least load.
    pub(super) fn zero_load_latency(&self) -> Option<f64> {
        self.points.first()?.latency()
    }

    /// Returns whether the network carries the load of a point: at least 95 % of what is offered arrives, and mean latency is at most
    /// three times that at the least load.
    pub(super) fn carries(&self, point: &Point) -> bool {
        let Some((latency, zero_load)) = point.latency().zip(self.zero_load_latency()) else { return false };
        point.done.line["summary"]["saturated"] == false && latency <= SATURATED * zero_load
    }

    pub(super) fn saturation(&self) -> Saturation {
        let first = self.points.iter().position(|point| !self.carries(point));
        let below = &self.points[..first.unwrap_or(self.points.len())];
        Saturation {
            carried: below.last().map(|point| point.load),
            not_carried: first.map(|first| self.points[first].load),
        }
    }

    /// The load that halves the interval of saturation, unless that is short enough.
    pub(super) fn next(&self) -> Option<f64> {
        let Saturation { carried: Some(from), not_carried: Some(to) } = self.saturation() else {
            return None;
        };
        let middle = (f64::midpoint(from, to) * 1e5).round() / 1e5;
        (to - from > WITHIN * (1.0 + 1e-9)).then_some(middle)
    }

    /// Packets that arrive at the least load.
    fn packets(&self) -> Option<f64> {
        self.points.first().filter(|least| least.done.has_finished())?.number("packets")
    }
}

/// A sentence about the curve with the fewest packets at the least load, if these are few.
pub(super) fn few_packets(curves: &[Curve]) -> Option<String> {
    let counts = curves.iter().filter_map(|curve| Some((curve.packets()?, curve)));
    let (packets, curve) = counts.min_by(|one, other| one.0.total_cmp(&other.0))?;
    (packets < FEW).then(|| {
        format!(
            "at load {} only {packets} packets arrive ({}), so chance shows in zero-load latency; take a workload.duration {} times as long",
            curve.points[0].load,
            curve.name(),
            (FEW / packets.max(1.0)).ceil()
        )
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// A curve with these loads, latencies in seconds, and accepted loads.
    pub(in super::super) fn curve(rule: &str, points: &[(f64, f64, f64)]) -> Curve {
        let mut curve = Curve {
            experiment: PathBuf::from("e.toml"),
            pattern: "uniform".to_owned(),
            rule: rule.to_owned(),
            row: Vec::new(),
            taken_back: Vec::new(),
            points: Vec::new(),
        };
        for &(load, latency, accepted) in points {
            let summary = json!({
                "offered_load": load, "accepted_load": accepted, "saturated": accepted < 0.95 * load,
                "generation_latency_mean_s": latency, "generation_latency_p99_s": 2.0 * latency,
                "packets": 100, "packet_hops": 250,
            });
            let line = json!({ "outcome": "finished", "summary": summary });
            curve.add(Point { load, done: Done { point: 0, line } });
        }
        curve
    }

    fn interval(curve: &Curve) -> (Option<f64>, Option<f64>) {
        let Saturation { carried, not_carried } = curve.saturation();
        (carried, not_carried)
    }

    /// A load is not carried where latency is more than three times the first, or where less than 95 % arrives.
    #[test]
    fn both_limits_end_what_is_carried() {
        let by_latency = curve("a", &[(0.1, 1.0, 0.1), (0.5, 3.0, 0.5), (0.6, 3.1, 0.6), (0.7, 2.0, 0.7)]);
        assert_eq!((interval(&by_latency), by_latency.next()), ((Some(0.5), Some(0.6)), Some(0.55)));
        let by_load = curve("a", &[(0.1, 1.0, 0.1), (0.5, 1.5, 0.476), (0.6, 1.5, 0.569)]);
        assert_eq!(interval(&by_load), (Some(0.5), Some(0.6)));
        let all = curve("a", &[(0.1, 1.0, 0.1), (1.0, 1.5, 1.0)]);
        assert_eq!((interval(&all), all.next()), ((Some(1.0), None), None));
        let none = curve("a", &[(0.1, 1.0, 0.05), (1.0, 1.0, 0.05)]);
        assert_eq!((interval(&none), none.next()), ((None, Some(0.1)), None));
    }

    /// A network that saturates at 0.637 is found by halves of 0.6 to 0.7, which end at 1/16 of a tenth, whatever the order.
    #[test]
    fn halves_end_within_a_hundredth() {
        let mut found = curve("a", &[(0.7, 9.0, 0.637), (0.1, 1.0, 0.1), (0.6, 2.0, 0.6)]);
        let mut loads = Vec::new();
        while let Some(load) = found.next() {
            loads.push(load);
            let more = if load < 0.637 { (load, 2.5, load) } else { (load, 7.0, 0.637) };
            curve("a", &[more]).points.drain(..).for_each(|point| found.add(point));
        }
        assert_eq!(loads, [0.65, 0.625, 0.6375, 0.63125]);
        assert_eq!(interval(&found), (Some(0.63125), Some(0.6375)));
    }

    /// A run that does not finish, as in a deadlock, is not carried, and has no latency.
    #[test]
    fn what_does_not_finish_is_not_carried() {
        let mut stuck = curve("a", &[(0.1, 1.0, 0.1), (0.2, 1.0, 0.2), (0.3, 1.0, 0.3)]);
        stuck.points[1].done.line["outcome"] = json!("deadlock");
        assert_eq!((interval(&stuck), stuck.points[1].latency()), ((Some(0.1), Some(0.2)), None));
        assert!(few_packets(&[stuck]).unwrap().contains("only 100 packets arrive (uniform, a)"));
    }
}
