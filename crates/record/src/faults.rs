//! Faults of a machine.

use serde::Serialize;

/// The faults of a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Faults {
    /// Number of one-way links that have failed.
    pub failed_links: usize,
    /// Number of one-way links that are slow.
    pub slow_links: usize,
    /// Names of the cables, links and routers that have failed.
    pub failed: Vec<String>,
    /// Cables, links and routers that are slow.
    pub slow: Vec<Slow>,
}

/// A cable, link or router that is slow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slow {
    /// Its name.
    pub name: String,
    /// The part of its bandwidth that is left.
    pub speed: f64,
}

/// Names that are written as text for people.
const MOST_NAMED: usize = 8;

impl Faults {
    /// For people: `4 links have failed: router (0,0) - router (1,0)`; one line for what has failed, one for what is slow.
    #[must_use]
    pub fn in_words(&self) -> Vec<String> {
        let listed = |links: usize, what: &str, names: Vec<String>| {
            let links = if links == 1 { format!("1 link {what}") } else { format!("{links} links {what}") };
            let more = match names.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names: Vec<String> = names.into_iter().take(MOST_NAMED).collect();
            format!("{links}: {}{more}", names.join(", "))
        };
        let mut lines = Vec::new();
        if !self.failed.is_empty() {
            lines.push(listed(self.failed_links, "failed", self.failed.clone()));
        }
        if !self.slow.is_empty() {
            let slow = self.slow.iter().map(|Slow { name, speed }| format!("{name} at {speed}"));
            lines.push(listed(self.slow_links, "slow", slow.collect()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_and_object() {
        let names = |count: usize| (0..count).map(|number| format!("leaf {number} - middle 0")).collect();
        let slow = vec![Slow { name: "router (1,0)".to_owned(), speed: 0.5 }];
        let mut faults = Faults { failed_links: 4, slow_links: 10, failed: names(2), slow };
        assert_eq!(
            faults.in_words(),
            ["4 links failed: leaf 0 - middle 0, leaf 1 - middle 0", "10 links slow: router (1,0) at 0.5"]
        );
        assert_eq!(
            json!(faults),
            json!({
                "failed_links": 4, "slow_links": 10, "failed": ["leaf 0 - middle 0", "leaf 1 - middle 0"],
                "slow": [{ "name": "router (1,0)", "speed": 0.5 }],
            })
        );
        faults.failed = names(11);
        assert!(faults.in_words()[0].ends_with("leaf 7 - middle 0 and 3 more"));
    }
}
