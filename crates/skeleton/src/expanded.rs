//! The program as the compiler sees it, and where each part of it stands in the file.
//!
//! Macros of the program are replaced by what they stand for; those of libraries stay, so that `MPI_COMM_WORLD` and
//! `stderr` are names.

use crate::tokens::{Piece, pieces};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A stretch of [`Expanded::text`] that comes from one token, or from one use of a macro.
#[derive(Debug)]
struct Origin {
    text: Range<usize>,
    /// In the file; `None` in what a header of the program has.
    source: Option<Range<usize>>,
}

/// The program without comments, directives and branches not taken.
#[derive(Debug, Default)]
pub(crate) struct Expanded {
    /// The text to be parsed.
    pub(crate) text: String,
    /// The file.
    pub(crate) file: String,
    origins: Vec<Origin>,
    /// Directives of the file, with whether each opens (1) or closes (-1) a condition.
    directives: Vec<(Range<usize>, i32)>,
    /// The first byte of each line of the file.
    lines: Vec<usize>,
}

/// This is what the preprocessor has made of the probe.
#[derive(Default)]
struct Output {
    /// By line of the probe, from 0.
    lines: BTreeMap<usize, String>,
    /// Text of headers of the program, which stands before the line of the probe.
    headers: Vec<(usize, String)>,
    /// By name: whether it takes arguments, and whether it belongs to a library.
    macros: BTreeMap<String, (bool, bool)>,
}

impl Expanded {
    /// `text` is the file, `preprocessed` what `cc -E -dD -x c -` makes of its probe.
    pub(crate) fn new(text: &str, preprocessed: &str) -> Self {
        let pieces = pieces(text);
        let mut output = Output::read(preprocessed);
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = [0].into_iter().chain(starts).collect();
        let mut made = Self { lines, file: text.to_owned(), ..Self::default() };
        let mut headers = std::mem::take(&mut output.headers).into_iter().peekable();
        let mut at = 0;
        while at < pieces.len() {
            while let Some((_, header)) = headers.next_if(|(line, _)| *line <= at) {
                made.push(&header, None);
            }
            at = match &pieces[at] {
                Piece::Directive(range) => {
                    let words = text[range.clone()].trim_start_matches('#').trim_start();
                    let opens = i32::from(words.starts_with("if")) - i32::from(words.starts_with("endif"));
                    made.directives.push((range.clone(), opens));
                    at + 1
                }
                Piece::Token(_) => made.token(text, &pieces, at, &output),
            };
        }
        headers.for_each(|(_, header)| made.push(&header, None));
        made
    }

    /// Takes over a token, or a use of a macro; returns the number of the next piece.
    fn token(&mut self, text: &str, pieces: &[Piece], at: usize, output: &Output) -> usize {
        let range = pieces[at].range().clone();
        let word = &text[range.clone()];
        let Some(out) = output.lines.get(&at) else { return at + 1 };
        if out == word {
            self.push(word, Some(range));
            return at + 1;
        }
        let (takes_arguments, of_library) = output.macros.get(word).copied().unwrap_or((false, true));
        let end = if takes_arguments { end_of_arguments(text, pieces, at + 1) } else { at + 1 };
        if of_library {
            for piece in &pieces[at..end] {
                self.push(&text[piece.range().clone()], Some(piece.range().clone()));
            }
        } else {
            self.push(out, Some(range.start..pieces[end - 1].range().end));
        }
        end
    }

    fn push(&mut self, words: &str, source: Option<Range<usize>>) {
        const NOT_PARSED: [&str; 5] = ["_Complex", "complex", "_Thread_local", "__thread", "__extension__"];
        if NOT_PARSED.contains(&words) {
            return;
        }
        let start = self.text.len();
        // The parser has no complex types; a number is a number.
        self.text.push_str(&words.replace(" _Complex", ""));
        self.origins.push(Origin { text: start..self.text.len(), source });
        self.text.push(if words.ends_with([';', '{', '}']) { '\n' } else { ' ' });
    }

    /// Where a stretch of the text stands in the file, if it begins and ends with tokens or whole uses of macros.
    pub(crate) fn source(&self, text: &Range<usize>) -> Option<Range<usize>> {
        let first = self.origins.partition_point(|origin| origin.text.end <= text.start);
        let last = self.origins.partition_point(|origin| origin.text.start < text.end).checked_sub(1)?;
        let (first, last) = (self.origins.get(first)?, &self.origins[last]);
        let is_whole = first.text.start == text.start && last.text.end == text.end;
        let (start, end) = (first.source.as_ref()?.start, last.source.as_ref()?.end);
        (is_whole && start < end).then_some(start..end)
    }

    /// The line of the file where a place of the text stands, from 1; 0 for what a header has.
    pub(crate) fn line(&self, place: usize) -> usize {
        let at = self.origins.partition_point(|origin| origin.text.end <= place);
        let source = self.origins.get(at).and_then(|origin| origin.source.as_ref());
        source.map_or(0, |source| self.line_of(source.start))
    }

    /// The line of a byte of the file, from 1.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.lines.partition_point(|&start| start <= byte)
    }

    /// This says whether a range of the file holds only whole conditions of the preprocessor.
    pub(crate) fn is_balanced(&self, source: &Range<usize>) -> bool {
        let mut depth = 0;
        let within = self
            .directives
            .iter()
            .filter(|(range, _)| source.start <= range.start && range.end <= source.end);
        for (_, opens) in within {
            depth += opens;
            if depth < 0 {
                return false;
            }
        }
        depth == 0
    }

    /// This says whether a `#pragma` right before a place of the file lets several threads execute what follows.
    pub(crate) fn is_parallel(&self, start: usize) -> bool {
        let pragmas = &self.file[self.start_with_pragmas(start)..start];
        pragmas.split_whitespace().any(|word| matches!(word, "omp" | "acc"))
    }

    /// The start of the `#pragma` lines right before a place of the file, or that place.
    pub(crate) fn start_with_pragmas(&self, mut start: usize) -> usize {
        let file = &self.file;
        let place = start;
        for (range, _) in self.directives.iter().rev().filter(|(range, _)| range.end <= place) {
            let is_pragma = file[range.clone()].trim_start_matches('#').trim_start().starts_with("pragma");
            let between = file[range.end..start].trim();
            if !is_pragma || !between.is_empty() {
                break;
            }
            start = range.start;
        }
        start
    }
}

/// The number of the piece behind the parenthesis that closes the arguments, which begin at piece `at`.
fn end_of_arguments(text: &str, pieces: &[Piece], at: usize) -> usize {
    let mut depth = 0;
    for (number, piece) in pieces.iter().enumerate().skip(at) {
        match &text[piece.range().clone()] {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if number == at { at } else { number + 1 };
        }
    }
    at
}

/// This says whether a header belongs to a library: the system's, or that of MPI.
fn is_library(path: &str, flags: &str, folders: &BTreeSet<String>) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    path.starts_with('<')
        || flags.split(' ').any(|flag| flag == "3")
        || path.ends_with("/mpi.h")
        || path.ends_with("/weir.h")
        || folders.iter().any(|known| folder.starts_with(known.as_str()))
}

impl Output {
    fn read(preprocessed: &str) -> Self {
        let mut made = Self::default();
        let (mut line, mut place, mut own_line) = (0, Place::Library, 0);
        let (mut of_weir, mut folders) = (false, BTreeSet::new());
        for words in preprocessed.lines() {
            if let Some((number, path, flags)) = marker(words) {
                if path.ends_with("/mpi.h") {
                    folders.extend(path.rsplit_once('/').map(|(folder, _)| format!("{folder}/weir")));
                }
                of_weir = path.ends_with("/weir.h");
                place = match path {
                    "<stdin>" => Place::File,
                    _ if is_library(path, flags, &folders) => Place::Library,
                    _ => Place::Header,
                };
                line = number.saturating_sub(1);
                continue;
            }
            if place == Place::File {
                own_line = line;
            }
            line += 1;
            if let Some(defined) = words.strip_prefix("#define ") {
                let end = defined.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(defined.len());
                let of_library = place == Place::Library && !of_weir;
                made.macros.insert(defined[..end].to_owned(), (defined[end..].starts_with('('), of_library));
            } else if !words.trim_start().starts_with('#') && !words.trim().is_empty() {
                match place {
                    Place::File => _ = made.lines.insert(line - 1, words.trim().to_owned()),
                    Place::Header => made.headers.push((own_line + 1, words.to_owned())),
                    Place::Library => {}
                }
            }
        }
        made
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Header,
    Library,
}

/// The line, the file and the flags of a line marker: `# 12 "a.h" 1 3`.
fn marker(words: &str) -> Option<(usize, &str, &str)> {
    let (number, rest) = words.strip_prefix("# ")?.split_once(" \"")?;
    let (path, flags) = rest.rsplit_once('"')?;
    Some((number.parse().ok()?, path, flags.trim()))
}
