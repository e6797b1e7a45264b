//! What a program has left behind at its end, for those who ask (`--verify`): requests, messages, objects of MPI.

use crate::calls::call_site::CallSite;
use crate::rank::Rank;
use std::collections::BTreeMap;
use weir_message::{Fate, RequestId};

/// Whether a run keeps account of where requests begin, to tell at its end what is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// No, and nothing is paid for it.
    #[default]
    No,
    /// Yes: every call of MPI looks for the requests it has started.
    Yes,
}

/// Something that a rank has left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remnant {
    /// `request`, `message` or `object`.
    pub kind: &'static str,
    /// What is known of it, with its names.
    pub details: Vec<(&'static str, String)>,
}

/// Which call has begun each request that is not over.
#[derive(Default)]
pub(crate) struct Origins(BTreeMap<RequestId, (&'static str, Option<CallSite>)>);

impl Origins {
    /// The call is over: new requests are its own.
    pub(crate) fn update(&mut self, rank: &crate::rank::Rank) {
        let open: Vec<RequestId> = rank.process.open_request_ids().collect();
        self.0.retain(|known, _| open.binary_search(known).is_ok());
        let call = rank.call;
        let mut site = None;
        for id in open {
            let site = &mut site;
            self.0.entry(id).or_insert_with(|| (call, *site.get_or_insert_with(CallSite::of_caller)));
        }
    }
}

/// All that a rank has left behind.
pub(crate) fn of_rank(rank: &Rank) -> Vec<Remnant> {
    let mut found = Vec::new();
    let mut sites: BTreeMap<CallSite, String> = BTreeMap::new();
    for request in rank.process.open_requests() {
        let mut details = Vec::new();
        if let Some(&(call, site)) = rank.origins.as_ref().and_then(|origins| origins.0.get(&request.id)) {
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
    let objects = rank.objects_left();
    found.extend(objects.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| Remnant {
        kind: "object",
        details: vec![("what", what.to_owned()), ("not_freed", count.to_string())],
    }));
    found
}
