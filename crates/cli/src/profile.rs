//! `weir profile` and `weir pattern`: files of what ranks do.

use crate::arguments::{LookArgs, PatternArgs, ProfileArgs, ProfileCommand};
use crate::extrapolate;
use crate::load;
use crate::say::print_as;
use crate::status::refused;
use crate::text::plain;
use anyhow::Context;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use weir_analysis::{PatternError, is_its_pattern, write_pattern_to};
use weir_experiment::foreign;
use weir_formats::profile::{self, Format, KindCount, Profile, RankSummary, Summary};

/// Carries out `weir profile` and the commands under it.
pub(crate) fn profile(args: &ProfileArgs) -> anyhow::Result<ExitCode> {
    match (&args.command, &args.look) {
        (Some(ProfileCommand::Extrapolate(args)), _) => extrapolate::extrapolate(args),
        (Some(ProfileCommand::Compare(args)), _) => extrapolate::compare(args),
        (None, Some(args)) => look(args),
        (None, None) => unreachable!("a profile or a command is required"),
    }
}

/// Reads a profile; what is wrong with it is an error of the input.
pub(crate) fn read(path: &Path) -> anyhow::Result<Profile> {
    profile::read(path).map_err(|error| {
        let text = foreign::data(path).map_or_else(|| error.to_string(), str::to_owned);
        let lines: Vec<String> = text.lines().map(|line| format!("{}: {line}", path.display())).collect();
        refused(lines.join("\n"))
    })
}

/// The form of a profile that is to be written.
pub(crate) fn format_of(out: &Path) -> anyhow::Result<Format> {
    Format::of_profile(out).ok_or_else(|| refused(format!("{}: {}", out.display(), profile::UNKNOWN_FORMAT)))
}

/// Checks a profile, says what is in it, and writes it in the other form.
fn look(args: &LookArgs) -> anyhow::Result<ExitCode> {
    let profile = read(&args.profile)?;
    load::spares(std::slice::from_ref(&args.profile), args.out.as_deref())?;
    if let Some(out) = &args.out {
        let format = format_of(out)?;
        let written = weir_record::write_whole(out, |file| profile.write(format, file));
        written.with_context(|| out.display().to_string())?;
    }
    let summary = profile.summary();
    print_as(args.json, || to_json(&profile, &summary), || table(&profile, &summary))
}

fn table(profile: &Profile, summary: &Summary) -> String {
    let Summary { ranks, events, communicators, messages, message_bytes, kinds, compute, .. } = summary;
    let mut text = String::new();
    if !profile.title.is_empty() {
        text += &format!("{}\n", plain(&profile.title));
    }
    text += &format!("ranks            {ranks}\nevents           {events}\n");
    text += &format!("messages         {messages}, {message_bytes} bytes, and those of collectives\n");
    if *communicators > 0 {
        text += &format!("communicators    {communicators}, beside the world\n");
    }
    if let Some((least, most)) = compute {
        let RankSummary { rank, compute } = most;
        text +=
            &format!("computing        {} together, at most {compute} (rank {rank})", summary.compute_total);
        text += &format!(", at least {} (rank {})\n", least.compute, least.rank);
    }
    text += &match summary.logged {
        true => format!("end, as logged   {}\n", summary.end),
        false => "end              not logged: written by hand\n".to_owned(),
    };
    let width = kinds.iter().map(|kind| kind.name.len()).max().unwrap_or(0).max(4);
    text += &format!("\n{:width$}  {:>12}  {:>16}  time in calls\n", "kind", "events", "bytes");
    for KindCount { name, count, bytes, time } in kinds {
        text += &format!("{name:width$}  {count:>12}  {bytes:>16}  {time}\n");
    }
    text
}

fn to_json(profile: &Profile, summary: &Summary) -> Value {
    let kind = |kind: &KindCount| json!({"kind": kind.name, "events": kind.count, "bytes": kind.bytes, "time_ps": kind.time.as_ps()});
    let rank = |rank: &RankSummary| json!({"rank": rank.rank.0, "compute_ps": rank.compute.as_ps()});
    json!({
        "schema_version": 1,
        "title": profile.title,
        "ranks": summary.ranks,
        "events": summary.events,
        "messages": summary.messages,
        "message_bytes": summary.message_bytes,
        "communicators": summary.communicators,
        "compute_ps": summary.compute_total.as_ps(),
        "least_computing": summary.compute.as_ref().map(|(least, _)| rank(least)),
        "most_computing": summary.compute.as_ref().map(|(_, most)| rank(most)),
        "logged": summary.logged,
        "end_ps": summary.end.as_ps(),
        "kinds": summary.kinds.iter().map(kind).collect::<Vec<_>>(),
    })
}

/// Writes what every rank of an experiment sends and awaits.
pub(crate) fn write_pattern(args: PatternArgs) -> anyhow::Result<ExitCode> {
    let source = load::source(args.experiment, args.sets.overrides());
    let scenario = load::scenario(&source)?;
    load::spares(&[source.files(), scenario.files()].concat(), [args.out.as_path()])?;
    let to_stdout = args.out.as_os_str() == "-";
    let written = if to_stdout {
        write_pattern_to(&scenario, std::io::stdout())
    } else {
        weir_analysis::write_pattern(&scenario, &args.out)
    };
    match written {
        Ok(written) => {
            if !is_its_pattern(&scenario) {
                eprintln!(
                    "note: ranks wait for no send here, as those of a collective or a profile may: the run of this pattern can take another time"
                );
            }
            if !to_stdout {
                let (entries, messages) = (written.entries, written.messages);
                eprintln!("{}: {entries} entries, {messages} of them messages", args.out.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(PatternError::Write(error)) => Err(error).with_context(|| {
            if to_stdout { "standard output".into() } else { args.out.display().to_string() }
        }),
        Err(error) => Err(refused(error)),
    }
}
