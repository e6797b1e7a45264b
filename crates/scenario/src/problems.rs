//! What is wrong with an input: everything at once.

use std::fmt;

/// One mistake in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file it is in as the user named it, or `--set`, or `command line`.
    pub file: String,
    /// The line, from 1; `None` where there is none to name.
    pub line: Option<usize>,
    /// The key with its table: `topology.bandwidth`; empty for a problem of the file as a whole.
    pub key: String,
    /// The value as written; empty for a missing key or a whole table.
    pub value: String,
    /// What is wrong, and what was expected.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    /// `file:line: key = value: what`, in one line, without the hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        f.write_str(": ")?;
        if !self.key.is_empty() {
            f.write_str(&self.key)?;
            if !self.value.is_empty() {
                write!(f, " = {}", self.value)?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.what)
    }
}

/// All mistakes of an input, at least one: by file in the order of reading, then by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    list: Vec<Problem>,
}

impl Problems {
    /// # Panics
    /// When there is none.
    pub(crate) fn new(list: Vec<Problem>) -> Self {
        assert!(!list.is_empty(), "an input without problems is not refused");
        Self { list }
    }

    /// The mistakes in their order.
    #[must_use]
    pub fn list(&self) -> &[Problem] {
        &self.list
    }
}

impl fmt::Display for Problems {
    /// One line per mistake; then, after a blank line, one line per hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.list.iter().enumerate() {
            let line_break = if i == 0 { "" } else { "\n" };
            write!(f, "{line_break}{problem}")?;
        }
        let hints = self.list.iter().filter_map(|problem| Some((&problem.key, problem.hint.as_ref()?)));
        for (i, (key, hint)) in hints.enumerate() {
            let line_break = if i == 0 { "\n\n" } else { "\n" };
            let colon = if key.is_empty() { "" } else { ": " };
            write!(f, "{line_break}hint: {key}{colon}{hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_follow_after_a_blank_line() {
        let problem = |key: &str, line, value: &str, hint: Option<&str>| Problem {
            file: "torus.toml".into(),
            line,
            key: key.into(),
            value: value.into(),
            what: "is wrong".into(),
            hint: hint.map(Into::into),
        };
        let problems = Problems::new(vec![
            problem("topology.shape", Some(3), "[0]", Some("make it larger")),
            problem("workload.kind", None, "", None),
            problem("", None, "", Some("look at the examples")),
        ]);
        let expected = "torus.toml:3: topology.shape = [0]: is wrong\ntorus.toml: workload.kind: is wrong\n\
                        torus.toml: is wrong\n\nhint: topology.shape: make it larger\nhint: look at the examples";
        assert_eq!(problems.to_string(), expected);
    }
}
