//! `[collectives]`: which algorithm each collective operation of MPI uses, and its parameters.

use crate::Units;
use crate::keys::form::{DATA, Form, OneOf, Quantity, Sizes, Whole, written};
use crate::keys::resolved::Resolved;
use crate::keys::{AnyKey, At, Default, Key, Row, Table};
use crate::source::reader::Section;
use crate::source::tree::Entry;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::LazyLock;
use weir_message::collective::choice::{ALIASES, CATALOGUE};
use weir_message::collective::{Known, NameError, Named, Parameter, Parameters, Preset, Row as Chosen};
use weir_units::Bytes;

/// More rings are no faster on any machine: each costs a message in every round.
pub(super) const MOST_RINGS: u64 = 256;

/// The name of what the tables decide.
pub(crate) const AUTO: &str = "auto";

/// The keys of a collective.
struct Keys {
    algorithm: Key<AlgorithmName>,
    /// If an algorithm has segments.
    segment: Option<Key<Quantity<Bytes>>>,
    /// If an algorithm has a fan-out.
    fan_out: Option<Key<Whole>>,
    /// If an algorithm has a number of trees.
    trees: Option<Key<Whole>>,
    /// If an algorithm has a number of rings.
    rings: Option<Key<Whole>>,
}

static ALL: LazyLock<Vec<Keys>> = LazyLock::new(|| {
    let of = |&(collective, names): &(&'static str, &'static [&'static str])| {
        let row = |name, default, meaning| Row { name, kinds: &[], default, meaning };
        let of_parameter = |parameter, name: &str, what: &str| {
            let users = users(Preset::Mpich, collective, parameter);
            let users = users.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let meaning = format!("{what} of {users}").leak();
            let default = Default::Words("as the algorithm has it");
            (!users.is_empty()).then(|| row(format!("{collective}_{name}").leak(), default, meaning))
        };
        let segment = of_parameter(Parameter::Segment, "segment_size", "bytes of a segment");
        let fan_out = of_parameter(Parameter::FanOut, "fan_out", "fan-out");
        let trees =
            of_parameter(Parameter::Trees, "trees", "the most trees, each with a part of the message,");
        let rings = of_parameter(
            Parameter::Rings,
            "rings",
            "how many rings go around at once, each with a part of the message and by an interface of its own,",
        );
        Keys {
            algorithm: Key {
                row: row(collective, Default::Value("\"auto\""), "its algorithm"),
                form: AlgorithmName { collective, names },
            },
            segment: segment.map(|row| Key { row, form: DATA }),
            fan_out: fan_out.map(|row| Key { row, form: Whole(1, u64::from(u32::MAX)) }),
            trees: trees.map(|row| Key { row, form: Whole(1, u64::from(u32::MAX)) }),
            rings: rings.map(|row| Key { row, form: Whole(1, MOST_RINGS) }),
        }
    };
    CATALOGUE.iter().map(of).collect()
});

/// What `auto` is.
static PRESET: Key<OneOf<Preset>> = Key {
    row: Row {
        name: "preset",
        kinds: &[],
        default: Default::Value("\"mpich\""),
        meaning: "the library whose [rules](collectives.md#presets) `auto` stands for, and whose \
                  [names](collectives.md#names) of algorithms come before weir's own: `mpich`, `open-mpi`, `fujitsu`",
    },
    form: OneOf(&Preset::ALL),
};

/// What algorithms follow that know where ranks are.
static GRID: Key<Sizes> = Key {
    row: Row {
        name: "grid",
        kinds: &[],
        default: Default::Words("the job's own, if it has one rank for each place"),
        meaning: "for `disjoint-trees`: sides of the [closed grid](collectives.md#trees-on-a-grid) whose places the ranks are, that along which \
                  ranks follow each other first",
    },
    form: Sizes(Whole(1, u32::MAX as u64)),
};

/// The preset, the grid, and keys for each collective of the catalogue.
pub(crate) static KEYS: LazyLock<Table> = LazyLock::new(|| {
    let of = |keys: &'static Keys| {
        let segment = keys.segment.as_ref().map(|key| key as &dyn AnyKey);
        let fan_out = keys.fan_out.as_ref().map(|key| key as &dyn AnyKey);
        let trees = keys.trees.as_ref().map(|key| key as &dyn AnyKey);
        let rings = keys.rings.as_ref().map(|key| key as &dyn AnyKey);
        [Some(&keys.algorithm as &dyn AnyKey), segment, fan_out, trees, rings]
    };
    let of_all: [&dyn AnyKey; 2] = [&PRESET, &GRID];
    let keys: Vec<&dyn AnyKey> = of_all.into_iter().chain(ALL.iter().flat_map(of).flatten()).collect();
    Table { name: "collectives", keys: keys.leak() }
});

/// Whether a key is that of a parameter of a collective.
pub(crate) fn is_parameter_of(key: &str, collective: &str) -> bool {
    let of = ALL.iter().find(|keys| keys.algorithm.name == collective);
    let names = of.map(|keys| {
        let numbers =
            [&keys.fan_out, &keys.trees, &keys.rings].map(|key| key.as_ref().map(|key| key.row.name));
        [keys.segment.as_ref().map(|key| key.row.name), numbers[0], numbers[1], numbers[2]]
    });
    names.is_some_and(|names| names.contains(&Some(key)))
}

/// The algorithms of a collective that use a parameter, by their names with a preset.
pub(super) fn users(preset: Preset, collective: &str, parameter: Parameter) -> Vec<&'static str> {
    let of_collective = CATALOGUE.iter().filter(|(key, _)| *key == collective).flat_map(|(_, names)| *names);
    let named = of_collective.filter_map(|name| Named::new(collective, name));
    let users = named.filter(|named| named.algorithm().parameters.contains(&parameter));
    users.map(|named| preset.name_of(named)).collect()
}

/// What a name stands for with a preset; reports one that stands for nothing.
pub(super) fn known(
    section: &mut Section<'_>,
    key: &str,
    preset: Preset,
    (collective, name): (&str, &str),
) -> Option<Known> {
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
    let hint = CATALOGUE.iter().any(|(key, _)| *key == collective).then_some(hint);
    section.problem(key, wrong.what(collective), hint);
    None
}

/// One of the algorithms of a collective, which may be written by a name it has elsewhere. What it stands for depends on the
/// preset.
struct AlgorithmName {
    collective: &'static str,
    names: &'static [&'static str],
}

impl Form for AlgorithmName {
    type Value = String;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<String> {
        let name = written(entry);
        match Preset::Mpich.known(self.collective, name) {
            Err(NameError::Unknown) if name != "default" => at.none_of(entry, self.names),
            _ => Some(name.to_owned()),
        }
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

/// The algorithm of each collective, by the names of [`weir_message::collective::choice::CATALOGUE`], whatever the preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectivesSection {
    /// What `auto` stands for.
    pub preset: Preset,
    /// Collective and algorithm, in the order of the catalogue. A name that stands for several algorithms, or for one with
    /// parameters that depend on the call, is `auto` here: its rows come first in the table.
    pub algorithms: Vec<(&'static str, &'static str)>,
    /// Collective and parameters of its algorithm, in the same order; those of `Parameters::default()` are the
    /// algorithm's own.
    pub parameters: Vec<(&'static str, Parameters)>,
    /// Sides of the grid that ranks lie on, if it is written, or an algorithm follows it.
    pub grid: Vec<u32>,
}

/// What is read of the section.
pub(super) struct ReadCollectives {
    pub(super) section: CollectivesSection,
    /// Rows for collectives whose names do not stand for one algorithm.
    pub(super) rows: Vec<Chosen<Named>>,
    /// What the section itself names.
    pub(super) written: Vec<(&'static str, Known)>,
}

impl CollectivesSection {
    /// Reads the section; `elsewhere` is a collective with the algorithm that the workload names, which counts where the
    /// section names none.
    pub(super) fn read(section: &mut Section<'_>, elsewhere: Option<(&str, &str)>) -> ReadCollectives {
        let preset = section.get_or_default(&PRESET);
        let grid = section.get(&GRID).unwrap_or_default();
        let grid = grid.into_iter().map(|side| u32::try_from(side).expect("the row has the range")).collect();
        let this = Self { preset, algorithms: Vec::new(), parameters: Vec::new(), grid };
        let mut read = ReadCollectives { section: this, rows: Vec::new(), written: Vec::new() };
        for keys in ALL.iter() {
            read.collective(section, keys, elsewhere);
        }
        read
    }

    /// The algorithm of the collective with this key.
    ///
    /// # Panics
    /// When there is no such collective.
    pub(super) fn algorithm(&self, collective: &str) -> &'static str {
        let found = self.algorithms.iter().find(|(key, _)| *key == collective);
        found.expect("the catalogue has every collective").1
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut resolved = Resolved::new(units);
        resolved.put(&PRESET, self.preset);
        let grid = self.grid.iter().map(|&side| u64::from(side)).collect::<Vec<u64>>();
        resolved.put_some(&GRID, (!grid.is_empty()).then_some(grid));
        for (keys, (&(_, name), &(_, parameters))) in
            ALL.iter().zip(self.algorithms.iter().zip(&self.parameters))
        {
            let named = Named::new(keys.algorithm.name, name).expect("the catalogue has the pair");
            resolved.put_written(&keys.algorithm, json!(self.preset.name_of(named)));
            if let Some(key) = &keys.segment {
                let bytes = |segment: NonZeroU32| Bytes(u64::from(segment.get()));
                resolved.put_some(key, parameters.segment.map(bytes));
            }
            if let Some(key) = &keys.fan_out {
                resolved.put_some(key, parameters.fan_out.map(|count| u64::from(count.get())));
            }
            if let Some(key) = &keys.trees {
                resolved.put_some(key, parameters.trees.map(|count| u64::from(count.get())));
            }
            if let Some(key) = &keys.rings {
                resolved.put_some(key, parameters.rings.map(|count| u64::from(count.get())));
            }
        }
        resolved.into_value()
    }
}

impl ReadCollectives {
    /// Reads the keys of one collective.
    fn collective(
        &mut self,
        section: &mut Section<'_>,
        keys: &'static Keys,
        elsewhere: Option<(&str, &str)>,
    ) {
        let (collective, preset) = (keys.algorithm.name, self.section.preset);
        let written = section.get(&keys.algorithm);
        let written = written.and_then(|name| known(section, collective, preset, (collective, &name)));
        let elsewhere = elsewhere.filter(|(operation, _)| *operation == collective);
        let elsewhere = elsewhere.and_then(|(_, name)| preset.known(collective, name).ok());
        let auto = || preset.known(collective, AUTO).expect("every collective has it");
        let chosen = written.clone().or(elsewhere).unwrap_or_else(auto);
        let last = chosen.rows.last().map_or(AUTO, |row| row.algorithm.algorithm().name);
        let segment = keys.segment.as_ref().and_then(|key| read_segment(section, key));
        let fan_out = keys.fan_out.as_ref().and_then(|key| read_fan_out(section, key, last));
        let trees = keys.trees.as_ref().and_then(|key| read_count(section, key));
        let rings = keys.rings.as_ref().and_then(|key| read_count(section, key));
        // Of an algorithm that is wrong itself, it is not known what it uses.
        if written.is_some() || !section.has(collective) {
            let segment = keys.segment.as_ref().map(|key| (key.name, Parameter::Segment));
            let fan_out = keys.fan_out.as_ref().map(|key| (key.name, Parameter::FanOut));
            let trees = keys.trees.as_ref().map(|key| (key.name, Parameter::Trees));
            let rings = keys.rings.as_ref().map(|key| (key.name, Parameter::Rings));
            for (key, parameter) in segment.into_iter().chain(fan_out).chain(trees).chain(rings) {
                refuse_unused(section, preset, (collective, &chosen), key, parameter);
            }
        }
        self.written.extend(written.map(|known| (collective, known)));
        let rows = chosen.with(Parameters { segment, fan_out, trees, rings });
        let (algorithm, parameters) = match &rows[..] {
            [row] => (row.algorithm.algorithm().name, row.parameters),
            _ => (AUTO, Parameters::default()),
        };
        self.section.algorithms.push((collective, algorithm));
        self.section.parameters.push((collective, parameters));
        if rows.len() > 1 {
            self.rows.extend(rows);
        }
    }
}

/// Bytes of a segment.
pub(super) fn read_segment(
    section: &mut Section<'_>,
    key: &'static Key<Quantity<Bytes>>,
) -> Option<NonZeroU32> {
    let Bytes(bytes) = section.get(key)?;
    let segment = u32::try_from(bytes).ok().and_then(NonZeroU32::new);
    if segment.is_none() {
        let hint = "without the key, segments are as the algorithm has them".to_owned();
        section.problem(key.name, "must be at least 1 B and below 4 GiB", Some(hint));
    }
    segment
}

/// The fan-out of an algorithm.
pub(super) fn read_fan_out(
    section: &mut Section<'_>,
    key: &'static Key<Whole>,
    chosen: &str,
) -> Option<NonZeroU32> {
    let fan_out = section.get(key).and_then(|count| u32::try_from(count).ok()).and_then(NonZeroU32::new)?;
    if chosen == "knomial" && fan_out.get() == 1 {
        let hint = "2 is a binomial tree".to_owned();
        section.problem(key.name, "must be at least 2: it is the radix of the tree", Some(hint));
    }
    Some(fan_out)
}

/// How many trees or rings there are.
pub(super) fn read_count(section: &mut Section<'_>, key: &'static Key<Whole>) -> Option<NonZeroU32> {
    section.get(key).and_then(|count| u32::try_from(count).ok()).and_then(NonZeroU32::new)
}

/// Refuses a parameter that the algorithm does not use.
fn refuse_unused(
    section: &mut Section<'_>,
    preset: Preset,
    (collective, chosen): (&str, &Known),
    key: &str,
    parameter: Parameter,
) {
    if section.has(key) && !chosen.uses(parameter) {
        let what = format!("is not used by {collective} = {:?}", chosen.name);
        let users = users(preset, collective, parameter).join(", ");
        section.problem(key, what, Some(format!("leave it out, or choose {collective} among {users}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_message::collective::choice::{Alltoall, Bcast};

    /// The message layer gets what the section says.
    #[test]
    fn a_choice_has_algorithms_and_parameters() {
        let parameters = |segment, fan_out| Parameters {
            segment: NonZeroU32::new(segment),
            fan_out: NonZeroU32::new(fan_out),
            ..Parameters::default()
        };
        let section = CollectivesSection {
            preset: Preset::OpenMpi,
            algorithms: vec![("bcast", "chain"), ("alltoall", "linear-sync"), ("scan", "auto")],
            parameters: vec![
                ("bcast", parameters(4096, 2)),
                ("alltoall", parameters(0, 5)),
                ("scan", parameters(0, 0)),
            ],
            grid: vec![3, 4],
        };
        let choice = section.choice();
        assert_eq!(choice.preset, Preset::OpenMpi);
        assert_eq!(choice.grid.sides(), [3, 4]);
        assert_eq!((choice.bcast, choice.alltoall), (Bcast::Chain, Alltoall::LinearSync));
        assert_eq!(choice.parameters.bcast, parameters(4096, 2));
        assert_eq!(choice.parameters.alltoall, parameters(0, 5));
        assert_eq!(choice.parameters.reduce, Parameters::default());
    }
}
