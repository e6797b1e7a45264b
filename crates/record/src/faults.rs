//! What has failed of a machine.

use serde_json::{Value, json};

/// The faults of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// How many one-way links have failed.
    pub failed_links: usize,
    /// How many are slow.
    pub slow_links: usize,
    /// What has failed: cables, links and routers by their names.
    pub failed: Vec<String>,
    /// What is slow, with the part of its bandwidth that is left.
    pub slow: Vec<(String, f64)>,
}

/// So many names are written as text for people.
const MOST_NAMED: usize = 8;

impl Faults {
    /// As it stands in `summary.json`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let slow = |(name, speed): &(String, f64)| json!({ "name": name, "speed": speed });
        json!({
            "failed_links": self.failed_links,
            "slow_links": self.slow_links,
            "failed": self.failed,
            "slow": self.slow.iter().map(slow).collect::<Vec<_>>(),
        })
    }

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
            let slow = self.slow.iter().map(|(name, speed)| format!("{name} at {speed}"));
            lines.push(listed(self.slow_links, "slow", slow.collect()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_object() {
        let names = |count: usize| (0..count).map(|number| format!("leaf {number} - middle 0")).collect();
        let slow = vec![("router (1,0)".to_owned(), 0.5)];
        let mut faults = Faults { failed_links: 4, slow_links: 10, failed: names(2), slow };
        assert_eq!(
            faults.in_words(),
            ["4 links failed: leaf 0 - middle 0, leaf 1 - middle 0", "10 links slow: router (1,0) at 0.5"]
        );
        assert_eq!(
            faults.to_json(),
            json!({
                "failed_links": 4, "slow_links": 10, "failed": ["leaf 0 - middle 0", "leaf 1 - middle 0"],
                "slow": [{ "name": "router (1,0)", "speed": 0.5 }],
            })
        );
        faults.failed = names(11);
        assert!(faults.in_words()[0].ends_with("leaf 7 - middle 0 and 3 more"));
    }
}
