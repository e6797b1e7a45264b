//! Writes the pattern of an experiment into a pattern file.

use crate::{Pacing, Scenario, Workload};
use std::io::{self, Write};
use std::path::Path;
use weir_formats::Format;
use weir_record::write_whole;

/// Contents of a written pattern file.
pub use weir_formats::Written as WrittenPattern;

/// Why the pattern of an experiment cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The workload is an MPI program, which has no pattern before it has run.
    #[error(
        "the workload is an MPI program: what it sends is known only when it runs; weir log writes its profile, and of \
         that there is a pattern"
    )]
    Program,
    /// The workload is synthetic traffic, which has no end.
    #[error(
        "the workload is synthetic traffic: nodes generate packets as long as the run lasts; only the other \
         kinds have a pattern"
    )]
    Synthetic,
    /// The name of the file ends neither in `.pattern` nor in `.parquet`.
    #[error("the name of a pattern file ends in .pattern (text) or .parquet; - is standard output")]
    UnknownFormat,
    /// Gaps were found for a profile, which is no pattern.
    #[error(
        "the workload is a profile: write its pattern first (weir pattern), and take that as the workload"
    )]
    GapsOfProfile,
    /// The profile does not run to its end.
    #[error("the profile does not run to its end; weir replay says why")]
    Unfinished,
    /// It cannot be written.
    #[error("{0}")]
    Write(io::Error),
}

impl From<io::Error> for PatternError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl Scenario {
    /// Writes the pattern of the workload with gaps that have been found for it. An experiment with this file as its
    /// workload and all else the same runs with them.
    ///
    /// # Errors
    /// When the name of the file has another ending, or when it cannot be written.
    pub fn write_paced(&self, pacing: Pacing, path: &Path) -> Result<WrittenPattern, PatternError> {
        let format = Format::of_pattern(path).ok_or(PatternError::UnknownFormat)?;
        self.check_pattern()?;
        let pattern = self.pattern.as_deref().ok_or(PatternError::GapsOfProfile)?;
        let paced = pacing.on(pattern.clone());
        write_whole(path, |out| {
            weir_formats::write(format, &paced, &self.title, out).map_err(PatternError::Write)
        })
    }

    /// Says whether the pattern of the workload is all that it does: of a collective or a profile it has the messages, but not which
    /// sends ranks wait for.
    #[must_use]
    pub fn is_its_pattern(&self) -> bool {
        self.workload.kind.profile().is_none()
    }

    /// Writes the pattern of the workload into a file, in the format that its name stands for. An experiment with
    /// this file as its workload and all else the same gives the same run, where the workload [is its
    /// pattern](Self::is_its_pattern).
    ///
    /// # Errors
    /// When the workload is no pattern, when the name of the file has another ending, or when it cannot be written.
    pub fn write_pattern(&self, path: &Path) -> Result<WrittenPattern, PatternError> {
        let format = Format::of_pattern(path).ok_or(PatternError::UnknownFormat)?;
        self.check_pattern()?;
        write_whole(path, |out| self.write_as(format, out))
    }

    /// Writes the pattern of the workload as text.
    ///
    /// # Errors
    /// When the workload is no pattern, or when it cannot be written.
    pub fn write_pattern_text(&self, out: impl Write + Send) -> Result<WrittenPattern, PatternError> {
        self.write_as(Format::Text, out)
    }

    fn check_pattern(&self) -> Result<(), PatternError> {
        match self.workload.kind {
            Workload::Program(_) => Err(PatternError::Program),
            Workload::Synthetic(_) => Err(PatternError::Synthetic),
            Workload::Pattern | Workload::File(_) | Workload::Profile(_) | Workload::Collective(_) => Ok(()),
        }
    }

    fn write_as(&self, format: Format, out: impl Write + Send) -> Result<WrittenPattern, PatternError> {
        self.check_pattern()?;
        if let Some((profile, sources)) = self.workload.kind.profile() {
            let pattern = self.pattern_of(profile, sources)?;
            return weir_formats::write(format, &pattern, &self.title, out).map_err(PatternError::Write);
        }
        let pattern = self.pattern.as_deref().ok_or(PatternError::Program)?;
        weir_formats::write(format, pattern, &self.title, out).map_err(PatternError::Write)
    }
}
