//! Operations as a shape and numbers: what a program text fixes, and what hangs on the rank and on how many there are.

use weir_operations::{
    Choices, Collective, Fallible, Fields, Function, LengthCells, Lengths, Operation, Place, ReceiveSource,
    RequestId, Requests, Root, Wildcards,
};
use weir_units::Duration;

/// The value of a cell for a rank that is not there (`MPI_PROC_NULL`), or for a number that was left out.
pub(crate) const NONE: i64 = i64::MIN;
/// The value of a cell that may be anything: the tag of a message from a rank that is not there.
pub(crate) const FREE: i64 = i64::MIN + 1;

/// The meaning of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// A rank of the communicator.
    Rank,
    /// The rank from which a message came that any rank might have sent.
    FoundRank,
    /// A tag.
    Tag,
    /// The tag of a message that might have had any.
    FoundTag,
    /// A number of bytes.
    Bytes,
    /// A number of elements that are combined.
    Elements,
    /// Any other number.
    Number,
    /// The repetitions of a loop.
    Repetitions,
    /// The place of a request among those under way, from the oldest.
    FromOldest,
    /// The same from the newest.
    FromNewest,
    /// A time in picoseconds: averaged, never exact.
    Time,
}

/// The list to which a number belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// The requests that an operation names.
    Requests,
    /// The ranks of a group.
    Group,
    /// Blocks of a collective, or of the first of its two lists.
    First,
    /// Blocks of the second of its two lists.
    Second,
}

impl List {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Requests => "request",
            Self::Group => "rank of a group",
            Self::First => "block",
            Self::Second => "block that comes",
        }
    }
}

/// An operation taken apart.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) kinds: Vec<Cell>,
    pub(crate) values: Vec<i64>,
    /// The numbers of lists, in their order; requests by their numbers.
    pub(crate) items: Vec<(List, i64)>,
    /// The number of the request or of the message that goes on behind it.
    pub(crate) starts: Option<u32>,
}

/// Takes an operation apart; what is left in it is the same on all ranks.
pub(crate) fn take(operation: &mut Operation) -> Parts {
    let mut parts = Parts::default();
    operation.fields(&mut Take(&mut parts)).expect("nothing is read");
    match operation {
        Operation::Collective { collective, .. } => clear(&mut collective.lengths),
        // It names a request that it begins.
        Operation::Open { .. } => {
            parts.starts = parts.items.pop().and_then(|(_, number)| u32::try_from(number).ok());
        }
        _ => {}
    }
    parts
}

fn clear(lengths: &mut Lengths) {
    match lengths {
        Lengths::None => {}
        Lengths::Bytes(bytes) | Lengths::Elements { bytes, .. } => *bytes = 0,
        Lengths::Blocks(blocks) | Lengths::Combined { blocks, .. } => *blocks = Box::default(),
        Lengths::Given { bytes, into } => (*bytes, *into) = (0, Box::default()),
        Lengths::Exchange { out, into } => (*out, *into) = (Box::default(), Box::default()),
        Lengths::Neighbors(around) => **around = Default::default(),
    }
}

struct Take<'a>(&'a mut Parts);

impl Take<'_> {
    fn put(&mut self, kind: Cell, value: i64) -> Fallible {
        self.0.kinds.push(kind);
        self.0.values.push(value);
        Ok(())
    }

    fn item(&mut self, list: List, value: i64) {
        self.0.items.push((list, value));
    }
}

fn or_none<T: Into<i64>>(value: Option<T>) -> i64 {
    value.map_or(NONE, Into::into)
}

impl Fields for Take<'_> {
    const READS: bool = false;

    fn peer(&mut self, rank: &mut Option<u32>) -> Fallible {
        self.put(Cell::Rank, or_none(rank.take()))
    }

    fn target(&mut self, rank: &mut u32) -> Fallible {
        self.put(Cell::Rank, std::mem::take(rank).into())
    }

    fn target_or_all(&mut self, rank: &mut Option<u32>) -> Fallible {
        self.peer(rank)
    }

    /// A receive from a rank that is not there is one whose source has no number.
    fn source(&mut self, from: &mut ReceiveSource) -> Fallible {
        if from.asked == Wildcards::Nobody {
            from.asked = Wildcards::Both;
            from.tag = None;
        }
        let kind = match from.asked {
            Wildcards::AnySource | Wildcards::Anything => Cell::FoundRank,
            _ => Cell::Rank,
        };
        self.put(kind, or_none(from.source))
    }

    fn found(&mut self, from: &mut ReceiveSource) -> Fallible {
        let kind = match from.asked {
            Wildcards::AnyTag | Wildcards::Anything => Cell::FoundTag,
            _ => Cell::Tag,
        };
        let (source, tag) = (from.source.take(), from.tag.take());
        let is_free = kind == Cell::Tag && source.is_none() && tag.is_none();
        self.put(kind, if is_free { FREE } else { or_none(tag) })
    }

    fn bytes(&mut self, bytes: &mut u64) -> Fallible {
        self.put(Cell::Bytes, std::mem::take(bytes).cast_signed())
    }

    fn number(&mut self, _: &'static str, _: Place, number: &mut u32, _: &str) -> Fallible {
        self.put(Cell::Number, std::mem::take(number).into())
    }

    fn tag(&mut self, tag: &mut i32) -> Fallible {
        self.put(Cell::Tag, std::mem::take(tag).into())
    }

    fn flag(&mut self, _: &'static str, set: bool) -> Result<bool, String> {
        Ok(set)
    }

    fn request(&mut self, request: &mut RequestId) -> Fallible {
        self.item(List::Requests, std::mem::replace(request, RequestId(0)).0.into());
        Ok(())
    }

    fn requests(&mut self, requests: &mut Requests) -> Fallible {
        for request in requests.as_slice() {
            self.item(List::Requests, request.0.into());
        }
        *requests = Requests::new(&[]);
        Ok(())
    }

    fn started(&mut self, request: &mut RequestId) -> Fallible {
        self.0.starts = Some(std::mem::replace(request, RequestId(0)).0);
        Ok(())
    }

    fn time(&mut self, _: &'static str, time: &mut Duration) -> Fallible {
        self.put(Cell::Time, std::mem::take(time).as_ps().cast_signed())
    }

    fn after(&mut self, after: &mut Option<u64>) -> Fallible {
        *after = None;
        Ok(())
    }

    fn ranks(&mut self, ranks: &mut Box<[u32]>) -> Fallible {
        for &rank in ranks.iter() {
            self.item(List::Group, rank.into());
        }
        *ranks = Box::default();
        Ok(())
    }

    fn lengths(&mut self, function: Function, cells: &mut LengthCells) -> Fallible {
        let list = cells.list.take().unwrap_or_default();
        let first = if function.lists().len() == 2 { list.len() / 2 } else { list.len() };
        for (place, &value) in list.iter().enumerate() {
            self.item(if place < first { List::First } else { List::Second }, value);
        }
        match cells.element {
            0 => self.put(Cell::Bytes, cells.bytes.cast_signed()),
            element => self.put(Cell::Elements, (cells.bytes / u64::from(element)).cast_signed()),
        }
    }

    fn root(&mut self, root: &mut Root) -> Fallible {
        if let Root::Rank(rank) = root {
            self.put(Cell::Rank, std::mem::take(rank).into())?;
        }
        Ok(())
    }

    fn combining(&mut self, _: &mut Collective, _: &mut LengthCells) -> Fallible {
        Ok(())
    }

    fn persistent(&mut self, number: &mut Option<u32>) -> Fallible {
        self.put(Cell::Number, or_none(number.take()))
    }

    fn choices(&mut self, _: &mut Choices) -> Fallible {
        Ok(())
    }

    fn communicator(&mut self, _: &mut u32) -> Fallible {
        Ok(())
    }
}

/// Numbers from which an operation is put together.
#[derive(Debug)]
pub(crate) struct Numbers<'a> {
    pub(crate) values: &'a [i64],
    pub(crate) items: &'a [(List, i64)],
    /// The number of the request or of the message that goes on behind it.
    pub(crate) starts: u32,
    /// The size of its communicator.
    pub(crate) size: i64,
}

/// Puts an operation together.
///
/// # Errors
/// A number that the operation cannot have, in words.
pub(crate) fn put(operation: &mut Operation, numbers: &Numbers<'_>) -> Fallible {
    if let Operation::Open { request } = operation {
        *request = RequestId(numbers.starts);
        return Ok(());
    }
    operation.fields(&mut Put { numbers, next: 0 })
}

struct Put<'a> {
    numbers: &'a Numbers<'a>,
    next: usize,
}

impl Put<'_> {
    fn value(&mut self) -> i64 {
        self.next += 1;
        self.numbers.values[self.next - 1]
    }

    fn rank(&self, value: i64) -> Result<u32, String> {
        let size = self.numbers.size;
        let rank = u32::try_from(value).ok().filter(|_| value < size);
        rank.ok_or_else(|| format!("rank {value} of a communicator of {size}"))
    }

    fn list(&self, list: List) -> impl Iterator<Item = i64> {
        self.numbers.items.iter().filter(move |item| item.0 == list).map(|item| item.1)
    }
}

fn in_range<T: TryFrom<i64>>(value: i64, what: &str) -> Result<T, String> {
    T::try_from(value).map_err(|_| format!("{value} as {what}"))
}

impl Fields for Put<'_> {
    const READS: bool = true;

    fn peer(&mut self, rank: &mut Option<u32>) -> Fallible {
        let value = self.value();
        *rank = if value == NONE { None } else { Some(self.rank(value)?) };
        Ok(())
    }

    fn target(&mut self, rank: &mut u32) -> Fallible {
        let value = self.value();
        *rank = self.rank(value)?;
        Ok(())
    }

    fn target_or_all(&mut self, rank: &mut Option<u32>) -> Fallible {
        self.peer(rank)
    }

    fn source(&mut self, from: &mut ReceiveSource) -> Fallible {
        self.peer(&mut from.source)
    }

    fn found(&mut self, from: &mut ReceiveSource) -> Fallible {
        let tag = self.value();
        match from.asked {
            Wildcards::Both | Wildcards::AnyTag if from.source.is_none() => *from = ReceiveSource::NOBODY,
            _ => from.tag = if tag == NONE { None } else { Some(in_range(tag, "a tag")?) },
        }
        Ok(())
    }

    fn bytes(&mut self, bytes: &mut u64) -> Fallible {
        *bytes = in_range(self.value(), "a number of bytes")?;
        Ok(())
    }

    fn number(&mut self, _: &'static str, _: Place, number: &mut u32, _: &str) -> Fallible {
        *number = in_range(self.value(), "a number")?;
        Ok(())
    }

    fn tag(&mut self, tag: &mut i32) -> Fallible {
        *tag = in_range(self.value(), "a tag")?;
        Ok(())
    }

    fn flag(&mut self, _: &'static str, set: bool) -> Result<bool, String> {
        Ok(set)
    }

    fn request(&mut self, request: &mut RequestId) -> Fallible {
        let number = self.list(List::Requests).next().ok_or("no request")?;
        *request = RequestId(in_range(number, "a request")?);
        Ok(())
    }

    fn requests(&mut self, requests: &mut Requests) -> Fallible {
        let numbers = self.list(List::Requests).map(|number| Ok(RequestId(in_range(number, "a request")?)));
        *requests = Requests::new(&numbers.collect::<Result<Vec<_>, String>>()?);
        Ok(())
    }

    fn started(&mut self, request: &mut RequestId) -> Fallible {
        *request = RequestId(self.numbers.starts);
        Ok(())
    }

    fn time(&mut self, _: &'static str, time: &mut Duration) -> Fallible {
        *time = Duration::from_ps(in_range(self.value(), "a time")?);
        Ok(())
    }

    fn after(&mut self, _: &mut Option<u64>) -> Fallible {
        Ok(())
    }

    fn ranks(&mut self, ranks: &mut Box<[u32]>) -> Fallible {
        *ranks = self.list(List::Group).map(|rank| self.rank(rank)).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn lengths(&mut self, function: Function, cells: &mut LengthCells) -> Fallible {
        self.bytes(&mut cells.bytes)?;
        let bytes = cells.bytes.checked_mul(cells.element.max(1).into());
        cells.bytes = bytes.ok_or("more bytes than can be counted")?;
        for list in [List::First, List::Second] {
            let count = self.list(list).count();
            if function != Function::Neighbors && count > 1 && count as i64 != self.numbers.size {
                return Err(format!("{count} blocks in a communicator of {}", self.numbers.size));
            }
        }
        if let Some(list) = &mut cells.list {
            *list = self.list(List::First).chain(self.list(List::Second)).collect();
        }
        Ok(())
    }

    fn root(&mut self, root: &mut Root) -> Fallible {
        if let Root::Rank(rank) = root {
            self.target(rank)?;
        }
        Ok(())
    }

    fn combining(&mut self, _: &mut Collective, _: &mut LengthCells) -> Fallible {
        Ok(())
    }

    fn persistent(&mut self, number: &mut Option<u32>) -> Fallible {
        let value = self.value();
        *number = if value == NONE { None } else { Some(in_range(value, "a number")?) };
        Ok(())
    }

    fn choices(&mut self, _: &mut Choices) -> Fallible {
        Ok(())
    }

    fn communicator(&mut self, _: &mut u32) -> Fallible {
        Ok(())
    }
}
