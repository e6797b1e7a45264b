//! Where requests have begun, for those who ask what remains of them.

use crate::calls::call_site::CallSite;
use std::collections::BTreeMap;
use weir_message::RequestId;

/// Which call has begun each request that is not over.
#[derive(Default)]
pub(crate) struct Origins(BTreeMap<RequestId, (&'static str, Option<CallSite>)>);

impl Origins {
    /// The call is over: new requests are its own.
    pub(crate) fn update(&mut self, open: &[RequestId], call: &'static str) {
        self.0.retain(|known, _| open.binary_search(known).is_ok());
        let mut site = None;
        for &id in open {
            let site = &mut site;
            self.0.entry(id).or_insert_with(|| (call, *site.get_or_insert_with(CallSite::of_caller)));
        }
    }

    /// The call that has begun a request, and where that was.
    pub(crate) fn of(&self, request: RequestId) -> Option<(&'static str, Option<CallSite>)> {
        self.0.get(&request).copied()
    }
}
