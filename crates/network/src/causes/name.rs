//! Names that are there as long as the process: of calls, of phases.

use serde::de::{Deserializer, Error, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A name that is there as long as the process. Written as text; who reads it has it [kept](Self::kept).
#[derive(Clone, Copy, Debug, Default, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Name(pub &'static str);

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0) || self.0 == other.0
    }
}

/// Names that have come from elsewhere: from programs, other processes, checkpoints.
static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

impl Name {
    /// The name with this text, which is kept as long as the process, once: for names of which there are few.
    #[must_use]
    pub fn kept(text: &str) -> Self {
        if text.is_empty() {
            return Self("");
        }
        let mut names = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = names.get(text) {
            return Self(name);
        }
        let name: &'static str = Box::leak(text.into());
        names.insert(name);
        Self(name)
    }
}

impl<'de> serde::Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Name, E> {
                Ok(Name::kept(text))
            }
        }

        from.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name is text where it is written, and the same place in memory however often it is read.
    #[test]
    fn a_name_is_kept_once() {
        let bytes =
            postcard::to_stdvec(&(Name("solve"), Name(""))).expect("memory takes all that is written");
        assert_eq!(bytes, b"\x05solve\x00");
        let read = || postcard::from_bytes::<(Name, Name)>(&bytes).expect("it was written");
        let (one, other) = (read(), read());
        assert_eq!(one, (Name("solve"), Name("")));
        assert!(std::ptr::eq(one.0.0, other.0.0) && std::ptr::eq(one.0.0, Name::kept("solve").0));
    }
}
