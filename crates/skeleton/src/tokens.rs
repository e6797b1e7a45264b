//! The tokens and directives of a C file, and the probe: the same with each on a line of its own.
//!
//! The output of a compiler's preprocessor for the probe shows, by its line markers, what has become of each token: that it
//! is in a branch that is taken, and what a macro has put in its place.

use std::ops::Range;

/// A piece of a file: where it stands, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A token of the language.
    Token(Range<usize>),
    /// A directive, with the lines that continue it, and without the end of its line.
    Directive(Range<usize>),
}

impl Piece {
    pub(crate) fn range(&self) -> &Range<usize> {
        match self {
            Self::Token(range) | Self::Directive(range) => range,
        }
    }
}

/// The file with each token and each directive on a line of its own. Comments are left out.
pub fn probe(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() * 2);
    for piece in pieces(text) {
        let words = text[piece.range().clone()].replace("\\\r\n", "").replace("\\\n", "");
        match piece {
            Piece::Token(_) => lines.push_str(&words),
            // Ends of lines in a comment within a directive do not end the directive.
            Piece::Directive(_) => lines.push_str(&words.replace('\n', " ")),
        }
        lines.push('\n');
    }
    lines
}

/// All pieces in the order of the file.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut begins_line) = (Vec::new(), 0, true);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => {
                begins_line = true;
                at += 1;
            }
            b'\\' | b' ' | b'\t' | b'\r' | 0x0b | 0x0c => at += 1,
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => at = end_of_comment(bytes, at),
            b'#' if begins_line => {
                let end = end_of_directive(bytes, at);
                found.push(Piece::Directive(at..end));
                at = end;
            }
            _ => {
                let end = end_of_token(text, at);
                found.push(Piece::Token(at..end));
                (at, begins_line) = (end, false);
            }
        }
    }
    found
}

fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 2;
    if bytes[start + 1] == b'/' {
        return end_of_line(bytes, at);
    }
    while at < bytes.len() && !bytes[at..].starts_with(b"*/") {
        at += 1;
    }
    (at + 2).min(bytes.len())
}

/// The end of a line that may be continued by backslashes.
fn end_of_line(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'\n' {
        let continues = bytes[at..].starts_with(b"\\\n") || bytes[at..].starts_with(b"\\\r\n");
        at += if continues { 2 + usize::from(bytes[at + 1] == b'\r') } else { 1 };
    }
    at.min(bytes.len())
}

/// A comment with several lines may stand in a directive, and a directive ends where a comment to the end of its line begins.
fn end_of_directive(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'\n' {
        if bytes[at..].starts_with(b"/*") {
            at = end_of_comment(bytes, at);
        } else if bytes[at..].starts_with(b"\\\n") {
            at += 2;
        } else if bytes[at..].starts_with(b"//") {
            return at;
        } else {
            at += 1;
        }
    }
    at.min(bytes.len())
}

const LONG: [&str; 22] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=",
];

fn end_of_token(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let first = bytes[start];
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
    let is_number =
        first.is_ascii_digit() || first == b'.' && bytes.get(start + 1).is_some_and(u8::is_ascii_digit);
    if is_number {
        let mut at = start;
        while at < bytes.len() {
            let exponent =
                at > start && matches!(bytes[at], b'+' | b'-') && matches!(bytes[at - 1] | 0x20, b'e' | b'p');
            if !(of_name(bytes[at]) || bytes[at] == b'.' || exponent) {
                break;
            }
            at += 1;
        }
        return at;
    }
    if of_name(first) {
        let length = bytes[start..].iter().take_while(|&&byte| of_name(byte)).count();
        let end = start + length;
        let is_prefix = matches!(&text[start..end], "L" | "u" | "U" | "u8");
        return match bytes.get(end) {
            Some(&quote @ (b'"' | b'\'')) if is_prefix => end_of_quote(bytes, end, quote),
            _ => end,
        };
    }
    if matches!(first, b'"' | b'\'') {
        return end_of_quote(bytes, start, first);
    }
    let long = LONG.iter().find(|long| text[start..].starts_with(**long));
    start + long.map_or(1, |long| long.len())
}

fn end_of_quote(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_directives_have_lines_of_their_own() {
        let text =
            "#define A(x) \\\n x /* c\n */ + 1\nint a = 0x1p-3+L'\\''; // b\n  # if A\n\"\\\"#\"+++c->d\n";
        let lines = probe(text);
        let expected = [
            "#define A(x)  x /* c  */ + 1",
            "int",
            "a",
            "=",
            "0x1p-3",
            "+",
            "L'\\''",
            ";",
            "# if A",
            "\"\\\"#\"",
            "++",
            "+",
            "c",
            "->",
            "d",
        ];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_has_no_end_ends_with_the_file() {
        for text in ["/* a", "\"a", "'\\", "#a\\", "a // b\\", "L\"", "1e+"] {
            assert!(pieces(text).iter().all(|piece| piece.range().end <= text.len()), "{text}");
        }
    }
}
