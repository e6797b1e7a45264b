//! Comparisons as files: a page in Markdown, the plots it shows, the tables as CSV.

use crate::overview::overview_markdown;
use crate::{Comparison, PapersError};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `papers.md`, one SVG per plot and one CSV file per comparison into the folder, which is made if need be.
/// Returns the path of the page. The page says what the program was built from, if that is known (a commit).
///
/// # Errors
/// When a plot cannot be drawn or a file cannot be written.
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
    fs::create_dir_all(folder).map_err(|source| PapersError::File { path: folder.to_owned(), source })?;
    let built_from = built_from.map_or_else(String::new, |commit| format!(", built from {commit}"));
    let mut page =
        format!("# Published and own values\n\nweir {}{built_from}.\n\n", env!("CARGO_PKG_VERSION"));
    page +=
        "What is compared with something, in one table; below it each item whole, with plots and notes.\n\n";
    page += &overview_markdown(comparisons);
    for comparison in comparisons {
        for plot in &comparison.plots {
            put(format!("{}.svg", plot.name), &plot.to_svg()?)?;
        }
        put(format!("{}-{}.csv", comparison.paper, comparison.item), &comparison.to_csv())?;
        page.push('\n');
        page += &comparison.to_markdown();
    }
    put("papers.md".into(), &page)
}
