//! The functions that the headers declare, each as `WEIR_MPI(int, Send, (const void *buf, int count, ...));`. The build scripts of
//! `capi` and `abi` are compiled with this file, so it needs nothing else of the crate.

/// A function of MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The type of C that it returns.
    pub returns: String,
    /// Its name without the prefix, as `Send`.
    pub name: String,
    /// Its parameters, without a variable number of further ones.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function of C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type without `const` and stars, as `MPI_Comm`.
    pub kind: String,
    /// True where its type begins with `const`.
    pub is_constant: bool,
    /// Number of stars in its type.
    pub stars: usize,
    /// True where brackets follow its name.
    pub is_array: bool,
}

/// The functions that a header declares, in its order.
pub(crate) fn functions(header: &str) -> impl Iterator<Item = Function> {
    let parts = header.split("\nWEIR_MPI(").skip(1);
    parts.filter_map(|part| function(part.split_once("));")?.0))
}

/// From what stands between `WEIR_MPI(` and the closing `));`.
fn function(text: &str) -> Option<Function> {
    let (returns, rest) = text.split_once(',')?;
    let (name, parameters) = rest.split_once(',')?;
    let parameters = parameters.trim().strip_prefix('(')?.split(',').map(str::trim);
    let parameters = parameters.filter(|parameter| !matches!(*parameter, "void" | "...")).map(parameter);
    Some(Function { returns: returns.into(), name: name.trim().into(), parameters: parameters.collect() })
}

fn parameter(text: &str) -> Parameter {
    let (text, is_array) = text.split_once('[').map_or((text, false), |(rest, _)| (rest, true));
    let is_constant = text.starts_with("const ");
    let words = text.split(|sign: char| sign.is_whitespace() || sign == '*').filter(|word| !word.is_empty());
    let mut words = words.skip(usize::from(is_constant));
    let kind = words.next().unwrap_or_default().into();
    let name = words.last().unwrap_or_default().into();
    Parameter { name, kind, is_constant, stars: text.matches('*').count(), is_array }
}
