//! The two ways to write quantities: with units, or all without (paper 000, section 4.1).
//!
//! In the unitless form a bandwidth of 1 and a message size of 1 give a time of 1; weir reads the numbers as bytes,
//! seconds and bytes per second. One input is written in one of the two forms: a forgotten unit would be an error by
//! a factor of 10^9 otherwise. A bare 0 fits both.

use crate::source::tree::Entry;

/// Form in which the quantities of an input are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Texts with units: `"8 GB/s"`.
    #[default]
    Written,
    /// Bare numbers: simulated times are "virtual communication time".
    Unitless,
}

#[derive(Debug, Default)]
pub(crate) struct UnitsForm {
    with: Vec<String>,
    without: Vec<(String, String, Entry)>,
}

impl UnitsForm {
    pub(crate) fn with_unit(&mut self, key: &str) {
        if self.with.last().is_none_or(|last| last != key) {
            self.with.push(key.to_owned());
        }
    }

    /// A quantity was written as a bare number other than 0, which probably stands for `meant`.
    pub(crate) fn without_unit(&mut self, key: &str, meant: String, entry: &Entry) {
        if self.without.last().is_none_or(|(last, ..)| last != key) {
            self.without.push((key.to_owned(), meant, entry.clone()));
        }
    }

    /// The form of the whole input.
    pub(crate) fn units(&self) -> Result<Units, Box<Mixture>> {
        let Some(((key, written, entry), others)) = self.without.split_first() else {
            return Ok(Units::Written);
        };
        let Some(with) = self.with.first() else { return Ok(Units::Unitless) };
        let what = format!("has no unit, but {with} has one");
        let others =
            others.iter().map(|(key, written, _)| format!(", {key} as {written:?}")).collect::<String>();
        let hint = format!("write it with its unit, such as {written:?}{others}; or no units anywhere");
        Err(Box::new(Mixture { key: key.clone(), entry: entry.clone(), what, hint }))
    }
}

/// An input in both forms: the first number without a unit, and what is wrong.
pub(crate) struct Mixture {
    pub(crate) key: String,
    pub(crate) entry: Entry,
    pub(crate) what: String,
    pub(crate) hint: String,
}
