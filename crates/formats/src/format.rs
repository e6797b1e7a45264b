//! The two forms of pattern files and of profiles.

use std::path::Path;

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One line per entry or event.
    Text,
    /// One row per entry or event.
    Parquet,
}

impl Format {
    /// The format that the ending of a pattern file's name stands for: `.pattern` or `.parquet`.
    #[must_use]
    pub fn of_pattern(path: &Path) -> Option<Self> {
        Self::of(path, "pattern")
    }

    /// The format that the ending of a profile's name stands for: `.profile` or `.parquet`.
    #[must_use]
    pub fn of_profile(path: &Path) -> Option<Self> {
        Self::of(path, "profile")
    }

    fn of(path: &Path, text: &str) -> Option<Self> {
        match path.extension()?.to_str()? {
            "parquet" => Some(Self::Parquet),
            ending if ending == text => Some(Self::Text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, pattern: Option<Format>, profile: Option<Format>) {
        let path = Path::new(name);
        assert_eq!((Format::of_pattern(path), Format::of_profile(path)), (pattern, profile), "{name}");
    }

    #[test]
    fn endings_stand_for_formats() {
        check("a.pattern", Some(Format::Text), None);
        check("a.profile", None, Some(Format::Text));
        check("b/a.b.parquet", Some(Format::Parquet), Some(Format::Parquet));
        check("a.csv", None, None);
        check("profile", None, None);
    }
}
