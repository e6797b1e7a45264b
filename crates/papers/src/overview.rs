//! All items in one table: every value that is compared with something.

use crate::Comparison;
use crate::reference::{ReferenceKind, Verdict};
use crate::table::{aligned, row_cells};
use serde_json::{Value, json};
use std::fmt::Write;

/// What comparisons have found of the values of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Values within their tolerance.
    within: usize,
    /// Values outside of it: not reproduced, or in disagreement.
    outside: usize,
    /// Values that are shown beside another one and not judged.
    not_judged: usize,
}

/// What one comparison adds to the table of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Lines of the table.
    lines: Vec<Vec<String>>,
    /// In the order of [`ReferenceKind::ALL`].
    counts: [Counts; ReferenceKind::ALL.len()],
}

const COLUMNS: [&str; 10] =
    ["paper", "item", "at", "value", "kind", "target", "own", "difference", "tolerance", "verdict"];

impl Counts {
    fn line(self, kind: ReferenceKind) -> String {
        let Self { within, outside, not_judged } = self;
        let (good, bad) = match kind {
            ReferenceKind::Published | ReferenceKind::Claimed => ("reproduced", "not reproduced"),
            ReferenceKind::OutsideModel | ReferenceKind::Formula | ReferenceKind::SecondWay => {
                ("agree", "disagree")
            }
        };
        let shown = if not_judged > 0 { format!("; {not_judged} shown, not judged") } else { String::new() };
        format!("{}: {within} of {} {good}, {outside} {bad}{shown}", kind.title(), within + outside)
    }
}

impl Part {
    pub(crate) fn of(comparison: &Comparison) -> Self {
        let mut part = Self { lines: Vec::new(), counts: Default::default() };
        for row in &comparison.rows {
            let Some(reference) = &row.reference else { continue };
            let [x, what, kind, target, own, difference, tolerance, verdict] = row_cells(row);
            let at = if x == "all" { x } else { format!("{x} {}", comparison.x) };
            let (paper, item) = (comparison.paper.to_owned(), comparison.item.to_owned());
            part.lines.push(vec![paper, item, at, what, kind, target, own, difference, tolerance, verdict]);
            let place =
                ReferenceKind::ALL.iter().position(|&kind| kind == reference.kind).unwrap_or_default();
            let counts = &mut part.counts[place];
            match row.verdict() {
                Verdict::Within => counts.within += 1,
                Verdict::NotReproduced | Verdict::Disagrees => counts.outside += 1,
                Verdict::NotJudged => counts.not_judged += 1,
            }
        }
        part
    }

    pub(crate) fn to_json(&self) -> Value {
        let counts = self.counts.map(|counts| [counts.within, counts.outside, counts.not_judged]);
        json!({ "lines": self.lines, "counts": counts })
    }

    /// What [`Part::to_json`] has written; `None` if it is something else.
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let line = |line: &Value| {
            let cells: Option<Vec<String>> =
                line.as_array()?.iter().map(|cell| Some(cell.as_str()?.to_owned())).collect();
            cells.filter(|cells| cells.len() == COLUMNS.len())
        };
        let lines: Option<Vec<Vec<String>>> = value["lines"].as_array()?.iter().map(line).collect();
        let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let counts = |of: &Value| {
            Some(Counts { within: number(&of[0])?, outside: number(&of[1])?, not_judged: number(&of[2])? })
        };
        let counts: Option<Vec<Counts>> = value["counts"].as_array()?.iter().map(counts).collect();
        Some(Self { lines: lines?, counts: counts?.try_into().ok()? })
    }
}

/// For each kind how many values are as they should be.
fn totals(parts: &[&Part]) -> Vec<String> {
    let total = |(place, &kind): (usize, &ReferenceKind)| {
        let mut sum = Counts::default();
        for counts in parts.iter().map(|part| part.counts[place]) {
            sum.within += counts.within;
            sum.outside += counts.outside;
            sum.not_judged += counts.not_judged;
        }
        sum.line(kind)
    };
    ReferenceKind::ALL.iter().enumerate().map(total).collect()
}

/// One table of the values of all comparisons that are compared with something, in the given order, and below it for each
/// kind how many are as they should be.
#[must_use]
pub fn overview(comparisons: &[Comparison]) -> String {
    let parts: Vec<Part> = comparisons.iter().map(Part::of).collect();
    let parts: Vec<&Part> = parts.iter().collect();
    let cells = parts.iter().flat_map(|part| &part.lines);
    let cells = cells.map(|line| std::array::from_fn(|column| line[column].clone()));
    let lines: Vec<[String; COLUMNS.len()]> =
        std::iter::once(COLUMNS.map(str::to_owned)).chain(cells).collect();
    let mut text = String::new();
    for line in aligned(&lines, |column| [0, 1, 2, 3, 4, 8, 9].contains(&column)) {
        _ = writeln!(text, "{line}");
    }
    text + "\n" + &totals(&parts).join("\n") + "\n"
}

/// The same as a part of a page in Markdown, the totals first.
pub(crate) fn overview_markdown(parts: &[&Part]) -> String {
    let mut text = String::new();
    for line in totals(parts) {
        _ = writeln!(text, "- {line}");
    }
    _ = writeln!(text, "\n| {} |\n|---|---|---|---|---|--:|--:|--:|---|---|", COLUMNS.join(" | "));
    for line in parts.iter().flat_map(|part| &part.lines) {
        let cells: Vec<String> = line.iter().map(|cell| cell.replace('|', "\\|")).collect();
        _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Row, Target};

    fn comparison() -> Comparison {
        let row = |own| Row::new("54", "random / regular", "", own);
        let place = "paper 000, section 4.2";
        Comparison {
            paper: "000",
            item: "figure-2",
            title: "all-to-all",
            x: "nodes",
            rows: vec![
                row(2.505).published(Target::near(2.5, 0.1), place),
                row(3.0).published(Target::near(2.5, 0.1), place),
                row(3.0).published(Target::shown(2.5), place),
                row(1.0).claimed(Target::Above(1.0), place),
                row(2.0).second_way(Target::exactly(2.0), "the other engine"),
                Row::new("54", "time", "s", 0.25),
            ],
            plots: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_compared_is_shown_and_counted_by_kind() {
        let expected = "\
paper  item      at        value             kind            target    own  difference  tolerance  verdict
000    figure-2  54 nodes  random / regular  published          2.5  2.505     +0.20 %  10 %       yes
000    figure-2  54 nodes  random / regular  published          2.5      3    +20.00 %  10 %       not reproduced
000    figure-2  54 nodes  random / regular  published          2.5      3    +20.00 %             not judged
000    figure-2  54 nodes  random / regular  claimed            > 1      1                         not reproduced
000    figure-2  54 nodes  random / regular  own second way       2      2         0 %  exact      yes

published numbers: 1 of 2 reproduced, 1 not reproduced; 1 shown, not judged
published in words (an order, a trend, a bound): 0 of 1 reproduced, 1 not reproduced
numbers of an outside model: 0 of 0 agree, 0 disagree
formulas: 0 of 0 agree, 0 disagree
own values had in a second way: 1 of 1 agree, 0 disagree
";
        assert_eq!(overview(&[comparison()]), expected);
        let part = Part::of(&comparison());
        let page = overview_markdown(&[&part]);
        assert!(page.starts_with("- published numbers: 1 of 2 reproduced, "), "{page}");
        assert_eq!(page.lines().count(), 5 + 1 + 2 + 5);
        assert_eq!(Part::from_json(&part.to_json()), Some(part));
        assert_eq!(Part::from_json(&json!({ "lines": [["000"]], "counts": [] })), None);
    }
}
