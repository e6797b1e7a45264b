//! Counters of a trace: the bytes in flight, and how busy the busiest links are.

use super::course::Course;
use super::packets::{CounterDescriptor, IN_BYTES, TrackDescriptor, TrackEvent, Type};
use super::{DrawnLink, FIRST_LINK, FIRST_NODE, IN_FLIGHT, LINKS, NODES, Trace, child, on_track, track};
use crate::RecordError;
use crate::link_series::{self, Sample};
use std::path::Path;
use weir_network::record::MessageTimes;
use weir_units::{Duration, NodeId, Time};

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
    pub(super) fn put_in_flight(&mut self) -> Result<(), RecordError> {
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

    fn put_course(&mut self, track: u64, course: &Course) -> Result<(), RecordError> {
        let mut sum = 0.0;
        course.steps().try_for_each(|(start, change)| {
            sum += change;
            self.count(track, Time::from_ps(1000 * start), sum)
        })
    }

    /// Draws links out of the table of what they carried in intervals, in per cent of what they could have carried.
    pub(crate) fn links(
        &mut self,
        folder: &Path,
        links: &[DrawnLink],
        interval: Duration,
    ) -> Result<(), RecordError> {
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
        link_series::read(folder, |Sample { start, link, bytes }| {
            if let Some(place) = links.iter().position(|drawn| drawn.link == link) {
                courses[place].add(start.as_ps() / interval.as_ps(), bytes);
            }
        })?;
        for (place, (link, course)) in links.iter().zip(&courses).enumerate() {
            let could = link.capacity.bytes_per_second() * interval.as_secs_f64() * course.step() as f64;
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
                (end, known) = (Some(unit + course.step()), value);
            }
            if let Some(end) = end {
                self.count(FIRST_LINK + place as u64, at(end), 0.0)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, track: u64, at: Time, value: f64) -> Result<(), RecordError> {
        let event = TrackEvent { double_counter_value: Some(value), ..on_track(track, Type::Counter) };
        self.put_event(at, event).map(|_| ())
    }
}
