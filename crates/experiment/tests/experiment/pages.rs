//! The reference page of experiments has the tables that are made of the keys.

use std::path::Path;
use weir_experiment::keys::pages;

const BEGIN: &str = "<!-- keys: ";
const END: &str = "<!-- end of keys -->\n";

/// The page with its tables made anew.
fn made_anew(page: &str) -> (String, Vec<&str>) {
    let mut parts = page.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut tables = Vec::new();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").expect("a comment ends on its line");
        let (_, behind) = rest.split_once(END).expect("the table has an end");
        let table = name.trim_start_matches("of experiments");
        let rows = pages::reference(table).unwrap_or_else(|| panic!("there is no table {table}"));
        text += &format!("{BEGIN}{name} -->\n{rows}{END}{behind}");
        tables.push(table);
    }
    (text, tables)
}

/// `WEIR_WRITE_PAGES=1` writes the page.
#[test]
fn the_reference_page_is_made_of_the_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/experiment-file.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (anew, tables) = made_anew(&page);
    if std::env::var_os("WEIR_WRITE_PAGES").is_some() {
        std::fs::write(&path, &anew).unwrap();
    } else {
        assert!(
            anew == page,
            "WEIR_WRITE_PAGES=1 cargo test -p weir-experiment --test experiment pages:: writes it"
        );
    }
    for key in pages::keys() {
        let table = key.rsplit_once('.').map_or("", |(table, _)| table);
        assert!(tables.contains(&table), "{key} is on no page");
    }
}
