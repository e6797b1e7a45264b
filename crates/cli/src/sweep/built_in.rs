//! Studies that are built in, those of the papers: their points, beside them what the papers state.

use super::study::Study;
use super::{Done, Ended, Sweep, rows};
use crate::arguments::{SetsAnd, Shown, SweepArgs};
use crate::text::aligned;
use anyhow::{Context, anyhow};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// A study, the folder of its experiment, and the fields of the summary to show of each point.
pub(crate) struct BuiltIn<'a> {
    pub(crate) text: &'static str,
    pub(crate) folder: &'a str,
    /// Published numbers of its points, as CSV; empty where there are none.
    pub(crate) published: &'static str,
    pub(crate) shows: &'a [String],
    pub(crate) full: bool,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) quiet: bool,
}

/// A number that a paper prints of a point.
#[derive(Deserialize)]
struct Published {
    /// Keys and values, as a sweep names its points.
    point: String,
    field: String,
    published: Value,
}

/// Results of a study.
pub(crate) struct Ran {
    pub(crate) table: String,
    pub(crate) json: Value,
    /// True if all points have finished.
    pub(crate) well: bool,
}

impl BuiltIn<'_> {
    /// Runs all points; `file` finds a file of the papers.
    pub(crate) fn run(&self, file: impl FnOnce(&str) -> &'static str) -> anyhow::Result<Ran> {
        let mut study = Study::of_text(self.text, self.full).map_err(|mistakes| anyhow!(mistakes))?;
        let name = study.experiment.file_name().context("a study names its experiment")?;
        let path = format!("{}/{}", self.folder, name.to_string_lossy());
        study.text = Some(file(&path));
        study.experiment = PathBuf::from(format!("papers/{path}"));
        study.shows = self.shows.to_vec();
        let args = SweepArgs {
            experiment: study.experiment.clone(),
            vary: Vec::new(),
            out: None,
            again: false,
            sets: SetsAnd::default(),
            threads: self.threads,
            csv: false,
            shown: Shown { json: false, quiet: self.quiet },
        };
        let sweep = Sweep { args: &args, study, scaled: Vec::new(), works: Vec::new() };
        let (done, _) = sweep.run(None)?;
        let published: Vec<Published> =
            csv::Reader::from_reader(self.published.as_bytes()).deserialize().collect::<Result<_, _>>()?;
        let beside = |done: &Done| -> Vec<(String, Value)> {
            let name = sweep.named(done.point);
            let fields = self.shows.iter().zip(&done.ended.shown);
            let columns = fields.flat_map(|(field, own)| {
                let of_field = || published.iter().filter(|one| one.field == *field);
                let stated = of_field().find(|one| one.point == name).map(|one| &one.published);
                let column = of_field().next().map(|_| (format!("{field}, published"), json!(stated)));
                std::iter::once((field.clone(), own.clone())).chain(column)
            });
            columns.collect()
        };
        let design = &sweep.study.design;
        let mut json = rows::to_json(design, &done, false, |point| sweep.repeat(point));
        for (object, done) in json["points"].as_array_mut().into_iter().flatten().zip(&done) {
            object["shown"] = beside(done).into_iter().collect::<Map<_, _>>().into();
        }
        let keys = design.keys();
        let names = done.iter().take(1).flat_map(beside).map(|(name, _)| name);
        let of_keys = keys.iter().map(|&key| key.to_owned()).chain(["simulated time".to_owned()]);
        let row = |done: &Done| {
            let values = keys.iter().map(|key| design.value(done.point, key).unwrap_or("").to_owned());
            let shown = beside(done).into_iter().map(|(_, value)| value);
            let texts = shown.map(|value| if value.is_null() { String::new() } else { value.to_string() });
            values.chain([rows::time(done)]).chain(texts).collect()
        };
        let table: Vec<Vec<String>> =
            std::iter::once(of_keys.chain(names).collect()).chain(done.iter().map(row)).collect();
        let well =
            done.len() == sweep.points() && done.iter().all(|done| done.ended.outcome == Ended::FINISHED);
        Ok(Ran { table: aligned(&table), json, well })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::FILES;

    /// Also with the points that take long; its experiment is built in, and published numbers are of its points.
    #[test]
    fn every_study_is_read() {
        let text = |path: &str| FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text);
        let studies =
            FILES.iter().filter_map(|(path, text)| Some((path.split_once("/items/")?, *path, *text)));
        for ((folder, _), path, study) in studies.filter(|(_, path, _)| path.ends_with(".toml")) {
            let [short, full] = [false, true].map(|full| Study::of_text(study, full).unwrap());
            assert!(short.design.points() <= full.design.points(), "{path}");
            let experiment = short.experiment.strip_prefix("..").unwrap().to_string_lossy();
            assert!(text(&format!("{folder}/{experiment}")).is_some(), "{path}");
            let names: Vec<String> = (0..full.design.points())
                .map(|point| {
                    full.design.values(point).map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>()
                })
                .map(|values| values.join(", "))
                .collect();
            let published = text(&path.replace(".toml", ".published.csv")).unwrap_or_default();
            for one in csv::Reader::from_reader(published.as_bytes()).deserialize::<Published>() {
                let one = one.unwrap();
                assert!(names.contains(&one.point) && one.published.is_number(), "{path}: {}", one.point);
            }
        }
    }
}
