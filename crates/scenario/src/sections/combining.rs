//! `[[combining]]`: how fast reductions combine, by operation and type.

mod check;

use crate::keys::form::{DATA, RATE};
use crate::keys::keys;
use crate::keys::names::{ELEMENTS, OPERATIONS};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_message::{CombiningRow, ElementName, OperationName};
use weir_units::{Bandwidth, Bytes};

keys! {
    "combining":
    OPERATION: Vec<OperationName> = "operation", &[], OPERATIONS, Words("any"),
        "One operation or a list: `sum`, `prod`, `max`, `min`, `land`, `lor`, `lxor`, `band`, `bor`, `bxor`, `maxloc`, `minloc`, as \
         `MPI_SUM` too; `user`: a function of the program.";
    TYPE: Vec<ElementName> = "type", &[], ELEMENTS, Words("any"),
        "One type of the elements or a list, as `double`, `MPI_DOUBLE` or `float64`: all [names](collectives.md#what-combining-takes) of C, MPI and \
         Fortran for the same elements are one type.";
    UP_TO: Bytes = "up_to", &[], DATA, Words("any"),
        "Largest operand that the row is for: what does not fit into a cache is combined more slowly.";
    BANDWIDTH: Bandwidth = "bandwidth", &[], RATE, Required("write bandwidth = \"12 GB/s\""),
        "Rate at which one operand is made of two, in bytes of one of them, in place of `node.combine_bandwidth`.", More(StartUp);
}

/// A row of the table; `None` when something is missing or wrong.
fn read(section: &mut Section<'_>) -> Option<CombiningRow> {
    let (operations, elements) = (section.get(&OPERATION), section.get(&TYPE));
    let is_right = |key: &str, found: bool, section: &Section<'_>| found || !section.has(key);
    let named = is_right(OPERATION.name, operations.is_some(), section)
        && is_right(TYPE.name, elements.is_some(), section);
    let (up_to, bandwidth) = (section.get(&UP_TO), section.get_required(&BANDWIDTH));
    let row = CombiningRow {
        operations: operations.unwrap_or_default(),
        elements: elements.unwrap_or_default(),
        up_to,
        bandwidth: bandwidth?,
    };
    if named && !row.has_any() {
        let names = row.operations.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ");
        let what = format!("fits no reduction: MPI has no {names} of such elements");
        section.problem(TYPE.name, what, None);
    }
    named.then_some(row)
}

pub(crate) fn put(row: &CombiningRow, table: &mut Resolved) {
    table.put_some(&OPERATION, Some(&row.operations).filter(|named| !named.is_empty()));
    table.put_some(&TYPE, Some(&row.elements).filter(|named| !named.is_empty()));
    table.put_some(&UP_TO, row.up_to);
    table.put(&BANDWIDTH, row.bandwidth);
}
