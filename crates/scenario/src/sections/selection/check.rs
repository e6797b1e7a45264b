//! Reads which algorithms collectives use: by their names, and by the table.

use super::{ALGORITHM, HARDWARE, read};
use crate::NodeSection;
use crate::scenario::Check;
use crate::sections::collectives::{AUTO, CollectivesSection, ReadCollectives, known};
use crate::sections::workload::{CollectiveSection, Workload};
use weir_message::collective::{Known, Named, Preset, Row};

/// Algorithm that follows the grid of the job.
const DISJOINT_TREES: &str = "disjoint-trees";

impl Check<'_> {
    /// The algorithms by their names, and the table. Collectives that are named take no notice of the table; where a name
    /// does not stand for one algorithm, its rows are the table of the collective. With so many ranks, and the sides of the grid they
    /// lie on if none is written.
    pub(crate) fn algorithms(
        &mut self,
        workload: Option<&mut Workload>,
        ranks: Option<usize>,
        grid: Option<Vec<u32>>,
        node: &NodeSection,
    ) -> (CollectivesSection, Vec<Row<Named>>) {
        let ReadCollectives { mut section, mut rows, .. } = match workload {
            Some(Workload::Collective(collective)) => self.collectives_of(collective),
            _ => self.read("collectives", |section| CollectivesSection::read(section, None)),
        };
        let own = self.selection(section.preset);
        let is_named = |row: &Row<Named>, rows: &[Row<Named>]| {
            rows.iter().any(|named| named.algorithm.collective() == row.algorithm.collective())
        };
        let own: Vec<Row<Named>> = own.into_iter().filter(|row| !is_named(row, &rows)).collect();
        rows.extend(own);
        if let Some(ranks) = ranks {
            self.grid(&mut section, &rows, ranks, grid);
        }
        self.hardware_fits(&section, &rows, node);
        (section, rows)
    }

    /// Fills in the grid where an algorithm follows it. Refuses one that has not a place for each rank, and none.
    fn grid(
        &mut self,
        section: &mut CollectivesSection,
        rows: &[Row<Named>],
        ranks: usize,
        of_job: Option<Vec<u32>>,
    ) {
        let trees = find(section, rows, DISJOINT_TREES);
        if trees.is_none() && find(section, rows, HARDWARE).is_none() {
            return;
        }
        if section.grid.is_empty() {
            section.grid = of_job.unwrap_or_default();
        }
        let places: u64 = section.grid.iter().fold(1, |places, &side| places.saturating_mul(side.into()));
        match trees {
            Some(follows) if section.grid.is_empty() => {
                let what = format!(
                    "is missing: {DISJOINT_TREES} of {} follow it, and the {ranks} ranks are not one on each place of a torus",
                    follows.collective()
                );
                let hint = "write collectives.grid, as [4, 8] for 32 ranks, or choose multi-tree".to_owned();
                self.findings.add(&self.input.whole, "collectives.grid", "", what, Some(hint));
            }
            _ if !section.grid.is_empty() && places != ranks as u64 => {
                let what =
                    format!("has {places} places, and there are {ranks} ranks: there must be one each");
                self.section("collectives").problem("grid", what, None);
            }
            _ => {}
        }
    }

    fn hardware_fits(&mut self, section: &CollectivesSection, rows: &[Row<Named>], node: &NodeSection) {
        let Some(named) = find(section, rows, HARDWARE).filter(|_| node.hardware_overhead.is_none()) else {
            return;
        };
        let what =
            format!("is missing: {HARDWARE} of {} is of interfaces that carry it out", named.collective());
        let hint =
            "write node.hardware_overhead = \"1 us\" if those of the machine do, or choose another algorithm";
        self.findings.add(&self.input.whole, "node.hardware_overhead", "", what, Some(hint.to_owned()));
    }

    /// The algorithms where the workload is one collective, which may name its own, as `[collectives]` may. It gets the name
    /// of the catalogue, if one algorithm is meant.
    fn collectives_of(&mut self, collective: &mut CollectiveSection) -> ReadCollectives {
        let operation = collective.operation;
        let name = collective.algorithm.take();
        let named = name.as_deref().map(|name| (operation, name));
        let read = self.read("collectives", |section| CollectivesSection::read(section, named));
        let Some(named) = named else { return read };
        let preset = read.section.preset;
        let Some(own) = known(&mut self.section("workload"), ALGORITHM.name, preset, named) else {
            return read;
        };
        let written = read.written.iter().find(|(key, _)| *key == operation).map(|(_, known)| known);
        if let Some(in_force) = written.filter(|in_force| in_force.rows != own.rows) {
            let name = |known: &Known| match &known.rows[..] {
                [row] => preset.name_of(row.algorithm),
                _ => known.name,
            };
            let what = format!("is {}, and collectives.{operation} is {}", name(&own), name(in_force));
            self.section("workload").problem("algorithm", what, Some("name the algorithm once".to_owned()));
        }
        let chosen = read.section.algorithm(operation);
        let chosen = Named::new(operation, chosen).expect("the catalogue has the pair");
        let is_one = own.name == AUTO || chosen.algorithm().name != AUTO;
        collective.algorithm = is_one.then(|| preset.name_of(chosen).to_owned());
        read
    }

    /// The table of the input. An item that earlier ones leave nothing for is refused, and of what an item stands for, what
    /// they leave nothing for is left out.
    fn selection(&mut self, preset: Preset) -> Vec<Row<Named>> {
        let items = self.listed("selection", "algorithm=ring", |number, section| {
            read(section, preset).map(|rows| (number, rows))
        });
        let mut rows: Vec<(usize, Row<Named>)> = Vec::new();
        for (number, of_item) in items {
            let mut covered = None;
            let before = rows.len();
            for row in of_item {
                let covers = |(_, earlier): &&(usize, Row<Named>)| {
                    earlier.algorithm.collective() == row.algorithm.collective()
                        && earlier.when.covers(&row.when)
                };
                match rows.iter().find(covers) {
                    Some(&(earlier, _)) => covered = covered.or(Some(earlier)),
                    None => rows.push((number, row)),
                }
            }
            let Some(earlier) = covered.filter(|_| rows.len() == before) else { continue };
            let what = format!("can never be reached: selection.{earlier} fits wherever it does");
            let hint = "the first row that fits decides: put the narrower one first, or leave one out";
            if let Some(mut section) = self.item("selection", number) {
                section.problem(ALGORITHM.name, what, Some(hint.to_owned()));
            }
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

fn find(section: &CollectivesSection, rows: &[Row<Named>], name: &str) -> Option<Named> {
    let named = section.algorithms.iter().filter_map(|(collective, name)| Named::new(collective, name));
    named.chain(rows.iter().map(|row| row.algorithm)).find(|named| named.algorithm().name == name)
}
