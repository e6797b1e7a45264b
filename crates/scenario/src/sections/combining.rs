//! `[[combining]]`: how fast reductions combine, by operation and type.

use crate::Units;
use crate::keys::Default::{Required, Words};
use crate::keys::form::{Form, Quantity, RATE, written};
use crate::keys::resolved::Resolved;
use crate::keys::{At, keys};
use crate::scenario::{Check, Experiment};
use crate::source::nearest::nearest;
use crate::source::reader::Section;
use crate::source::tree::{Entry, Value as Written};
use serde_json::{Value, json};
use weir_message::{CombiningRow, Costs, ElementName, OperationName};
use weir_units::Bandwidth;

/// A name, or a list of some.
pub(in crate::sections) struct Names<T: 'static> {
    /// What a name stands for.
    named: fn(&str) -> Option<T>,
    /// All names, those first that the reference shows.
    all: fn() -> Vec<String>,
    /// How many of them it shows.
    shown: usize,
}

impl<T: PartialEq> Form for Names<T> {
    type Value = Vec<T>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<Vec<T>> {
        let items = match &entry.value {
            Written::List(list) if list.is_empty() => {
                return at.wrong_with_hint(entry, "must not be empty", "leave it out for all".to_owned());
            }
            Written::List(list) => list.as_slice(),
            _ => std::slice::from_ref(entry),
        };
        let mut found = Vec::new();
        for item in items {
            match (self.named)(written(item)) {
                None => return self.none_of(at, item),
                Some(name) if found.contains(&name) => {
                    return at
                        .wrong(item, "is named twice: another name here stands for the same".to_owned());
                }
                Some(name) => found.push(name),
            }
        }
        Some(found)
    }

    fn schema(&self) -> Value {
        let one = json!({ "enum": (self.all)() });
        json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

impl<T> Names<T> {
    /// Reports a name that stands for nothing, with the nearest that does.
    fn none_of<V>(&self, at: &mut At<'_>, item: &Entry) -> Option<V> {
        let all = (self.all)();
        let what = format!("must be one of {}", all[..self.shown].join(", "));
        match nearest(written(item), all.iter().map(String::as_str)) {
            Some(name) => at.wrong_with_hint(item, what, format!("did you mean {name:?}?")),
            None => at.wrong(item, what),
        }
    }
}

/// A single name.
pub(in crate::sections) struct OneName<T: 'static>(pub(in crate::sections) Names<T>);

impl<T> Form for OneName<T> {
    type Value = T;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<T> {
        (self.0.named)(written(entry)).or_else(|| self.0.none_of(at, entry))
    }

    fn schema(&self) -> Value {
        json!({ "enum": (self.0.all)() })
    }
}

/// Operations, `sum` or `MPI_SUM`.
pub(in crate::sections) const OPERATIONS: Names<OperationName> =
    Names { named: OperationName::named, all: operation_names, shown: OperationName::ALL.len() };

/// Types, `double` or `MPI_DOUBLE`.
pub(in crate::sections) const ELEMENTS: Names<ElementName> =
    Names { named: ElementName::named, all: element_names, shown: ElementName::ALL.len() };

fn operation_names() -> Vec<String> {
    let names = || OperationName::ALL.iter().map(|(name, _)| name);
    let of_mpi = names().filter(|name| **name != OperationName::Program.name());
    names()
        .map(|&name| name.to_owned())
        .chain(of_mpi.map(|name| format!("MPI_{}", name.to_uppercase())))
        .collect()
}

fn element_names() -> Vec<String> {
    let others = ElementName::ALL.iter().flat_map(|(.., others)| others.iter().copied());
    ElementName::ALL.iter().map(|&(name, ..)| name).chain(others).map(str::to_owned).collect()
}

keys! {
    "combining":
    OPERATION: Names<OperationName> = "operation", &[], OPERATIONS, Words("any"),
        "one operation or a list: `sum`, `prod`, `max`, `min`, `land`, `lor`, `lxor`, `band`, `bor`, `bxor`, `maxloc`, `minloc`, as \
         `MPI_SUM` too; `user`: a function of the program";
    TYPE: Names<ElementName> = "type", &[], ELEMENTS, Words("any"),
        "one type of the elements or a list, as `double`, `MPI_DOUBLE` or `float64`: all [names](collectives.md#what-combining-takes) of C, MPI and \
         Fortran for the same elements are one type";
    BANDWIDTH: Quantity<Bandwidth> = "bandwidth", &[], RATE, Required("write bandwidth = \"12 GB/s\""),
        "how fast one operand is made of two, in bytes of one of them, in place of `node.combine_bandwidth`";
}

/// A row of the table; `None` when something is missing or wrong.
fn read(section: &mut Section<'_>) -> Option<CombiningRow> {
    let (operations, elements) = (section.get(&OPERATION), section.get(&TYPE));
    let is_right = |key: &str, found: bool, section: &Section<'_>| found || !section.has(key);
    let named = is_right(OPERATION.name, operations.is_some(), section)
        && is_right(TYPE.name, elements.is_some(), section);
    let bandwidth = section.get_required(&BANDWIDTH);
    let row = CombiningRow {
        operations: operations.unwrap_or_default(),
        elements: elements.unwrap_or_default(),
        bandwidth: bandwidth?,
    };
    if named && !row.has_any() {
        let names = row.operations.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ");
        let what = format!("fits no reduction: MPI has no {names} of such elements");
        section.problem(TYPE.name, what, None);
    }
    named.then_some(row)
}

/// A row as it would be written.
pub(crate) fn resolved(row: &CombiningRow, units: Units) -> Value {
    let mut resolved = Resolved::new(units);
    if !row.operations.is_empty() {
        let names = row.operations.iter().map(|operation| operation.name()).collect::<Vec<_>>();
        resolved.put_written(&OPERATION, json!(names));
    }
    if !row.elements.is_empty() {
        let names = row.elements.iter().map(|element| element.name()).collect::<Vec<_>>();
        resolved.put_written(&TYPE, json!(names));
    }
    resolved.put(&BANDWIDTH, row.bandwidth);
    resolved.into_value()
}

impl Check<'_> {
    /// The table of the input. A row that an earlier one leaves nothing for is refused.
    pub(crate) fn combining(&mut self) -> Vec<CombiningRow> {
        let mut numbers = Vec::new();
        let rows = self.listed("combining", "bandwidth=\"12 GB/s\"", |number, section| {
            let row = read(section);
            numbers.extend(row.iter().map(|_| number));
            row
        });
        for (index, row) in rows.iter().enumerate() {
            let Some(earlier) = rows[..index].iter().position(|earlier| earlier.covers(row)) else {
                continue;
            };
            let what = format!("can never be reached: combining.{} fits wherever it does", numbers[earlier]);
            let hint = "the first row that fits decides: put the narrower one first, or leave one out";
            if let Some(mut section) = self.item("combining", numbers[index]) {
                section.problem(BANDWIDTH.name, what, Some(hint.to_owned()));
            }
        }
        rows
    }
}

impl Experiment {
    /// What messages and collectives cost, for the message layer.
    pub(crate) fn message_costs(&self) -> Costs {
        Costs { combining: self.combining.clone().into(), ..self.node.message_costs() }
    }
}
