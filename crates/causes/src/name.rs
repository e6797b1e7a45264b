//! Names that are there as long as the process: of calls, of their sites, of phases.

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// A name that is there as long as the process, as a number, because paths are copied for each message; the default is the empty one. In order
/// of its text. Written as text; who reads it has it [kept](Self::kept).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Name(u32);

/// All names but the empty one, by their numbers from 1 on.
#[derive(Default)]
struct Names {
    texts: Vec<&'static str>,
    numbers: BTreeMap<&'static str, u32>,
}

static NAMES: RwLock<Names> = RwLock::new(Names { texts: Vec::new(), numbers: BTreeMap::new() });

impl Names {
    fn number(&mut self, text: &'static str) -> u32 {
        let next = u32::try_from(self.texts.len() + 1).expect("there are few names");
        let number = *self.numbers.entry(text).or_insert(next);
        if number == next {
            self.texts.push(text);
        }
        number
    }
}

/// Number of names that a thread finds without looking at the table of all.
const SEEN: usize = 64;

thread_local! {
    static LAST_SEEN: [Cell<(&'static str, Name)>; SEEN] = const { [const { Cell::new(("", Name(0))) }; SEEN] };
}

impl Name {
    /// The name with this text.
    #[inline]
    pub fn of(text: &'static str) -> Self {
        if text.is_empty() {
            return Self(0);
        }
        let address = text.as_ptr() as usize;
        LAST_SEEN.with(|seen| {
            let seen = &seen[(address ^ (address / SEEN)) % SEEN];
            let (last, name) = seen.get();
            if std::ptr::eq(last, text) {
                return name;
            }
            let name = Self(NAMES.write().unwrap_or_else(PoisonError::into_inner).number(text));
            seen.set((text, name));
            name
        })
    }

    /// The name with this text, which is kept as long as the process, once: for names of which there are few.
    pub fn kept(text: &str) -> Self {
        if text.is_empty() {
            return Self(0);
        }
        let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
        match names.numbers.get(text) {
            Some(number) => Self(*number),
            None => Self(names.number(Box::leak(text.into()))),
        }
    }

    /// Its text.
    pub fn text(self) -> &'static str {
        let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
        (self.0 as usize).checked_sub(1).map_or("", |place| names.texts[place])
    }

    /// Returns whether it is the empty one.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text().cmp(other.text())
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl serde::Serialize for Name {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.text())
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

    /// A name is text where it is written, and the same one however it is made, in whichever thread.
    #[test]
    fn a_name_is_kept_once() {
        let names = (Name::of("solve"), Name::of(""));
        let bytes = postcard::to_stdvec(&names).expect("memory takes all that is written");
        assert_eq!(bytes, b"\x05solve\x00");
        let read = postcard::from_bytes::<(Name, Name)>(&bytes).expect("it was written");
        assert_eq!(read, names);
        assert_eq!((names.0.text(), names.1.text(), names.1.is_empty()), ("solve", "", true));
        let elsewhere = std::thread::spawn(|| (Name::of("solve"), Name::kept("")));
        assert_eq!(elsewhere.join().expect("it only makes names"), names);
    }

    /// More names than a thread remembers; in the order of their texts, not of their numbers.
    #[test]
    fn many_names() {
        let texts: Vec<&'static str> =
            (0..4 * SEEN).rev().map(|number| &*String::leak(format!("many {number:03}"))).collect();
        let mut names: Vec<_> = texts.iter().map(|&text| Name::of(text)).collect();
        assert!(names.iter().zip(&texts).all(|(name, text)| name.text() == *text && *name == Name::of(text)));
        names.sort();
        assert!(names.iter().rev().zip(&texts).all(|(name, text)| name.text() == *text));
    }
}
