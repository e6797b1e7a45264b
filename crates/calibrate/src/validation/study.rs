//! What is validated: a study file names measured times, a machine, which rows calibrate it, and the targets.

use super::reader::Keys;
use crate::loss::{Form, Loss};
use crate::measured::Row;
use crate::mistake::{CalibrationError, Mistake};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use toml_edit::DocumentMut;
use weir_scenario::is_name;

/// A study, as its file has it. `docs/reference/command-line.md` lists the keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The name of the file, without its ending.
    pub name: String,
    /// What is shown above the page.
    pub title: String,
    /// Where the measured times are from.
    pub source: String,
    /// What was measured, and how rows are read, in sentences.
    pub about: String,
    /// The file of measured times.
    pub data: PathBuf,
    /// The machine file.
    pub machine: PathBuf,
    /// A text that the page has word for word, if there is one.
    pub notes: Option<PathBuf>,
    /// What stands before names of algorithms in the data.
    pub prefix: String,
    /// `key=value` for all rows.
    pub sets: Vec<String>,
    /// From how many bytes on rows are large.
    pub large: u64,
    /// Which rows calibrate the machine.
    pub calibration: Fitting,
    /// Rows that keys were chosen by beside those of the fit.
    pub chosen: Vec<Chosen>,
    /// What others have published of keys: key, value and where.
    pub published: Vec<(String, String)>,
    /// Algorithms that are left out, and why.
    pub left_out: Vec<Excluded>,
    /// When an algorithm counts as the library's own choice under another name.
    pub fallback: Option<Fallback>,
    /// What the library takes, as far as it is known.
    pub library: Vec<LibraryChoice>,
    /// What is to be reached.
    pub targets: Vec<Target>,
    /// Parts of the model that can be left out.
    pub ablations: Vec<Ablation>,
    /// Up to how many bytes rows are predicted without them.
    pub ablations_to: u64,
}

/// Rows by where and what was measured. Empty lists stand for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// As [`Row::job`] has it.
    pub jobs: Vec<String>,
    /// Keys of collectives.
    pub collectives: Vec<String>,
    /// The least size, of the whole vector.
    pub from: u64,
    /// The greatest.
    pub to: Option<u64>,
}

impl Rows {
    /// Whether a row is one of them.
    #[must_use]
    pub fn have(&self, row: &Row) -> bool {
        let among =
            |list: &[String], name: &str| list.is_empty() || list.iter().any(|known| is_name(known, name));
        among(&self.jobs, &row.job)
            && among(&self.collectives, row.operation.name())
            && row.bytes >= self.from
            && self.to.is_none_or(|to| row.bytes <= to)
    }
}

/// How the machine's values are fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitting {
    /// To which rows.
    pub rows: Rows,
    /// Which keys.
    pub keys: Vec<String>,
    /// How much errors count.
    pub loss: Loss,
    /// By which factor a value may differ from that of the machine file.
    pub within: f64,
}

/// Keys of the machine file that were chosen by these rows, by hand or by a fit of their own: so nothing is predicted of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// By which rows.
    pub rows: Rows,
    /// Of which algorithms; empty: of all.
    pub algorithms: Vec<String>,
    /// Which keys.
    pub keys: Vec<String>,
}

impl Chosen {
    /// Whether they were chosen by a row.
    #[must_use]
    pub fn have(&self, row: &Row) -> bool {
        let of = |algorithm: &String| row.algorithm.as_ref().is_some_and(|own| is_name(algorithm, own));
        self.rows.have(row) && (self.algorithms.is_empty() || self.algorithms.iter().any(of))
    }
}

/// An algorithm that is not predicted, for these rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// For which rows.
    pub rows: Rows,
    /// Which.
    pub algorithm: String,
    /// Why, in words.
    pub reason: String,
}

/// An algorithm counts as the library's own choice if, in a job, this share of its times or more are this near to the times of the
/// library's own choice. Sizes at which the library is known to choose this very algorithm do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fallback {
    /// The greatest difference, as a part.
    pub within: f64,
    /// The least share of sizes.
    pub share: f64,
}

/// The library takes this algorithm for these rows by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryChoice {
    /// For which rows.
    pub rows: Rows,
    /// Which.
    pub algorithm: String,
}

/// What is to be reached, by which rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// In words.
    pub name: String,
    /// By which rows.
    pub rows: Rows,
    /// What.
    pub goal: Goal,
}

/// What is to be reached. Errors are |predicted / measured - 1|.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The median error is at most this.
    Median(f64),
    /// Of all rows, at least a share is within an error.
    RowsWithin {
        /// The error.
        within: f64,
        /// The share.
        at_least: f64,
    },
    /// Of all jobs, collectives and sizes, for at least a share the algorithm that weir calls best takes at most so much longer than the
    /// measured best.
    BestWithin {
        /// How much longer, as a part.
        within: f64,
        /// The share.
        at_least: f64,
    },
}

/// A part of the model, and what switches it off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ablation {
    /// What is left out.
    pub name: String,
    /// `key=value`.
    pub sets: Vec<String>,
}

impl Study {
    /// Reads a study file; the files that it names stand beside it.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn load(path: &Path) -> Result<Self, CalibrationError> {
        let file = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| {
            let hint = "a name stands for validation/NAME.toml where weir was started";
            Mistake::new(file.clone(), error.to_string()).hint(hint)
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::read(&name, &file, &text, folder)
    }

    /// Reads the text of a study file, which mistakes call `file`.
    fn read(name: &str, file: &str, text: &str, folder: &Path) -> Result<Self, CalibrationError> {
        let document: DocumentMut =
            text.parse().map_err(|error| Mistake::new(file, format!("cannot be read: {error}")))?;
        let mistakes = RefCell::new(Vec::new());
        let mut keys = Keys::of(file, document.as_table(), &mistakes);
        let mut study = Self {
            name: name.to_owned(),
            title: keys.text("title"),
            source: keys.text("source"),
            about: keys.optional_text("about").unwrap_or_default(),
            data: folder.join(keys.text("data")),
            machine: folder.join(keys.text("machine")),
            notes: keys.optional_text("notes").map(|notes| folder.join(notes)),
            prefix: keys.optional_text("algorithm_prefix").unwrap_or_default(),
            sets: keys.texts("set"),
            large: keys.bytes("large_from").unwrap_or(128 << 10),
            calibration: Fitting::read(&mut keys),
            chosen: Vec::new(),
            published: keys.pairs("published"),
            left_out: Vec::new(),
            fallback: None,
            library: Vec::new(),
            targets: Vec::new(),
            ablations: Vec::new(),
            ablations_to: keys.bytes("ablations_to").unwrap_or(u64::MAX),
        };
        study.fallback = keys.table("fallback").map(|mut keys| {
            let fallback = Fallback { within: keys.part("within"), share: keys.part("share") };
            keys.finish();
            fallback
        });
        for mut keys in keys.tables("chosen") {
            let (rows, algorithms) = (rows(&mut keys), keys.texts("algorithms"));
            study.chosen.push(Chosen { rows, algorithms, keys: keys.texts("keys") });
            keys.required("keys", "name the keys that were chosen by these rows");
            keys.finish();
        }
        for mut keys in keys.tables("left_out") {
            let (rows, algorithm) = (rows(&mut keys), keys.text("algorithm"));
            study.left_out.push(Excluded { rows, algorithm, reason: keys.text("reason") });
            keys.finish();
        }
        for mut keys in keys.tables("library") {
            study.library.push(LibraryChoice { rows: rows(&mut keys), algorithm: keys.text("algorithm") });
            keys.finish();
        }
        for mut keys in keys.tables("target") {
            let rows = rows(&mut keys);
            study.targets.push(Target { name: keys.text("name"), rows, goal: goal(&mut keys) });
            keys.finish();
        }
        for mut keys in keys.tables("ablation") {
            study.ablations.push(Ablation { name: keys.text("name"), sets: keys.texts("set") });
            keys.finish();
        }
        keys.finish();
        let mistakes = mistakes.into_inner();
        if mistakes.is_empty() { Ok(study) } else { Err(CalibrationError::Input(mistakes)) }
    }
}

impl Fitting {
    fn read(keys: &mut Keys<'_>) -> Self {
        let mut fitting =
            Self { rows: Rows::default(), keys: Vec::new(), loss: Loss::default(), within: 100.0 };
        let Some(mut keys) = keys.required_table("calibration") else { return fitting };
        fitting.rows = rows(&mut keys);
        fitting.keys = keys.texts("keys");
        const FORMS: [(&str, Form); 4] = [
            ("square", Form::Square),
            ("huber", Form::Huber),
            ("soft-l1", Form::SoftL1),
            ("cauchy", Form::Cauchy),
        ];
        fitting.loss = Loss::of(keys.one_of("loss", &FORMS).unwrap_or_default());
        fitting.within = keys.number("within").unwrap_or(fitting.within);
        if fitting.within <= 1.0 {
            keys.wrong("within", "must be above 1", "it is the factor that a value may differ by");
        }
        keys.finish();
        fitting
    }
}

fn rows(keys: &mut Keys<'_>) -> Rows {
    Rows {
        jobs: keys.texts("jobs"),
        collectives: keys.texts("collectives"),
        from: keys.bytes("from").unwrap_or(0),
        to: keys.bytes("to"),
    }
}

fn goal(keys: &mut Keys<'_>) -> Goal {
    #[derive(Clone, Copy)]
    enum Kind {
        Median,
        Rows,
        Best,
    }
    const KINDS: [(&str, Kind); 3] =
        [("median", Kind::Median), ("rows-within", Kind::Rows), ("best-within", Kind::Best)];
    match keys.one_of("goal", &KINDS) {
        Some(Kind::Rows) => Goal::RowsWithin { within: keys.part("within"), at_least: keys.part("at_least") },
        Some(Kind::Best) => Goal::BestWithin { within: keys.part("within"), at_least: keys.part("at_least") },
        Some(Kind::Median) => Goal::Median(keys.part("at_most")),
        None => {
            keys.required("goal", "write goal = \"median\", \"rows-within\" or \"best-within\"");
            ["within", "at_least", "at_most"].into_iter().for_each(|key| keys.known(key));
            Goal::Median(0.0)
        }
    }
}

/// Reads a study named `study`, in the folder `here`.
#[cfg(test)]
pub(super) fn read_for_tests(text: &str) -> Result<Study, CalibrationError> {
    Study::read("study", "study.toml", text, Path::new("here"))
}

#[cfg(test)]
mod tests;
