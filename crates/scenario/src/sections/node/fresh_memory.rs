//! Temporary memory that comes from the operating system: `fresh_memory_from`, `fresh_memory_bandwidth`.

use super::{FRESH_MEMORY_BANDWIDTH, FRESH_MEMORY_FROM};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_message::FreshMemory;

pub(super) fn read(section: &mut Section<'_>) -> Option<FreshMemory> {
    let (from, bandwidth) = (section.get(&FRESH_MEMORY_FROM), section.get(&FRESH_MEMORY_BANDWIDTH));
    let (alone, other) = match (from, bandwidth) {
        (Some(from), Some(bandwidth)) => return Some(FreshMemory { from, bandwidth }),
        (None, None) => return None,
        (Some(_), None) => (FRESH_MEMORY_FROM.name, FRESH_MEMORY_BANDWIDTH.name),
        (None, Some(_)) => (FRESH_MEMORY_BANDWIDTH.name, FRESH_MEMORY_FROM.name),
    };
    if !section.has(other) {
        section.problem(alone, "says nothing alone", Some(format!("write node.{other} too, or neither")));
    }
    None
}

pub(super) fn put(fresh: FreshMemory, node: &mut Resolved) {
    node.put(&FRESH_MEMORY_FROM, fresh.from);
    node.put(&FRESH_MEMORY_BANDWIDTH, fresh.bandwidth);
}
