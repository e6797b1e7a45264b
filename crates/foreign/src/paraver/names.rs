//! The calls that values of events stand for, by the names in the .pcf of a trace.

use super::CALLS;
use crate::reading::Reading;
use std::collections::BTreeMap;
use std::path::Path;
use weir_operations::{Function, Mode};

/// The work of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// It sends, and waits or does not.
    Send(Mode, bool),
    /// It receives, and waits or does not.
    Receive(bool),
    Both,
    /// It waits for all that goes on.
    WaitAll,
    /// It waits for a part of that.
    Wait,
    /// It looks whether a part of that is over.
    Look,
    Collective(Function),
    Begin,
    /// It sends nothing.
    Local,
    /// It has no task.
    Unknown,
}

pub(super) struct Names(BTreeMap<(u64, u64), (String, Action)>);

impl Names {
    /// Reads the .pcf beside a trace.
    pub(super) fn of(path: &Path, reading: &mut Reading) -> Option<Self> {
        let beside = path.with_extension("pcf");
        // Names of places in a program may be in any encoding.
        let text = match std::fs::read(&beside) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                let what = format!("{} cannot be read: {error}", beside.display());
                reading.wrong_whole(what, Some("it says which number stands for which call: a trace of Paraver is a .prv, a .pcf and a .row"));
                return None;
            }
        };
        let mut names = BTreeMap::new();
        let (mut kinds, mut has_values): (Vec<u64>, bool) = (Vec::new(), false);
        for row in text.lines().map(str::trim) {
            let mut words = row.split_whitespace();
            match (words.next(), has_values) {
                (None, _) => has_values = false,
                (Some("EVENT_TYPE"), _) => (kinds, has_values) = (Vec::new(), false),
                (Some("VALUES"), _) => has_values = true,
                (Some(_), false) => kinds.extend(words.next().and_then(|kind| kind.parse::<u64>().ok())),
                (Some(value), true) => {
                    let (Ok(value), Some(name)) = (value.parse::<u64>(), words.next()) else { continue };
                    for &kind in kinds.iter().filter(|kind| CALLS.contains(kind)) {
                        names.insert((kind, value), (name.to_owned(), action(name)));
                    }
                }
            }
        }
        Some(Self(names))
    }

    pub(super) fn action(&self, kind: u64, value: u64) -> Action {
        self.0.get(&(kind, value)).map_or(Action::Unknown, |&(_, action)| action)
    }

    /// A sentence about a call without a task.
    pub(super) fn unknown(&self, kind: u64, value: u64) -> String {
        match self.0.get(&(kind, value)) {
            Some((name, _)) if name.ends_with('v') || name.ends_with('w') || name.contains("catter") => {
                format!("{name}: the trace has no length for each rank; left out, it takes no time")
            }
            Some((name, _)) => format!("{name} has no task; left out, it takes no time"),
            None => {
                format!("value {value} of event {kind} has no name in the .pcf; left out, it takes no time")
            }
        }
    }
}

/// The action of a call by its name.
fn action(name: &str) -> Action {
    let Some(name) = name.strip_prefix("MPI_") else { return Action::Unknown };
    // A name begins in capitals, and goes on in small letters or in capitals.
    match &*name.to_lowercase() {
        "send" => Action::Send(Mode::Standard, true),
        "isend" => Action::Send(Mode::Standard, false),
        "ssend" => Action::Send(Mode::Synchronous, true),
        "issend" => Action::Send(Mode::Synchronous, false),
        "bsend" => Action::Send(Mode::Buffered, true),
        "ibsend" => Action::Send(Mode::Buffered, false),
        "rsend" => Action::Send(Mode::Ready, true),
        "irsend" => Action::Send(Mode::Ready, false),
        "recv" => Action::Receive(true),
        "irecv" => Action::Receive(false),
        "sendrecv" | "sendrecv_replace" => Action::Both,
        "waitall" => Action::WaitAll,
        "wait" | "waitany" | "waitsome" => Action::Wait,
        "test" | "testall" | "testany" | "testsome" => Action::Look,
        "barrier" => Action::Collective(Function::Barrier),
        "bcast" => Action::Collective(Function::Bcast),
        "reduce" => Action::Collective(Function::Reduce),
        "allreduce" => Action::Collective(Function::Allreduce),
        "alltoall" => Action::Collective(Function::Alltoall),
        "allgather" => Action::Collective(Function::Allgather),
        "gather" => Action::Collective(Function::Gather),
        "scatter" => Action::Collective(Function::Scatter),
        "scan" => Action::Collective(Function::Scan),
        "init" | "init_thread" => Action::Begin,
        "finalize" | "probe" | "iprobe" | "initialized" | "request_free" | "request_get_status"
        | "cancel" => Action::Local,
        name if ["comm_", "cart", "graph", "dims_", "topo_", "group_", "type_"]
            .iter()
            .any(|begin| name.starts_with(begin)) =>
        {
            Action::Local
        }
        _ => Action::Unknown,
    }
}
