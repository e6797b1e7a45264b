//! A comparison as text, CSV and Markdown.

use crate::numbers::{percent, shown};
use crate::{Comparison, Row, Target, Tolerance};
use std::fmt::Write;

const CSV_COLUMNS: [&str; 11] =
    ["x", "what", "unit", "kind", "target", "own", "difference", "tolerance", "verdict", "source", "why"];

impl Comparison {
    /// The table and the notes as aligned text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("paper {}, {}: {}\n", self.paper, self.item, self.title);
        for line in aligned(&self.cells(), |column| [1, 2, 6, 7].contains(&column)) {
            _ = writeln!(text, "  {line}");
        }
        for note in self.all_notes() {
            _ = writeln!(text, "  note: {note}");
        }
        text
    }

    /// The table as CSV (RFC 4180, but lines end with a line feed), numbers in full.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = CSV_COLUMNS.join(",") + "\n";
        for row in &self.rows {
            let reference = row.reference.as_ref();
            let tolerance = reference.and_then(|reference| reference.target.tolerance()?.part());
            let optional = |number: Option<f64>| number.map_or_else(String::new, |n| n.to_string());
            let cells = [
                row.x.clone(),
                row.what.clone(),
                row.unit.to_owned(),
                reference.map_or("", |reference| reference.kind.name()).to_owned(),
                reference.map_or_else(String::new, |reference| target_in_full(reference.target)),
                optional(row.own),
                optional(row.difference()),
                optional(tolerance),
                row.verdict().name().to_owned(),
                reference.map_or("", |reference| reference.source).to_owned(),
                row.why.unwrap_or_default().to_owned(),
            ];
            text += &cells.map(|cell| quoted(&cell)).join(",");
            text.push('\n');
        }
        text
    }

    /// Title, plots, table and notes as a part of a Markdown page, which lies beside the plots.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = format!("## Paper {}, {}: {}\n\n", self.paper, self.item, self.title);
        for plot in &self.plots {
            _ = writeln!(text, "![{}]({}.svg)\n", plot.title, plot.name);
        }
        for (i, row) in self.cells().iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            _ = writeln!(text, "| {} |", cells.join(" | "));
            if i == 0 {
                text += "|--:|---|---|--:|--:|--:|---|---|\n";
            }
        }
        for note in self.all_notes() {
            _ = write!(text, "\n- {note}");
        }
        text + "\n"
    }

    /// The names of the columns, then the rows.
    fn cells(&self) -> Vec<[String; 8]> {
        let names = [self.x, "value", "kind", "target", "own", "difference", "tolerance", "verdict"];
        std::iter::once(names.map(str::to_owned)).chain(self.rows.iter().map(row_cells)).collect()
    }
}

/// The rows as lines in which columns lie below each other, as wide as what is in them; those that are `left` begin at the left,
/// the others end at the right. Every row has as many cells.
pub fn aligned(rows: &[impl AsRef<[String]>], left: impl Fn(usize) -> bool) -> Vec<String> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows.iter().map(AsRef::as_ref) {
        widths.resize(row.len(), 0);
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = cell.chars().count().max(*width));
    }
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match left(column) {
            true => format!("{cell:width$}"),
            false => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(|row| line(row.as_ref())).collect()
}

/// x, value, kind, target, own, difference, tolerance, verdict.
pub(crate) fn row_cells(row: &Row) -> [String; 8] {
    let reference = row.reference.as_ref();
    let tolerance = match reference.map(|reference| reference.target) {
        Some(Target::Value(_, Tolerance::Exact)) => "exact".to_owned(),
        Some(Target::Value(_, Tolerance::Relative(part))) => format!("{} %", shown(100.0 * part)),
        _ => String::new(),
    };
    let what = if row.unit.is_empty() { row.what.clone() } else { format!("{} [{}]", row.what, row.unit) };
    [
        row.x.clone(),
        what,
        reference.map_or("", |reference| reference.kind.name()).to_owned(),
        reference.map_or_else(String::new, |reference| target_shown(reference.target)),
        row.own.map_or_else(|| row.absence().to_owned(), shown),
        row.difference().map_or_else(String::new, percent),
        tolerance,
        row.verdict().name().to_owned(),
    ]
}

fn target_shown(target: Target) -> String {
    match target {
        Target::Value(value, _) => shown(value),
        Target::Between(least, most) | Target::About(least, most) => {
            format!("{} .. {}", shown(least), shown(most))
        }
        Target::Below(value) => format!("< {}", shown(value)),
        Target::Above(value) => format!("> {}", shown(value)),
    }
}

fn target_in_full(target: Target) -> String {
    match target {
        Target::Value(value, _) => value.to_string(),
        Target::Between(least, most) | Target::About(least, most) => format!("{least}..{most}"),
        Target::Below(value) => format!("<{value}"),
        Target::Above(value) => format!(">{value}"),
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison() -> Comparison {
        let row = |x: &str, what: &str, own| Row::new(x, what, "", own);
        let place = "paper 000, section 4.2, \"Random\"";
        Comparison {
            paper: "000",
            item: "figure-2",
            title: "all-to-all",
            x: "nodes",
            rows: vec![
                row("54", "random / regular", 2.505).published(Target::near(2.5, 0.1), place),
                row("54", "largest, of all", 53.0).formula(Target::Below(50.0), "N"),
                row("54", "iterations", 2.0).published(Target::Between(8.0, 13.0), place).explained("Few."),
                Row::missing("3456", "wall-clock time", "s", "Too long."),
            ],
            plots: Vec::new(),
            notes: vec!["One placement.".into()],
        }
    }

    #[test]
    fn text() {
        let expected = "\
paper 000, figure-2: all-to-all
  nodes  value                kind        target      own  difference  tolerance  verdict
     54  random / regular     published      2.5    2.505     +0.20 %  10 %       yes
     54  largest, of all      formula       < 50       53                         no
     54  iterations           published  8 .. 13        2                         not reproduced
   3456  wall-clock time [s]                      not run                         not judged
  note: One placement.
  note: Not reproduced: iterations (54 nodes). Few.
  note: Not run: wall-clock time (3456 nodes). Too long.
";
        assert_eq!(comparison().to_text(), expected);
        assert_eq!(comparison().unexplained().count(), 1);
    }

    #[test]
    fn csv() {
        let expected = "\
x,what,unit,kind,target,own,difference,tolerance,verdict,source,why
54,random / regular,,published,2.5,2.505,0.0020000000000000018,0.1,yes,\"paper 000, section 4.2, \"\"Random\"\"\",
54,\"largest, of all\",,formula,<50,53,,,no,N,
54,iterations,,published,8..13,2,,,not reproduced,\"paper 000, section 4.2, \"\"Random\"\"\",Few.
3456,wall-clock time,s,,,,,,not judged,,Too long.
";
        assert_eq!(comparison().to_csv(), expected);
    }

    #[test]
    fn markdown() {
        let text = comparison().to_markdown();
        assert!(text.starts_with("## Paper 000, figure-2: all-to-all\n\n| nodes | value | kind |"), "{text}");
        assert!(text.contains("|  | not judged |\n\n- One placement.\n"), "{text}");
    }
}
