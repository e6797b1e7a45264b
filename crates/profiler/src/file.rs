//! The file of a rank: its head, and its records one after the other.

use crate::fields::{Field, Form, fields, short};
use crate::source::MARK;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use weir_capi::headers::Function;

pub(crate) const HEAD_BYTES: usize = 16_384;
const FIRST_WORDS: usize = 4;
const DEFINE: i64 = 0xfffe;
pub(crate) const PAUSE: i64 = 0xfffd;
const IN_VAIN: i64 = 0x8000;

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The folder or a file in it cannot be read.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// It is something else.
    #[error("{0}: it is no file of weir record, or the rank had not come behind MPI_Init")]
    NotOurs(PathBuf),
    /// Its functions have other numbers.
    #[error("{0}: it was recorded by another version of weir: that version joins it")]
    OtherVersion(PathBuf),
    /// There is nothing in the folder.
    #[error(
        "{0}: no rank has written anything\n\nhint: the program must call MPI_Init or MPI_Init_thread, have its MPI as a shared \
         library, and be of the MPI whose mpicc the recorder is compiled with (--mpicc)"
    )]
    Nothing(PathBuf),
    /// Files of several runs.
    #[error("{0}: files of programs with {1} and with {2} ranks")]
    Several(PathBuf, i64, i64),
    /// The profile cannot be written.
    #[error("the profile cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// A comparison of the clock of a rank with that of rank 0, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// When, on the rank's own clock.
    pub(crate) at: i64,
    /// By how much that of rank 0 was ahead.
    pub(crate) ahead: i64,
    /// The time that a message and its answer took.
    pub(crate) trip: i64,
}

/// Values of the MPI's constants. Handles are numbers or addresses, as the MPI has them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Constants {
    pub(crate) world: i64,
    pub(crate) alone: i64,
    pub(crate) no_request: i64,
    pub(crate) message_of_nobody: i64,
    pub(crate) any_source: i64,
    pub(crate) any_tag: i64,
    pub(crate) nobody: i64,
    pub(crate) root: i64,
    pub(crate) no_check: i64,
    pub(crate) no_succeed: i64,
    pub(crate) exclusive: i64,
}

/// The head of a file.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) rank: u32,
    pub(crate) size: u32,
    /// The times at which recording began and ended, on the rank's own clock; it has not ended where the process died.
    pub(crate) start: i64,
    pub(crate) end: Option<i64>,
    pub(crate) at_start: Comparison,
    pub(crate) at_end: Comparison,
    /// The function that was being called last, and since when.
    pub(crate) calls: Option<(usize, i64)>,
    /// Picoseconds that recording a call took outside of its time.
    pub(crate) cost: u64,
    /// The error of the system for which no more was written.
    pub(crate) stopped: Option<i32>,
    pub(crate) constants: Constants,
    pub(crate) host: String,
    /// Which boot of which computer: its processes have one clock.
    pub(crate) boot: Vec<u8>,
    /// By function: calls that returned an error, and calls that are only counted.
    pub(crate) failed: Vec<u64>,
    pub(crate) counted: Vec<u64>,
}

impl Head {
    pub(crate) fn read(
        path: &Path,
        functions: &[Function],
        fingerprint: u64,
    ) -> Result<(Self, Records), FileError> {
        let unreadable = |error| FileError::Unreadable(path.to_owned(), error);
        let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(unreadable)?);
        let mut bytes = vec![0; HEAD_BYTES];
        let read = file.read_exact(&mut bytes);
        if read.is_err() || !bytes.starts_with(MARK.as_bytes()) {
            return Err(FileError::NotOurs(path.to_owned()));
        }
        let mut words = Words(&bytes[8..]);
        if words.next() as u64 != fingerprint {
            return Err(FileError::OtherVersion(path.to_owned()));
        }
        let (rank, size) = (words.next() as u32, words.next() as u32);
        let (start, end) = (words.next(), Some(words.next()).filter(|&end| end != 0));
        let comparison =
            |words: &mut Words<'_>| Comparison { at: words.next(), ahead: words.next(), trip: words.next() };
        let (at_start, at_end) = (comparison(&mut words), comparison(&mut words));
        let (function, since) = (words.next(), words.next());
        let calls = usize::try_from(function - 1).ok().map(|function| (function, since));
        let cost = words.next().max(0) as u64;
        let stopped = Some(words.next() as i32).filter(|&error| error != 0);
        let constants = Constants {
            world: words.next(),
            alone: words.next(),
            no_request: words.next(),
            message_of_nobody: words.next(),
            any_source: words.next(),
            any_tag: words.next(),
            nobody: words.next(),
            root: words.next(),
            no_check: words.next(),
            no_succeed: words.next(),
            exclusive: words.next(),
        };
        words = Words(&words.0[(16 - 11) * 8..]);
        let host = words.text(64);
        let boot = words.text(64);
        let mut counts = || (0..functions.len()).map(|_| words.next() as u64).collect();
        let (failed, counted) = (counts(), counts());
        let host = String::from_utf8_lossy(&host).into_owned();
        let head = Self {
            rank,
            size,
            start,
            end,
            at_start,
            at_end,
            calls,
            cost,
            stopped,
            constants,
            host,
            boot,
            failed,
            counted,
        };
        Ok((head, Records { file }))
    }
}

struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> i64 {
        let (word, rest) = self.0.split_first_chunk().expect("the head is long enough");
        self.0 = rest;
        i64::from_ne_bytes(*word)
    }

    fn text(&mut self, bytes: usize) -> Vec<u8> {
        let (text, rest) = self.0.split_at(bytes);
        self.0 = rest;
        text.iter().copied().take_while(|&byte| byte != 0).collect()
    }
}

/// The records of a file in their order.
pub(crate) struct Records {
    file: BufReader<File>,
}

/// One record. Times are nanoseconds on the rank's own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// A communicator has these members; the second group is empty but for intercommunicators.
    Define { handle: i64, members: Vec<i64>, others: Vec<i64> },
    /// To write the next record took this time, which is between its call and the one after it.
    Pause { begin: i64, end: i64 },
    /// Looks in vain, by a function.
    InVain { function: usize, begin: i64, end: i64 },
    /// A call.
    Call { function: usize, begin: i64, end: i64, site: u64, words: Vec<i64> },
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let mut word = [0; 8];
        self.file.read_exact(&mut word).ok()?;
        let first = i64::from_ne_bytes(word);
        let count =
            usize::try_from(first >> 16).ok()?.checked_sub(1).filter(|&count| count >= FIRST_WORDS - 1)?;
        let mut bytes = vec![0; 8 * count];
        self.file.read_exact(&mut bytes).ok()?;
        let mut rest = Words(&bytes);
        let (begin, end, site) = (rest.next(), rest.next(), rest.next() as u64);
        let words: Vec<i64> = (FIRST_WORDS - 1..count).map(|_| rest.next()).collect();
        let number = first & 0xffff;
        Some(match number {
            DEFINE => {
                let (&handle, rest) = words.split_first()?;
                let members = usize::try_from(*rest.first()?).ok()?;
                let all = rest.get(2..)?;
                let (members, others) = all.split_at_checked(members)?;
                Record::Define { handle, members: members.to_vec(), others: others.to_vec() }
            }
            PAUSE => Record::Pause { begin, end },
            number if number & IN_VAIN != 0 => {
                Record::InVain { function: (number & !IN_VAIN) as usize, begin, end }
            }
            number => Record::Call { function: number as usize, begin, end, site, words },
        })
    }
}

/// The fields of all functions, as records have them.
pub(crate) struct Layout {
    functions: Vec<(String, Vec<Field>)>,
}

impl Layout {
    pub(crate) fn new(functions: &[Function]) -> Self {
        let of = |function: &Function| (function.name.clone(), fields(function));
        Self { functions: functions.iter().map(of).collect() }
    }

    /// The name of a function, with its prefix.
    pub(crate) fn name(&self, function: usize) -> String {
        self.functions.get(function).map_or_else(String::new, |(name, _)| format!("MPI_{name}"))
    }

    /// The call of a record; `None` if it does not have its form.
    pub(crate) fn call(&self, function: usize, words: &[i64]) -> Option<Call<'_>> {
        let (name, fields) = self.functions.get(function)?;
        let mut values = Vec::with_capacity(fields.len());
        let mut rest = words;
        for field in fields {
            let (&word, behind) = rest.split_first()?;
            rest = behind;
            values.push(match field.form {
                Form::Word { .. } | Form::Before(_) => Value::Word(word),
                _ => {
                    let (list, behind) = rest.split_at_checked(usize::try_from(word).ok()?)?;
                    rest = behind;
                    Value::List(list.to_vec())
                }
            });
        }
        rest.is_empty().then(|| Call { name: short(name), fields, values })
    }
}

#[derive(Clone, Debug)]
enum Value {
    Word(i64),
    List(Vec<i64>),
}

/// A call with its arguments.
pub(crate) struct Call<'a> {
    /// Its name, without prefix and without the ending of the forms for large counts.
    pub(crate) name: &'a str,
    fields: &'a [Field],
    values: Vec<Value>,
}

impl Call<'_> {
    fn value(&self, names: &str) -> Option<&Value> {
        let is = |name: &str| names.split(' ').any(|known| known == name);
        let place = self.fields.iter().position(|field| is(&field.name))?;
        self.values.get(place)
    }

    /// An argument by its names, of which headers have one; 0 if there is none.
    pub(crate) fn word(&self, names: &str) -> i64 {
        match self.value(names) {
            Some(Value::Word(word)) => *word,
            _ => 0,
        }
    }

    /// An argument that is a list; empty if there is none.
    pub(crate) fn list(&self, names: &str) -> &[i64] {
        match self.value(names) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// The product of a count and the size of its elements.
    pub(crate) fn bytes(&self, count: &str, datatype: &str) -> u64 {
        (self.word(count).max(0) as u64).saturating_mul(self.word(datatype).max(0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;
    use std::fs;

    /// Two records, the second cut off at each byte: what is whole is read, and no more. A file of another version is refused.
    #[test]
    fn what_is_whole_is_read() {
        let functions = source::all();
        let (layout, fingerprint) = (Layout::new(&functions), source::fingerprint(&functions));
        let number = functions.iter().position(|function| function.name == "Wait").unwrap();
        let mut bytes = MARK.as_bytes().to_vec();
        bytes.extend([fingerprint as i64, 3, 4, 1000].iter().flat_map(|word| word.to_ne_bytes()));
        bytes.resize(HEAD_BYTES, 0);
        let record = |request: i64| {
            let words = [(6 << 16) | number as i64, 1, 2, 0, request, 7 << 32 | 5];
            words.map(i64::to_ne_bytes).concat()
        };
        bytes.extend(record(11));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank-3.weir");
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let (head, records) = Head::read(&path, &functions, fingerprint).unwrap();
            assert_eq!((head.rank, head.size, head.start, head.end), (3, 4, 1000, None));
            records.collect::<Vec<_>>()
        };
        let second = record(12);
        for length in 0..second.len() {
            let rest = &second[..length];
            // The window of a file is filled with zeros.
            let zeros = [0; 64];
            for behind in [&[][..], if length == 0 { &zeros[..] } else { &[] }] {
                assert_eq!(read(&[&bytes, rest, behind].concat()).len(), 1, "{length}");
            }
        }
        let both = read(&[&bytes[..], &second].concat());
        let [_, Record::Call { function, begin: 1, end: 2, words, .. }] = &both[..] else {
            panic!("{both:?}")
        };
        let call = layout.call(*function, words).unwrap();
        assert_eq!((call.name, call.word("request"), call.word("status")), ("Wait", 12, 7 << 32 | 5));
        assert!(layout.call(*function, &words[1..]).is_none(), "a word is missing");
        let other = Head::read(&path, &functions, fingerprint + 1);
        assert!(matches!(other, Err(FileError::OtherVersion(_))));
        fs::write(&path, &bytes[..100]).unwrap();
        assert!(matches!(Head::read(&path, &functions, fingerprint), Err(FileError::NotOurs(_))));
    }
}
