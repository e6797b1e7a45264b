//! Why a machine cannot be built.

/// One thing that is wrong with the description of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Which key of the description: `shape`, `radix`.
    pub key: &'static str,
    /// The mistake, as the end of a sentence that begins with the key.
    pub what: String,
    /// A remedy.
    pub hint: String,
}

/// `Ok` if there are no mistakes.
pub(crate) fn unless_empty(mistakes: Vec<Mistake>) -> Result<(), Vec<Mistake>> {
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}

/// A part of a sentence about a machine that is too large.
pub(crate) fn too_many(nodes: u128, links: u128) -> String {
    format!("gives {nodes} nodes and {links} links, more than the {} that can be numbered", u32::MAX)
}

/// Checks the sizes of a grid, and that its links can be numbered with 32 bits.
pub(crate) fn check_shape(
    sizes: impl ExactSizeIterator<Item = u32>,
    nodes: u128,
    links: u128,
) -> Result<(), Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let mut refuse = |what, hint: &str| mistakes.push(Mistake { key: "shape", what, hint: hint.into() });
    if sizes.len() == 0 {
        refuse("has no dimension".into(), "write one size per dimension, for example [16, 16]");
    }
    for (i, _) in sizes.enumerate().filter(|&(_, size)| size == 0) {
        refuse(format!("has no routers in dimension {i}, counted from 0"), "every size is at least 1");
    }
    if links > u128::from(u32::MAX) {
        refuse(too_many(nodes, links), "make a dimension smaller");
    }
    unless_empty(mistakes)
}
