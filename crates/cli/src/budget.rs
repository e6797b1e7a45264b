//! `weir run --dry-run`: what a run takes, before it.

use crate::arguments::Common;
use crate::load;
use crate::progress::{Shower, rough};
use crate::say::unless_closed;
use crate::status::{OrRefused, interrupted};
use crate::text::{facts, grouped};
use anyhow::Context;
use std::io::Write;
use std::process::ExitCode;
use weir_experiment::{Scenario, Source, Workload};
use weir_run::{Budget, Count, GpuBudget, GpuProcessor, allows, budget};

/// Shows what a run takes; the status is that of a run which is refused, if it would be.
pub(crate) fn show(source: &Source, common: &Common, gpu: Option<&GpuProcessor>) -> anyhow::Result<ExitCode> {
    let scenario = load::accepted(load::to_run(source, common.quiet))?;
    let mut shower = Shower::begin(common.quiet, scenario.messages());
    let budget = budget(&scenario, gpu, &mut |progress| shower.show(progress));
    shower.end();
    if let Some(status) = interrupted() {
        return Ok(status);
    }
    let budget = budget.or_refused()?;
    let text = match common.json {
        true => format!("{}\n", budget.to_json()),
        false => table(&scenario, &budget),
    };
    let mut stdout = std::io::stdout();
    unless_closed(write!(stdout, "{text}").and_then(|()| stdout.flush())).context("standard output")?;
    if let Some(gpu) = gpu {
        gpu.check(&scenario).or_refused()?;
    }
    allows(&scenario, &budget).or_refused()?;
    Ok(ExitCode::SUCCESS)
}

/// For people: what is not certain is not shown as if it were.
fn counted(count: Count, of: &str) -> String {
    let Count { likely, at_most, is_exact } = count;
    match is_exact {
        true => grouped(likely) + of,
        false => format!("about {}{of} (at most {})", grouped(likely), grouped(at_most)),
    }
}

fn table(scenario: &Scenario, budget: &Budget) -> String {
    let unknown = || "known only when it runs".to_owned();
    let count = |count: usize| grouped(count as u64);
    let mut rows = vec![("nodes", count(scenario.nodes()))];
    if let Some(machine) = scenario.topology() {
        rows.push(("routers", count(machine.routers())));
        rows.push(("links", count(machine.links())));
    }
    rows.push(("ranks", count(scenario.workload.ranks)));
    let messages = budget.messages.map(|(messages, bytes)| format!("{} ({bytes})", grouped(messages)));
    rows.push(("messages", messages.unwrap_or_else(unknown)));
    if let Some(packets) = budget.packets {
        let hops = packets.hops.map_or(String::new(), |hops| format!(", {}", counted(hops, " hops")));
        rows.push(("packets", counted(packets.packets, "") + &hops));
    }
    let there = budget.available.map_or(String::new(), |there| format!(" of {there}"));
    let least = if budget.done == Some(1.0) { "" } else { "at least " };
    rows.push(("memory", format!("{least}{}{there}", budget.memory)));
    if let Some(GpuBudget { memory, name }) = &budget.gpu {
        let where_it_runs = name.as_deref().unwrap_or("there is none on this computer");
        rows.push(("GPU", format!("{where_it_runs}; the run fits one, and takes about {memory} there")));
    }
    let seconds = |time: std::time::Duration| rough(time.as_secs_f64());
    rows.push((
        "time",
        match (budget.wall, budget.done, &scenario.workload.kind) {
            (Some(wall), Some(1.0), _) => format!("{}: it has been run", seconds(wall)),
            (Some(wall), Some(done), _) => format!(
                "about {}, {} of it to build the machine; measured on {:.2} % of the run",
                seconds(wall),
                seconds(budget.building),
                100.0 * done
            ),
            _ if budget.gpu.as_ref().is_some_and(|gpu| gpu.name.is_none()) => {
                "not known: there is no GPU to run the beginning".to_owned()
            }
            (_, _, Workload::Program(_)) => "known only when the program runs".to_owned(),
            _ => "not known: nothing has been done after 8 s".to_owned(),
        },
    ));
    facts(rows)
}
