//! The constants of `mpi.h` as Fortran has them.

use weir_capi::headers::HEADERS;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Constant {
    /// With the prefix.
    pub(super) name: String,
    pub(super) value: i64,
    pub(super) kind: ConstantKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConstantKind {
    Integer,
    /// A distance in a file.
    Offset,
    /// A handle, with its type in C.
    Handle(String),
}

/// All constants, in the order of the header, and those that only Fortran has.
pub(super) fn all() -> Vec<Constant> {
    let mut constants: Vec<Constant> = Vec::new();
    let definitions = HEADERS[0].1.lines().filter_map(|line| line.strip_prefix("#define MPI_"));
    for definition in definitions {
        let Some((name, rest)) = definition.split_once(char::is_whitespace) else { continue };
        let value = rest.split("/*").next().unwrap_or_default().trim();
        if name.starts_with("T_") || name.starts_with("F_") || name.contains('(') {
            continue;
        }
        let name = format!("MPI_{name}");
        let alias = constants.iter().find(|known| known.name == value);
        let found = alias.map(|known| (known.value, known.kind.clone())).or_else(|| number(value));
        if let Some((value, kind)) = found {
            // A text of Fortran has no closing zero.
            let ending = name.starts_with("MPI_MAX_");
            constants.push(Constant { name, value: value - i64::from(ending), kind });
        }
    }
    let own = [
        ("MPI_STATUS_SIZE", 8),
        ("MPI_SOURCE", 1),
        ("MPI_TAG", 2),
        ("MPI_ERROR", 3),
        ("MPI_ADDRESS_KIND", 8),
        ("MPI_COUNT_KIND", 8),
        ("MPI_OFFSET_KIND", 8),
        ("MPI_INTEGER_KIND", 4),
    ];
    let own = own.map(|(name, value)| Constant { name: name.into(), value, kind: ConstantKind::Integer });
    own.into_iter().chain(constants).collect()
}

/// The value of `12`, `(-1)`, `((MPI_Comm)0x101)`; none for pointers to data and to functions.
fn number(text: &str) -> Option<(i64, ConstantKind)> {
    let mut inside = text;
    while let Some(less) = inside.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        // `(MPI_Offset)-1` begins with a bracket of its own.
        inside = less;
    }
    let (cast, digits) = match inside.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((cast, digits)) => (Some(cast), digits),
        None => (None, inside),
    };
    let kind = match cast {
        None => ConstantKind::Integer,
        Some("MPI_Offset") => ConstantKind::Offset,
        Some(cast) if super::rules::HANDLES.contains(&cast) => ConstantKind::Handle(cast.to_owned()),
        Some(_) => return None,
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    Some((value.ok()?, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_one_shorter_than_in_c() {
        let all = all();
        let value = |name: &str| all.iter().find(|constant| constant.name == name).unwrap().value;
        assert_eq!(value("MPI_MAX_PROCESSOR_NAME"), 255);
        assert_eq!(value("MPI_LONG_LONG_INT"), 0x20b);
        assert_eq!(value("MPI_ANY_TAG"), -2);
        // Those that only Fortran has: a status is eight integers, of which the first three have names.
        let own = [
            "STATUS_SIZE",
            "SOURCE",
            "TAG",
            "ERROR",
            "ADDRESS_KIND",
            "COUNT_KIND",
            "OFFSET_KIND",
            "INTEGER_KIND",
        ];
        assert_eq!(own.map(|name| value(&format!("MPI_{name}"))), [8, 1, 2, 3, 8, 8, 8, 4]);
        let mut names: Vec<&str> = all.iter().map(|constant| constant.name.as_str()).collect();
        assert!(!names.iter().any(|name| name.starts_with("MPI_T_") || name.starts_with("MPI_F_")));
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "each has one value");
    }
}
