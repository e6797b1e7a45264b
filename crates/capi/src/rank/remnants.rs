//! Objects that a program has left behind at its end, for those who ask (`--verify`): requests, messages, objects of MPI.

use crate::calls::call_site::CallSite;
use crate::mpi::collectives::OwnAlgorithms;
use crate::mpi::dynamic::Ports;
use crate::mpi::files::Files;
use crate::mpi::info::Infos;
use crate::mpi::operations::UserOperations;
use crate::mpi::requests::persistent::KeptRequests;
use crate::mpi::windows::Windows;
use crate::rank::Rank;
use std::collections::BTreeMap;
use weir_message::Fate;

/// Something that a rank has left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remnant {
    /// `request`, `message` or `object`.
    pub kind: &'static str,
    /// Details with their names.
    pub details: Vec<(&'static str, String)>,
}

/// Kinds of objects that the program has made and not freed, with their numbers.
pub(crate) fn objects_left(rank: &Rank) -> [(&'static str, usize); 8] {
    let files = rank.known().map_or(0, Files::left);
    let windows = rank.known().map_or(0, Windows::left);
    let hidden = rank.known().map_or(0, Ports::hidden) + rank.known().map_or(0, OwnAlgorithms::hidden);
    [
        // Files and windows have communicators of their own, as have ports and algorithms of the program.
        ("communicators", rank.process.communicators_left().saturating_sub(files + windows + hidden)),
        ("datatypes", rank.types.left()),
        ("groups", rank.groups.len()),
        ("operations", rank.known().map_or(0, UserOperations::left)),
        ("files", files),
        ("windows", windows),
        ("info objects", rank.known().map_or(0, Infos::left)),
        ("persistent requests", rank.known().map_or(0, KeptRequests::left)),
    ]
}

pub(crate) fn of_rank(rank: &Rank) -> Vec<Remnant> {
    let mut found = Vec::new();
    let mut sites: BTreeMap<CallSite, String> = BTreeMap::new();
    for request in rank.process.open_requests() {
        let mut details = Vec::new();
        if let Some((call, site)) = rank.origins.as_ref().and_then(|origins| origins.of(request.id)) {
            details.push(("call", call.to_owned()));
            if let Some(site) = site {
                let words = sites.entry(site).or_insert_with(|| site.describe());
                details.push(("called_in", words.clone()));
            }
        }
        let state = match request.fate {
            Fate::Complete => "complete, neither waited for nor freed",
            Fate::Open => "never completed",
            Fate::Freed => "freed, never completed",
        };
        details.push(("state", state.to_owned()));
        details.extend(request.details);
        found.push(Remnant { kind: "request", details });
    }
    found.extend(rank.process.unreceived().map(|details| Remnant { kind: "message", details }));
    let objects = objects_left(rank);
    found.extend(objects.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| Remnant {
        kind: "object",
        details: vec![("what", what.to_owned()), ("not_freed", count.to_string())],
    }));
    found
}
