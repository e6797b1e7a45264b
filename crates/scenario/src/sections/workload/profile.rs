//! A communication profile as workload (paper 001).

use super::file::refused;
use super::keys;
use crate::Problem;
use crate::source::reader::Section;
use std::path::PathBuf;
use std::sync::Arc;
use weir_formats::profile::{self, Act, Event, Profile};
use weir_message::CombiningRow;
use weir_replay::Sources;
use weir_units::Rank;

/// Contents of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileSection {
    /// The file.
    pub path: PathBuf,
    /// Calls of all ranks.
    pub profile: Arc<Profile>,
    /// From whom a receive takes that asked for any source.
    pub sources: Sources,
}

impl ProfileSection {
    pub(super) fn ranks(&self) -> usize {
        self.profile.ranks()
    }

    pub(super) fn read(section: &mut Section<'_>) -> (Option<Self>, Vec<Problem>) {
        let written = section.get(&keys::RANKS);
        let sources = section.get_or_default(&keys::SOURCES);
        let Some(path) = section.get_required(&keys::PROFILE) else { return (None, Vec::new()) };
        let profile = match profile::read(&path) {
            Ok(profile) => profile,
            Err(error) => return (None, refused(section, &path, &error)),
        };
        if written.is_some_and(|ranks| ranks != profile.ranks() as u64) {
            let hint = "leave ranks away: the profile says how many there are";
            section.problem(
                "ranks",
                format!("the profile has {} ranks", profile.ranks()),
                Some(hint.to_owned()),
            );
        }
        (Some(Self { path, profile: Arc::new(profile), sources }), Vec::new())
    }

    fn uses_files(&self) -> bool {
        let mut events = (0..self.ranks()).flat_map(|rank| self.profile.events(Rank::new(rank)));
        events.any(|event| matches!(event.act, Act::File { .. }))
    }

    /// Returns whether it is not known of any reduction what it combines, or how, as in profiles before version 4.
    fn has_unknown_reductions(&self) -> bool {
        let unknown = |event: &Event| match &event.act {
            Act::Collective { collective, .. } => {
                collective.function.combines() && collective.combines.operation.is_none()
            }
            _ => false,
        };
        (0..self.ranks()).any(|rank| self.profile.events(Rank::new(rank)).iter().any(unknown))
    }

    pub(crate) fn combining_warning(&self, rows: &[CombiningRow]) -> Option<String> {
        let by_name = rows.iter().any(|row| !row.operations.is_empty() || !row.elements.is_empty());
        (by_name && self.has_unknown_reductions()).then(|| {
            format!(
                "{} does not say of all its reductions what they combine: rows of [[combining]] with an operation or a type do not fit \
                 those, and node.combine_bandwidth holds; log the program anew (weir log), or write op and type into the profile",
                self.path.display()
            )
        })
    }

    pub(crate) fn warning(&self, disks: bool) -> Option<String> {
        (disks && self.uses_files()).then(|| {
            format!(
                "[storage] does nothing here: in a profile files take as long as when it was logged, in {}; to try other \
                 disks, log the program anew with them (weir log --machine FILE)",
                self.path.display()
            )
        })
    }
}
