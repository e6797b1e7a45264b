//! `[[combining]]`: how fast reductions combine, by operation and type.

mod check;

use crate::Units;
use crate::keys::Default::{Required, Words};
use crate::keys::form::{DATA, Quantity, RATE};
use crate::keys::keys;
use crate::keys::names::{ELEMENTS, Names, OPERATIONS};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use serde_json::{Value, json};
use weir_message::{CombiningRow, ElementName, OperationName};
use weir_units::{Bandwidth, Bytes};

keys! {
    "combining":
    OPERATION: Names<OperationName> = "operation", &[], OPERATIONS, Words("any"),
        "one operation or a list: `sum`, `prod`, `max`, `min`, `land`, `lor`, `lxor`, `band`, `bor`, `bxor`, `maxloc`, `minloc`, as \
         `MPI_SUM` too; `user`: a function of the program";
    TYPE: Names<ElementName> = "type", &[], ELEMENTS, Words("any"),
        "one type of the elements or a list, as `double`, `MPI_DOUBLE` or `float64`: all [names](collectives.md#what-combining-takes) of C, MPI and \
         Fortran for the same elements are one type";
    UP_TO: Quantity<Bytes> = "up_to", &[], DATA, Words("any"),
        "the largest operand that the row is for: what does not fit into a cache is combined more slowly";
    BANDWIDTH: Quantity<Bandwidth> = "bandwidth", &[], RATE, Required("write bandwidth = \"12 GB/s\""),
        "how fast one operand is made of two, in bytes of one of them, in place of `node.combine_bandwidth`";
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

/// A row as it would be written.
pub(crate) fn resolved(row: &CombiningRow, units: Units) -> Value {
    let mut resolved = Resolved::new(units);
    if !row.operations.is_empty() {
        let names = row.operations.iter().map(|operation| operation.name()).collect::<Vec<_>>();
        resolved.put_written(&OPERATION, json!(names));
    }
    if !row.elements.is_empty() {
        let names = row.elements.iter().map(|element| element.name()).collect::<Vec<_>>();
        resolved.put_written(&TYPE, json!(names));
    }
    resolved.put_some(&UP_TO, row.up_to);
    resolved.put(&BANDWIDTH, row.bandwidth);
    resolved.into_value()
}
