//! Comparisons as files: a page in Markdown, the plots it shows, the tables as CSV.
//!
//! Items may be run one after the other, on different days: each leaves what it adds to the page in a file of its own, and
//! the page is put together from all of them.

use crate::overview::{Part, overview_markdown};
use crate::{Comparison, PapersError, items};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Folder of what the items add to the page.
const PARTS: &str = "items";

/// Writes one SVG per plot and one CSV file per comparison into the folder, which is made if need be, and `papers.md` of these
/// items and of all that were written into this folder before. Returns the path of the page. It says what the program was
/// built from, if that is known (a commit).
///
/// # Errors
/// When a plot cannot be drawn or a file cannot be written or read.
pub fn write(
    comparisons: &[Comparison],
    built_from: Option<&str>,
    folder: &Path,
) -> Result<PathBuf, PapersError> {
    let put = |name: String, text: &str| {
        let path = folder.join(name);
        match fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(source) => Err(PapersError::File { path, source }),
        }
    };
    let parts = folder.join(PARTS);
    fs::create_dir_all(&parts).map_err(|source| PapersError::File { path: parts.clone(), source })?;
    for comparison in comparisons {
        for plot in &comparison.plots {
            put(format!("{}.svg", plot.name), &plot.draw()?.to_string())?;
        }
        put(format!("{}-{}.csv", comparison.paper, comparison.item), &comparison.to_csv())?;
        let part = json!({
            "built_from": built_from,
            "overview": Part::of(comparison).to_json(),
            "page": comparison.to_markdown(),
        });
        put(part_name(comparison.paper, comparison.item), &format!("{part:#}\n"))?;
    }
    let parts = items().map(|item| read(&folder.join(part_name(item.paper, item.name))));
    let parts: Vec<Written> = parts.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    put("papers.md".into(), &page(&parts))
}

fn part_name(paper: &str, item: &str) -> String {
    format!("{PARTS}/{paper}-{item}.json")
}

/// What an item has added.
struct Written {
    built_from: Option<String>,
    overview: Part,
    page: String,
}

/// `None` if the item has not been run.
fn read(path: &Path) -> Result<Option<Written>, PapersError> {
    let wrong = |what: &str| {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned());
        PapersError::Read { path: path.to_owned(), source }
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(PapersError::Read { path: path.to_owned(), source }),
    };
    let part: Value = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    let read = || {
        Some(Written {
            built_from: part["built_from"].as_str().map(str::to_owned),
            overview: Part::from_json(&part["overview"])?,
            page: part["page"].as_str()?.to_owned(),
        })
    };
    read().map(Some).ok_or_else(|| wrong("is not what weir papers writes; remove it and run the item again"))
}

fn page(parts: &[Written]) -> String {
    let mut commits: Vec<&str> = parts.iter().filter_map(|part| part.built_from.as_deref()).collect();
    commits.sort_unstable();
    commits.dedup();
    let built_from = match commits[..] {
        [] => String::new(),
        [one] => format!(", built from {one}"),
        _ => ", items built from different commits, each named with the item".to_owned(),
    };
    let mut page =
        format!("# Published and own values\n\nweir {}{built_from}.\n\n", env!("CARGO_PKG_VERSION"));
    page +=
        "What is compared with something, in one table; below it each item whole, with plots and notes.\n\n";
    let overviews: Vec<&Part> = parts.iter().map(|part| &part.overview).collect();
    page += &overview_markdown(&overviews);
    for part in parts {
        page.push('\n');
        page += &part.page;
        if let (true, Some(commit)) = (commits.len() > 1, &part.built_from) {
            page += &format!("\nBuilt from {commit}.\n");
        }
    }
    page
}
