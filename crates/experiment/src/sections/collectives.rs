//! `[collectives]`: which algorithm each collective operation of MPI uses, and its parameters.

use crate::Units;
use crate::keys::form::{DATA, Form, Integer, Made, OneOf, Quantity, SIZES, written};
use crate::keys::{AnyKey, DefaultValue, Key, KeyPath, Row, Table, key};
use crate::source::reader::Section;
use crate::source::tree::Entry;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::LazyLock;
use weir_collectives::choice::{ALIASES, CATALOG};
use weir_collectives::{Choice, NameError, Named, NamedRows, Parameter, Parameters, Preset, Row as Chosen};
use weir_units::Bytes;

pub(crate) const AUTO: &str = "auto";

/// A form of parameters.
type ParameterForm<F, T> = Made<F, T, NonZeroU32>;

const NOT_0: (&str, &str) = ("must be at least 1", "");
pub(super) const COUNT: ParameterForm<Integer, u32> = count(Integer::COUNT);
/// More rings are no faster on any machine: each costs a message in every round.
pub(super) const RINGS: ParameterForm<Integer, u32> = count(Integer(1, 256));
pub(super) const SEGMENT_SIZE: ParameterForm<Quantity<Bytes>, Bytes> = Made(
    DATA,
    |Bytes(bytes)| {
        let segment = u32::try_from(bytes).ok().and_then(NonZeroU32::new);
        let hint = "without the key, segments are as the algorithm has them";
        segment.ok_or(("must be at least 1 B and below 4 GiB", hint))
    },
    |segment| Bytes(segment.get().into()),
);

const fn count(number: Integer) -> ParameterForm<Integer, u32> {
    Made(number, |number| NonZeroU32::new(number).ok_or(NOT_0), |number| number.get())
}

struct Keys {
    algorithm: Key<String>,
    parameters: Vec<(Parameter, Key<NonZeroU32>)>,
}

/// The parameters of algorithms: the end of their keys, their forms, and what they are.
pub(super) static PARAMETERS: [(Parameter, &str, &dyn Form<NonZeroU32>, &str); 4] = [
    (Parameter::Segment, "segment_size", &SEGMENT_SIZE, "Bytes of a segment"),
    (Parameter::FanOut, "fan_out", &COUNT, "Fan-out"),
    (Parameter::Trees, "trees", &COUNT, "Most trees, each with a part of the message,"),
    (
        Parameter::Rings,
        "rings",
        &RINGS,
        "Number of rings that go around at once, each with a part of the message and by an interface of its own,",
    ),
];

static ALL: LazyLock<Vec<Keys>> = LazyLock::new(|| {
    let of = |&(collective, names): &(&'static str, &'static [&'static str])| {
        let row = |name, default, meaning| Row { name, kinds: &[], default, meaning, lowers: None };
        let parameter = |&(parameter, name, form, what): &(Parameter, &str, &'static dyn Form<_>, &str)| {
            let users = users(Preset::Mpich, collective, parameter);
            let users = users.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let meaning = format!("{what} of {users}.").leak();
            let default = DefaultValue::Words("as the algorithm has it");
            let row = row(format!("{collective}_{name}").leak(), default, meaning);
            (!users.is_empty()).then_some((parameter, Key { row, form }))
        };
        let algorithm = Key {
            row: row(collective, DefaultValue::Is("\"auto\""), "Algorithm of the collective."),
            form: Box::leak(Box::new(AlgorithmName { collective, names })),
        };
        Keys { algorithm, parameters: PARAMETERS.iter().filter_map(parameter).collect() }
    };
    CATALOG.iter().map(of).collect()
});

static PRESET: Key<Preset> = key!(
    "preset",
    &[],
    OneOf(&Preset::ALL),
    Is("\"mpich\""),
    "Library whose [rules](collectives.md#presets) `auto` stands for, and whose \
     [names](collectives.md#names) of algorithms come before weir's own: `mpich`, `open-mpi`, `fujitsu`."
);

pub(super) static GRID: Key<Vec<u32>> = key!(
    "grid",
    &[],
    SIZES,
    Words("the job's own, if it has one rank for each place"),
    "For `disjoint-trees`: sides of the [closed grid](collectives.md#trees-on-a-grid) that the ranks fill, first the side along \
     which ranks are consecutive."
);

pub(crate) static KEYS: LazyLock<Table> = LazyLock::new(|| {
    let of = |keys: &'static Keys| {
        let parameters = keys.parameters.iter().map(|(_, key)| key as &dyn AnyKey);
        std::iter::once(&keys.algorithm as &dyn AnyKey).chain(parameters)
    };
    let of_all: [&dyn AnyKey; 2] = [&PRESET, &GRID];
    let keys: Vec<&dyn AnyKey> = of_all.into_iter().chain(ALL.iter().flat_map(of)).collect();
    Table { name: "collectives", parts: vec![&*keys.leak()].leak() }
});

pub(crate) fn is_parameter_of(key: &str, collective: &str) -> bool {
    let of = ALL.iter().find(|keys| keys.algorithm.name == collective);
    of.is_some_and(|keys| keys.parameters.iter().any(|(_, parameter)| parameter.name == key))
}

/// The algorithms of a collective that use a parameter, by their names with a preset.
fn users(preset: Preset, collective: &str, parameter: Parameter) -> Vec<&'static str> {
    let of_collective = CATALOG.iter().filter(|(key, _)| *key == collective).flat_map(|(_, names)| *names);
    let named = of_collective.filter_map(|name| Named::new(collective, name));
    let users = named.filter(|named| named.algorithm().parameters.contains(&parameter));
    users.map(|named| preset.name_of(named)).collect()
}

/// Finds the algorithms that a name stands for with a preset; reports one that stands for nothing.
pub(super) fn known(
    section: &mut Section<'_>,
    key: &str,
    preset: Preset,
    (collective, name): (&str, &str),
) -> Option<NamedRows> {
    let wrong = match preset.known(collective, name) {
        Ok(known) => return Some(known),
        Err(wrong) => wrong,
    };
    let names = || preset.names_of(collective).join(", ");
    let hint = match wrong {
        NameError::Unpublished(_) => {
            format!("auto takes the nearest that is; or choose one of: {}", names())
        }
        NameError::OfOthers(_) | NameError::Unknown => format!("choose one of: {}", names()),
    };
    let hint = CATALOG.iter().any(|(key, _)| *key == collective).then_some(hint);
    section.report(key, wrong.what(collective), hint.unwrap_or_default());
    None
}

/// One of the algorithms of a collective, which may be written by a name it has elsewhere. What it stands for depends on the
/// preset.
struct AlgorithmName {
    collective: &'static str,
    names: &'static [&'static str],
}

impl Form<String> for AlgorithmName {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<String> {
        let name = written(entry);
        match Preset::Mpich.known(self.collective, name) {
            Err(NameError::Unknown) if name != "default" => at.none_of(entry, self.names),
            _ => Some(name.to_owned()),
        }
    }

    fn write(&self, _: Units, name: &String) -> Value {
        json!(name)
    }

    fn schema(&self) -> Value {
        let here = self.names.iter().copied();
        let elsewhere = ALIASES.iter().filter(|(key, ..)| *key == self.collective).map(|&(_, name, _)| name);
        let of_libraries = Preset::ALL.iter().flat_map(|(_, preset)| preset.names_of(self.collective));
        let mut names: Vec<String> = here.chain(elsewhere).map(str::to_owned).collect();
        names.extend(of_libraries.map(str::to_owned));
        names.push("default".to_owned());
        let mut once = BTreeSet::new();
        names.retain(|name| once.insert(name.clone()));
        let underscores: Vec<String> =
            names.iter().filter(|name| name.contains('-')).map(|name| name.replace('-', "_")).collect();
        names.extend(underscores);
        json!({ "enum": names })
    }
}

/// The algorithm of each collective, by the names of [`weir_collectives::choice::CATALOG`], whatever the preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectivesSection {
    /// Library that `auto` stands for.
    pub preset: Preset,
    /// Collective and algorithm, in the order of the catalog. A name that stands for several algorithms, or for one with
    /// parameters that depend on the call, is `auto` here: its rows come first in the table.
    pub algorithms: Vec<(&'static str, &'static str)>,
    /// Collective and parameters of its algorithm, in the same order; those of `Parameters::default()` are the
    /// algorithm's own.
    pub parameters: Vec<(&'static str, Parameters)>,
    /// Sides of the grid that ranks lie on, if it is written, or an algorithm follows it.
    pub grid: Vec<u32>,
}

pub(super) struct ReadCollectives {
    pub(super) section: CollectivesSection,
    /// Rows for collectives whose names do not stand for one algorithm.
    pub(super) rows: Vec<Chosen<Named>>,
    pub(super) written: Vec<(&'static str, NamedRows)>,
}

impl CollectivesSection {
    /// Reads the section; `elsewhere` is a collective with the algorithm that the workload names, which counts where the
    /// section names none.
    pub(super) fn read(section: &mut Section<'_>, elsewhere: Option<(&str, &str)>) -> ReadCollectives {
        let preset = section.get_or_default(&PRESET);
        let grid = section.get(&GRID).unwrap_or_default();
        let this = Self { preset, algorithms: Vec::new(), parameters: Vec::new(), grid };
        let mut read = ReadCollectives { section: this, rows: Vec::new(), written: Vec::new() };
        for keys in ALL.iter() {
            read.collective(section, keys, elsewhere);
        }
        read
    }

    pub(crate) fn choice(&self) -> Choice {
        let grid = self.grid.clone().into();
        let mut choice = Choice { preset: self.preset, grid, ..Choice::default() };
        for &(collective, algorithm) in &self.algorithms {
            choice.set(collective, algorithm).expect("the section has been checked against the catalog");
        }
        for &(collective, parameters) in &self.parameters {
            if let Some(place) = choice.parameters.of(collective) {
                *place = parameters;
            }
        }
        choice
    }

    /// The algorithm of the collective with this key.
    pub(super) fn algorithm(&self, collective: &str) -> &'static str {
        let found = self.algorithms.iter().find(|(key, _)| *key == collective);
        found.expect("the catalog has every collective").1
    }
}

fn parameter_of(parameters: &mut Parameters, parameter: Parameter) -> &mut Option<NonZeroU32> {
    match parameter {
        Parameter::Segment => &mut parameters.segment,
        Parameter::FanOut => &mut parameters.fan_out,
        Parameter::Trees => &mut parameters.trees,
        Parameter::Rings => &mut parameters.rings,
    }
}

impl ReadCollectives {
    fn collective(&mut self, section: &mut Section<'_>, keys: &'static Keys, other: Option<(&str, &str)>) {
        let (collective, preset) = (keys.algorithm.name, self.section.preset);
        let written = section.get(&keys.algorithm);
        let written = written.and_then(|name| known(section, collective, preset, (collective, &name)));
        let other = other.filter(|(operation, _)| *operation == collective);
        let other = other.and_then(|(_, name)| preset.known(collective, name).ok());
        let auto = || preset.known(collective, AUTO).expect("every collective has it");
        let chosen = written.clone().or(other).unwrap_or_else(auto);
        let last = chosen.rows.last().map_or(AUTO, |row| row.algorithm.algorithm().name);
        let mut parameters = Parameters::default();
        for (parameter, key) in &keys.parameters {
            *parameter_of(&mut parameters, *parameter) = section.get(key);
            // Of an algorithm that is wrong itself, it is not known what it uses.
            if written.is_some() || !section.has(collective) {
                refuse_unused(section, preset, (collective, &chosen, collective), (key.name, *parameter));
            }
            if *parameter == Parameter::FanOut {
                check_fan_out(section, key, parameters.fan_out, last);
            }
        }
        self.written.extend(written.map(|known| (collective, known)));
        let rows = chosen.with(parameters);
        let (algorithm, parameters) = match &rows[..] {
            [row] => (row.algorithm.algorithm().name, row.parameters),
            _ => (AUTO, Parameters::default()),
        };
        let named = Named::new(collective, algorithm).expect("the catalog has the pair");
        section.settle(&keys.algorithm, preset.name_of(named).to_owned());
        for (parameter, key) in &keys.parameters {
            section.settle(key, *parameter_of(&mut parameters.clone(), *parameter));
        }
        self.section.algorithms.push((collective, algorithm));
        self.section.parameters.push((collective, parameters));
        if rows.len() > 1 {
            self.rows.extend(rows);
        }
    }
}

/// Refuses a k-nomial tree of radix 1.
pub(super) fn check_fan_out(section: &mut Section<'_>, key: &Row, fan_out: Option<NonZeroU32>, name: &str) {
    let hint = "2 is a binomial tree";
    let is_wrong = name == "knomial" && fan_out == Some(NonZeroU32::MIN);
    section.report_if(is_wrong, key.name, "must be at least 2: it is the radix of the tree", hint);
}

/// Refuses a parameter that an algorithm does not use; `named_by` is the key that names the algorithm.
pub(super) fn refuse_unused(
    section: &mut Section<'_>,
    preset: Preset,
    (collective, chosen, named_by): (&str, &NamedRows, &str),
    (key, parameter): (&str, Parameter),
) {
    if section.has(key) && !chosen.uses(parameter) {
        let hint = match users(preset, collective, parameter) {
            users if users.is_empty() => "leave it out".to_owned(),
            users => format!("leave it out, or choose {named_by} among {}", users.join(", ")),
        };
        section.report(key, format!("is not used by {collective} = {:?}", chosen.name), hint);
    }
}
