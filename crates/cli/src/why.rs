//! `weir explain FOLDER`: why a run took as long as it did, in ten lines.

use crate::text::{grouped, plain, short};
use crate::why_text::{shares, word};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use weir_network::causes::Cause;
use weir_units::Duration;

/// The summary of a results folder, if that is what is named.
pub(crate) fn results(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let summary = if path.is_dir() { path.join("summary.json") } else { path.to_owned() };
    let is_summary = summary.file_name().is_some_and(|name| name == "summary.json") && summary.is_file();
    is_summary.then_some(summary)
}

/// Where the time of the run went.
pub(crate) fn explain(summary: &Path) -> Result<ExitCode> {
    let shown = summary.display();
    let text = fs::read_to_string(summary).with_context(|| format!("{shown} cannot be read"))?;
    let run: Value = serde_json::from_str(&text).with_context(|| format!("{shown} is no summary"))?;
    if run["causes"].is_null() {
        eprintln!(
            "error: {shown} does not say what time went into\n\nhint: run it with output.causes = true (--set output.causes=true)"
        );
        return Ok(ExitCode::from(2));
    }
    let lines = lines(&run).with_context(|| format!("{shown}: its causes are not those of a run"))?;
    write!(stdout(), "{}", lines.join("\n") + "\n")?;
    Ok(ExitCode::SUCCESS)
}

/// Times by cause.
struct Times([Duration; Cause::ALL.len()]);

impl Times {
    fn of(object: &Value) -> Option<Self> {
        let mut times = [Duration::ZERO; Cause::ALL.len()];
        for (time, cause) in times.iter_mut().zip(Cause::ALL) {
            *time = ps(&object[cause.name()])?;
        }
        Some(Self(times))
    }

    fn get(&self, cause: Cause) -> Duration {
        self.0[cause as usize]
    }

    fn shares(&self) -> String {
        shares(Cause::ALL.map(|cause| (word(cause), self.get(cause))))
    }
}

fn ps(value: &Value) -> Option<Duration> {
    value.as_u64().map(Duration::from_ps)
}

/// The answer; `None` if a part of it is not there.
fn lines(run: &Value) -> Option<Vec<String>> {
    let (causes, end) = (&run["causes"], ps(&run["simulated_ps"])?);
    let path = &causes["critical_path"];
    let (total, critical) = (Times::of(&causes["total_ps"])?, Times::of(&path["causes_ps"])?);
    let count = |value: &Value| value.as_u64().map(grouped);
    let title = plain(run["title"].as_str()?);
    let calls: Option<Vec<(&str, Duration)>> = path["calls"]
        .as_array()?
        .iter()
        .map(|row| Some((row["call"].as_str()?, ps(&row["time_ps"])?)))
        .collect();
    let last: Option<Vec<String>> = path["last_ranks"]
        .as_array()?
        .iter()
        .map(|rank| rank.as_u64().map(|rank| rank.to_string()))
        .collect();
    let mut lines = vec![
        format!("{title} ({}): {end}, {} ranks", run["engine"].as_str()?, count(&run["ranks"])?),
        format!("time of all ranks  {}", total.shares()),
        format!("critical path      {}", critical.shares()),
        format!(
            "  it follows       {} messages over {} links; last by ranks {}",
            count(&path["messages"])?,
            count(&path["links"])?,
            last?.join(", ")
        ),
        format!("  by call          {}", plain(&shares(calls?))),
    ];
    lines.extend(worst(&critical, end));
    lines.push(imbalance(&causes["compute"])?);
    Some(lines)
}

/// The three parts of the critical path that take longest, and how long the run would take at best if something were done about each: other
/// paths may be longer then.
fn worst(critical: &Times, end: Duration) -> Vec<String> {
    let mut parts = Cause::ALL.map(|cause| (critical.get(cause), cause));
    parts.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let parts = parts.into_iter().filter(|(time, _)| *time > Duration::ZERO).take(3);
    let line = |(place, (time, cause)): (u32, (Duration, Cause))| {
        let (what, gain) = remedy(critical, cause);
        let less = 100.0 * gain.as_secs_f64() / end.as_secs_f64();
        format!("{place}. {:<16}{time}; {what} at best {} ({less:.1} % less)", word(cause), end - gain)
    };
    (1..).zip(parts).map(line).collect()
}

/// What can be done about a cause, and what of the path that saves. Where bytes take half the time, so does waiting for those of others.
fn remedy(critical: &Times, cause: Cause) -> (&'static str, Duration) {
    let half = |time: Duration| Duration::from_ps(time.as_ps() / 2);
    let own = critical.get(cause);
    match cause {
        Cause::Compute => ("with work in half the time", half(own)),
        Cause::StartUp => ("with half the overheads", half(own)),
        Cause::Latency => ("with half the latency", half(own)),
        Cause::Serialization => ("with twice the bandwidth", half(own + critical.get(Cause::Contention))),
        Cause::Contention => ("with no message in the way of another", own),
        Cause::LateSender | Cause::LateReceiver | Cause::Other | Cause::Finished => ("without it", own),
    }
}

/// How unevenly ranks compute.
fn imbalance(compute: &Value) -> Option<String> {
    let (mean, most) = (ps(&compute["mean_ps"])?, ps(&compute["max_ps"])?);
    let rank = compute["max_rank"].as_u64()?;
    Some(match most {
        Duration::ZERO => "imbalance          none: no rank computes".into(),
        most => format!(
            "imbalance          rank {rank} computes longest, {}: {:.2} times the mean",
            short(most.as_secs_f64()),
            most.as_secs_f64() / mean.as_secs_f64()
        ),
    })
}
