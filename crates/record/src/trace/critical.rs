//! The critical path as a track of its own: at which rank it is when, and which messages it follows.
//!
//! ```text
//!   critical path  | rank 3 |          message 3 -> 5          | rank 5 |
//!                           |contention|credits|serial..|lat..|
//! ```

use super::packets::{DebugAnnotation, TrackEvent, Type};
use super::{CALL, Trace, annotation, on_track, track};
use crate::RecordError;
use weir_network::causes::{Cause, DrawnPath, PathPart, PathPlace};
use weir_units::{Duration, Time};

const TRACK: u64 = 6;

impl Trace {
    pub(crate) fn path(&mut self, path: &DrawnPath) -> Result<(), RecordError> {
        self.path_from = Some(path.from).filter(|from| *from > Time::ZERO);
        self.describe(track(TRACK, "critical path".to_owned()))?;
        path.parts.iter().try_for_each(|part| self.path_part(part))
    }

    fn path_part(&mut self, part: &PathPart) -> Result<(), RecordError> {
        let (name, debug_annotations) = match part.what {
            PathPlace::Rank(rank) => (format!("rank {rank}"), Vec::new()),
            PathPlace::Interface(rank) => (format!("interface of rank {rank}"), Vec::new()),
            PathPlace::Message { from, to, call, .. } => {
                let call = DebugAnnotation { string_value: Some(call.to_owned()), ..annotation(CALL) };
                (format!("message {from} -> {to}"), vec![call])
            }
        };
        let begin = TrackEvent { name: Some(name), debug_annotations, ..on_track(TRACK, Type::SliceBegin) };
        self.put_event(part.from, begin)?;
        if let PathPlace::Message { latency, serialization, credits, .. } = part.what {
            let contention = part.until.since(part.from) - latency - serialization - credits;
            let causes = [
                (Cause::Contention, contention),
                (Cause::Credits, credits),
                (Cause::Serialization, serialization),
                (Cause::Latency, latency),
            ];
            let mut from = part.from;
            for (cause, time) in causes.into_iter().filter(|(_, time)| *time > Duration::ZERO) {
                let name_iid = Some(self.name(cause.name())?);
                self.put_event(from, TrackEvent { name_iid, ..on_track(TRACK, Type::SliceBegin) })?;
                from += time;
                self.put_event(from, on_track(TRACK, Type::SliceEnd))?;
            }
        }
        self.put_event(part.until, on_track(TRACK, Type::SliceEnd)).map(|_| ())
    }

    /// Description of the parts that have been left out of the trace, for people.
    pub(super) fn left_out(&self) -> Option<String> {
        let path = self.path_from.map(|from| format!("the critical path before {from} is left out"));
        let parts: Vec<String> = self.limit.left_out().into_iter().chain(path).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
