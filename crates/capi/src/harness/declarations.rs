//! What the headers declare: the parameters of every function.

use crate::headers::HEADERS;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A parameter of a function.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its type, with one blank between words and before the first `*`: `const void *`.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// The text without its comments.
fn code(text: &str) -> String {
    let parts = text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
    parts.collect()
}

fn parameter(text: &str) -> Option<Parameter> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text == "void" {
        return None;
    }
    let array = text.ends_with(']');
    let text = text.split('[').next().unwrap_or_default();
    let start = text.rfind([' ', '*']).map_or(0, |place| place + 1);
    let (kind, name) = text.split_at(start);
    let kind = kind.trim().to_owned() + if array { " *" } else { "" };
    Some(Parameter { kind, name: name.to_owned() })
}

fn read() -> BTreeMap<String, Vec<Parameter>> {
    let mut all = BTreeMap::new();
    for (path, text) in HEADERS {
        let text = code(text);
        let declarations = text.split("WEIR_MPI(").skip(1).filter(|_| path != "mpi.h");
        for declaration in declarations {
            let (head, rest) = declaration.split_once('(').expect("parameters");
            let name = head.split(',').nth(1).expect("a name").trim();
            let end = rest.find("))").expect("the end of the parameters");
            let parameters = rest[..end].split(',').filter_map(parameter).collect();
            all.insert(format!("MPI_{name}"), parameters);
        }
    }
    all
}

/// All functions with their parameters, in the order of their names.
pub fn all() -> &'static BTreeMap<String, Vec<Parameter>> {
    static ALL: OnceLock<BTreeMap<String, Vec<Parameter>>> = OnceLock::new();
    ALL.get_or_init(read)
}

/// The parameters of a function.
pub fn parameters(name: &str) -> &'static [Parameter] {
    all().get(name).unwrap_or_else(|| panic!("{name} is not declared"))
}

#[test]
fn parameters_are_read() {
    let of = |name| {
        let parameters = parameters(name).iter();
        parameters.map(|parameter| (parameter.kind.as_str(), parameter.name.as_str())).collect::<Vec<_>>()
    };
    let (int, comm) = (("int", "dest"), ("MPI_Comm", "comm"));
    let datatype = ("MPI_Datatype", "type");
    assert_eq!(
        of("MPI_Send"),
        [("const void *", "buf"), ("int", "count"), datatype, int, ("int", "tag"), comm]
    );
    assert_eq!(of("MPI_Finalize"), []);
    assert_eq!(of("MPI_Waitall")[2].0, "MPI_Status *");
    assert_eq!(all().len(), 672);
}
