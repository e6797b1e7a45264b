//! An event as a row of numbers: what the Parquet form stores.

use super::Function;
use super::kinds::{FIRST_COLLECTIVE, FIRST_RARE, FUNCTIONS, KINDS, POLL};
use super::{
    Act, Collective, Combines, Event, Lengths, Mode, Neighbors, Operands, PollFirst, ReceiveSource, Request,
    Requests, Root, Wildcards,
};
use weir_columns::{Cell, Texts, row};
use weir_units::Duration;

/// The number of a kind, whose name a table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KindNumber(pub(super) usize);

impl Cell for KindNumber {
    type Stored = Texts;
    const FORM: (&'static str, &'static str) = <&str>::FORM;

    fn push(self, column: &mut Texts) {
        KINDS[self.0].name.push(column);
    }
}

row! {
    /// The cells of a row; `None` where one is empty. Its flags are a sum of the numbers below.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(super) struct Row in "profile" {
        rank: u32,
        kind: KindNumber,
        compute_ps: u64 [Differences, Plain],
        took_ps: Option<u64> [Differences, Plain],
        communicator: u32,
        peer: Option<u32> [Differences],
        tag: Option<i32> [Differences, Plain],
        flags: u32,
        bytes: u64 [Differences],
        element: u32,
        request: Option<u32> [Differences],
        list: Option<Vec<i64>>,
    }
}

/// The program asked for any source.
pub(super) const ANY_SOURCE: u32 = 1;
/// The program asked for any tag.
pub(super) const ANY_TAG: u32 = 2;
/// A probe that looks at the state of things at its beginning.
pub(super) const LOOKS: u32 = 4;
/// Operands keep their order.
pub(super) const ORDERED: u32 = 8;

/// Between two groups: the rank is the root.
pub(super) const HERE: u32 = 16;
/// A lock that keeps all others out.
pub(super) const EXCLUSIVE: u32 = 32;
/// The program has ruled conflicts out.
pub(super) const NO_CHECK: u32 = 64;
/// Nothing follows a fence.
pub(super) const NOTHING: u32 = 128;
/// Accesses are to be over here, not there.
pub(super) const LOCAL: u32 = 256;
/// All locks are asked for at once.
pub(super) const AT_ONCE: u32 = 512;

/// In a list: a block beyond an open end has no rank.
const NOBODY: i64 = -1;

impl Row {
    pub(super) fn name(&self) -> &'static str {
        KINDS[self.kind.0].name
    }

    /// The numbers of its list; none where the cell is empty.
    pub(super) fn listed(&self) -> &[i64] {
        self.list.as_deref().unwrap_or_default()
    }

    pub(super) fn of(rank: u32, event: &Event) -> Self {
        let kind = KindNumber(event.act.kind());
        let (compute_ps, took_ps) = (event.compute.as_ps(), event.took.map(Duration::as_ps));
        let mut row = Self { rank, kind, compute_ps, took_ps, ..Self::default() };
        match &event.act {
            Act::Send { to, tag, bytes, communicator, request, .. } => {
                (row.peer, row.tag, row.bytes, row.communicator) = (*to, Some(*tag), *bytes, *communicator);
                row.request = request.map(|request| request.0);
            }
            Act::Receive { from, bytes, communicator, request } => {
                row.put_from(*from);
                (row.bytes, row.communicator) = (*bytes, *communicator);
                row.request = request.map(|request| request.0);
            }
            Act::Wait { requests, .. } => row.put_requests(requests),
            Act::Release { request } => row.request = Some(request.0),
            Act::Probe { from, communicator, look } => {
                row.put_from(*from);
                row.communicator = *communicator;
                row.flags |= if *look == PollFirst::Yes { LOOKS } else { 0 };
            }
            Act::Collective { collective, communicator, persistent, request } => {
                row.communicator = *communicator;
                row.tag = persistent.map(u32::cast_signed);
                row.request = request.map(|request| request.0);
                row.put_collective(collective);
            }
            Act::Poll { time, after } => row.put_poll(*time, *after),
            Act::End | Act::Flush => {}
            rare => row.put_rare(rare),
        }
        row
    }

    pub(super) fn put_requests(&mut self, requests: &Requests) {
        match requests {
            Requests::One(request) => self.request = Some(request.0),
            Requests::Several(several) => {
                self.list = Some(several.iter().map(|request| request.0.into()).collect());
            }
        }
    }

    /// The requests that [`Self::put_requests`] has put.
    pub(super) fn requests(&mut self) -> Result<Requests, String> {
        let name = self.name();
        let needs = |what: &str| format!("{name} needs {what}");
        match (self.request, self.list.take()) {
            (Some(one), None) => Ok(Requests::One(Request(one))),
            (None, Some(several)) => {
                let number = |&number: &i64| u32::try_from(number).map(Request);
                let several = several.iter().map(number).collect::<Result<Vec<Request>, _>>();
                Ok(Requests::new(&several.map_err(|_| needs("requests that are numbers from 0"))?))
            }
            _ => Err(needs("a request or a list of requests")),
        }
    }

    pub(super) fn put_from(&mut self, from: ReceiveSource) {
        (self.peer, self.tag) = (from.source, from.tag);
        self.flags |= match from.asked {
            Wildcards::Both | Wildcards::Nobody => 0,
            Wildcards::AnySource => ANY_SOURCE,
            Wildcards::AnyTag => ANY_TAG,
            Wildcards::Anything => ANY_SOURCE | ANY_TAG,
        };
    }

    fn put_collective(&mut self, collective: &Collective) {
        match collective.root {
            Root::Rank(rank) => self.peer = Some(rank),
            Root::Here => self.flags |= HERE,
            Root::None | Root::Elsewhere => {}
        }
        self.flags = collective.combines.in_flags(self.flags);
        let mut combined = |size: u32, operands: Operands| {
            self.element = size;
            self.flags |= if operands == Operands::Ordered { ORDERED } else { 0 };
        };
        let numbers = |blocks: &[u64]| blocks.iter().map(|&bytes| bytes.cast_signed()).collect::<Vec<i64>>();
        match &collective.lengths {
            Lengths::None => {}
            Lengths::Bytes(bytes) => self.bytes = *bytes,
            Lengths::Elements { bytes, element, operands } => {
                combined(*element, *operands);
                self.bytes = *bytes;
            }
            Lengths::Blocks(blocks) => self.list = Some(numbers(blocks)),
            Lengths::Given { bytes, into } => {
                self.bytes = *bytes;
                self.list = Some(numbers(into));
            }
            Lengths::Combined { blocks, element, operands } => {
                combined(*element, *operands);
                self.list = Some(numbers(blocks));
            }
            Lengths::Exchange { out, into } => {
                self.list = Some([numbers(out), numbers(into)].concat());
            }
            Lengths::Neighbors(around) => self.list = Some(around.to_list()),
        }
    }

    /// The event, or what is wrong with the cells.
    pub(super) fn event(self) -> Result<Event, String> {
        let (compute, took) = (Duration::from_ps(self.compute_ps), self.took_ps.map(Duration::from_ps));
        if self.kind.0 == POLL {
            return self.poll(compute, took);
        }
        Ok(Event { compute, took, act: self.act()? })
    }

    fn put_poll(&mut self, time: Duration, after: Option<u64>) {
        let after = after.map(u64::cast_signed);
        self.list = Some([time.as_ps().cast_signed()].into_iter().chain(after).collect());
    }

    /// Reads the cells of [`Self::put_poll`]. Before version 3 the time stood in place of what the call took.
    fn poll(self, compute: Duration, took: Option<Duration>) -> Result<Event, String> {
        let number = |number: i64| {
            u64::try_from(number).map_err(|_| format!("a poll has a list of numbers from 0, not {number}"))
        };
        let (time, after, took) = match (self.list.as_deref(), took) {
            (None, Some(time)) => (time, None, None),
            (Some(&[time]), took) => (Duration::from_ps(number(time)?), None, took),
            (Some(&[time, after]), took) => (Duration::from_ps(number(time)?), Some(number(after)?), took),
            _ => return Err("a poll has a time, and one number behind it at most, in its list".into()),
        };
        Ok(Event { compute, took, act: Act::Poll { time, after } })
    }

    fn act(mut self) -> Result<Act, String> {
        if self.kind.0 >= FIRST_RARE {
            return self.rare_act();
        }
        let name = self.name();
        let needs = |what: &str| format!("{name} needs {what}");
        let (bytes, communicator) = (self.bytes, self.communicator);
        let request = self.request.map(Request);
        let started = || request.ok_or_else(|| needs("a request"));
        Ok(match self.kind.0 {
            kind @ 0..8 => {
                let mode = [Mode::Standard, Mode::Buffered, Mode::Synchronous, Mode::Ready][kind % 4];
                let tag = self.tag.ok_or_else(|| needs("a tag"))?;
                let request = if kind < 4 { None } else { Some(started()?) };
                Act::Send { mode, to: self.peer, tag, bytes, communicator, request }
            }
            kind @ (8 | 9) => {
                let request = if kind == 8 { None } else { Some(started()?) };
                Act::Receive { from: self.from()?, bytes, communicator, request }
            }
            10 | 11 => {
                let look = if self.kind.0 == 10 { PollFirst::No } else { PollFirst::Yes };
                let requests = self.requests()?;
                Act::Wait { requests, look }
            }
            12 => {
                let look = if self.flags & LOOKS == 0 { PollFirst::No } else { PollFirst::Yes };
                Act::Probe { from: self.from()?, communicator, look }
            }
            13 => Act::Release { request: started()? },
            15 => Act::End,
            16 => Act::Flush,
            kind => {
                let function = kind - FIRST_COLLECTIVE;
                let goes_on = function >= FUNCTIONS.len();
                let request = if goes_on { Some(started()?) } else { None };
                let function = FUNCTIONS[function % FUNCTIONS.len()];
                let persistent = match self.tag.map(u32::try_from) {
                    None => None,
                    Some(Ok(number)) if number > 0 => Some(number),
                    Some(_) => return Err(needs("a tag of at least 1, or none")),
                };
                let collective = Box::new(self.collective(function)?);
                Act::Collective { collective, communicator, persistent, request }
            }
        })
    }

    pub(super) fn from(&self) -> Result<ReceiveSource, String> {
        let asked = match self.flags & (ANY_SOURCE | ANY_TAG) {
            0 if self.peer.is_none() => Wildcards::Nobody,
            0 => Wildcards::Both,
            ANY_SOURCE => Wildcards::AnySource,
            ANY_TAG => Wildcards::AnyTag,
            _ => Wildcards::Anything,
        };
        ReceiveSource::checked(self.peer, self.tag, asked)
    }

    fn collective(self, function: Function) -> Result<Collective, String> {
        let name = self.name();
        let root = match self.peer {
            _ if !function.has_root() => Root::None,
            _ if self.flags & HERE != 0 => Root::Here,
            Some(root) => Root::Rank(root),
            None => Root::Elsewhere,
        };
        let operands = if self.flags & ORDERED == 0 { Operands::Commute } else { Operands::Ordered };
        let element = self.element;
        let blocks = || {
            let list = self.list.as_deref().ok_or_else(|| format!("{name} needs a list of blocks"))?;
            let bytes = |&bytes: &i64| u64::try_from(bytes);
            let blocks = list.iter().map(bytes).collect::<Result<Box<[u64]>, _>>();
            blocks.map_err(|_| format!("{name}: a block has less than 0 bytes"))
        };
        let lengths = match function {
            Function::Barrier | Function::Split | Function::Merge => Lengths::None,
            Function::Bcast
            | Function::Gather
            | Function::Scatter
            | Function::Allgather
            | Function::Alltoall
            | Function::Scan
            | Function::Exscan => Lengths::Bytes(self.bytes),
            Function::Reduce | Function::Allreduce => {
                Lengths::Elements { bytes: self.bytes, element, operands }
            }
            Function::Gatherv | Function::Scatterv if self.list.is_none() => Lengths::Bytes(self.bytes),
            Function::Allgatherv if self.bytes > 0 => Lengths::Given { bytes: self.bytes, into: blocks()? },
            Function::Gatherv | Function::Scatterv | Function::Allgatherv => Lengths::Blocks(blocks()?),
            Function::ReduceScatter => Lengths::Combined { blocks: blocks()?, element, operands },
            Function::Alltoallv => {
                let both = blocks()?;
                if both.is_empty() || both.len() % 2 == 1 {
                    return Err(format!("{name} needs as many blocks to send as to receive"));
                }
                let (out, into) = both.split_at(both.len() / 2);
                Lengths::Exchange { out: out.into(), into: into.into() }
            }
            Function::Neighbors => {
                let around = Neighbors::of_list(self.listed());
                let around = around.ok_or_else(|| format!("{name}: a list that makes no sense"))?;
                Lengths::Neighbors(Box::new(around))
            }
        };
        let combines = Combines::of_flags(self.flags)?;
        if combines != Combines::default() && !function.combines() {
            return Err(format!("{name} combines nothing: it has no operation and no type"));
        }
        Ok(Collective { function, root, lengths, combines })
    }
}

impl ReceiveSource {
    pub(super) fn checked(source: Option<u32>, tag: Option<i32>, asked: Wildcards) -> Result<Self, String> {
        match asked {
            Wildcards::Both | Wildcards::AnySource if tag.is_none() => {
                Err("a receive needs a tag, or any".into())
            }
            Wildcards::AnyTag if source.is_none() => Err("a receive needs a source, or any".into()),
            Wildcards::Nobody => Ok(Self { source: None, tag: None, asked }),
            _ => Ok(Self { source, tag, asked }),
        }
    }
}

impl Neighbors {
    /// Counts and ranks of destinations and sources, the order of arrival, blocks out, blocks in.
    pub(super) fn to_list(&self) -> Vec<i64> {
        let rank = |rank: &Option<u32>| rank.map_or(NOBODY, i64::from);
        let mut list = vec![self.destinations.len() as i64];
        list.extend(self.destinations.iter().map(rank));
        list.push(self.sources.len() as i64);
        list.extend(self.sources.iter().map(rank));
        list.extend(self.arrival.iter().map(|&place| i64::from(place)));
        list.extend(self.out.iter().chain(&self.into).map(|bytes| bytes.cast_signed()));
        list
    }

    /// Reads a list of [`Self::to_list`].
    pub(super) fn of_list(list: &[i64]) -> Option<Self> {
        let mut rest = list.iter().copied();
        let mut counted = || -> Option<Vec<i64>> {
            let count = usize::try_from(rest.next()?).ok().filter(|&count| count <= list.len())?;
            let ranks: Vec<i64> = rest.by_ref().take(count).collect();
            (ranks.len() == count).then_some(ranks)
        };
        let (destinations, sources) = (counted()?, counted()?);
        let (there, here) = (destinations.len(), sources.len());
        let arrival =
            rest.by_ref().take(here).map(|place| u32::try_from(place).ok().filter(|&p| (p as usize) < here));
        let arrival = arrival.collect::<Option<Vec<u32>>>()?;
        let bytes = rest.map(|bytes| u64::try_from(bytes).ok()).collect::<Option<Vec<u64>>>()?;
        if arrival.len() != here || bytes.len() != there + here {
            return None;
        }
        let rank = |number: i64| match number {
            NOBODY => Some(None),
            number => u32::try_from(number).ok().map(Some),
        };
        Some(Self {
            destinations: destinations.into_iter().map(rank).collect::<Option<_>>()?,
            sources: sources.into_iter().map(rank).collect::<Option<_>>()?,
            arrival,
            out: bytes[..there].to_vec(),
            into: bytes[there..].to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells that no text stands for, but a table may have.
    #[test]
    fn cells_that_are_missing_or_make_no_sense_are_refused() {
        let row = Row { peer: Some(1), tag: Some(1), request: Some(1), bytes: 8, ..Row::default() };
        let listed = |list: &[i64]| Row { list: Some(list.to_vec()), ..row.clone() };
        let alone = |list: &[i64]| Row { request: None, ..listed(list) };
        let flags = |flags| Row { flags, ..row.clone() };
        let no_tag = Row { tag: None, ..row.clone() };
        let no_request = Row { request: None, ..row.clone() };
        let no_peer = |flags| Row { peer: None, flags, ..row.clone() };
        for (kind, row, why) in [
            ("send", no_tag.clone(), "needs a tag"),
            ("isend", no_request.clone(), "needs a request"),
            ("recv", no_tag.clone(), "needs a tag, or any"),
            ("recv", Row { flags: ANY_SOURCE, ..no_tag.clone() }, "needs a tag, or any"),
            ("irecv", no_request.clone(), "needs a request"),
            ("probe", no_peer(ANY_TAG), "needs a source, or any"),
            ("wait", no_request.clone(), "needs a request or a list"),
            ("test", listed(&[1, 2]), "needs a request or a list"),
            ("see", alone(&[1, -1]), "numbers from 0"),
            ("release", no_request.clone(), "needs a request"),
            ("poll", listed(&[1, 2, 3]), "one number behind it at most"),
            ("poll", listed(&[-1]), "not -1"),
            ("ibarrier", no_request.clone(), "needs a request"),
            ("barrier", Row { tag: Some(0), ..row.clone() }, "at least 1, or none"),
            ("reduce", flags(14 << 16), "no operation or element"),
            ("bcast", flags(1 << 16), "combines nothing"),
            ("gatherv", listed(&[8, -8]), "less than 0 bytes"),
            ("reduce-scatter", row.clone(), "needs a list of blocks"),
            ("alltoallv", listed(&[1, 2, 3]), "as many blocks"),
            ("alltoallv", listed(&[]), "as many blocks"),
            ("neighbors", listed(&[1, 0, 1, 0, 1, 8, 8]), "makes no sense"),
            ("neighbors", listed(&[1, -2, 1, 0, 0, 8, 8]), "makes no sense"),
            ("mrecv", no_request.clone(), "needs a request"),
            ("choose", listed(&[0, 0, -1]), "needs protocol"),
            ("choose", listed(&[3, 0, -1, -1]), "needs protocol"),
            ("read", row.clone(), "how long it lasts"),
            ("write", listed(&[-1]), "times run backwards"),
            ("iwrite", alone(&[1]), "needs a request"),
            ("put", no_peer(0), "needs a rank"),
            ("rget", no_request.clone(), "needs a request"),
            ("psend-init", no_tag, "needs a tag"),
            ("precv-init", no_request.clone(), "needs a channel"),
            ("psend", Row { bytes: 1 << 32, ..row.clone() }, "too many"),
            ("precv", no_peer(0), "the number of its channel"),
            ("pready", no_peer(0), "needs a partition"),
            ("win-lock", no_peer(0), "needs a rank"),
            ("win-post", row.clone(), "the ranks of a group"),
            ("win-start", listed(&[1, -1]), "a rank that is no number"),
        ] {
            let kind = KindNumber(KINDS.iter().position(|known| known.name == kind).unwrap());
            let found = Row { kind, ..row }.event().expect_err(why);
            assert!(found.contains(why), "{}: {found}", KINDS[kind.0].name);
        }
    }

    #[test]
    fn looks_in_vain_of_older_tables_have_their_time_in_place_of_what_they_took() {
        let event = Row { kind: KindNumber(POLL), took_ps: Some(7), ..Row::default() }
            .event()
            .expect("it is an event");
        let act = Act::Poll { time: Duration::from_ps(7), after: None };
        assert_eq!(event, Event { compute: Duration::ZERO, took: None, act });
        assert!(Row { kind: KindNumber(POLL), ..Row::default() }.event().is_err());
    }
}
