//! The beginning of a file, and questions about it.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Only so much of a file is looked at.
const MOST: u64 = 64 << 10;

/// A sign of what a file is.
pub enum Is {
    /// Its first bytes.
    Begins(&'static [u8]),
    /// The ending of its name.
    Ends(&'static str),
    /// The beginning of its first line, if that is no comment.
    First(&'static str),
    /// The beginning of one of its lines.
    Line(&'static str),
    /// One of its lines.
    Whole(&'static str),
    /// Letters somewhere.
    Has(&'static str),
    /// An element of XML.
    Tag(&'static str),
    /// It is JSON with these letters.
    Json(&'static str),
    /// All of these.
    All(&'static [Self]),
    /// A function says so.
    By(fn(&Sample<'_>) -> bool),
}

/// The beginning of a file.
pub struct Sample<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    text: Cow<'a, str>,
}

/// Reads the beginning of a file; `None` where none is on a disk.
pub fn begin(path: &Path) -> Option<Vec<u8>> {
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

impl<'a> Sample<'a> {
    /// The beginning of a file.
    pub fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Self { path, bytes, text: String::from_utf8_lossy(bytes) }
    }

    /// Where it is.
    pub(crate) const fn path(&self) -> &Path {
        self.path
    }

    /// Returns whether it has a sign.
    pub fn is(&self, sign: &Is) -> bool {
        match *sign {
            Is::Begins(magic) => self.bytes.starts_with(magic),
            Is::Ends(ending) => self.path.extension().is_some_and(|own| own == ending),
            Is::First(begin) => self.first().starts_with(begin),
            Is::Line(begin) => self.any_line(|line| line.starts_with(begin)),
            Is::Whole(whole) => self.any_line(|line| line == whole),
            Is::Has(letters) => self.has(letters),
            Is::Tag(name) => self.tag(name),
            Is::Json(letters) => self.text.trim_start().starts_with(['{', '[']) && self.has(letters),
            Is::All(signs) => signs.iter().all(|sign| self.is(sign)),
            Is::By(is_it) => is_it(self),
        }
    }

    /// Returns whether it has these letters somewhere.
    pub fn has(&self, letters: &str) -> bool {
        self.text.contains(letters)
    }

    /// Its lines without blanks around them, but empty ones.
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().map(str::trim).filter(|line| !line.is_empty())
    }

    /// The same without comments; of a long file the last one may be cut.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &str> {
        self.lines().filter(|line| !line.starts_with('#') && !line.starts_with("//"))
    }

    /// Its first line that is no comment.
    pub fn first(&self) -> &str {
        self.rows().next().unwrap_or_default()
    }

    /// Returns whether one of its lines is so.
    pub fn any_line(&self, is: impl FnMut(&str) -> bool) -> bool {
        self.lines().any(is)
    }

    /// All its lines but comments are so, and there is one. The last one of a long file may be cut.
    pub fn all_lines(&self, is: impl FnMut(&str) -> bool) -> bool {
        let count = self.rows().count();
        let whole = if self.bytes.len() as u64 == MOST { count.saturating_sub(1) } else { count };
        whole > 0 && self.rows().take(whole).all(is)
    }

    fn tag(&self, name: &str) -> bool {
        let is_it = |rest: &str| {
            rest.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '>', '/', '\n', '\r', '\t']))
        };
        self.text.trim_start().starts_with('<') && self.text.split('<').any(is_it)
    }

    /// A source that includes or uses MPI, or is C, C++ or Fortran that calls it.
    pub fn is_mpi_source(&self) -> bool {
        let uses_mpi = |line: &str| {
            let line = line.to_lowercase();
            let is_include =
                line.starts_with("#include") && (line.contains("mpi.h") || line.contains("weir.h"));
            let is_use = line.starts_with("use mpi") || line.starts_with("use, intrinsic :: iso_c");
            is_include || is_use || line.contains("mpif.h")
        };
        let endings = ["c", "cc", "cpp", "cxx", "f90", "f", "f08"];
        self.any_line(uses_mpi)
            || endings.into_iter().any(|ending| self.is(&Is::Ends(ending))) && self.has("MPI_")
    }

    /// Lines of BookSim's routers and what they are connected to.
    pub fn is_anynet(&self) -> bool {
        let is_row = |line: &str| {
            let third = line.split_whitespace().nth(2);
            line.starts_with("router ") && third.is_some_and(|word| word == "node" || word == "router")
        };
        self.all_lines(is_row)
    }

    /// Settings of BookSim.
    pub fn is_booksim(&self) -> bool {
        const KEYS: [&str; 5] = ["topology", "routing_function", "traffic", "num_vcs", "network_count"];
        let sets = |line: &str, key: &&str| {
            line.strip_prefix(*key).is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        self.any_line(|line| line.ends_with(';') && KEYS.iter().any(|key| sets(line, key)))
    }

    /// Lines of InfiniBand's switches and adapters, with a name in quotes.
    pub fn is_fabric(&self) -> bool {
        let is_row = |rest: &str| rest.starts_with(['\t', ' ']) && rest.contains('"');
        self.any_line(|line| {
            ["Switch", "Hca", "Ca"].iter().any(|kind| line.strip_prefix(kind).is_some_and(is_row))
        })
    }

    /// Numbers of nodes, switches and links; the switches; then lines of cables with a rate.
    pub fn is_ns3_topology(&self) -> bool {
        let is_cable = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.len() >= 4
                && is_number(words[0])
                && is_number(words[1])
                && words[2].ends_with("bps")
                && words[3].ends_with('s')
        };
        let counts = self.first().split_whitespace().filter(|word| is_number(word)).count();
        counts >= 3 && self.rows().take(4).any(is_cable)
    }

    /// Number of flows; then lines of source, destination, priority, port, bytes and start.
    pub fn is_ns3_flows(&self) -> bool {
        let mut rows = self.rows();
        let is_flow = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (5..=6).contains(&words.len()) && words.iter().all(|word| word.parse::<f64>().is_ok())
        };
        rows.next().is_some_and(is_number) && rows.next().is_some_and(is_flow)
    }

    /// Lines of a rank, an action and its numbers.
    pub fn is_actions(&self) -> bool {
        const ACTIONS: [&str; 12] = [
            "init",
            "finalize",
            "compute",
            "send",
            "isend",
            "recv",
            "irecv",
            "wait",
            "waitall",
            "barrier",
            "bcast",
            "comm_size",
        ];
        let action = |line: &str| {
            let mut words = line.split_whitespace();
            let rank = words.next().is_some_and(is_number);
            let word = words.next().unwrap_or_default().to_lowercase();
            rank && (ACTIONS.contains(&&*word) || word.starts_with("all") || word.starts_with("reduce"))
        };
        self.rows().take(3).count() > 0 && self.rows().take(3).all(action)
    }

    /// Protobuf messages of Chakra, each behind its length: the version of the schema, or a node with a number or a name.
    pub fn is_chakra(&self) -> bool {
        let Some((length, rest)) = varint(self.bytes) else { return false };
        let Some(message) = rest.get(..length.min(rest.len())).filter(|message| message.len() > 2) else {
            return false;
        };
        let text = |bytes: &[u8]| {
            let (length, rest) = varint(bytes)?;
            let text = std::str::from_utf8(rest.get(..length)?).ok()?;
            (!text.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic() || letter == ' '))
                .then_some(text.len())
        };
        let attribute = |bytes| {
            let (length, rest) = varint(bytes)?;
            text(rest.get(..length)?.strip_prefix(&[0x0a])?)
        };
        let is_name = match message[0] {
            // In the schema of 2023-08 the metadata have attributes here.
            0x0a => {
                text(&message[1..]).is_some_and(|letters| letters < 64) || attribute(&message[1..]).is_some()
            }
            0x12 | 0x1a => text(&message[1..]).is_some() || attribute(&message[1..]).is_some(),
            0x08 => varint(&message[1..]).is_some_and(|(_, rest)| rest.first() == Some(&0x12)),
            _ => false,
        };
        is_name && (rest.len() >= length) && self.bytes.iter().any(|&byte| byte < b'\t')
    }

    /// 32-bit numbers of which all are small, such as those of routers.
    pub fn is_small_numbers(&self) -> bool {
        let numbers =
            self.bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        self.bytes.len() >= 16
            && self.bytes.len().is_multiple_of(4)
            && numbers.clone().all(|number| number < 1 << 20)
    }
}

/// Returns whether a text is a number of digits.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number as protobuf writes it, and what follows.
fn varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0;
    for (place, &byte) in bytes.iter().take(5).enumerate() {
        number |= usize::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Some((number, &bytes[place + 1..]));
        }
    }
    None
}
