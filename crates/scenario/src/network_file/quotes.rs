//! Quotation marks in CSV, line by line: the reader of CSV lets one that is not closed swallow the rows behind it.

use super::FileMistake;

/// Checks the quotation marks of each line. A field begins and ends with one or has none; within it two stand for
/// one; names have no line breaks.
pub(super) fn check(text: &str) -> Vec<FileMistake> {
    let quoted = |line: &&str| line.contains('"') && !line.starts_with('#');
    let lines = (1..).zip(text.lines()).filter(|(_, line)| quoted(line));
    let wrong = lines.filter_map(|(number, line)| {
        let what = mistake(line)?;
        let hint = "write \"a field\" with one at each end, and two for one within it";
        Some(FileMistake::new(number, line, what).hint(hint))
    });
    wrong.collect()
}

fn mistake(line: &str) -> Option<&'static str> {
    let mut rest = line;
    loop {
        let field = rest.trim_start();
        rest = match field.strip_prefix('"') {
            Some(quoted) => {
                let Some(behind) = closed(quoted) else { return Some("a quotation mark is not closed") };
                let behind = behind.trim_start();
                if !behind.is_empty() && !behind.starts_with(',') {
                    return Some("there is something behind a closing quotation mark");
                }
                behind
            }
            None => {
                let (own, behind) = field.split_at(field.find(',').unwrap_or(field.len()));
                if own.contains('"') {
                    return Some("there is a quotation mark within a field");
                }
                behind
            }
        };
        rest = rest.strip_prefix(',')?;
    }
}

fn closed(field: &str) -> Option<&str> {
    let mut rest = field;
    loop {
        rest = &rest[rest.find('"')? + 1..];
        match rest.strip_prefix('"') {
            Some(behind) => rest = behind,
            None => return Some(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_in_pairs() {
        for right in ["a,b", "\"a\",b", "\"a\"\"b\", \"c,d\" ,", "", "\"\",\"\""] {
            assert_eq!(mistake(right), None, "{right}");
        }
        assert_eq!(mistake("a,\"b"), Some("a quotation mark is not closed"));
        assert_eq!(mistake("a,\"b\"\""), Some("a quotation mark is not closed"));
        assert_eq!(mistake("a\"b,c"), Some("there is a quotation mark within a field"));
        assert_eq!(mistake("\"a\"b,c"), Some("there is something behind a closing quotation mark"));
        let lines: Vec<_> = check("# \"\na,b\n\"a,b\nc,d\"\n").iter().map(|mistake| mistake.line).collect();
        assert_eq!(lines, [Some(3), Some(4)]);
    }
}
