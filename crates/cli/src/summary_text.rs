//! The summary of a run, as text for people.

use crate::text::{assumed, facts, grouped, plain, short, without_units};
use std::cmp::Reverse;
use std::fmt::Display;
use weir_network::causes::{Cause, Causes};
use weir_network::{SkeletonBlock, SkeletonCounts};
use weir_record::{
    BusyLink, ClassCounts, EngineCounts, Fairness, Faults, Finding, FlowCounts, GpuUse, JobCounts,
    PacketCounts, Summary, SweepStep, WhereTimeWent,
};
use weir_run::Report;
use weir_units::{Bandwidth, Bytes, Duration, Time};

/// Links and blocks that are listed; all are in the summary.
const MOST_LINKS: usize = 5;
const MOST_BLOCKS: usize = 20;

/// Detail in which a run is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Facts by which a user decides.
    Short,
    /// Also the work of the engine.
    All,
}

/// The simulated time, and how exactly it is known.
fn simulated(summary: &Summary) -> String {
    let time = summary.simulated;
    let keys = |count: usize| if count == 1 { "1 key".to_owned() } else { format!("{count} keys") };
    let calibrated = summary.experiment["calibrated"].as_object().map_or(0, serde_json::Map::len);
    match &summary.band {
        Some(band) => {
            let (low, high, count) = (band.low, band.high, keys(band.keys.len()));
            format!("{time} ({low} to {high} by the intervals of {count} of the machine)")
        }
        None if calibrated > 0 => {
            format!("{time} ({} of the machine known within intervals: see --band)", keys(calibrated))
        }
        None => time.to_string(),
    }
}

/// The verdict, one line per sentence; an empty line behind it.
fn verdict(summary: &Summary) -> String {
    let line = |finding: &Finding| match summary.units {
        Some(_) => without_units(&plain(&finding.sentence)) + "\n",
        None => plain(&finding.sentence) + "\n",
    };
    let lines: String = summary.verdict.iter().map(line).collect();
    if lines.is_empty() { lines } else { lines + "\n" }
}

/// The verdict, then the summary, one line per fact.
pub(crate) fn summary(report: &Report, detail: Detail) -> String {
    let summary = &report.summary;
    let count = |count: usize| grouped(count as u64);
    let machine = match summary.routers {
        0 => format!("{} nodes", count(summary.nodes)),
        routers => {
            let [nodes, routers, links] = [summary.nodes, routers, summary.links].map(count);
            format!("{nodes} nodes, {routers} routers, {links} links")
        }
    };
    let mut rows: Vec<(&str, String)> =
        vec![("experiment", format!("{} ({})", plain(&summary.title), summary.engine)), ("machine", machine)];
    rows.extend(summary.faults.iter().flat_map(Faults::in_words).map(|line| ("faults", line)));
    rows.extend([("ranks", count(summary.ranks)), ("simulated time", simulated(summary))]);
    rows.extend(repetitions(&summary.repetitions).map(|times| ("repetitions", times)));
    rows.extend([
        ("messages", grouped(summary.traffic.messages)),
        ("bytes", format!("{} ({})", grouped(summary.traffic.bytes.0), summary.traffic.bytes)),
    ]);
    rows.extend(match &summary.counts {
        EngineCounts::None => link_rows(summary),
        EngineCounts::Flow(flow) => [link_rows(summary), flow_rows(flow, summary, detail)].concat(),
        EngineCounts::Packet(packet) => packet_rows(packet, summary, detail),
    });
    rows.extend(summary.classes.iter().map(|class| ("class", of_class(class))));
    rows.extend(of_jobs(&summary.jobs));
    rows.extend(waits_of_jobs(&summary.jobs));
    if let Some(program) = &summary.program {
        let switches = match detail {
            Detail::Short => String::new(),
            Detail::All => format!(" ({} context switches)", grouped(program.context_switches)),
        };
        rows.push(("MPI calls", grouped(program.mpi_calls) + &switches));
    }
    if let Some(skeleton) = &summary.skeleton {
        rows.extend(skeleton_rows(skeleton));
    }
    if let Some(WhereTimeWent { accounts, .. }) = &summary.causes {
        let path = &accounts.critical().path;
        let (causes, messages) = (of_causes(&path.causes), grouped(path.messages));
        rows.push(("critical path", format!("{causes}; messages: {messages}")));
    }
    if summary.units.is_some() {
        rows.iter_mut().for_each(|(_, value)| *value = without_units(value));
        rows.push(("units", "none: numbers are in the units of the input".into()));
    }
    rows.push(("wall-clock time", format!("{:.3} s", summary.wall.as_secs_f64())));
    if let Some(peak) = summary.peak_memory_bytes {
        rows.push(("memory", Bytes(peak).to_string()));
    }
    rows.push(("digest", summary.digest.to_string()));
    let table = verdict(summary) + &facts(rows);
    if detail == Detail::All { table + &assumed(&summary.assumed) } else { table }
}

fn of_class(class: &ClassCounts) -> String {
    let ClassCounts { name, messages, bytes, control_messages, latency } = class;
    let carried = match (messages, control_messages) {
        (0, 0) => "no messages".to_owned(),
        (0, 1) => "1 message of protocols".to_owned(),
        (0, control) => format!("{} messages of protocols", grouped(*control)),
        (1, _) => format!("1 message, {bytes}"),
        (messages, _) => format!("{} messages, {bytes}", grouped(*messages)),
    };
    let taken = latency.map_or_else(String::new, |[median, p99]| {
        format!(", there within {median} in the median, 99 % within {p99}")
    });
    format!("{}: {carried}{taken}", plain(name))
}

/// The number of jobs of a list, and of jobs that waited for others, that are shown; if there are more, a row says how many there are.
const MOST_JOBS: usize = 20;

fn of_jobs(jobs: &[JobCounts]) -> Vec<(&'static str, String)> {
    let waits: Vec<u64> = jobs.iter().filter_map(JobCounts::wait).map(Duration::as_ps).collect();
    let (Some(most), Some(mean)) = (
        waits.iter().max(),
        waits.iter().copied().map(u128::from).sum::<u128>().checked_div(waits.len() as u128),
    ) else {
        return jobs.iter().map(|job| ("job", of_job(job))).collect();
    };
    let [mean, most] = [mean as u64, *most].map(Duration::from_ps);
    let count = jobs.len();
    let shown = match count > MOST_JOBS {
        true => format!("; the first {MOST_JOBS} are shown, and all are in summary.json (--json)"),
        false => String::new(),
    };
    let all = format!(
        "{}, which waited for nodes {mean} on average and {most} at most{shown}",
        grouped(count as u64)
    );
    let each = jobs.iter().take(MOST_JOBS).map(|job| ("job", of_job(job)));
    std::iter::once(("jobs", all)).chain(each).collect()
}

fn of_job(job: &JobCounts) -> String {
    let ranks =
        if job.ranks == 1 { "1 rank".to_owned() } else { format!("{} ranks", grouped(job.ranks as u64)) };
    let nodes =
        if job.nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", grouped(job.nodes as u64)) };
    let end = match (job.is_endless, job.is_over) {
        (true, _) => ", until others were over",
        (false, true) => "",
        (false, false) => ", not over",
    };
    let start = if job.start == Time::ZERO { String::new() } else { format!(" from {}", job.start) };
    let wait = job.wait().filter(|wait| *wait > Duration::ZERO);
    let wait = wait.map_or_else(String::new, |wait| format!(" after a wait of {wait}"));
    let alone_messages = job.alone_messages.map(|alone| match job.slowdown() {
        Some(slowdown) => format!("; alone {}: {slowdown:.2} times as many", grouped(alone)),
        None => format!("; alone {}", grouped(alone)),
    });
    let alone = job.alone.map_or_else(String::new, |alone| match job.slowdown() {
        Some(slowdown) => format!("; alone {alone}: {slowdown:.2} times as long"),
        None => format!("; alone {alone}"),
    });
    let messages = match job.messages {
        1 => "1 message".to_owned(),
        messages => format!("{} messages", grouped(messages)),
    };
    let (name, time) = (plain(&job.name), job.time());
    format!(
        "{name}: {ranks} on {nodes}, {time}{start}{wait}{end}, {messages}, {}{alone}{}",
        job.bytes,
        alone_messages.unwrap_or_default()
    )
}

/// For whom jobs waited, in their order: of many, those that waited longest.
fn waits_of_jobs(jobs: &[JobCounts]) -> Vec<(&'static str, String)> {
    let mut waits: Vec<(usize, Duration, String)> = jobs
        .iter()
        .enumerate()
        .filter_map(|(place, job)| Some((place, job.waited.as_ref()?.others, of_waits(job)?)))
        .collect();
    let count = waits.len();
    waits.sort_by_key(|&(place, others, _)| (Reverse(others), place));
    waits.truncate(MOST_JOBS);
    waits.sort_by_key(|&(place, ..)| place);
    let mut rows: Vec<_> = waits.into_iter().map(|(.., sentence)| ("waiting", sentence)).collect();
    if count > MOST_JOBS {
        let all = format!(
            "messages of {} jobs waited for other jobs; the {MOST_JOBS} that waited longest are shown, and all are in summary.json (--json)",
            grouped(count as u64)
        );
        rows.insert(0, ("waiting", all));
    }
    rows
}

/// The sentence that says for which other jobs a job waited, and where most; none if it waited for no other one.
fn of_waits(job: &JobCounts) -> Option<String> {
    let waited = job.waited.as_ref()?;
    let at = waited.links.first()?;
    let (behind, time) = at.jobs.iter().find(|(name, _)| *name != job.name)?;
    let percent = |part: &Duration, whole: &Duration| 100.0 * part.as_ps() as f64 / whole.as_ps() as f64;
    let (of_all, there) = (percent(&waited.others, &waited.time), percent(time, &at.time));
    let (name, behind, link) = (plain(&job.name), plain(behind), plain(&at.name));
    Some(format!(
        "messages of {name} waited {} for other jobs, {of_all:.0} % of their waiting at links; most at {link}: {}, {there:.0} % of the waiting there \
         for {behind}",
        waited.others, at.others
    ))
}

fn repetitions(times: &[Duration]) -> Option<String> {
    let (least, most) = (times.iter().min()?, times.iter().max()?);
    Some(match times.len() {
        1 => format!("1, which took {least}"),
        count => format!("{}, which took {least} to {most} each", grouped(count as u64)),
    })
}

fn link_rows(summary: &Summary) -> Vec<(&'static str, String)> {
    let links = &summary.link_use;
    let Some(link) = links.busiest.first() else {
        return match summary.links {
            0 => {
                vec![("network", "none: messages met no links (a machine with links: --machine FILE)".into())]
            }
            _ => vec![("busiest link", "none: no message went over a link".into())],
        };
    };
    let flows =
        |count: u32| if count == 1 { "1 flow".into() } else { format!("{} flows", grouped(count.into())) };
    let utilized = 100.0 * link.utilization;
    let bytes = Bytes(link.count.bytes.round() as u64);
    let share = format!("at most {} at a time, {utilized:.1} % utilized, {bytes}", flows(link.count.share));
    vec![
        ("busiest link", link.name.clone()),
        ("  its share", share),
        ("most flows on a link", grouped(links.max_share.into())),
        ("mean link utilization", format!("{:.1} %", 100.0 * links.mean_utilization)),
    ]
}

fn flow_rows(flow: &FlowCounts, summary: &Summary, detail: Detail) -> Vec<(&'static str, String)> {
    let mut rows = if detail == Detail::All { flow_work_rows(flow, summary) } else { Vec::new() };
    if let Some(fairness) = &flow.fairness {
        let Fairness { least_rate, most_rate, throughput, max_min } = fairness;
        let rates = format!("a flow gets {least_rate:.3} to {most_rate:.3} of its fair rate");
        rows.push(("against max-min", format!("{rates}; all together {throughput:.4}")));
        if let Some(max_min) = max_min {
            let ratio = summary.simulated.as_secs_f64() / max_min.as_secs_f64();
            rows.push(("  with max-min", format!("{max_min}; this is {ratio:.4} times as long")));
        }
    }
    if let Some(ties) = &flow.ties {
        let (least, most) = (ties.simulated.iter().min(), ties.simulated.iter().max());
        let range = least.zip(most).map_or_else(String::new, |(least, most)| format!("{least} to {most}"));
        let (runs, spread) = (ties.simulated.len(), 100.0 * ties.spread());
        let not = if ties.is_sensitive() { "" } else { "not " };
        rows.push((
            "perturbed ties",
            format!("{range} in {runs} runs, spread {spread:.2} %: {not}tie-sensitive"),
        ));
    }
    rows
}

fn flow_work_rows(flow: &FlowCounts, summary: &Summary) -> Vec<(&'static str, String)> {
    let mut rows = vec![("cycles", grouped(flow.cycles))];
    if flow.solver_iterations > 0 {
        let per_message = flow.solver_iterations as f64 / summary.traffic.messages.max(1) as f64;
        let iterations = grouped(flow.solver_iterations);
        rows.push(("solver iterations", format!("{iterations} ({per_message:.2} per message)")));
    }
    for step in &flow.steps {
        let SweepStep { name, work, wait, imbalance } = step;
        let [work, wait] = [work, wait].map(|time| time.as_secs_f64() * 1e3);
        let times = format!("{name}: {work:.3} ms work, {wait:.3} ms at the barrier");
        rows.push(("step", format!("{times}, imbalance {imbalance:.2}")));
    }
    rows
}

fn packet_rows(packet: &PacketCounts, summary: &Summary, detail: Detail) -> Vec<(&'static str, String)> {
    let remaining = match packet.remaining {
        0 => String::new(),
        remaining => format!(" have arrived, {} remain in the network", grouped(remaining)),
    };
    let mut rows = vec![("packets", grouped(packet.packets) + &remaining)];
    if let Some(latency) = &packet.latency {
        let mean = short(latency.mean_s);
        rows.push(("packet latency", format!("{mean} on average, 99 % within {}", latency.p99)));
        rows.push(("", format!("from {} to {}", latency.least, latency.most)));
    }
    if let Some(synthetic) = &packet.synthetic {
        let saturated = if synthetic.saturated { "saturated" } else { "not saturated" };
        rows.push(("offered load", format!("{:.4}", synthetic.offered_load)));
        rows.push(("accepted load", format!("{:.4} ({saturated})", synthetic.accepted_load)));
        if let Some(mean) = synthetic.generation_latency_mean_s {
            rows.push(("from generation", format!("{} on average", short(mean))));
        }
    }
    let links = &summary.link_use;
    let names = ["busiest links"].into_iter().chain(std::iter::repeat(""));
    match links.busiest.is_empty() {
        true => rows.push(("busiest links", "none: no message went over a link".into())),
        false => rows.extend(names.zip(links.busiest.iter().take(MOST_LINKS).map(busy_link))),
    }
    rows.extend(links.most_contended.as_ref().and_then(contended).map(|text| ("most contended link", text)));
    rows.extend(links.busy.map(|busy| ("longest queue", of_packets(busy.max_queue))));
    rows.push(("mean link utilization", format!("{:.1} %", 100.0 * links.mean_utilization)));
    if detail == Detail::All {
        rows.extend(packet_work_rows(packet, summary));
    }
    rows
}

fn packet_work_rows(packet: &PacketCounts, summary: &Summary) -> Vec<(&'static str, String)> {
    let links = &summary.link_use;
    let mut rows = Vec::new();
    if let Some(busy) = links.busy {
        let throughput = Bandwidth::new(links.mean_throughput).map(|rate| format!(", {rate}"));
        let throughput = throughput.unwrap_or_default();
        rows.push(("mean over all links", format!("{:.1} % busy{throughput}", 100.0 * busy.mean)));
    }
    if packet.classes > 1 {
        let classes = format!("{} classes: {}", packet.classes, packet.class_rule);
        rows.push(("virtual channels", classes));
    }
    let speed = packet.hops_per_second(summary.wall);
    rows.push(("packet-hops", format!("{} ({speed:.3e} per second)", grouped(packet.packet_hops))));
    rows.push(("windows", format!("{} of {}", grouped(packet.windows), packet.window)));
    rows.extend(summary.gpu.as_ref().map(|gpu| ("GPU", on_gpu(gpu))));
    rows
}

fn on_gpu(gpu: &GpuUse) -> String {
    let GpuUse { name, runs, placing, running, reading } = gpu;
    let [placing, running, reading] = [placing, running, reading].map(|time| short(time.as_secs_f64()));
    let others = if *runs > 1 { format!(" ({runs} runs side by side)") } else { String::new() };
    format!("{name}: {placing} to place the machine, {running} to run, {reading} to read the results{others}")
}

fn of_packets(count: impl Into<u64>) -> String {
    match count.into() {
        1 => "1 packet".into(),
        count => format!("{} packets", grouped(count)),
    }
}

fn busy_link(link: &BusyLink) -> String {
    let utilized = 100.0 * link.utilization;
    let bytes = Bytes(link.count.bytes.round() as u64);
    let packets = link.count.traffic.map(|of| {
        let queue = match of.max_queue {
            // Nothing waits behind a link that ends at a node.
            0 => String::new(),
            queue => format!(", longest queue {}", of_packets(queue)),
        };
        let waited = match of.mean_stall() {
            Duration::ZERO => format!("packets waited {} on average", of.mean_wait()),
            stall => format!("packets waited {stall} on average for credits"),
        };
        format!(", {:.1} % busy, {waited}{queue}", 100.0 * link.busy)
    });
    format!("{}: {utilized:.1} % utilized, {bytes}{}", link.name, packets.unwrap_or_default())
}

fn contended(link: &BusyLink) -> Option<String> {
    let of = link.count.traffic?;
    let (packets, waited, mean) = (of_packets(of.packets), of.waited, of.mean_wait());
    Some(format!("{}: {packets} waited {mean} on average ({waited} in sum)", link.name))
}

/// Clock calls, and blocks.
fn skeleton_rows(skeleton: &SkeletonCounts) -> Vec<(&'static str, String)> {
    let SkeletonCounts { clock_calls, charged_s, call_cost_s, .. } = skeleton;
    let [charged, cost, each] = [*charged_s, skeleton.cost_s(), *call_cost_s].map(short);
    let mut rows =
        vec![("clock calls", format!("{clock_calls} for {charged}; they cost {cost} ({each} each)"))];
    rows.extend(skeleton.blocks.iter().take(MOST_BLOCKS).map(|found| ("block", block(found))));
    if skeleton.blocks.len() > MOST_BLOCKS {
        rows.push(("", format!("... and {} more (all with --json)", skeleton.blocks.len() - MOST_BLOCKS)));
    }
    rows
}

fn block(block: &SkeletonBlock) -> String {
    let level = block.level.map_or_else(String::new, |level| format!(", level {level}"));
    let mut text = format!("{}{level}: {} executions", block.name, block.executions);
    if let Some(mean) = block.mean_s {
        text += &format!(", {} measured, mean {}", block.measured, short(mean));
        if let Some(deviation) = block.deviation_s {
            text += &format!(" +- {}", short(deviation));
        }
        if block.iterations != block.executions as f64 {
            text += &format!(" per iteration ({} iterations)", block.iterations);
        }
    }
    text + &format!(", {} charged", short(block.charged_s))
}

/// A warning where clock calls cost more than they save.
pub(crate) fn skeleton_warning(skeleton: &SkeletonCounts) -> Option<String> {
    skeleton.costs_more_than_it_saves().then(|| {
        format!(
            "warning: weir_compute and its kin are called too finely: {} calls for {} of simulated time took {} of this \
             computer's\n\nhint: move the call out of the inner loop, and charge the loop at once (docs/guide/skeletons.md)",
            grouped(skeleton.clock_calls),
            short(skeleton.charged_s),
            short(skeleton.cost_s())
        )
    })
}

pub(crate) fn word(cause: Cause) -> String {
    cause.name().replace("start_up", "start-up").replace('_', " ")
}

/// Shares of a whole in per cent, the largest first; those below 0.05 % are left out.
pub(crate) fn shares<N: Display>(times: impl IntoIterator<Item = (N, Duration)>) -> String {
    let times: Vec<_> = times.into_iter().collect();
    let whole = times.iter().fold(Duration::ZERO, |all, (_, time)| all + *time);
    of_whole(times, whole).unwrap_or_else(|| "no time has passed".into())
}

/// Shares of another whole; `None` if there are none.
pub(crate) fn of_whole<N: Display>(mut times: Vec<(N, Duration)>, whole: Duration) -> Option<String> {
    times.sort_by_key(|(_, time)| Reverse(*time));
    let share = |time: Duration| 100.0 * time.as_ps() as f64 / whole.as_ps() as f64;
    let shares =
        times.into_iter().map(|(name, time)| (name, share(time))).filter(|(_, share)| *share >= 0.05);
    let shares: Vec<String> = shares.map(|(name, share)| format!("{name} {share:.1} %")).collect();
    (!shares.is_empty()).then(|| shares.join(", "))
}

pub(crate) fn of_causes(causes: &Causes) -> String {
    shares(Cause::ALL.map(|cause| (word(cause), causes.of(cause))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_share_comes_first() {
        let ps = Duration::from_ps;
        assert_eq!(
            shares([("a", ps(1)), ("b", ps(1998)), ("c", ps(0)), ("d", ps(1))]),
            "b 99.9 %, a 0.1 %, d 0.1 %"
        );
        assert_eq!(shares([("a", ps(0))]), "no time has passed");
    }

    #[test]
    fn blocks_are_shown_in_a_line() {
        let sampled = SkeletonBlock {
            name: "relax".into(),
            level: None,
            executions: 100,
            measured: 10,
            iterations: 100.0,
            mean_s: Some(2e-6),
            deviation_s: Some(1e-7),
            charged_s: 2e-4,
        };
        let line = "relax: 100 executions, 10 measured, mean 2 us +- 100 ns, 200 us charged";
        assert_eq!(block(&sampled), line);
        let loops = SkeletonBlock { iterations: 400.0, deviation_s: None, ..sampled.clone() };
        let line =
            "relax: 100 executions, 10 measured, mean 2 us per iteration (400 iterations), 200 us charged";
        assert_eq!(block(&loops), line);
        let given = SkeletonBlock { level: Some(4), measured: 0, mean_s: None, ..loops };
        assert_eq!(block(&given), "relax, level 4: 100 executions, 200 us charged");
    }
}
