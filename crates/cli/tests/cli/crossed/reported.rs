//! What a report says is what the tables say: each of its sentences, and each row of its tables.
//!
//! A report holds all that it says as data (its element `said`). A sentence for which there is no check here fails, so
//! that none is added without.

use super::axes::OUTPUT;
use super::laws::{Setting, finished};
use super::tables::{self, Cell, Row, has_text, real, sum, whole};
use crate::command::{root, run, weir};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// Draws the report of a run that has finished, and holds every sentence against the run's tables.
pub(super) fn report_is_true(setting: &Setting, summary: &Value) -> Result<(), String> {
    let page = setting.folder.join("report.html");
    let python = root().join("target/python/bin/python");
    let mut command = weir(["report"]);
    command.env("WEIR_PYTHON", python).env_remove("WEIR").arg(setting.folder.join("whole"));
    let ended = run(command.arg("-o").arg(&page));
    if ended.code != 0 {
        return Err(format!("the report: status {}: {}", ended.code, ended.stderr));
    }
    let text = fs::read_to_string(&page).unwrap();
    let visible = without_scripts(&text);
    let words = ["NaN", "nan ", ">None<", "Infinity", "undefined"];
    if let Some(word) = words.iter().find(|&&word| visible.contains(word)) {
        return Err(format!("the report has {word:?}"));
    }
    let (_, behind) = text.split_once("id=\"said\">").ok_or("the report does not say what it says")?;
    let said: Vec<Value> = serde_json::from_str(behind.split("</script>").next().unwrap_or_default())
        .map_err(|error| format!("what the report says: {error}"))?;
    let run = Tables::of(setting, summary);
    for sentence in &said {
        run.check(sentence).map_err(|why| format!("the report says {sentence}: {why}"))?;
    }
    run.is_complete(&said)
}

/// A page without what a browser runs.
fn without_scripts(page: &str) -> String {
    let mut visible = String::new();
    for (index, part) in page.split("<script").enumerate() {
        visible +=
            if index == 0 { part } else { part.split_once("</script>").map_or("", |(_, behind)| behind) };
    }
    visible
}

/// What sentences are held against.
struct Tables<'a> {
    setting: &'a Setting<'a>,
    summary: &'a Value,
    links: Vec<Row>,
    pairs: Vec<Row>,
    latencies: Vec<Row>,
    /// What ranks did in each function: calls, time in it, wait, longest wait.
    calls: BTreeMap<String, [u64; 4]>,
}

fn equal(left: f64, right: f64) -> Result<(), String> {
    let equal = (left - right).abs() <= 1e-9 * left.abs().max(right.abs());
    if equal { Ok(()) } else { Err(format!("it is {left}")) }
}

fn holds(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

impl<'a> Tables<'a> {
    fn of(setting: &'a Setting<'a>, summary: &'a Value) -> Self {
        let rows = |table: &str| tables::rows(&setting.folder.join("whole"), table).unwrap_or_default();
        let mut calls: BTreeMap<String, [u64; 4]> = BTreeMap::new();
        for row in rows("calls") {
            let Some(Cell::Text(name)) = row.get("name") else { panic!("a call has no name") };
            let [count, time, waited, longest] = calls.entry(name.clone()).or_default();
            let own = whole(&row, "waited_ps");
            *count += 1;
            *time += whole(&row, "end_ps") - whole(&row, "start_ps");
            *waited += own;
            *longest = own.max(*longest);
        }
        let [links, pairs, latencies] = ["links", "pairs", "latencies"].map(rows);
        Self { setting, summary, links, pairs, latencies, calls }
    }

    fn check(&self, sentence: &Value) -> Result<(), String> {
        let text = |key: &str| sentence[key].as_str().unwrap_or_default();
        let number = |key: &str| sentence[key].as_f64().unwrap_or(f64::NAN);
        let reported = |key: &str| self.summary[key].as_f64().unwrap_or(f64::NAN);
        let experiment = &self.summary["experiment"];
        match text("says") {
            "outcome" => holds(text("value") == self.summary["outcome"], "it is not"),
            // A warning or a sentence of the verdict, in the words of the run.
            "" => {
                let list = |key: &str| self.summary[key].as_array().into_iter().flatten();
                let mut said = list("warnings").chain(list("verdict").map(|finding| &finding["sentence"]));
                holds(said.any(|said| text("value") == said), "the run has not said it")
            }
            "time" => equal(reported("simulated_ps"), number("value")),
            "bound_met" => equal(self.bound()?, number("bound"))
                .and(holds(reported("simulated_ps") <= number("bound") * 1.0005, "the run took longer")),
            "bound_of" => equal(self.bound()?, number("bound"))
                .and(equal(reported("simulated_ps") / self.bound()?, number("ratio")))
                .and(holds(number("ratio") > 1.0, "no run can be faster")),
            "engine" => holds(text("value") == self.summary["engine"], "it is another one"),
            "machine" => ["nodes", "routers", "links"]
                .iter()
                .filter(|&&key| !sentence[key].is_null())
                .try_for_each(|key| equal(reported(key), number(key))),
            "faults" => ["failed", "slow"].iter().try_for_each(|key| {
                let links = self.summary["faults"][format!("{key}_links")].as_f64();
                equal(links.unwrap_or(f64::NAN), number(key))
            }),
            "ranks" => equal(reported("ranks"), number("count")),
            "messages" => equal(reported("messages"), number("value")),
            "data" => equal(reported("bytes"), number("value")),
            "effective_bandwidth" => {
                equal(reported("bytes") / reported("simulated_ps") * 1e12, number("value"))
            }
            "busiest" => self.busiest(text("link"), number("utilization")),
            "mean_utilization" => equal(reported("mean_link_utilization"), number("value")),
            "latency_mean" => equal(reported("latency_mean_s") * 1e12, number("value")),
            "load" => equal(reported("offered_load"), number("offered"))
                .and(equal(reported("accepted_load"), number("accepted"))),
            "wall" => equal(reported("wall_s") * 1e12, number("value")),
            "memory" => equal(reported("peak_memory_bytes"), number("value")),
            "digest" => holds(text("value") == self.summary["digest"], "it is another one"),
            "limit_ideal" | "limit_flow" | "limit_packet" => holds(
                text("says").ends_with(self.summary["engine"].as_str().unwrap_or("-")),
                "it was another engine",
            ),
            "limit_single_pass" | "limit_iterative" | "limit_iterative_literal" => {
                let sharing = experiment["engine"]["sharing"].as_str().unwrap_or_default().replace('-', "_");
                holds(text("says") == format!("limit_{sharing}"), "links were shared in another way")
            }
            "limit_no_warmup" => equal(self.warmup(), 0.0),
            "limit_warmup" => {
                equal(self.warmup(), number("warmup")).and(holds(self.warmup() > 0.0, "there was none"))
            }
            "limit_saturated" => {
                holds(reported("accepted_load") < 0.96 * reported("offered_load"), "it is not")
            }
            "limit_compute" => holds(self.charged() == 0.0, "the program charged some"),
            "limit_compute_charged" => equal(self.charged() * 1e12, number("time")),
            "limit_frames" => holds(number("frames") >= 1.0 && number("per") > 1.0, "there are none"),
            // Tables that were not recorded say what would record them.
            "would_record" => {
                let key = text("setting").split(' ').next().unwrap_or_default();
                let outputs = self.setting.case.value(OUTPUT);
                holds(key.starts_with("output.") && !outputs.contains(&format!("{key} =")), "it was recorded")
            }
            "link" => self.link(sentence),
            "wait" => self.wait(sentence),
            "congestion_note_flow" => holds(self.summary["engine"] == "flow", "it was another engine"),
            "congestion_note_links" => {
                let buffers = tables::rows(&self.setting.folder.join("whole"), "series/buffers");
                holds(self.summary["engine"] == "packet" && buffers.is_none(), "they were recorded")
            }
            "congestion_note_none" => {
                holds(self.most_waited().is_none_or(|(_, waited)| waited == 0), "some waited")
            }
            "congestion_note_packet" => self.most_congested(text("link"), number("all"), number("mean")),
            "latency_note_message" => equal(self.counted("message"), number("count")),
            "latency_note_packet" => equal(self.counted("packet"), number("count")),
            "matrix_note" => equal(sum(&self.pairs, "messages") as f64, number("messages"))
                .and(equal(sum(&self.pairs, "bytes") as f64, number("bytes"))),
            other => Err(format!("what it says is not checked: add {other} to reported.rs")),
        }
    }

    /// What a page of such a run must say.
    fn is_complete(&self, said: &[Value]) -> Result<(), String> {
        let count = |says: &str| said.iter().filter(|sentence| sentence["says"] == says).count();
        // Without a network links carry nothing, and it is not known how much.
        let is_used = |row: &&Row| matches!(row.get("utilization"), Some(Cell::Real(part)) if *part > 0.0);
        let used = self.links.iter().filter(is_used).count();
        holds(count("link") == used.min(10), "rows of the busiest links are missing")?;
        let waiting = self.calls.values().filter(|[_, _, waited, _]| *waited > 0).count();
        holds(count("wait") == waiting.min(10), "rows of what ranks wait in are missing")?;
        for fact in ["outcome", "time", "engine", "messages", "data", "digest"] {
            holds(count(fact) == 1, fact)?;
        }
        let of_engine = count("limit_ideal") + count("limit_flow") + count("limit_packet");
        holds(of_engine == 1, "the page does not say what its engine leaves out")
    }

    fn bound(&self) -> Result<f64, String> {
        let bound = finished(&run(weir(["bound", "--json"]).arg(&self.setting.experiment)))?;
        bound["best_ps"].as_f64().ok_or("there is no bound".to_owned())
    }

    /// What is left out at the beginning, in picoseconds.
    fn warmup(&self) -> f64 {
        let text = self.summary["experiment"]["workload"]["warmup"].as_str().unwrap_or("0 ps");
        let (number, unit) = text.split_once(' ').expect("a number and a unit");
        let picoseconds = match unit {
            "ps" => 1.0,
            "ns" => 1e3,
            "us" => 1e6,
            _ => f64::NAN,
        };
        number.parse::<f64>().expect("a number") * picoseconds
    }

    fn charged(&self) -> f64 {
        self.summary["skeleton"]["charged_s"].as_f64().unwrap_or(0.0)
    }

    fn counted(&self, kind: &str) -> f64 {
        self.latencies
            .iter()
            .filter(|row| has_text(row, "kind", kind))
            .map(|row| whole(row, "count") as f64)
            .sum()
    }

    fn busiest(&self, name: &str, utilization: f64) -> Result<(), String> {
        let most = self.links.iter().map(|row| real(row, "utilization")).fold(0.0, f64::max);
        let own = self.links.iter().find(|row| has_text(row, "name", name)).ok_or("there is no such link")?;
        equal(most, utilization).and(equal(real(own, "utilization"), utilization))
    }

    fn link(&self, said: &Value) -> Result<(), String> {
        let number = |key: &str| said[key].as_f64().unwrap_or(f64::NAN);
        let row = &self.links[said["number"].as_u64().unwrap() as usize];
        holds(has_text(row, "name", said["name"].as_str().unwrap()), "it has another name")?;
        equal(real(row, "utilization"), number("utilization"))?;
        equal(real(row, "bytes"), number("bytes"))?;
        // Of synthetic traffic only a part of the time is measured.
        if self.summary.get("offered_load").is_none() {
            equal(
                real(row, "bytes") / self.summary["simulated_ps"].as_f64().unwrap() * 1e12,
                number("throughput"),
            )?;
        }
        for key in ["max_share", "max_queue"] {
            let own = row.get(key).filter(|cell| **cell != Cell::Null);
            holds(own.is_none() == said[key].is_null(), key)?;
            if own.is_some() {
                equal(whole(row, key) as f64, number(key))?;
            }
        }
        if !said["waited"].is_null() {
            equal(whole(row, "waited_ps") as f64 / whole(row, "packets") as f64, number("waited"))?;
        }
        Ok(())
    }

    fn wait(&self, said: &Value) -> Result<(), String> {
        let number = |key: &str| said[key].as_f64().unwrap_or(f64::NAN);
        let name = said["name"].as_str().unwrap_or_default();
        let [count, time, waited, longest] = *self.calls.get(name).ok_or("it was not called")?;
        let of_all = self.summary["simulated_ps"].as_f64().unwrap() * self.summary["ranks"].as_f64().unwrap();
        equal(count as f64, number("calls"))?;
        equal(time as f64, number("time"))?;
        equal(waited as f64, number("waited"))?;
        equal(longest as f64, number("longest"))?;
        equal(waited as f64 / of_all, number("share"))
    }

    /// The link for which packets waited longest, and how long.
    fn most_waited(&self) -> Option<(&Row, u64)> {
        let waited = self.links.iter().map(|row| (row, whole(row, "waited_ps")));
        waited.max_by_key(|(_, waited)| *waited)
    }

    fn most_congested(&self, name: &str, all: f64, mean: f64) -> Result<(), String> {
        let (_, most) = self.most_waited().ok_or("there are no links")?;
        let own = self.links.iter().find(|row| has_text(row, "name", name)).ok_or("there is no such link")?;
        equal(most as f64, all)?;
        equal(whole(own, "waited_ps") as f64, all)?;
        equal(all / whole(own, "packets") as f64, mean)
    }
}
