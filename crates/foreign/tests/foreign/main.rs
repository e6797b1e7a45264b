//! The page of formats is made of their table.
#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod damaged;
mod job_lists;
mod work;

use std::fmt::Write;
use std::path::Path;
use weir_foreign::{FORMATS, Reader};

const BEGIN: &str = "<!-- formats: begin -->\n";
const END: &str = "<!-- formats: end -->\n";

/// Rows of a table in Markdown, and a list of what is lost.
fn table() -> String {
    let mut text = "| format | files | read as | written as |\n|---|---|---|---|\n".to_owned();
    for format in FORMATS {
        let read = match format.reader {
            Some(Reader::Machine(_)) => "machine",
            Some(Reader::Pattern(_)) => "pattern",
            Some(Reader::Keys(_)) => "keys",
            Some(Reader::Work(_)) => "graph of work",
            Some(Reader::Jobs(_)) => "list of jobs",
            None => "no",
        };
        let ending =
            |ending: &&str| if ending.contains('.') { format!("`{ending}`") } else { format!("`.{ending}`") };
        let written = match format.writer {
            Some(_) => format.endings.iter().map(ending).collect::<Vec<_>>().join(", "),
            None => "no".to_owned(),
        };
        writeln!(text, "| `{}` | {} | {read} | {written} |", format.name, format.title).unwrap();
    }
    text += "\n| format | what reading loses | what writing loses |\n|---|---|---|\n";
    for format in FORMATS {
        writeln!(text, "| `{}` | {} | {} |", format.name, format.reading_loses, format.writing_loses)
            .unwrap();
    }
    text
}

#[test]
fn the_page_of_formats_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/convert.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let right = [before, BEGIN, &table(), END, after].concat();
    if std::env::var_os("WEIR_WRITE_PAGES").is_some() {
        std::fs::write(&path, right).unwrap();
    } else {
        assert!(
            page == right,
            "WEIR_WRITE_PAGES=1 cargo test -p weir-foreign writes docs/reference/convert.md"
        );
    }
}

#[test]
fn sentences_go_on_from_the_name_of_a_file() {
    for format in FORMATS {
        let sentence = format.sentence;
        assert!(
            sentence.starts_with("is ") && !sentence.ends_with('.') && sentence.contains(format.title),
            "{sentence}"
        );
        assert!(
            format.reading_loses.ends_with('.')
                && format.writer.is_some() == format.writing_loses.ends_with('.')
        );
    }
}
