//! `[[combining]]`: how fast reductions combine, by operation and type.

use crate::Scenario;
use crate::check::Check;
use crate::keys::form::{DATA, RATE};
use crate::keys::keys;
use crate::keys::names::{ELEMENTS, OPERATIONS};
use crate::sections::work::factors;
use crate::source::reader::Section;
use weir_message::{CombiningRow, Costs, ElementName, OperationName};
use weir_network::Placement;
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
    VECTOR_UP_TO: Bytes = "vector_up_to", &[], DATA, Words("any"),
        "Largest vector of a collective whose operands, the whole vector or parts of it, the row is for, the vectors of all ranks of a node \
         together: the parts of vectors that do not fit into the caches of a node come from its memory.";
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
    let vector_up_to = section.get(&VECTOR_UP_TO);
    let row = CombiningRow {
        operations: operations.unwrap_or_default(),
        elements: elements.unwrap_or_default(),
        up_to,
        vector_up_to,
        bandwidth: bandwidth?,
    };
    let names = row.operations.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ");
    let what = format!("fits no reduction: MPI has no {names} of such elements");
    section.report_if(named && !row.has_any(), TYPE.name, what, "");
    named.then_some(row)
}

impl Check<'_> {
    /// The table of the input. A row that an earlier one leaves nothing for is refused.
    pub(crate) fn combining(&mut self) -> Vec<CombiningRow> {
        let mut numbers = Vec::new();
        let rows = self.listed("combining", "bandwidth=\"12 GB/s\"", |number, section| {
            let row = read(section);
            numbers.extend(row.iter().map(|_| number));
            row
        });
        for (index, row) in rows.iter().enumerate() {
            let Some(earlier) = rows[..index].iter().position(|earlier| earlier.covers(row)) else {
                continue;
            };
            let what = format!("can never be reached: combining.{} fits wherever it does", numbers[earlier]);
            let hint = "the first row that fits decides: put the narrower one first, or leave one out";
            self.item_problem(("combining", numbers[index]), BANDWIDTH.name, what, hint);
        }
        rows
    }
}

impl Scenario {
    /// Times that the message layer takes.
    pub fn message_costs(&self) -> Costs {
        self.message_costs_at(self.placement())
    }

    /// The same for ranks at these places, as those of one of several jobs are.
    pub fn message_costs_at(&self, placement: &Placement) -> Costs {
        let costs = self.node.message_costs(placement, self.wires_of_nodes() * self.node.cables);
        // The ranks of a node share its caches.
        let on_each = placement.most_on_a_node().max(1) as u64;
        let shared = |row: &CombiningRow| {
            let vector_up_to = row.vector_up_to.map(|bytes| Bytes(bytes.0 / on_each));
            CombiningRow { vector_up_to, ..row.clone() }
        };
        Costs {
            combining: self.combining.iter().map(shared).collect(),
            work: factors(&self.work, || placement),
            ..costs
        }
    }
}
