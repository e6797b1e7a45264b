//! Reads which algorithms collectives use: by their names, and by the table.

use super::{ALGORITHM, read};
use crate::scenario::Check;
use crate::sections::collectives::CollectivesSection;
use crate::sections::workload::Workload;
use weir_message::collective::{Named, Row};

impl Check<'_> {
    /// The algorithms by their names, and the table.
    pub(crate) fn algorithms(
        &mut self,
        workload: Option<&Workload>,
    ) -> (CollectivesSection, Vec<Row<Named>>) {
        (self.collectives(workload), self.selection())
    }

    /// The algorithms. A workload that is one collective may name its own, as `[collectives]` may.
    fn collectives(&mut self, workload: Option<&Workload>) -> CollectivesSection {
        let Some(Workload::Collective(collective)) = workload else {
            return self.read("collectives", |section| CollectivesSection::read(section, None));
        };
        let (operation, named) = (collective.operation, collective.algorithm);
        let named = named.map(|algorithm| (operation, algorithm));
        let collectives = self.read("collectives", |section| CollectivesSection::read(section, named));
        let Some((_, algorithm)) = named else { return collectives };
        let in_force = collectives.algorithm(operation);
        if algorithm != in_force {
            let what = format!("is {algorithm}, and collectives.{operation} is {in_force}");
            self.section("workload").problem("algorithm", what, Some("name the algorithm once".to_owned()));
        }
        collectives
    }

    /// The table of the input. A row that an earlier one leaves nothing for is refused.
    fn selection(&mut self) -> Vec<Row<Named>> {
        let mut numbers = Vec::new();
        let rows = self.listed("selection", "algorithm=ring", |number, section| {
            let row = read(section);
            numbers.extend(row.map(|_| number));
            row
        });
        for (index, row) in rows.iter().enumerate() {
            let covers = |earlier: &Row<Named>| {
                earlier.algorithm.collective() == row.algorithm.collective() && earlier.when.covers(&row.when)
            };
            let Some(earlier) = rows[..index].iter().position(covers) else { continue };
            let what = format!("can never be reached: selection.{} fits wherever it does", numbers[earlier]);
            let hint = "the first row that fits decides: put the narrower one first, or leave one out";
            if let Some(mut section) = self.item("selection", numbers[index]) {
                section.problem(ALGORITHM.name, what, Some(hint.to_owned()));
            }
        }
        rows
    }
}
