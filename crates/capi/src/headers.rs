//! The public headers, and the functions of MPI that they declare.

mod declarations;

pub use declarations::{Function, Parameter};

/// The public headers, as programs see them: the path below the include folder, and the text. `mpi.h`, which is the
/// first, includes the others.
pub const HEADERS: [(&str, &str); 13] = [
    ("mpi.h", include_str!("../../../include/mpi.h")),
    ("mgen-mpi.h", include_str!("../../../include/mgen-mpi.h")),
    ("weir.h", include_str!("../../../include/weir.h")),
    ("weir/collectives.h", include_str!("../../../include/weir/collectives.h")),
    ("weir/mpi_collectives.h", include_str!("../../../include/weir/mpi_collectives.h")),
    ("weir/mpi_communicators.h", include_str!("../../../include/weir/mpi_communicators.h")),
    ("weir/mpi_datatypes.h", include_str!("../../../include/weir/mpi_datatypes.h")),
    ("weir/mpi_environment.h", include_str!("../../../include/weir/mpi_environment.h")),
    ("weir/mpi_files.h", include_str!("../../../include/weir/mpi_files.h")),
    ("weir/mpi_handles.h", include_str!("../../../include/weir/mpi_handles.h")),
    ("weir/mpi_point_to_point.h", include_str!("../../../include/weir/mpi_point_to_point.h")),
    ("weir/mpi_tools.h", include_str!("../../../include/weir/mpi_tools.h")),
    ("weir/mpi_windows.h", include_str!("../../../include/weir/mpi_windows.h")),
];

/// The functions that the headers declare.
pub fn functions() -> impl Iterator<Item = Function> {
    HEADERS.iter().flat_map(|(_, text)| declarations::functions(text))
}

/// Their names, with the prefix `MPI_`.
pub fn declared() -> impl Iterator<Item = String> {
    functions().map(|function| format!("MPI_{}", function.name))
}

/// The constants of `mpi.h`, under its names.
#[allow(missing_docs)] // mpi.h says what they are
pub mod constants {
    include!(concat!(env!("OUT_DIR"), "/constants.rs"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The names of MPI in a text of C without its comments, but for those that are no program's business.
    fn names_of_mpi(text: &str) -> BTreeSet<String> {
        let parts = text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
        let code: String = parts.collect();
        let mut names = BTreeSet::new();
        let mut last = "";
        for word in
            code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
        {
            if word.len() > 4 && word.starts_with("MPI_") && last != "struct" && word != "MPI_internal" {
                names.insert(word.to_owned());
            }
            last = word;
        }
        names
    }

    #[test]
    fn mgen_mpi_h_has_every_name_of_mpi_h() {
        let of_mpi = |path: &str| path == "mpi.h" || path.starts_with("weir/mpi_");
        let headers = HEADERS.iter().filter(|(path, _)| of_mpi(path));
        let mut expected: BTreeSet<String> = headers.flat_map(|(_, text)| names_of_mpi(text)).collect();
        expected.extend(declared());
        let (_, text) = HEADERS.iter().find(|(path, _)| *path == "mgen-mpi.h").expect("it is a header");
        let lines = text.lines().filter_map(|line| line.strip_prefix("#define MGEN_")?.split_once(' '));
        let aliases: Vec<(&str, &str)> = lines.filter(|(name, _)| !name.starts_with("Key(")).collect();
        for (name, meaning) in &aliases {
            assert_eq!(meaning.strip_prefix("MPI_"), Some(*name), "an alias of another name");
        }
        let had: BTreeSet<String> = aliases.iter().map(|(_, meaning)| (*meaning).to_owned()).collect();
        assert_eq!(had.len(), aliases.len(), "an alias stands twice");
        assert!(declared().count() >= 672);
        let missing: Vec<&String> = expected.difference(&had).collect();
        let surplus: Vec<&String> = had.difference(&expected).collect();
        assert!(missing.is_empty() && surplus.is_empty(), "missing: {missing:?}, surplus: {surplus:?}");
    }

    #[test]
    fn texts_of_classes_begin_with_their_names() {
        let constants = include_str!(concat!(env!("OUT_DIR"), "/constants.rs")).lines();
        let classes =
            constants.filter_map(|line| line.strip_prefix("pub const MPI_ERR_")?.split_once(": i32 = "));
        let mut count = 0;
        for (name, class) in classes.filter(|(name, _)| *name != "LASTCODE") {
            let class = class.trim_end_matches(';').parse().unwrap();
            let text = crate::calls::abi::error_text(class).unwrap_or_default();
            assert!(text.starts_with(&format!("MPI_ERR_{name}: ")), "{name}: {text}");
            count += 1;
        }
        assert_eq!(count, 62);
        assert_eq!([-1, 63, 16383].map(crate::calls::abi::error_text), [None; 3]);
    }
}
