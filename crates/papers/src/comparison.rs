//! Own values and what they are compared with.

use crate::reference::{Reference, Target, Verdict};
use crate::{Plot, SeriesKind};
use serde_json::{Value, json};

/// What an item has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Number of the paper: `000`.
    pub paper: &'static str,
    /// Name of the item: `figure-2`.
    pub item: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What the first column is: `nodes`.
    pub x: &'static str,
    /// One value each, in the order of the table.
    pub rows: Vec<Row>,
    /// At least one.
    pub plots: Vec<Plot<'static>>,
    /// What a reader should know of the values, in full sentences.
    pub notes: Vec<String>,
}

/// One own value, and what it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The point it belongs to: `54`; or `all`.
    pub x: String,
    /// What it is: `random / regular, Mode F`.
    pub what: String,
    /// Its unit; empty for ratios and counts.
    pub unit: &'static str,
    /// The own value; `None` if it was not measured, and then [`Row::why`] says why.
    pub own: Option<f64>,
    /// What it is compared with; `None` for values that only complete the picture.
    pub reference: Option<Reference>,
    /// Why a published value is not reproduced or, where it is not judged, another one; as far as it is known. Or why there is no own
    /// value.
    pub why: Option<&'static str>,
}

/// Why a difference of two times is no value.
const NOT_MEASURABLE: &str =
    "The rounds took no longer with than without: this is less than what the time of the work varies by.";

/// A value that depends on the computer is what the paper states, within this part.
const NEAR: f64 = 0.1;

impl Row {
    /// A value that is compared with nothing.
    pub(crate) fn new(x: impl ToString, what: impl Into<String>, unit: &'static str, own: f64) -> Self {
        Self { x: x.to_string(), what: what.into(), unit, own: Some(own), reference: None, why: None }
    }

    /// A value that could not be measured, and why.
    pub(crate) fn missing(
        x: impl ToString,
        what: impl Into<String>,
        unit: &'static str,
        why: &'static str,
    ) -> Self {
        Self { x: x.to_string(), what: what.into(), unit, own: None, reference: None, why: Some(why) }
    }

    /// A time that is too short to be seen beside what it comes on top of.
    pub(crate) fn not_measurable(x: impl ToString, what: impl Into<String>, unit: &'static str) -> Self {
        Self::missing(x, what, unit, NOT_MEASURABLE)
    }

    /// What stands in place of the own value if there is none.
    pub(crate) fn absence(&self) -> &'static str {
        if self.why == Some(NOT_MEASURABLE) { "not measurable" } else { "not run" }
    }

    /// Compares it with a number that the paper prints at that place.
    pub(crate) fn published(self, target: Target, place: &'static str) -> Self {
        self.against(Reference::published(target, place))
    }

    /// Compares it with what the paper says in words at that place.
    pub(crate) fn claimed(self, target: Target, place: &'static str) -> Self {
        self.against(Reference::claimed(target, place))
    }

    /// Compares it with what another program says.
    pub(crate) fn outside_model(self, target: Target, model: &'static str) -> Self {
        self.against(Reference::outside_model(target, model))
    }

    /// Compares it with a closed form.
    pub(crate) fn formula(self, target: Target, formula: &'static str) -> Self {
        self.against(Reference::formula(target, formula))
    }

    /// Compares it with what weir gives in another way.
    pub(crate) fn second_way(self, target: Target, way: &'static str) -> Self {
        self.against(Reference::second_way(target, way))
    }

    fn against(self, reference: Reference) -> Self {
        Self { reference: Some(reference), ..self }
    }

    /// Puts on record why the value is not what the paper states. Only where it is not.
    pub(crate) fn explained(self, why: &'static str) -> Self {
        let is_not = self.verdict() == Verdict::NotReproduced;
        Self { why: if is_not { Some(why) } else { self.why }, ..self }
    }

    /// Puts on record why a value that is not judged, since it depends on the computer, is not what the paper states.
    pub(crate) fn declared(self, why: &'static str) -> Self {
        let is_shown = self.verdict() == Verdict::NotJudged;
        let is_off = |own: f64| match self.reference.as_ref()?.target {
            Target::About(least, most) => Some(own < least || own > most),
            _ => self.difference().map(|difference| difference.abs() > NEAR),
        };
        let needs_reason = is_shown && self.own.and_then(is_off) == Some(true);
        Self { why: if needs_reason { Some(why) } else { self.why }, ..self }
    }

    /// Whether the value is as it should be.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match (&self.reference, self.own) {
            (Some(reference), Some(own)) => reference.judge(own),
            _ => Verdict::NotJudged,
        }
    }

    /// Whether something is wrong that is not known: a value that disagrees with a model, a formula or itself, or one
    /// that is not what the paper states without a reason on record.
    #[must_use]
    pub fn is_unexplained(&self) -> bool {
        match self.verdict() {
            Verdict::Disagrees => true,
            Verdict::NotReproduced => self.why.is_none(),
            Verdict::Within | Verdict::NotJudged => false,
        }
    }

    /// How far the value is from its target, as a part of the target; `None` without a single target number.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        let value = self.reference.as_ref()?.target.value()?;
        (value != 0.0).then_some(self.own? / value - 1.0)
    }

    fn to_json(&self) -> Value {
        let mut row = json!({ "x": self.x, "what": self.what, "unit": self.unit, "own": self.own });
        if let Some(reference) = &self.reference {
            row["kind"] = json!(reference.kind.name());
            row["target"] = reference.target.to_json();
            row["source"] = json!(reference.source);
            row["tolerance"] = json!(reference.target.tolerance().and_then(|tolerance| tolerance.part()));
        }
        row["difference"] = json!(self.difference());
        row["verdict"] = json!(self.verdict().name());
        row["why"] = json!(self.why);
        row
    }
}

impl Comparison {
    /// The rows that are wrong without a reason on record ([`Row::is_unexplained`]).
    pub fn unexplained(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.is_unexplained())
    }

    /// The notes, and behind them the reasons of the rows that have one: each reason once, with what it explains.
    #[must_use]
    pub fn all_notes(&self) -> Vec<String> {
        let mut reasons: Vec<(&str, &'static str, Vec<String>)> = Vec::new();
        for row in &self.rows {
            let Some(why) = row.why else { continue };
            let what = match row.own {
                Some(_) if row.verdict() == Verdict::NotJudged => "Not as published",
                Some(_) => "Not reproduced",
                None if why == NOT_MEASURABLE => "Not measurable",
                None => "Not run",
            };
            let name = if row.x == "all" {
                row.what.clone()
            } else {
                format!("{} ({} {})", row.what, row.x, self.x)
            };
            match reasons.iter_mut().find(|reason| (reason.0, reason.1) == (what, why)) {
                Some(reason) => reason.2.push(name),
                None => reasons.push((what, why, vec![name])),
            }
        }
        let given = reasons.iter().map(|(what, why, names)| format!("{what}: {}. {why}", names.join("; ")));
        self.notes.iter().cloned().chain(given).collect()
    }

    /// One object: names and values as in the table, and the series of the plots.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "paper": self.paper,
            "item": self.item,
            "title": self.title,
            "as_recorded": self.unexplained().next().is_none(),
            "x": self.x,
            "rows": self.rows.iter().map(Row::to_json).collect::<Vec<_>>(),
            "plots": self.plots.iter().map(plot_to_json).collect::<Vec<_>>(),
            "notes": self.all_notes(),
        })
    }
}

fn plot_to_json(plot: &Plot<'_>) -> Value {
    let series = plot.series.iter().map(|series| {
        let kind = match series.kind {
            SeriesKind::Published => "published",
            SeriesKind::Formula => "formula",
            _ => "own",
        };
        json!({ "name": series.name, "kind": kind, "points": series.points })
    });
    json!({
        "name": plot.name,
        "title": plot.title,
        "x": plot.x.label,
        "y": plot.y.label,
        "series": series.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    const PLACE: &str = "paper 000, section 4.2";

    #[test]
    fn difference_is_a_part_of_a_single_number() {
        let row = |target| Row::new(1, "value", "", 3.0).formula(target, "N");
        assert_eq!(row(Target::exactly(2.0)).difference(), Some(0.5));
        assert_eq!(row(Target::Below(2.0)).difference(), None);
        assert_eq!(Row::new(1, "value", "", 1.0).difference(), None);
    }

    /// A published value that is not met is explained or an error; one that is met needs no explanation.
    #[test]
    fn what_is_not_reproduced_needs_a_reason() {
        let row = |own| Row::new("54", "ratio", "", own).published(Target::near(2.5, 0.1), PLACE);
        assert_eq!((row(3.0).verdict(), row(3.0).is_unexplained()), (Verdict::NotReproduced, true));
        assert!(!row(3.0).explained("The routers differ.").is_unexplained());
        assert_eq!(row(2.6).explained("The routers differ.").why, None);
        let wrong = Row::new(1, "v", "", 3.0).formula(Target::Below(2.0), "N");
        assert!(
            wrong.explained("It is what it is.").is_unexplained(),
            "only published values can be explained"
        );
    }

    /// A value that is only shown may be declared: what is judged has its verdict, and what has no target needs no reason.
    #[test]
    fn what_is_not_judged_may_be_declared() {
        let row = |target| Row::new("1e9", "park / spin", "", 9.3).published(target, PLACE);
        let declared = row(Target::shown(1.0)).declared("It sleeps.");
        assert_eq!((declared.why, declared.is_unexplained()), (Some("It sleeps."), false));
        assert_eq!(row(Target::near(9.0, 0.1)).declared("It sleeps.").why, None);
        assert_eq!(Row::new(1, "v", "", 3.0).declared("It sleeps.").why, None);
        for (target, off) in [
            (Target::shown(9.0), false),
            (Target::shown(8.0), true),
            (Target::About(9.0, 10.0), false),
            (Target::About(0.0, 9.0), true),
        ] {
            assert_eq!(row(target).declared("It sleeps.").why.is_some(), off, "{target:?}");
        }
        let comparison = Comparison {
            paper: "002",
            item: "barrier",
            title: "cost",
            x: "additions",
            rows: vec![declared],
            plots: Vec::new(),
            notes: Vec::new(),
        };
        assert_eq!(comparison.all_notes(), ["Not as published: park / spin (1e9 additions). It sleeps."]);
    }

    #[test]
    fn a_reason_is_given_once() {
        let row = |x: &str| {
            Row::new(x, "ratio", "", 3.0).claimed(Target::Below(2.0), PLACE).explained("The routers differ.")
        };
        let comparison = Comparison {
            paper: "000",
            item: "figure-2",
            title: "ratio",
            x: "nodes",
            rows: vec![row("54"), row("all"), Row::missing("2", "time", "s", "This computer has one core.")],
            plots: Vec::new(),
            notes: vec!["One placement.".into()],
        };
        let expected = [
            "One placement.",
            "Not reproduced: ratio (54 nodes); ratio. The routers differ.",
            "Not run: time (2 nodes). This computer has one core.",
        ];
        assert_eq!(comparison.all_notes(), expected);
    }

    #[test]
    fn the_object_says_who_says_what() {
        let row = Row::new(54, "random / regular", "", 2.4).published(Target::near(2.5, 0.1), PLACE);
        let expected = json!({
            "x": "54", "what": "random / regular", "unit": "", "own": 2.4, "kind": "published", "target": 2.5,
            "source": PLACE, "tolerance": 0.1, "difference": 2.4 / 2.5 - 1.0, "verdict": "yes", "why": null,
        });
        assert_eq!(row.to_json(), expected);
    }
}
