//! `weir advise`

mod placing;

use crate::arguments::{AdviseCommand, PacingArgs};
use crate::collectives;
use crate::load;
use crate::say::print_as;
use crate::status::{OrRefused, refused};
use crate::text::{plain, table};
use anyhow::Context;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use weir_analysis::{PatternError, write_paced};
use weir_experiment::{GapClass, Pacing};

/// Classes that the table lists.
const MOST_LISTED: usize = 20;

pub(crate) fn advise(command: AdviseCommand) -> anyhow::Result<ExitCode> {
    match command {
        AdviseCommand::Pacing(args) => pacing(args),
        AdviseCommand::Mapping(args) => placing::placing(&args),
        AdviseCommand::Collectives(args) => collectives::advise(&args),
    }
}

fn pacing(args: PacingArgs) -> anyhow::Result<ExitCode> {
    let source = load::source(args.experiment, args.sets.overrides());
    let scenario = load::scenario(&source)?;
    load::spares(&[source.files(), scenario.files()].concat(), args.out.as_deref())?;
    let pacing = scenario.advise_pacing(args.margin).or_refused()?;
    let text = || to_text(&scenario.title, &pacing, args.out.as_deref());
    print_as(args.json, || to_json(&scenario.title, &pacing), text)?;
    let Some(path) = args.out else { return Ok(ExitCode::SUCCESS) };
    match write_paced(&scenario, pacing, &path) {
        Ok(written) => {
            let (path, entries, messages) = (path.display(), written.entries, written.messages);
            eprintln!("{path}: {entries} entries, {messages} of them messages");
            Ok(ExitCode::SUCCESS)
        }
        Err(PatternError::Write(error)) => Err(error).with_context(|| path.display().to_string()),
        Err(error) => Err(refused(error)),
    }
}

fn to_text(title: &str, pacing: &Pacing, out: Option<&Path>) -> String {
    let title = plain(title);
    let mut text = format!("  {title}: gaps behind packets, in times that a packet takes\n\n");
    let rows = pacing.classes.iter().take(MOST_LISTED).map(|class| {
        let number = |number: f64| format!("{}", (number * 1e4).round() / 1e4);
        [
            number(class.share),
            number(class.exact),
            number(class.gap),
            class.messages.to_string(),
            class.bytes.to_string(),
        ]
    });
    text += &table(["sharing flows", "gap needed", "with margin", "messages", "bytes"], rows);
    if let Some(more) = pacing.classes.len().checked_sub(MOST_LISTED).filter(|&more| more > 0) {
        text += &format!("  ... and {more} more, which --json lists\n");
    }
    if let Some((link, share)) = &pacing.busiest {
        text += &format!("\n  most messages at a time      {share}, on {link}\n");
    }
    text += &format!("  rounds                       {}\n", pacing.turns);
    text += &format!("  predicted time at these gaps {}\n", pacing.expected);
    let (margin, load) = (pacing.margin, 100.0 / (1.0 + pacing.margin));
    text += &format!("  margin                       {margin}: contended links are loaded to {load:.1} %\n");
    text += "\n  each its own: --set node.packet_gap=max-min --set node.packet_gap_margin=";
    text += &format!("{margin}\n");
    text += &format!("  one for all:  --set node.packet_gap={}\n", rounded_up(pacing.largest()));
    if let Some(path) = out {
        text += &format!("  in a file:    workload.kind = \"pattern-file\", file = {path:?}\n");
    }
    text
}

/// In eighths, as in paper 004; not below.
fn rounded_up(gap: f64) -> f64 {
    (gap * 8.0 - 1e-9).ceil().max(0.0) / 8.0
}

fn to_json(title: &str, pacing: &Pacing) -> Value {
    let class = |class: &GapClass| {
        json!({
            "share": class.share,
            "gap_exact": class.exact,
            "gap": class.gap,
            "messages": class.messages,
            "bytes": class.bytes.0,
        })
    };
    let busiest = pacing.busiest.as_ref();
    json!({
        "schema_version": 1,
        "title": title,
        "margin": pacing.margin,
        "turns": pacing.turns,
        "expected_s": pacing.expected.as_secs_f64(),
        "expected_ps": pacing.expected.as_ps(),
        "busiest_link": busiest.map(|(link, _)| link),
        "busiest_link_messages": busiest.map(|(_, share)| share),
        "gap_for_all": pacing.largest(),
        "classes": pacing.classes.iter().map(class).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_rounded_up_to_eighths() {
        assert_eq!([0.0, 2.0, 2.24, 17.36, 2.125].map(rounded_up), [0.0, 2.0, 2.25, 17.375, 2.125]);
    }
}
