//! `weir profile extrapolate` and `weir profile compare`: profiles of more ranks than were recorded.

use crate::arguments::{CompareProfilesArgs, ExtrapolateArgs};
use crate::load;
use crate::profile::{format_of, read};
use crate::say::print_as;
use crate::status::refused;
use anyhow::Context;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::ExitCode;
use weir_extrapolate::{
    ClassReport, CommunicatorReport, Difference, Extrapolation, ExtrapolationError, Sameness, Totals,
};
use weir_formats::MOST_RANKS;
use weir_formats::profile::{self, Profile};
use weir_operations::Step;
use weir_units::{Duration, Rank};

/// Sentences of one kind that are printed; all are in the JSON.
const MOST_LISTED: usize = 12;

/// Fits profiles and writes that of more ranks.
pub(crate) fn extrapolate(args: &ExtrapolateArgs) -> anyhow::Result<ExitCode> {
    let format = format_of(&args.out)?;
    load::spares(&args.profiles, [args.out.as_path()])?;
    if !(1..=MOST_RANKS).contains(&args.ranks) {
        return Err(refused(format!("--ranks {}: a profile has 1 to {MOST_RANKS} ranks", args.ranks)));
    }
    let profiles = args.profiles.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<Profile>>>()?;
    let title = profiles.iter().map(|profile| profile.title.as_str()).find(|title| !title.is_empty());
    let sizes: Vec<String> = profiles.iter().map(|profile| profile.ranks().to_string()).collect();
    let title = format!("{} (extrapolated from {} ranks)", title.unwrap_or("profile"), sizes.join(", "));
    let found = Extrapolation::fit(&profiles, args.ranks).map_err(of_error)?;
    drop(profiles);
    let written = weir_record::write_whole(&args.out, |file| {
        let totals = found.write(format, &title, file)?;
        let open = totals.open();
        if args.strict && !open.is_empty() { Err(ExtrapolationError::Refused(open)) } else { Ok(totals) }
    });
    let totals = match written {
        Err(ExtrapolationError::Write(error)) => return Err(error).context(args.out.display().to_string()),
        written => written.map_err(of_error)?,
    };
    print_as(args.json, || to_json(&totals), || to_text(&totals))?;
    let open = totals.open();
    for sentence in open.iter().take(MOST_LISTED) {
        eprintln!("warning: {sentence}");
    }
    if open.len() > MOST_LISTED {
        eprintln!("warning: and {} more; all are in the output of --json", open.len() - MOST_LISTED);
    }
    if !open.is_empty() {
        eprintln!("\nhint: a profile of another number of ranks decides among forms that fit");
    }
    Ok(ExitCode::SUCCESS)
}

fn of_error(error: ExtrapolationError) -> anyhow::Error {
    match error {
        ExtrapolationError::Refused(mut sentences) => {
            let more = sentences.len().saturating_sub(MOST_LISTED);
            sentences.truncate(MOST_LISTED);
            if more > 0 {
                sentences.push(format!("and {more} more"));
            }
            refused(format!("the profiles cannot be extrapolated:\n{}", sentences.join("\n")))
        }
        ExtrapolationError::Write(error) => error.into(),
    }
}

fn to_text(totals: &Totals) -> String {
    let Totals { steps, messages, message_bytes, classes, communicators, polls, .. } = totals;
    let mut text = format!("events           {steps}\n");
    text += &format!("messages         {messages}, {message_bytes} bytes, and those of collectives\n");
    for CommunicatorReport { groups, count, .. } in communicators {
        text += &format!("communicators    {count}: {groups}\n");
    }
    if *polls > 0 {
        text += &format!("looks in vain    {polls}, left out\n");
    }
    for class in classes {
        let ClassReport { who, members, sizes, made, loops, operations, rules, times, time_error } = class;
        let who = if who.is_empty() { "all ranks" } else { who };
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        text += &format!("\nclass            {who}\n");
        text += &format!("  ranks          {made}, from {members} of {} ranks\n", sizes.join(", "));
        text += &format!("  program        {operations} operations in {loops} loops\n");
        for rule in rules.iter().take(MOST_LISTED) {
            _ = writeln!(text, "  {:<14} {}", rule.what, rule.forms.join(" | "));
        }
        if rules.len() > MOST_LISTED {
            _ = writeln!(text, "  ...            {} more", rules.len() - MOST_LISTED);
        }
        let times: Vec<String> = times.iter().map(|(form, count)| format!("{form} ({count})")).collect();
        _ = writeln!(
            text,
            "  times          {}; off by at most {:.1} %",
            times.join(", "),
            time_error * 100.0
        );
    }
    text
}

fn to_json(totals: &Totals) -> Value {
    let class = |of: &ClassReport| {
        let rules: Vec<Value> =
            of.rules.iter().map(|rule| json!({"what": rule.what, "forms": rule.forms})).collect();
        let times: Vec<Value> =
            of.times.iter().map(|(form, count)| json!({"form": form, "operations": count})).collect();
        json!({
            "who": of.who, "members": of.members, "sizes": of.sizes, "made": of.made, "loops": of.loops,
            "operations": of.operations, "rules": rules, "times": times, "time_error": of.time_error,
        })
    };
    let communicators =
        |of: &CommunicatorReport| json!({"groups": of.groups, "others": of.others, "count": of.count});
    json!({
        "schema_version": 1,
        "events": totals.steps,
        "messages": totals.messages,
        "message_bytes": totals.message_bytes,
        "polls_left_out": totals.polls,
        "classes": totals.classes.iter().map(class).collect::<Vec<_>>(),
        "communicators": totals.communicators.iter().map(communicators).collect::<Vec<_>>(),
        "open": totals.open(),
    })
}

/// Says whether the ranks of two profiles do the same.
pub(crate) fn compare(args: &CompareProfilesArgs) -> anyhow::Result<ExitCode> {
    let (first, second) = (read(&args.first)?, read(&args.second)?);
    let found = weir_extrapolate::compare(&first, &second);
    print_as(args.json, || sameness_to_json(&found), || sameness_to_text(&found))?;
    Ok(if found.is_same() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn line(rank: Rank, step: Option<&Step>) -> String {
    step.map_or_else(|| format!("{rank} is over"), |step| profile::line(rank, step))
}

fn sameness_to_text(found: &Sameness) -> String {
    let Sameness { ranks, differences, compute_ps } = found;
    let times = (Duration::from_ps(compute_ps.0), Duration::from_ps(compute_ps.1));
    let mut text = match found.is_same() {
        true => format!("the same messages   {} ranks\n", ranks.0),
        false if ranks.0 != ranks.1 => format!("not the same        {} and {} ranks\n", ranks.0, ranks.1),
        false => format!("not the same        {} of {} ranks differ\n", differences.len(), ranks.0),
    };
    text += &format!("computing           {} and {}\n", times.0, times.1);
    for Difference { rank, step, first, second } in differences.iter().take(MOST_LISTED) {
        text += &format!(
            "rank {rank}, step {step}:\n  {}\n  {}\n",
            line(*rank, first.as_ref()),
            line(*rank, second.as_ref())
        );
    }
    text
}

fn sameness_to_json(found: &Sameness) -> Value {
    let difference = |of: &Difference| {
        let (first, second) = (line(of.rank, of.first.as_ref()), line(of.rank, of.second.as_ref()));
        json!({"rank": of.rank.0, "step": of.step, "first": first, "second": second})
    };
    json!({
        "schema_version": 1,
        "same": found.is_same(),
        "ranks": [found.ranks.0, found.ranks.1],
        "compute_ps": [found.compute_ps.0, found.compute_ps.1],
        "differences": found.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}
