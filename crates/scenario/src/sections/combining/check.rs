//! Reads the table of reductions, and puts it among the costs of the message layer.

use super::{BANDWIDTH, read};
use crate::Scenario;
use crate::scenario::Check;
use weir_message::{CombiningRow, Costs};

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
            if let Some(mut section) = self.item("combining", numbers[index]) {
                section.problem(BANDWIDTH.name, what, Some(hint.to_owned()));
            }
        }
        rows
    }
}

impl Scenario {
    pub(crate) fn message_costs(&self) -> Costs {
        let costs = self.node.message_costs(self.placement(), self.wires_of_nodes() * self.node.cables);
        Costs { combining: self.combining.clone().into(), work: self.work_factors(), ..costs }
    }
}
