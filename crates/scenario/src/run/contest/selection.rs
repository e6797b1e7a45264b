//! The best algorithms as rows of a machine file.

use super::{Cell, Contest};
use std::fmt::Write;

impl Contest {
    /// Rows of `[[selection]]` that take the best algorithm everywhere: a number of ranks stands for those up to the next that was
    /// run, and a size likewise, the first for all below and the last for all beyond. Sizes in a row with the same best are one.
    #[must_use]
    pub fn selection(&self) -> String {
        let mut text = format!("[collectives]\npreset = \"{}\"\n", self.preset.name());
        let mut operations: Vec<&str> = self.cells.iter().map(|cell| cell.operation).collect();
        operations.dedup();
        for operation in operations {
            let of = |cell: &&Cell| cell.operation == operation && cell.best().is_some();
            let cells: Vec<&Cell> = self.cells.iter().filter(of).collect();
            let mut ranks: Vec<usize> = cells.iter().map(|cell| cell.ranks).collect();
            ranks.sort_unstable();
            ranks.dedup();
            for (place, &count) in ranks.iter().enumerate() {
                let from = if place == 0 { 0 } else { count as u64 };
                let next = ranks.get(place + 1).map(|&next| next as u64);
                let range = range("ranks", (from, next), |count| count.to_string());
                let column: Vec<&Cell> = cells.iter().filter(|cell| cell.ranks == count).copied().collect();
                rows_of(&mut text, operation, &range, &column);
            }
        }
        text
    }
}

fn rows_of(text: &mut String, operation: &str, ranks: &str, column: &[&Cell]) {
    let best = |cell: &&Cell| cell.best().map(|(name, _)| name);
    let mut place = 0;
    while let Some(name) = column.get(place).and_then(best) {
        let same = column[place..].iter().take_while(|cell| best(cell) == Some(name)).count();
        let from = if place == 0 { 0 } else { column[place].bytes.0 };
        let to = column.get(place + same).map(|cell| cell.bytes.0);
        let bytes = range("bytes", (from, to), |bytes| format!("\"{bytes} B\""));
        let bytes = if operation == "barrier" { String::new() } else { bytes };
        write!(text, "\n[[selection]]\ncollective = \"{operation}\"\nalgorithm = \"{name}\"\n{ranks}{bytes}")
            .expect("a text takes all");
        place += same;
    }
}

/// The line of a range from a number to below the next; nothing where all are in it.
fn range(key: &str, (from, below): (u64, Option<u64>), written: impl Fn(u64) -> String) -> String {
    let any = || "\"any\"".to_owned();
    match (from, below) {
        (0, None) => String::new(),
        (0, Some(below)) => format!("{key} = [{}, {}]\n", any(), written(below - 1)),
        (from, below) => {
            format!("{key} = [{}, {}]\n", written(from), below.map_or_else(any, |below| written(below - 1)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_message::collective::Preset;
    use weir_units::{Bytes, Duration};

    /// The best of each cell, with others that take longer or cannot be run.
    fn cell(bytes: u64, ranks: usize, best: &'static str) -> Cell {
        let other = if best == "ring" { "bruck" } else { "ring" };
        let time = |ps| Ok(Duration::from_ps(ps));
        let times = vec![(other, time(9)), ("linear", Err("is not allowed".to_owned())), (best, time(7))];
        Cell {
            operation: "allgather",
            bytes: Bytes(bytes),
            ranks,
            times,
            auto: time(9),
            auto_is: vec![other],
        }
    }

    #[test]
    fn rows_of_what_is_best() {
        let cells = vec![
            cell(8, 2, "ring"),
            cell(8, 8, "bruck"),
            cell(64, 2, "ring"),
            cell(64, 8, "bruck"),
            cell(512, 2, "ring"),
            cell(512, 8, "ring"),
        ];
        let contest = Contest { preset: Preset::OpenMpi, cells, left_out: Vec::new() };
        let expected = "[collectives]\npreset = \"open-mpi\"\n\n\
                        [[selection]]\ncollective = \"allgather\"\nalgorithm = \"ring\"\nranks = [\"any\", 7]\n\n\
                        [[selection]]\ncollective = \"allgather\"\nalgorithm = \"bruck\"\nranks = [8, \"any\"]\n\
                        bytes = [\"any\", \"511 B\"]\n\n\
                        [[selection]]\ncollective = \"allgather\"\nalgorithm = \"ring\"\nranks = [8, \"any\"]\n\
                        bytes = [\"512 B\", \"any\"]\n";
        assert_eq!(contest.selection(), expected);
    }
}
