//! All items in one table: every value that is compared with something.

use crate::table::{aligned, row_cells};
use crate::{Comparison, Row, Verdict};
use std::fmt::Write;

/// What all comparisons together have found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Values within their tolerance.
    pub within: usize,
    /// Values outside of it.
    pub outside: usize,
    /// Values that are shown beside another one and not judged.
    pub not_judged: usize,
}

impl Counts {
    /// Of the values that are compared with something.
    #[must_use]
    pub fn of(comparisons: &[Comparison]) -> Self {
        let mut counts = Self::default();
        for row in comparisons.iter().flat_map(compared) {
            match row.verdict() {
                Verdict::Within => counts.within += 1,
                Verdict::Outside => counts.outside += 1,
                Verdict::NotStated => counts.not_judged += 1,
            }
        }
        counts
    }
}

/// One table of the values of all comparisons that have a published or an expected value beside them, in the given
/// order, and below it how many lie where they should.
#[must_use]
pub fn overview(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    for line in aligned(&lines(comparisons), &[0, 1, 2, 3, 8, 9]) {
        _ = writeln!(text, "{line}");
    }
    text + "\n" + &verdict(comparisons) + "\n"
}

/// The same as a part of a page in Markdown.
pub(crate) fn overview_markdown(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    for (i, line) in lines(comparisons).iter().enumerate() {
        let cells: Vec<String> = line.iter().map(|cell| cell.replace('|', "\\|")).collect();
        _ = writeln!(text, "| {} |", cells.join(" | "));
        if i == 0 {
            text += "|---|---|---|---|--:|--:|--:|--:|---|---|\n";
        }
    }
    text + "\n" + &verdict(comparisons) + "\n"
}

fn verdict(comparisons: &[Comparison]) -> String {
    let Counts { within, outside, not_judged } = Counts::of(comparisons);
    format!("{within} values within their tolerance, {outside} outside, {not_judged} shown and not judged.")
}

fn compared(comparison: &Comparison) -> impl Iterator<Item = &Row> {
    comparison.rows.iter().filter(|row| row.reference.is_some())
}

/// The names of the columns, then the rows.
fn lines(comparisons: &[Comparison]) -> Vec<[String; 10]> {
    let names =
        ["paper", "item", "at", "value", "published", "expected", "own", "difference", "tolerance", "within"];
    let mut lines = vec![names.map(str::to_owned)];
    for comparison in comparisons {
        for row in compared(comparison) {
            let [x, what, published, expected, own, difference, tolerance, within] = row_cells(row);
            let at = if x == "all" { x } else { format!("{x} {}", comparison.x) };
            let (paper, item) = (comparison.paper.to_owned(), comparison.item.to_owned());
            lines.push([paper, item, at, what, published, expected, own, difference, tolerance, within]);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Target, Tolerance};

    fn comparison() -> Comparison {
        let published = |own, tolerance| {
            Row::new("54", "random / regular", "", own).published(
                Target::Value(2.5),
                tolerance,
                "section 4.2",
            )
        };
        Comparison {
            paper: "000",
            item: "figure-2",
            title: "all-to-all",
            x: "nodes",
            rows: vec![
                published(2.505, Tolerance::Relative(0.1)),
                published(3.0, Tolerance::Relative(0.1)),
                published(3.0, Tolerance::NotStated),
                Row::new("54", "time", "s", 0.25),
            ],
            plots: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_compared_is_shown_and_counted() {
        let expected = "\
paper  item      at        value             published  expected    own  difference  tolerance  within
000    figure-2  54 nodes  random / regular        2.5            2.505     +0.20 %  10 %       yes
000    figure-2  54 nodes  random / regular        2.5                3    +20.00 %  10 %       no
000    figure-2  54 nodes  random / regular        2.5                3    +20.00 %             not stated

1 values within their tolerance, 1 outside, 1 shown and not judged.
";
        assert_eq!(overview(&[comparison()]), expected);
        let page = overview_markdown(&[comparison()]);
        assert!(page.starts_with("| paper | item | at | value | published |"), "{page}");
        assert_eq!(page.lines().count(), 2 + 3 + 2);
        assert_eq!(Counts::of(&[]), Counts::default());
    }
}
