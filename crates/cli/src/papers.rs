//! `weir papers`

use crate::arguments::PapersArgs;
use crate::status::{INPUT, interrupted, refused};
use crate::sweep::built_in::BuiltIn;
use crate::text::aligned;
use anyhow::Context;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Stands for all papers.
const ALL: &str = "all";

macro_rules! files {
    ($($path:literal)+) => { &[$(($path, include_str!(concat!("../../../papers/", $path)))),+] };
}

/// The files of the folder `papers` that are run, and what is in them.
pub(crate) const FILES: &[(&str, &str)] = files! {
    "items.toml"
    "000-mfs/figure-2.toml"
    "000-mfs/figure-4.toml"
    "000-mfs/figure-6.toml"
    "000-mfs/items/figure-2.toml"
    "000-mfs/items/figure-4-packets.toml"
    "000-mfs/items/figure-4.toml"
    "000-mfs/items/figure-6-packets.toml"
    "000-mfs/items/figure-6.toml"
    "000-mfs/items/table-2-packets.published.csv"
    "000-mfs/items/table-2-packets.toml"
    "000-mfs/items/table-2.published.csv"
    "000-mfs/items/table-2.toml"
    "000-mfs/packets.toml"
    "002-parallel-mfs/items/random-ring.toml"
    "002-parallel-mfs/items/table-3-1.published.csv"
    "002-parallel-mfs/items/table-3-1.toml"
    "002-parallel-mfs/items/thread-scaling.toml"
    "002-parallel-mfs/items/without-barriers.toml"
    "002-parallel-mfs/random-ring.toml"
    "003-nsim/figure-4.toml"
    "003-nsim/figure-5.toml"
    "003-nsim/items/figure-4.toml"
    "003-nsim/items/figure-5-1024.published.csv"
    "003-nsim/items/figure-5-1024.toml"
    "003-nsim/items/figure-5.published.csv"
    "003-nsim/items/figure-5.toml"
    "004-pacing/distance.toml"
    "004-pacing/items/congestion.toml"
    "004-pacing/items/figure-10-drawn.toml"
    "004-pacing/items/figure-10.toml"
    "004-pacing/items/figure-11-drawn.toml"
    "004-pacing/items/figure-11.toml"
    "004-pacing/items/figure-12.toml"
    "004-pacing/items/figure-7.toml"
    "004-pacing/items/figure-8.toml"
    "004-pacing/items/figure-9-drawn.toml"
    "004-pacing/items/figure-9.toml"
    "004-pacing/items/size-and-distance.toml"
    "004-pacing/large.toml"
    "004-pacing/small.toml"
};

/// The text of a file of `papers`.
fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

#[derive(Deserialize)]
struct List {
    item: Vec<Item>,
}

/// A figure or a table of a paper; `papers/items.toml` says what its fields are.
#[derive(Deserialize)]
struct Item {
    paper: String,
    name: String,
    title: String,
    takes: [String; 2],
    #[serde(default)]
    studies: Vec<String>,
    #[serde(default)]
    shows: Vec<String>,
    #[serde(default)]
    timed: bool,
}

impl Item {
    /// Runs its studies: a table for each or, as one object, all of them; and whether all points finished.
    fn run(&self, args: &PapersArgs) -> anyhow::Result<(String, Value, bool)> {
        let Self { paper, name, title, .. } = self;
        let (mut text, mut studies, mut well) =
            (format!("paper {paper}, {name}: {title}\n"), Vec::new(), true);
        for path in &self.studies {
            let built_in = BuiltIn {
                text: file(path).context("every study is built in")?,
                folder: path.split('/').next().unwrap_or_default(),
                published: file(&path.replace(".toml", ".published.csv")).unwrap_or_default(),
                shows: &self.shows,
                full: args.full,
                // Run times are those of a point alone.
                threads: args.threads.or_else(|| self.timed.then_some(NonZeroUsize::MIN)),
                quiet: args.quiet,
            };
            let ran = built_in.run(|path| file(path).unwrap_or_default())?;
            text += &format!("\n  papers/{path}\n{}", ran.table);
            studies.push(json!({ "study": path, "points": ran.json["points"] }));
            well &= ran.well;
        }
        Ok((text, json!({ "paper": paper, "item": name, "title": title, "studies": studies }), well))
    }
}

/// Lists the items of the papers, or runs some of them.
pub(crate) fn papers(args: &PapersArgs) -> anyhow::Result<ExitCode> {
    let List { item: items } = toml::from_str(file("items.toml").context("the list is built in")?)?;
    let write = |text: &str| writeln!(std::io::stdout(), "{text}").context("standard output");
    let Some(paper) = &args.paper else {
        write(&list(&items))?;
        return Ok(ExitCode::SUCCESS);
    };
    let name = args.item.clone().or_else(|| args.figure.as_ref().map(|number| format!("figure-{number}")));
    let is_chosen = |item: &&Item| {
        (paper == ALL || item.paper == *paper) && name.as_ref().is_none_or(|name| item.name == *name)
    };
    let chosen: Vec<&Item> = items.iter().filter(is_chosen).collect();
    let (runs, others): (Vec<&Item>, Vec<&Item>) =
        chosen.into_iter().partition(|item| !item.studies.is_empty());
    for Item { paper, name, .. } in &others {
        eprintln!(
            "paper {paper}, {name}: is no study of experiments\n\nhint: in weir's source folder `make papers PAPERS=\"{paper} \
             {name}\"` runs it"
        );
    }
    if runs.is_empty() {
        if others.is_empty() {
            return Err(refused(unknown(&items, paper, name.as_deref())));
        }
        return Ok(ExitCode::from(INPUT));
    }
    let (mut objects, mut all_well) = (Vec::new(), true);
    for item in runs {
        let (text, object, well) = item.run(args)?;
        all_well &= well;
        if args.json {
            objects.push(object);
        } else {
            write(&text)?;
        }
        if interrupted().is_some() {
            break;
        }
    }
    if args.json {
        write(&Value::Array(objects).to_string())?;
    }
    let status = if all_well { ExitCode::SUCCESS } else { ExitCode::from(1) };
    Ok(interrupted().unwrap_or(status))
}

/// A line for each item.
fn list(items: &[Item]) -> String {
    let mut rows = vec![["paper", "item", "title", "takes", "with --full"].map(str::to_owned).to_vec()];
    for Item { paper, name, title, takes: [takes, in_full], studies, .. } in items {
        let maintainers = if studies.is_empty() { " (make papers)" } else { "" };
        let title = format!("{title}{maintainers}");
        rows.push(vec![paper.clone(), name.clone(), title, takes.clone(), in_full.clone()]);
    }
    aligned(&rows)
        + "\nweir papers 000 runs all of a paper, weir papers 000 figure-2 one item, weir papers all everything. What says (make \
           papers) is run in weir's source folder: make papers PAPERS=\"002 barrier\"."
}

fn unknown(items: &[Item], paper: &str, name: Option<&str>) -> String {
    let of_paper = items.iter().filter(|known| known.paper == paper).map(|known| known.name.as_str());
    let names: Vec<&str> = of_paper.collect();
    match name {
        Some(name) if paper == ALL => {
            format!("no paper has an item {name}\n\nhint: weir papers lists them all")
        }
        Some(name) if !names.is_empty() => {
            format!("paper {paper} has no item {name}\n\nhint: it has {}", names.join(", "))
        }
        _ => {
            let mut papers: Vec<&str> = items.iter().map(|item| item.paper.as_str()).collect();
            papers.dedup();
            format!("there is no paper {paper}\n\nhint: there are {}, and all", papers.join(", "))
        }
    }
}
