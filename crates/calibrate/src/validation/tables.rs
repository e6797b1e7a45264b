//! What a validation has found, as tables for people.

use super::figures::{bytes, percent, share};
use super::outcome::Validation;
use super::study::{Goal, Rows};
use super::tally::{Tally, error, middle};
use crate::output;
use std::collections::BTreeMap;

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: &'static str,
    /// How it is to be read, in sentences; may be empty.
    pub text: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows, as many fields in each.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    fn new(title: &'static str, text: String, head: &[&str]) -> Self {
        let head = head.iter().map(|&name| name.to_owned()).collect();
        Self { title, text, head, rows: Vec::new() }
    }

    /// As Markdown; nothing for a table without rows.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let line = |fields: &[String]| {
            let fields: Vec<String> = fields.iter().map(|field| field.replace('|', "\\|")).collect();
            format!("| {} |\n", fields.join(" | "))
        };
        let mut page = format!("## {}\n\n", self.title);
        if !self.text.is_empty() {
            page += &format!("{}\n\n", self.text);
        }
        page += &line(&self.head);
        page += &format!("|{}\n", "---|".repeat(self.head.len()));
        self.rows.iter().for_each(|row| page += &line(row));
        page + "\n"
    }
}

const NUMBERS: [&str; 5] = ["rows", "median error", "nine of ten within", "within 10 %", "within 20 %"];

/// The fields of [`NUMBERS`].
fn numbers(tally: Option<Tally>) -> Vec<String> {
    let Some(tally) = tally else { return NUMBERS.map(|_| String::new()).to_vec() };
    vec![
        tally.rows.to_string(),
        percent(tally.median),
        percent(tally.ninth),
        share(tally.within_10, tally.rows),
        share(tally.within_20, tally.rows),
    ]
}

impl Validation {
    /// What is to be reached and what is.
    #[must_use]
    pub fn targets_table(&self) -> Table {
        let mut table = Table::new("Targets", String::new(), &["target", "of", "goal", "reached", "verdict"]);
        for reached in self.reached() {
            let goal = match reached.target.goal {
                Goal::Median(most) => format!("median error at most {}", percent(most)),
                Goal::RowsWithin { within, at_least } => {
                    format!("{} of the rows within {}", percent(at_least), percent(within))
                }
                Goal::BestWithin { within, at_least } => {
                    format!("the best, or within {} of it, in {}", percent(within), percent(at_least))
                }
            };
            let verdict = match reached.value {
                None => "nothing to judge",
                Some(_) if reached.is_met() => "met",
                Some(_) => "missed",
            };
            let value = reached.value.map(percent).unwrap_or_default();
            table.rows.push(vec![
                reached.target.name.clone(),
                reached.of.to_string(),
                goal,
                value,
                verdict.to_owned(),
            ]);
        }
        table
    }

    /// Errors of each job, all sizes and large ones.
    #[must_use]
    pub fn jobs_table(&self) -> Table {
        let text = "Rows that count; an error is |predicted / measured - 1|.".to_owned();
        let mut table = Table::new("By job", text, &["job", "sizes", "rows are"]);
        table.head.extend(NUMBERS.map(str::to_owned));
        for job in self.jobs() {
            for (name, from) in self.sizes() {
                let rows = Rows { jobs: vec![job.clone()], from, ..Rows::default() };
                let mut by_role: BTreeMap<(bool, String), Vec<f64>> = BTreeMap::new();
                for row in self.counted(&rows) {
                    by_role.entry((row.is_judged(), row.role())).or_default().push(row.error());
                }
                for ((_, role), errors) in by_role {
                    let mut fields = vec![job.clone(), name.clone(), role];
                    fields.extend(numbers(Tally::of(errors)));
                    table.rows.push(fields);
                }
            }
        }
        table
    }

    /// Errors of each collective in each job.
    #[must_use]
    pub fn collectives_table(&self) -> Table {
        let mut table = Table::new("By collective", String::new(), &["job", "collective", "sizes"]);
        table.head.extend(NUMBERS.map(str::to_owned));
        for job in self.jobs() {
            for collective in self.collectives() {
                for (name, from) in self.sizes() {
                    let rows = Rows {
                        jobs: vec![job.clone()],
                        collectives: vec![collective.to_owned()],
                        from,
                        to: None,
                    };
                    let tally = self.tally(&rows);
                    if tally.is_some() {
                        let mut fields = vec![job.clone(), collective.to_owned(), name.clone()];
                        fields.extend(numbers(tally));
                        table.rows.push(fields);
                    }
                }
            }
        }
        table
    }

    /// Errors of each algorithm in each job.
    #[must_use]
    pub fn algorithms_table(&self) -> Table {
        let text =
            "The ratio is the median of predicted over measured times: below 1, weir is too fast.".to_owned();
        let head = ["job", "collective", "algorithm", "rows", "median error", "within 20 %", "ratio"];
        let mut table = Table::new("By algorithm", text, &head);
        table.head.extend([format!("ratio from {} on", bytes(self.study.large))]);
        for job in self.jobs() {
            for collective in self.collectives() {
                let of = Rows {
                    jobs: vec![job.clone()],
                    collectives: vec![collective.to_owned()],
                    ..Rows::default()
                };
                let rows = self.counted(&of);
                let mut names: Vec<&str> =
                    rows.iter().filter_map(|predicted| predicted.row.algorithm.as_deref()).collect();
                names.sort_unstable();
                names.dedup();
                for name in names {
                    let mine = || rows.iter().filter(move |row| row.row.algorithm.as_deref() == Some(name));
                    let Some(tally) = Tally::of(mine().map(|row| row.error())) else { continue };
                    let ratio = |from: u64| {
                        let ratios = mine().filter(|row| row.row.bytes >= from).map(|row| row.ratio());
                        middle(ratios.collect()).map(|ratio| format!("{ratio:.3}")).unwrap_or_default()
                    };
                    table.rows.push(vec![
                        job.clone(),
                        collective.to_owned(),
                        name.to_owned(),
                        tally.rows.to_string(),
                        percent(tally.median),
                        share(tally.within_20, tally.rows),
                        ratio(0),
                        ratio(self.study.large),
                    ]);
                }
            }
        }
        table
    }

    /// How often the algorithm that weir calls best is the measured best.
    #[must_use]
    pub fn best_table(&self) -> Table {
        let text = "Of the algorithms that count, for each collective and size: how much longer the one that weir calls best takes \
                    than the measured best."
            .to_owned();
        let head = ["job", "collective", "sizes", "found", "within 10 %", "missed", "worst loss"];
        let mut table = Table::new("Best algorithm", text, &head);
        for job in self.jobs() {
            for collective in self.collectives() {
                let rows = Rows {
                    jobs: vec![job.clone()],
                    collectives: vec![collective.to_owned()],
                    ..Rows::default()
                };
                let choices = self.choices(&rows);
                let found = choices.iter().filter(|choice| choice.is_found()).count();
                let near = choices.iter().filter(|choice| choice.loss <= 1.1).count();
                let worst = choices.iter().map(|choice| choice.loss - 1.0).reduce(f64::max);
                let Some(worst) = worst else { continue };
                table.rows.push(vec![
                    job.clone(),
                    collective.to_owned(),
                    choices.len().to_string(),
                    found.to_string(),
                    (near - found).to_string(),
                    (choices.len() - near).to_string(),
                    percent(worst),
                ]);
            }
        }
        table
    }

    /// Where the algorithm that weir calls best takes more than a tenth longer.
    #[must_use]
    pub fn missed_table(&self) -> Table {
        let head = ["job", "collective", "bytes", "weir calls best", "measured best", "takes longer by"];
        let mut table = Table::new("Best algorithms missed", String::new(), &head);
        for choice in self.choices(&Rows::default()) {
            if choice.loss > 1.1 {
                table.rows.push(vec![
                    choice.job,
                    choice.operation.name().to_owned(),
                    bytes(choice.bytes),
                    choice.called_best,
                    choice.best,
                    percent(choice.loss - 1.0),
                ]);
            }
        }
        table
    }

    /// Errors without parts of the model, of rows that were not fitted to.
    #[must_use]
    pub fn ablations_table(&self) -> Table {
        let text = format!(
            "The same predictions without a part of the model, its other values as they are. Rows that nothing was fitted to{}.",
            match self.study.ablations_to {
                u64::MAX => String::new(),
                most => format!(", up to {}", bytes(most)),
            }
        );
        let mut table = Table::new("What each part contributes", text, &["without", "sizes"]);
        table.head.extend(NUMBERS.map(str::to_owned));
        if self.without.is_empty() {
            return table;
        }
        let whole: Vec<Option<f64>> =
            self.rows.iter().map(|row| row.is_ablated(&self.study).then_some(row.seconds)).collect();
        let parts = self.without.iter().map(|without| (without.name.as_str(), &without.seconds));
        for (name, seconds) in std::iter::once(("nothing", &whole)).chain(parts) {
            for (sizes, from) in self.sizes() {
                let rows = self.rows.iter().zip(seconds).filter(|(row, _)| row.row.bytes >= from);
                let errors = rows.filter_map(|(row, seconds)| Some(error((*seconds)?, row.row.seconds)));
                let mut fields = vec![name.to_owned(), sizes];
                fields.extend(numbers(Tally::of(errors)));
                table.rows.push(fields);
            }
        }
        table
    }

    /// The values of the machine file, what was published, and what a fit finds.
    #[must_use]
    pub fn values_table(&self) -> Table {
        let mut text = format!(
            "Rows that calibrate: {}.",
            self.rows.iter().filter(|predicted| predicted.calibrates).count()
        );
        let mut table = Table::new(
            "Values",
            String::new(),
            &["key", "machine file", "fitted", "95 % interval", "published"],
        );
        let published = |key: &str| {
            let known = self.study.published.iter().find(|(known, _)| known == key);
            known.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        for (place, parameter) in self.parameters.iter().enumerate() {
            let quantity = parameter.quantity;
            let estimate = self.fit.as_ref().and_then(|fit| fit.estimates.get(place));
            let fitted = estimate.map(|estimate| quantity.shown(estimate.value)).unwrap_or_default();
            let interval = estimate.zip(self.fit.as_ref());
            let interval =
                interval.map(|(estimate, fit)| output::in_words(estimate, fit)).unwrap_or_default();
            table.rows.push(vec![
                parameter.name.clone(),
                quantity.shown(parameter.start),
                fitted,
                interval.replace("95 % interval ", ""),
                published(&parameter.name),
            ]);
        }
        for (key, value) in &self.study.published {
            if !self.parameters.iter().any(|parameter| parameter.name == *key) {
                let empty = String::new;
                table.rows.push(vec![key.clone(), empty(), empty(), empty(), value.clone()]);
            }
        }
        if let Some(fit) = &self.fit {
            let (first, fitted) = (fit.first(), fit.fitted());
            text += &format!(
                " With the values of the machine file half of them are within {} and nine of ten within {}; with the fitted ones {} and {} \
                 (factors, less 1).",
                percent(first.median),
                percent(first.ninth),
                percent(fitted.median),
                percent(fitted.ninth)
            );
        }
        table.text = text;
        table
    }

    /// Rows that are in no number, by the reason.
    #[must_use]
    pub fn left_out_table(&self) -> Table {
        let mut table = Table::new("Left out", String::new(), &["rows", "reason"]);
        let own = self.rows.iter().filter(|predicted| predicted.row.algorithm.is_none()).count();
        if own > 0 {
            table.rows.push(vec![own.to_string(), "the library's own choice: shown, not counted".to_owned()]);
        }
        for (reason, lines) in self.left_out.reasons() {
            table.rows.push(vec![lines.len().to_string(), reason.to_owned()]);
        }
        table
    }

    /// The jobs of the rows that were predicted, in the order of their letters.
    pub(super) fn jobs(&self) -> Vec<String> {
        let mut jobs: Vec<String> = self.rows.iter().map(|predicted| predicted.row.job.clone()).collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }

    /// Their collectives.
    pub(super) fn collectives(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.rows.iter().map(|predicted| predicted.row.operation.name()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Classes of sizes, with the least of each.
    fn sizes(&self) -> [(String, u64); 2] {
        [("all".to_owned(), 0), (format!("from {}", bytes(self.study.large)), self.study.large)]
    }
}
