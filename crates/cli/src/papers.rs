//! `weir papers`

use crate::arguments::PapersArgs;
use crate::status::{INPUT, interrupted};
use anyhow::Context;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use weir_papers::{Comparison, Extent, Item, Options, Others, PointDone, Used};

/// Input error.
/// Stands for all papers.
const ALL: &str = "all";
/// Points that take less are not worth a line.
const SILENT: Duration = Duration::from_millis(500);

/// Lists what there is, or runs it and compares.
pub(crate) fn papers(args: &PapersArgs) -> anyhow::Result<ExitCode> {
    let Some(paper) = &args.paper else {
        write!(std::io::stdout(), "{}", list()).context("standard output")?;
        return Ok(ExitCode::SUCCESS);
    };
    let name = args.item.clone().or_else(|| args.figure.as_ref().map(|number| format!("figure-{number}")));
    let chosen: Vec<&'static Item> = weir_papers::items()
        .filter(|item| {
            (paper == ALL || item.paper == paper) && name.as_ref().is_none_or(|name| item.name == name)
        })
        .collect();
    if chosen.is_empty() {
        eprintln!("error: {}", unknown(paper, name.as_deref()));
        return Ok(ExitCode::from(INPUT));
    }
    if let Some(refusal) = refused(args, &chosen) {
        return Ok(refusal);
    }
    let options = Options {
        sizes: &args.sizes,
        extent: if args.full { Extent::Full } else { Extent::Short },
        threads: args.threads,
        ..Options::default()
    };
    let quiet = args.quiet;
    let watch = move |step: &PointDone<'_>| {
        if !quiet && step.wall >= SILENT {
            let PointDone { item, point, done, of, wall } = step;
            eprintln!("{item}: {done} of {of}: {point}: {:.1} s", wall.as_secs_f64());
        }
    };
    let (mut comparisons, mut failed, mut written) = (Vec::new(), false, None);
    for item in chosen {
        if interrupted().is_some() {
            break;
        }
        let others = Others::watch();
        match item.run(options, &watch) {
            Ok(comparison) => {
                let busy = others.used().filter(Used::is_much);
                if let Some(used) = busy.filter(|_| args.out.is_some() || item.reports_run_times()) {
                    failed |= args.out.is_some();
                    say_busy(item, used, args.out.is_some());
                }
                if !args.json && paper != ALL {
                    writeln!(std::io::stdout(), "{}", comparison.to_text()).context("standard output")?;
                }
                if let Some(folder) = args.out.as_ref().filter(|_| busy.is_none()) {
                    // After each item, so that nothing is lost when a later one is stopped.
                    let page = weir_papers::write(
                        std::slice::from_ref(&comparison),
                        args.built_from.as_deref(),
                        folder,
                    )?;
                    written = Some(page);
                }
                comparisons.push(comparison);
            }
            Err(error) => {
                failed = true;
                eprintln!("error: paper {}, {}: {error}", item.paper, item.name);
            }
        }
    }
    if args.json {
        let all: Vec<_> = comparisons.iter().map(Comparison::to_json).collect();
        writeln!(std::io::stdout(), "{}", serde_json::Value::Array(all)).context("standard output")?;
    }
    if !args.json && paper == ALL {
        write!(std::io::stdout(), "{}", weir_papers::overview(&comparisons)).context("standard output")?;
    }
    if let (Some(page), false) = (written, quiet) {
        eprintln!("written: {}", page.display());
    }
    failed |= report_unexplained(&comparisons);
    if let Some(status) = interrupted() {
        return Ok(status);
    }
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Why what is asked for is not run, if so: said already.
fn refused(args: &PapersArgs, chosen: &[&Item]) -> Option<ExitCode> {
    if let (false, Some(other)) = (args.sizes.is_empty(), chosen.iter().find(|item| !item.takes_sizes)) {
        eprintln!(
            "error: --sizes: paper {}, {} has no sizes to choose\n\nhint: those of figures 7 to 12 of paper 004 can be chosen",
            other.paper, other.name
        );
        return Some(ExitCode::from(INPUT));
    }
    let used = args.out.as_ref().and_then(|_| Others::look()).filter(Used::is_much)?;
    eprintln!(
        "error: --out: other processes use {used}, and pages are of a quiet computer: nothing is run\n\nhint: wait until they have \
         ended (top shows them), or leave out --out: values are printed then, and no page is written"
    );
    Some(ExitCode::from(1))
}

fn say_busy(item: &Item, used: Used, was_to_be_written: bool) {
    let Item { paper, name, .. } = item;
    if was_to_be_written {
        eprintln!(
            "error: paper {paper}, {name}: other processes used {used} meanwhile: nothing is written of it"
        );
    } else {
        eprintln!(
            "warning: paper {paper}, {name}: other processes used {used} meanwhile: run times are too long"
        );
    }
}

/// Says which values are not as they should be without a reason on record, and whether any is.
fn report_unexplained(comparisons: &[Comparison]) -> bool {
    let mut any = false;
    for comparison in comparisons {
        for row in comparison.unexplained() {
            any = true;
            let own = row.own.map_or_else(|| "not run".to_owned(), |own| own.to_string());
            let (paper, item) = (comparison.paper, comparison.item);
            let (what, x, at) = (&row.what, comparison.x, &row.x);
            eprintln!("not as it should be: paper {paper}, {item}: {what}, {x} {at}: {own}");
        }
    }
    any
}

/// One line per item.
fn list() -> String {
    let items: Vec<_> = weir_papers::items().collect();
    let widest = |column: fn(&weir_papers::Item) -> usize| {
        items.iter().map(|item| column(item)).max().unwrap_or(0) + 2
    };
    let (name, title) = (widest(|item| item.name.len()), widest(|item| item.title.len()));
    let line = |paper: &str, item: &str, what: &str, takes: &str, full: &str| {
        format!("{paper:<7}{item:<name$}{what:<title$}{takes:<9}{full}").trim_end().to_owned() + "\n"
    };
    let mut text = line("paper", "item", "what", "takes", "with --full");
    for item in items {
        text += &line(item.paper, item.name, item.title, item.takes, item.takes_in_full);
    }
    text + "\nweir papers 000 runs all of a paper, weir papers 000 figure-2 one item, weir papers all everything.\n"
}

fn unknown(paper: &str, item: Option<&str>) -> String {
    let names: Vec<&str> =
        weir_papers::items().filter(|known| known.paper == paper).map(|known| known.name).collect();
    match item {
        Some(item) if paper == ALL => {
            format!("no paper has an item {item}\n\nhint: weir papers lists them all")
        }
        Some(item) if !names.is_empty() => {
            format!("paper {paper} has no item {item}\n\nhint: it has {}", names.join(", "))
        }
        _ => {
            let mut papers: Vec<&str> = weir_papers::items().map(|item| item.paper).collect();
            papers.dedup();
            format!("there is no paper {paper}\n\nhint: there are {}, and all", papers.join(", "))
        }
    }
}
