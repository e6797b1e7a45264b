//! The parameters of every function, as the headers declare them.

use crate::headers;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A parameter of a function.
#[derive(Debug, PartialEq, Eq)]
pub struct DeclaredParameter {
    /// Its type, with one blank between words and before the first `*`: `const void *`.
    pub kind: String,
    /// Its name.
    pub name: String,
}

fn parameter(declared: headers::Parameter) -> DeclaredParameter {
    let headers::Parameter { name, kind, is_constant, stars, is_array } = declared;
    let stars =
        [if stars > 0 { " " } else { "" }, &"*".repeat(stars), if is_array { " *" } else { "" }].concat();
    DeclaredParameter { kind: if is_constant { "const " } else { "" }.to_owned() + &kind + &stars, name }
}

/// All functions with their parameters, in the order of their names.
pub fn all() -> &'static BTreeMap<String, Vec<DeclaredParameter>> {
    static ALL: OnceLock<BTreeMap<String, Vec<DeclaredParameter>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let functions = headers::functions();
        let named = functions.map(|function| {
            (format!("MPI_{}", function.name), function.parameters.into_iter().map(parameter).collect())
        });
        named.collect()
    })
}

/// The parameters of a function.
pub fn parameters(name: &str) -> &'static [DeclaredParameter] {
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
