//! Content of the page of a run: how far it was at which moment, and how busy its links were in which interval.

use super::drawing::Drawing;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;
use weir_experiment::Scenario;
use weir_network::Progress;
use weir_network::record::LinkSample;
use weir_topology::{End, Topology};
use weir_units::{LinkId, RouterId, Time};

/// Moments and intervals are kept up to these numbers; then two become one.
const MOMENTS: usize = 600;
const INTERVALS: usize = 240;
/// Rows of the heat map: links next to each other share one where there are more.
const ROWS: usize = 128;
/// Links that are named.
const BUSIEST: usize = 8;

pub(super) struct Moments {
    /// Between two of them on the clock on the wall.
    apart: Duration,
    /// When the next one is due.
    due: Duration,
    /// Seconds on that clock, simulated seconds, messages, bytes.
    all: Vec<(f64, f64, u64, u64)>,
    last: (Duration, Progress),
}

impl Moments {
    pub(super) fn new() -> Self {
        let last = (Duration::ZERO, Progress::default());
        Self { apart: Duration::from_millis(100), due: Duration::ZERO, all: Vec::new(), last }
    }

    pub(super) fn note(&mut self, wall: Duration, progress: Progress) {
        self.last = (wall, progress);
        if wall < self.due || progress.stage.is_some() {
            return;
        }
        self.all.push(moment(wall, &progress));
        if self.all.len() == MOMENTS {
            let mut place = 0;
            self.all.retain(|_| {
                place += 1;
                place % 2 == 0
            });
            self.apart *= 2;
        }
        self.due = wall + self.apart;
    }

    pub(super) fn to_json(&self) -> Value {
        let (wall, progress) = &self.last;
        json!({
            "stage": progress.stage.map(|stage| stage.what),
            "simulated": progress.now.to_string(),
            "moments": self.all,
            "now": moment(*wall, progress),
        })
    }
}

fn moment(wall: Duration, progress: &Progress) -> (f64, f64, u64, u64) {
    (wall.as_secs_f64(), progress.now.as_secs_f64(), progress.messages, progress.bytes.0)
}

/// Links in intervals of simulated time.
pub(super) struct Heat {
    machine: std::sync::Arc<Topology>,
    interval: weir_units::Duration,
    links: Vec<HeatLink>,
    /// Number of intervals for which a column of the map stands.
    merged: u64,
    rows: usize,
    links_per_row: usize,
    /// The highest utilization of a row's links, in per cent, by column and row.
    columns: Vec<Vec<u8>>,
    /// When the last interval ends, and what links carried in it.
    end: Time,
    last: Vec<LinkSample>,
    /// The machine, if it has a drawing.
    drawing: Option<Drawing>,
}

impl Heat {
    /// The map of a scenario that records the loads of its links into a folder.
    pub(super) fn of(scenario: &Scenario) -> Option<Self> {
        let interval = scenario.output.sample_interval?;
        let machine = scenario.output.dir.as_ref().and(scenario.topology())?;
        let links_per_row = machine.links().div_ceil(ROWS).max(1);
        let rows = machine.links().div_ceil(links_per_row);
        let links = (0..machine.links()).map(|number| {
            let link = machine.link(LinkId::new(number));
            let router = if let End::Router(router) = link.from { Some(router) } else { None };
            let bytes = link.capacity.bytes_per_second() * interval.as_secs_f64();
            HeatLink { bytes, row: (number / links_per_row) as u32, router }
        });
        let (links, drawing) = (links.collect(), Drawing::of(&machine));
        let (columns, last, end) = (Vec::new(), Vec::new(), Time::ZERO);
        Some(Self { machine, interval, links, merged: 1, rows, links_per_row, columns, end, last, drawing })
    }

    /// An interval is over: what the run waits for is short, and the rest is done when a page asks.
    pub(super) fn note(&mut self, start: Time, samples: &[LinkSample]) {
        // Intervals in which no link carried anything are not reported.
        let interval = start.as_ps() / self.interval.as_ps();
        while interval / self.merged >= INTERVALS as u64 {
            self.merge();
        }
        let place = (interval / self.merged) as usize;
        if self.columns.len() <= place {
            self.columns.resize(place + 1, vec![0; self.rows]);
        }
        let column = &mut self.columns[place];
        for sample in samples {
            let link = &self.links[sample.link.index()];
            let row = &mut column[link.row as usize];
            *row = (*row).max(percent(link.utilization(sample)));
        }
        self.end = start + self.interval;
        self.last.clear();
        self.last.extend_from_slice(samples);
    }

    /// The busiest links of the last interval, and the machine in it.
    fn look_at_last(&mut self) -> Vec<ShownLink> {
        let mut busiest: Vec<(LinkId, f64)> = Vec::new();
        self.drawing.iter_mut().for_each(Drawing::clear);
        for sample in &self.last {
            let link = &self.links[sample.link.index()];
            let utilization = link.utilization(sample);
            if let (Some(drawing), Some(router)) = (&mut self.drawing, link.router) {
                drawing.note(router.index(), percent(utilization));
            }
            let place = busiest.partition_point(|&(_, other)| other >= utilization);
            if place < BUSIEST {
                busiest.truncate(BUSIEST - 1);
                busiest.insert(place, (sample.link, utilization));
            }
        }
        let shown = busiest.into_iter().map(|(link, utilization)| ShownLink {
            link: self.machine.link_name(link),
            percent: (1000.0 * utilization).round() / 10.0,
        });
        shown.collect()
    }

    /// Two columns become one.
    fn merge(&mut self) {
        let pairs = self.columns.chunks(2).map(|pair| match pair {
            [one, other] => one.iter().zip(other).map(|(one, other)| *one.max(other)).collect(),
            rest => rest[0].clone(),
        });
        self.columns = pairs.collect();
        self.merged *= 2;
    }

    /// All but the columns that a page has already and that do not change any more.
    pub(super) fn shown(&mut self, has: Has) -> ShownHeat<'_> {
        let busiest = self.look_at_last();
        // The last one that it has may not have been whole.
        let first =
            if has.merged == self.merged { has.columns.min(self.columns.len()).saturating_sub(1) } else { 0 };
        ShownHeat {
            machine: self.drawing.as_ref(),
            links: self.links.len(),
            links_per_row: self.links_per_row,
            end: self.end.as_secs_f64(),
            merged: self.merged,
            first,
            columns: &self.columns[first..],
            busiest,
        }
    }
}

/// Facts on a link that each interval needs: looking them up in the machine takes ten times as long.
struct HeatLink {
    /// Bytes that it can carry in an interval.
    bytes: f64,
    row: u32,
    /// The router that it leaves.
    router: Option<RouterId>,
}

impl HeatLink {
    fn utilization(&self, sample: &LinkSample) -> f64 {
        (sample.bytes / self.bytes).min(1.0)
    }
}

fn percent(utilization: f64) -> u8 {
    (100.0 * utilization).round() as u8
}

/// Columns of the heat map that a page has: their number, and the intervals for which each stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Has {
    merged: u64,
    columns: usize,
}

impl Has {
    /// Reads what a page says it has, `merged,columns`; nothing where it says nothing.
    pub(super) fn of(text: &str) -> Self {
        let numbers = text
            .split_once(',')
            .and_then(|(merged, columns)| Some((merged.parse().ok()?, columns.parse().ok()?)));
        numbers.map_or_else(Self::default, |(merged, columns)| Self { merged, columns })
    }
}

/// Links as the page shows them.
#[derive(Serialize)]
pub(super) struct ShownHeat<'a> {
    machine: Option<&'a Drawing>,
    links: usize,
    links_per_row: usize,
    /// Seconds.
    end: f64,
    /// Number of intervals for which a column stands, the first of these columns, and those from there on.
    merged: u64,
    first: usize,
    columns: &'a [Vec<u8>],
    busiest: Vec<ShownLink>,
}

#[derive(Serialize)]
struct ShownLink {
    link: String,
    percent: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A moment each 100 ms: 600 are halved to 300, and from then on there is one each 200 ms. The last one is always there.
    #[test]
    fn moments_become_fewer() {
        let mut moments = Moments::new();
        for tick in 0..700 {
            let messages = tick;
            moments.note(at(100 * tick), Progress { messages, ..Progress::default() });
        }
        let json = moments.to_json();
        let all = json["moments"].as_array().unwrap();
        assert_eq!(all.len(), 300 + 50);
        assert_eq!((all[0][2].as_u64(), all[349][2].as_u64()), (Some(1), Some(699)));
        assert_eq!(json["now"][2], 699);
    }

    /// A ring of 4 nodes at 1 GB/s, intervals of 1 us.
    fn ring() -> Heat {
        let text = "topology = { kind = 'torus', shape = [4], bandwidth = '1 GB/s' }\nengine = { kind = 'flow' }\n\
                    workload = { kind = 'ring', message_size = '1 kB' }\noutput = { dir = 'x', sample_interval = '1 us' }\n";
        let text = weir_experiment::ExperimentText { name: "e.toml".into(), text: text.into() };
        let source =
            weir_experiment::Source { experiment_text: Some(text), ..weir_experiment::Source::default() };
        Heat::of(&Scenario::load(&source).unwrap()).unwrap()
    }

    fn shown(heat: &mut Heat) -> Value {
        serde_json::to_value(heat.shown(Has::default())).unwrap()
    }

    /// Half of what the link could carry goes out of router 2, then a quarter out of router 1: the drawing is of the last interval.
    #[test]
    fn routers_of_the_drawing() {
        let mut heat = ring();
        let percent = |heat: &mut Heat| shown(heat)["machine"]["percent"].to_string();
        for (router, bytes, expected) in [(2, 500.0, "[0,0,50,0]"), (1, 250.0, "[0,25,0,0]")] {
            let from = End::Router(RouterId(router));
            let link = (0..).map(LinkId).find(|&link| heat.machine.link(link).from == from).unwrap();
            heat.note(Time::from_ps(1_000_000), &[LinkSample { link, bytes, packets: None }]);
            assert_eq!(percent(&mut heat), expected);
        }
    }

    /// A page that has three columns gets the third again, and what is behind it; all of them when two have become one.
    #[test]
    fn columns_that_a_page_has_are_not_sent_again() {
        let mut heat = ring();
        let note = |heat: &mut Heat, interval: u64, bytes: f64| {
            let sample = LinkSample { link: LinkId(3), bytes, packets: None };
            heat.note(Time::from_ps(1_000_000 * interval), &[sample]);
        };
        let sent = |heat: &mut Heat, has: &str| {
            let shown = serde_json::to_value(heat.shown(Has::of(has))).unwrap();
            let of_link = |column: &Value| column[3].as_u64().unwrap();
            let columns: Vec<u64> = shown["columns"].as_array().unwrap().iter().map(of_link).collect();
            (shown["merged"].as_u64().unwrap(), shown["first"].as_u64().unwrap(), columns)
        };
        (0..3).for_each(|interval| note(&mut heat, interval, 100.0));
        assert_eq!(sent(&mut heat, ""), (1, 0, vec![10, 10, 10]));
        note(&mut heat, 3, 200.0);
        assert_eq!(sent(&mut heat, "1,3"), (1, 2, vec![10, 20]));
        assert_eq!(sent(&mut heat, "1,99"), (1, 3, vec![20]));
        assert_eq!(sent(&mut heat, "2,3").1, 0);
        note(&mut heat, 240, 300.0);
        let (merged, first, columns) = sent(&mut heat, "1,4");
        assert_eq!((merged, first, columns.len(), &columns[..3]), (2, 0, 121, &[10, 20, 0][..]));
    }

    /// 500 B are half of what a link carries in an interval. 240 columns become 120, each the higher of two.
    #[test]
    fn columns_of_the_heat_map() {
        let mut heat = ring();
        for tick in 0..241_u64 {
            let bytes = if tick % 2 == 0 { 500.0 } else { 250.0 };
            let sample = LinkSample { link: LinkId(3), bytes, packets: None };
            heat.note(Time::from_ps(1_000_000 * tick), &[sample]);
        }
        let json = shown(&mut heat);
        let columns = json["columns"].as_array().unwrap();
        assert_eq!((columns.len(), json["links_per_row"].as_u64()), (121, Some(1)));
        assert!(columns.iter().all(|column| column[3] == 50 && column[2] == 0), "{json}");
        assert_eq!(json["busiest"][0]["percent"], 50.0);
        assert!((json["end"].as_f64().unwrap() - 241e-6).abs() < 1e-12);
        // After a pause of 1,759 intervals columns stand for 16: 16 with something, 109 without, and the last one.
        heat.note(
            Time::from_ps(2_000_000_000),
            &[LinkSample { link: LinkId(3), bytes: 250.0, packets: None }],
        );
        let columns = shown(&mut heat)["columns"].clone();
        let busy: Vec<_> =
            columns.as_array().unwrap().iter().map(|column| column[3].as_u64() > Some(0)).collect();
        assert_eq!(busy.len(), 126);
        assert!(busy[..16].iter().all(|&busy| busy) && !busy[16..125].contains(&true) && busy[125]);
    }
}
