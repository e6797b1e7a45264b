//! Counters of a trace: the bytes in flight, and how busy the busiest links are.

use super::packets::{CounterDescriptor, FIRST_LINK, IN_BYTES, TrackDescriptor, TrackEvent, Type};
use super::{DrawnLink, FIRST_NODE, IN_FLIGHT, LINKS, NODES, Trace, child, on_track, track};
use crate::error::{RecordError, Result};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use weir_columns::{Column, TableFile};
use weir_network::record::MessageTimes;
use weir_units::{Duration, LinkId, NodeId, Time};

/// Largest number of values of a counter: one for the whole machine or a link, and one of a node.
const MOST: usize = 8192;
const MOST_OF_NODE: usize = 1024;
/// On a machine with more nodes than these none is counted alone.
const MOST_NODES: usize = 64;

/// The bytes that have been handed to the network and have not arrived.
pub(super) struct InFlight {
    all: Course,
    nodes: Vec<NodeId>,
    /// Bytes by node that sends them, if there are few such nodes.
    by_node: Vec<(NodeId, Course)>,
}

impl InFlight {
    pub(super) fn new(nodes: Vec<NodeId>) -> Self {
        let mut used = nodes.clone();
        used.sort_unstable();
        used.dedup();
        let used = if used.len() > MOST_NODES { Vec::new() } else { used };
        let by_node = used.into_iter().map(|node| (node, Course::new(MOST_OF_NODE))).collect();
        Self { all: Course::new(MOST), nodes, by_node }
    }

    pub(super) fn add(&mut self, message: &MessageTimes) {
        let node = self.nodes[message.from.index()];
        let place = self.by_node.binary_search_by_key(&node, |(node, _)| *node);
        let own = place.ok().map(|place| &mut self.by_node[place].1);
        let bytes = message.bytes.0 as f64;
        for course in own.into_iter().chain([&mut self.all]) {
            course.add(nanoseconds(message.posted), bytes);
            course.add(nanoseconds(message.arrived), -bytes);
        }
    }
}

fn nanoseconds(at: Time) -> u64 {
    at.as_ps() / 1000
}

impl Trace {
    /// Draws what was in flight: at the beginning of a step that has changes, what there was at its end.
    pub(super) fn put_in_flight(&mut self) -> Result<()> {
        let InFlight { all, by_node, .. } = std::mem::replace(&mut self.in_flight, InFlight::new(Vec::new()));
        let bytes = || Some(CounterDescriptor { unit: Some(IN_BYTES), unit_name: None });
        self.describe(TrackDescriptor { counter: bytes(), ..track(IN_FLIGHT, "bytes in flight".into()) })?;
        self.put_course(IN_FLIGHT, &all)?;
        if by_node.is_empty() {
            return Ok(());
        }
        self.group(NODES, "bytes in flight, by node that sends")?;
        for (place, (node, course)) in by_node.iter().enumerate() {
            let uuid = FIRST_NODE + place as u64;
            let own = child(NODES, place, uuid, format!("node {}", node.0));
            self.describe(TrackDescriptor { counter: bytes(), ..own })?;
            self.put_course(uuid, course)?;
        }
        Ok(())
    }

    fn put_course(&mut self, track: u64, course: &Course) -> Result<()> {
        let mut sum = 0.0;
        course.steps().try_for_each(|(start, change)| {
            sum += change;
            self.count(track, Time::from_ps(1000 * start), sum)
        })
    }

    /// Draws links out of the table of what they carried in intervals, in per cent of what they could have carried.
    pub(crate) fn links(&mut self, folder: &Path, links: &[DrawnLink], interval: Duration) -> Result<()> {
        if links.is_empty() {
            return Ok(());
        }
        self.group(LINKS, "busiest links")?;
        let mut courses = Vec::new();
        for (place, link) in links.iter().enumerate() {
            let counter = Some(CounterDescriptor { unit: None, unit_name: Some("%".into()) });
            let own = child(LINKS, place, FIRST_LINK + place as u64, link.name.clone());
            self.describe(TrackDescriptor { counter, ..own })?;
            courses.push(Course::new(MOST));
        }
        read_links(folder, |start, link, bytes| {
            if let Some(place) = links.iter().position(|drawn| drawn.link == link) {
                courses[place].add(start.as_ps() / interval.as_ps(), bytes);
            }
        })?;
        for (place, (link, course)) in links.iter().zip(&courses).enumerate() {
            let could = link.capacity.bytes_per_second() * interval.as_secs_f64() * course.step as f64;
            let at = |unit: u64| Time::from_ps(unit * interval.as_ps());
            // A value holds until the next one: where nothing was carried it is zero again.
            let (mut end, mut known) = (None, 0.0);
            for (unit, bytes) in course.steps() {
                if let Some(end) = end.filter(|&end| end < unit) {
                    self.count(FIRST_LINK + place as u64, at(end), 0.0)?;
                    known = 0.0;
                }
                let value = 100.0 * bytes / could;
                if value != known {
                    self.count(FIRST_LINK + place as u64, at(unit), value)?;
                }
                (end, known) = (Some(unit + course.step), value);
            }
            if let Some(end) = end {
                self.count(FIRST_LINK + place as u64, at(end), 0.0)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, track: u64, at: Time, value: f64) -> Result<()> {
        let event = TrackEvent { double_counter_value: Some(value), ..on_track(track, Type::Counter) };
        self.put_event(at, event).map(|_| ())
    }
}

/// Passes on every row of the table in a results folder, in its order: the bytes that a link has carried in the interval that began at
/// an instant. One row group is in memory at a time.
fn read_links(folder: &Path, mut take: impl FnMut(Time, LinkId, f64)) -> Result<()> {
    let paths = (0..).map(|part| folder.join(format!("series/links/{part:05}.parquet")));
    for path in paths.take_while(|path| path.is_file()) {
        part(&path, &mut take)
            .map_err(|error| RecordError::File { path: path.clone(), source: io::Error::other(error) })?;
    }
    Ok(())
}

fn part(path: &Path, take: &mut impl FnMut(Time, LinkId, f64)) -> Result<(), String> {
    let file = TableFile::open(path)?;
    for group in 0..file.groups() {
        let [starts, links, bytes] = ["start_ps", "link", "bytes"].map(|name| file.column(group, name));
        let (Column::Whole(starts), Column::Whole(links), Column::Real(bytes)) = (starts?, links?, bytes?)
        else {
            return Err("a column has another type than it was written with".into());
        };
        for ((start, link), bytes) in starts.into_iter().zip(links).zip(bytes) {
            let start = Time::from_ps(start.and_then(|start| start.try_into().ok()).unwrap_or_default());
            let link = LinkId(link.and_then(|link| link.try_into().ok()).unwrap_or_default());
            take(start, link, bytes.unwrap_or_default());
        }
    }
    Ok(())
}

/// Sums of what was added in steps of time. Steps are as long as units at first; when there are more than are kept, two become
/// one, so that any order of times does.
#[derive(Debug)]
struct Course {
    most: usize,
    /// Units that a step has: a power of two.
    step: u64,
    sums: BTreeMap<u64, f64>,
}

impl Course {
    /// Keeps so many steps at most; at least one.
    fn new(most: usize) -> Self {
        Self { most, step: 1, sums: BTreeMap::new() }
    }

    fn add(&mut self, unit: u64, value: f64) {
        *self.sums.entry(unit / self.step).or_default() += value;
        while self.sums.len() > self.most {
            self.step *= 2;
            let mut halved: BTreeMap<u64, f64> = BTreeMap::new();
            for (step, sum) in std::mem::take(&mut self.sums) {
                *halved.entry(step / 2).or_default() += sum;
            }
            self.sums = halved;
        }
    }

    /// The first unit of each step that has something, and what was added in it.
    fn steps(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.sums.iter().map(|(&step, &sum)| (step * self.step, sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five units and room for four: steps of two units, in which what was added stands together, whatever the order was.
    #[test]
    fn steps_become_longer() {
        let mut course = Course::new(4);
        for unit in [4, 0, 1, 2] {
            course.add(unit, 1.0);
        }
        assert_eq!(course.steps().collect::<Vec<_>>(), [(0, 1.0), (1, 1.0), (2, 1.0), (4, 1.0)]);
        course.add(9, -2.0);
        course.add(5, 0.5);
        assert_eq!(course.step, 2);
        assert_eq!(course.steps().collect::<Vec<_>>(), [(0, 2.0), (2, 1.0), (4, 1.5), (8, -2.0)]);
    }
}
