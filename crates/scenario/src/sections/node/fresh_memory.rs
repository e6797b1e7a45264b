//! Temporary memory that comes from the operating system: the keys `fresh_memory_...`.

use super::{FRESH_MEMORY_BANDWIDTH, FRESH_MEMORY_FROM, FRESH_MEMORY_OVERHEAD, FRESH_MEMORY_SEVERAL_FROM};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_message::FreshMemory;
use weir_units::Duration;

pub(super) fn read(section: &mut Section<'_>) -> Option<FreshMemory> {
    let (from, bandwidth) = (section.get(&FRESH_MEMORY_FROM), section.get(&FRESH_MEMORY_BANDWIDTH));
    let (several_from, overhead) =
        (section.get(&FRESH_MEMORY_SEVERAL_FROM), section.get(&FRESH_MEMORY_OVERHEAD));
    if let (Some(from), Some(bandwidth)) = (from, bandwidth) {
        return Some(FreshMemory { from, several_from, overhead: overhead.unwrap_or_default(), bandwidth });
    }
    let both = [FRESH_MEMORY_FROM.name, FRESH_MEMORY_BANDWIDTH.name];
    let more = [FRESH_MEMORY_SEVERAL_FROM.name, FRESH_MEMORY_OVERHEAD.name];
    let missing: Vec<&str> = both.into_iter().filter(|name| !section.has(name)).collect();
    let written = both.into_iter().chain(more).find(|name| section.has(name));
    if let (Some(alone), false) = (written, missing.is_empty()) {
        let hint = format!("write node.{} too, or neither", missing.join(" and node."));
        section.problem(alone, "says nothing alone", Some(hint));
    }
    None
}

pub(super) fn put(fresh: FreshMemory, node: &mut Resolved) {
    node.put(&FRESH_MEMORY_FROM, fresh.from);
    node.put_some(&FRESH_MEMORY_SEVERAL_FROM, fresh.several_from);
    node.put_some(&FRESH_MEMORY_OVERHEAD, (fresh.overhead > Duration::ZERO).then_some(fresh.overhead));
    node.put(&FRESH_MEMORY_BANDWIDTH, fresh.bandwidth);
}
