//! Names of what MPI combines: operations and types.

use super::KeyPath;
use super::form::{Form, written};
use crate::Units;
use crate::source::nearest::{is_name, nearest};
use crate::source::tree::{Entry, Value as Written};
use serde_json::{Value, json};
use weir_message::{ElementName, OperationName};

pub(crate) struct Names<T: 'static> {
    named: fn(&str) -> Option<T>,
    name: fn(T) -> &'static str,
    /// All names, those first that the reference shows.
    all: fn() -> Vec<String>,
    shown: usize,
}

impl<T: Copy + PartialEq> Form<Vec<T>> for Names<T> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<Vec<T>> {
        let items = match &entry.value {
            Written::List(list) if list.is_empty() => {
                return at.wrong_with_hint(entry, "must not be empty", "leave it out for all".to_owned());
            }
            Written::List(list) => list.as_slice(),
            _ => std::slice::from_ref(entry),
        };
        let mut found = Vec::new();
        for item in items {
            match self.of(item) {
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

    fn write(&self, _: Units, named: &Vec<T>) -> Value {
        named.iter().map(|one| json!((self.name)(*one))).collect()
    }

    fn schema(&self) -> Value {
        let one = json!({ "enum": (self.all)() });
        json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

impl<T> Names<T> {
    /// Finds what a name stands for, in which hyphens and underscores are the same.
    fn of(&self, item: &Entry) -> Option<T> {
        let text = written(item);
        let alike = || (self.all)().into_iter().find(|name| is_name(name, text));
        (self.named)(text).or_else(|| (self.named)(&alike()?))
    }

    fn none_of<V>(&self, at: &mut KeyPath<'_>, item: &Entry) -> Option<V> {
        let all = (self.all)();
        let what = format!("must be one of {}", all[..self.shown].join(", "));
        match nearest(written(item), all.iter().map(String::as_str)) {
            Some(name) => at.wrong_with_hint(item, what, format!("did you mean {name:?}?")),
            None => at.wrong(item, what),
        }
    }
}

pub(crate) struct OneName<T: 'static>(pub(crate) Names<T>);

impl<T: Copy> Form<T> for OneName<T> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T> {
        self.0.of(entry).or_else(|| self.0.none_of(at, entry))
    }

    fn write(&self, _: Units, named: &T) -> Value {
        json!((self.0.name)(*named))
    }

    fn schema(&self) -> Value {
        json!({ "enum": (self.0.all)() })
    }
}

/// Operations, `sum` or `MPI_SUM`.
pub(crate) const OPERATIONS: Names<OperationName> = Names {
    named: OperationName::named,
    name: OperationName::name,
    all: operation_names,
    shown: OperationName::ALL.len(),
};

/// Types, `double` or `MPI_DOUBLE`.
pub(crate) const ELEMENTS: Names<ElementName> = Names {
    named: ElementName::named,
    name: ElementName::name,
    all: element_names,
    shown: ElementName::ALL.len(),
};

fn operation_names() -> Vec<String> {
    let names = || OperationName::ALL.iter().map(|(name, _)| name);
    let of_mpi = names().filter(|name| **name != OperationName::Program.name());
    let of_mpi = of_mpi.map(|name| format!("MPI_{}", name.to_uppercase()));
    names().map(|&name| name.to_owned()).chain(of_mpi).collect()
}

fn element_names() -> Vec<String> {
    let others = ElementName::ALL.iter().flat_map(|(.., others)| others.split(" | "));
    ElementName::ALL.iter().map(|&(name, ..)| name).chain(others).map(str::to_owned).collect()
}
