//! A step, or the operation of a task, as a row of numbers: what the Parquet forms store.

use weir_columns::row;
use weir_operations::{
    Choices, Collective, Combining, Copying, ElementName, Fallible, Fields, Function, Gap, LengthCells,
    OperandOrder, Operation, OperationName, Place, Protocol, ReceiveSource, RequestId, Requests, Root, Step,
    Wildcards,
};
use weir_units::Duration;

row! {
    /// The cells of a row; `None` where one is empty. Its flags are a sum of the numbers below.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Row in "profile" {
        rank: u32,
        kind: &'static str,
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
const ANY_SOURCE: u32 = 1;
/// The program asked for any tag.
const ANY_TAG: u32 = 2;
/// Between two groups: the rank is the root.
const HERE: u32 = 16;

/// The flags of the words that may be there or not.
const FLAGS: [(&str, u32); 7] = [
    ("looks", 4),
    ("ordered", 8),
    ("exclusive", 32),
    ("nocheck", 64),
    ("nosucceed", 128),
    ("local", 256),
    ("at-once", 512),
];

/// Where the number of the operation of a reduction begins in the flags of a row, and that of its element; each from 1.
const OPERATION_AT: u32 = 16;
const ELEMENT_AT: u32 = 20;
const OPERATION_BITS: u32 = 0xf;
const ELEMENT_BITS: u32 = 0x3f;

/// In a list of choices: left to the machine.
const AUTO: i64 = -1;

/// The flag of a word.
fn flag_of(word: &str) -> u32 {
    FLAGS.iter().find(|(known, _)| *known == word).map_or(0, |(_, flag)| *flag)
}

impl Row {
    pub(super) fn of(rank: u32, mut step: Step) -> Self {
        let (compute_ps, took_ps) = (step.compute.as_ps(), step.took.map(Duration::as_ps));
        let kind = step.operation.name();
        let mut row = Self { rank, kind, compute_ps, took_ps, ..Self::default() };
        step.operation.fields(&mut RowFields::<false>(&mut row)).expect("a row has room for every operation");
        row
    }

    /// The step, or what is wrong with the cells.
    pub(super) fn step(mut self) -> Result<Step, String> {
        let compute = Duration::from_ps(self.compute_ps);
        if self.kind == "poll" && self.list.is_none() {
            // Before version 3 the time stood in place of what the call took.
            self.list = self.took_ps.take().map(|time| vec![time.cast_signed()]);
        }
        let took = self.took_ps.map(Duration::from_ps);
        let mut operation = Operation::named(self.kind).ok_or("there is no such kind")?;
        operation.fields(&mut RowFields::<true>(&mut self))?;
        Ok(Step { compute, took, operation })
    }
}

/// Rows of tasks, which are no steps: a computation stands by itself, and its time is in the column of the work before an event.
impl Row {
    /// The word of its kind.
    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }

    /// The number of numbers in its list.
    pub(crate) fn listed(&self) -> usize {
        self.list.as_ref().map_or(0, Vec::len)
    }

    /// The row of a task.
    pub(crate) fn of_task(rank: u32, operation: Operation) -> Self {
        match operation {
            Operation::Compute { time } => {
                Self { rank, kind: operation.name(), compute_ps: time.as_ps(), ..Self::default() }
            }
            operation => Self::of(rank, Step { compute: Duration::ZERO, took: None, operation }),
        }
    }

    /// The operation, or what is wrong with the cells.
    pub(crate) fn task(self) -> Result<Operation, String> {
        let compute = Operation::Compute { time: Duration::from_ps(self.compute_ps) };
        if self.kind == compute.name() {
            return match Self::of_task(self.rank, compute.clone()) == self {
                true => Ok(compute),
                false => Err("a computation has its time in compute_ps, and nothing in other columns".into()),
            };
        }
        if self.compute_ps > 0 || self.took_ps.is_some() {
            return Err(format!(
                "only compute has a time (compute_ps), and no task has took_ps: work before {} is a task of its own",
                self.kind
            ));
        }
        let is_wrong = self.request.is_some();
        let operation = self.step()?.operation;
        if is_wrong && operation.request().is_none() {
            return Err("a task has no request: others wait for its end".into());
        }
        Ok(operation)
    }
}

/// Puts fields into the cells of a row, or takes them out of the cells.
struct RowFields<'a, const READS: bool>(&'a mut Row);

/// A field that is a cell as it is.
#[inline]
fn same<const READS: bool, T: Copy>(field: &mut T, cell: &mut T) -> Fallible {
    if READS {
        *field = *cell;
    } else {
        *cell = *field;
    }
    Ok(())
}

impl<const READS: bool> RowFields<'_, READS> {
    fn needs(&self, what: &str) -> String {
        format!("{} needs {what}", self.0.kind)
    }

    /// A field whose cell is not empty.
    #[inline]
    fn needed<T: Copy>(
        &mut self,
        field: &mut T,
        cell: impl Fn(&mut Row) -> &mut Option<T>,
        what: &str,
    ) -> Fallible {
        match *cell(self.0) {
            Some(value) if READS => *field = value,
            None if READS => return Err(self.needs(what)),
            _ => *cell(self.0) = Some(*field),
        }
        Ok(())
    }

    /// Says whether a flag is set.
    #[inline]
    fn flagged(&mut self, flag: u32, set: bool) -> bool {
        if READS {
            return self.0.flags & flag != 0;
        }
        self.0.flags |= if set { flag } else { 0 };
        set
    }
}

impl<const READS: bool> Fields for RowFields<'_, READS> {
    const READS: bool = READS;

    fn peer(&mut self, rank: &mut Option<u32>) -> Fallible {
        same::<READS, _>(rank, &mut self.0.peer)
    }

    fn target(&mut self, rank: &mut u32) -> Fallible {
        self.needed(rank, |row| &mut row.peer, "a rank")
    }

    fn source(&mut self, from: &mut ReceiveSource) -> Fallible {
        let any_source = self.flagged(ANY_SOURCE, from.asked.any_source());
        let any_tag = self.flagged(ANY_TAG, from.asked.any_tag());
        if READS {
            let asked = Wildcards::of(any_source, any_tag);
            *from = ReceiveSource::checked(self.0.peer, self.0.tag, asked)?;
        } else {
            (self.0.peer, self.0.tag) = (from.source, from.tag);
        }
        Ok(())
    }

    fn bytes(&mut self, bytes: &mut u64) -> Fallible {
        same::<READS, _>(bytes, &mut self.0.bytes)
    }

    fn number(&mut self, _: &'static str, place: Place, number: &mut u32, needs: &str) -> Fallible {
        match place {
            Place::Peer => self.needed(number, |row| &mut row.peer, needs)?,
            Place::Request => self.needed(number, |row| &mut row.request, needs)?,
            Place::Bytes if READS => {
                *number = u32::try_from(self.0.bytes)
                    .map_err(|_| format!("{} is too many: {}", self.0.bytes, self.needs(needs)))?;
            }
            Place::Bytes => self.0.bytes = u64::from(*number),
        }
        Ok(())
    }

    fn tag(&mut self, tag: &mut i32) -> Fallible {
        self.needed(tag, |row| &mut row.tag, "a tag")
    }

    fn flag(&mut self, word: &'static str, set: bool) -> Result<bool, String> {
        Ok(self.flagged(flag_of(word), set))
    }

    fn request(&mut self, request: &mut RequestId) -> Fallible {
        self.needed(&mut request.0, |row| &mut row.request, "a request")
    }

    fn requests(&mut self, requests: &mut Requests) -> Fallible {
        if READS {
            *requests = match (self.0.request, self.0.list.take()) {
                (Some(one), None) => Requests::One(RequestId(one)),
                (None, Some(several)) => {
                    let several =
                        numbers(&several).ok_or_else(|| self.needs("requests that are numbers from 0"))?;
                    Requests::new(&several.into_iter().map(RequestId).collect::<Vec<_>>())
                }
                _ => return Err(self.needs("a request or a list of requests")),
            };
        } else if let Requests::One(request) = requests {
            self.0.request = Some(request.0);
        } else {
            self.0.list = Some(requests.as_slice().iter().map(|request| request.0.into()).collect());
        }
        Ok(())
    }

    fn time(&mut self, word: &'static str, time: &mut Duration) -> Fallible {
        if !READS {
            self.0.list = Some(vec![time.as_ps().cast_signed()]);
            return Ok(());
        }
        let is_poll = word.is_empty();
        *time = match self.0.list.as_deref() {
            Some(&[first, ..]) if is_poll => Duration::from_ps(number_in(first)?),
            Some(&[first]) => Duration::from_ps(
                u64::try_from(first).map_err(|_| format!("{}: times run backwards", self.0.kind))?,
            ),
            _ if is_poll => return Err(POLL.into()),
            _ => return Err(self.needs("how long it lasts (in a table: a list of one number)")),
        };
        Ok(())
    }

    fn after(&mut self, after: &mut Option<u64>) -> Fallible {
        if !READS {
            self.0.list.get_or_insert_default().extend(after.map(u64::cast_signed));
            return Ok(());
        }
        *after = match self.0.list.as_deref() {
            Some(&[_]) => None,
            Some(&[_, after]) => Some(number_in(after)?),
            _ => return Err(POLL.into()),
        };
        Ok(())
    }

    fn ranks(&mut self, ranks: &mut Box<[u32]>) -> Fallible {
        if READS {
            let list = self.0.list.as_deref().ok_or_else(|| self.needs("the ranks of a group"))?;
            *ranks = numbers(list).ok_or_else(|| format!("{}: a rank that is no number", self.0.kind))?;
        } else {
            self.0.list = Some(ranks.iter().map(|&rank| i64::from(rank)).collect());
        }
        Ok(())
    }

    fn lengths(&mut self, _: Function, cells: &mut LengthCells) -> Fallible {
        // They change places: those from which they come are not looked at again.
        std::mem::swap(&mut self.0.bytes, &mut cells.bytes);
        std::mem::swap(&mut self.0.list, &mut cells.list);
        Ok(())
    }

    fn root(&mut self, root: &mut Root) -> Fallible {
        let here = self.flagged(HERE, *root == Root::Here);
        if READS {
            *root = match self.0.peer {
                _ if here => Root::Here,
                Some(rank) => Root::Rank(rank),
                None => Root::Elsewhere,
            };
        } else if let Root::Rank(rank) = root {
            self.0.peer = Some(*rank);
        }
        Ok(())
    }

    fn combining(&mut self, collective: &mut Collective, cells: &mut LengthCells) -> Fallible {
        same::<READS, _>(&mut cells.element, &mut self.0.element)?;
        self.either("ordered", &mut cells.operands, OperandOrder::BOTH)?;
        if READS {
            collective.combines = combining_of(self.0.flags)?;
        } else {
            self.0.flags |= flags_of(collective.combines);
        }
        Ok(())
    }

    fn persistent(&mut self, number: &mut Option<u32>) -> Fallible {
        if READS {
            *number = match self.0.tag.map(u32::try_from) {
                None => None,
                Some(Ok(number)) if number > 0 => Some(number),
                Some(_) => return Err(self.needs("a tag of at least 1, or none")),
            };
        } else {
            self.0.tag = number.map(u32::cast_signed);
        }
        Ok(())
    }

    /// Numbers of protocol and copying, the interface, and the bits of the gap.
    fn choices(&mut self, choices: &mut Choices) -> Fallible {
        if READS {
            let what = "protocol, copying, interface and gap (in a table: a list of four numbers)";
            let found = self.0.list.as_deref().and_then(choices_of);
            *choices = found.ok_or_else(|| self.needs(what))?;
        } else {
            let nic = choices.nic.map_or(AUTO, i64::from);
            let gap = choices.gap.map_or(AUTO, |gap| gap.packet_times().to_bits().cast_signed());
            self.0.list = Some(vec![choices.protocol as i64, choices.copying as i64, nic, gap]);
        }
        Ok(())
    }

    fn communicator(&mut self, communicator: &mut u32) -> Fallible {
        same::<READS, _>(communicator, &mut self.0.communicator)
    }
}

/// Numbers of ranks or requests; `None` if one is none.
fn numbers(list: &[i64]) -> Option<Box<[u32]>> {
    list.iter().map(|&number| u32::try_from(number).ok()).collect()
}

const POLL: &str = "a poll has a time, and one number behind it at most, in its list";

fn number_in(number: i64) -> Result<u64, String> {
    u64::try_from(number).map_err(|_| format!("a poll has a list of numbers from 0, not {number}"))
}

fn choices_of(list: &[i64]) -> Option<Choices> {
    let &[protocol, copying, nic, gap] = list else { return None };
    let protocols = [Protocol::Auto, Protocol::Eager, Protocol::Rendezvous];
    let copyings = [Copying::Auto, Copying::ZeroCopy, Copying::OneCopy];
    let protocol = protocols.into_iter().find(|known| *known as i64 == protocol)?;
    let copying = copyings.into_iter().find(|known| *known as i64 == copying)?;
    let nic = if nic == AUTO { None } else { Some(u16::try_from(nic).ok()?) };
    let gap = if gap == AUTO { None } else { Some(Gap::new(f64::from_bits(u64::try_from(gap).ok()?))?) };
    Some(Choices { protocol, copying, nic, gap })
}

/// Operation and element of a reduction as flags.
fn flags_of(combining: Combining) -> u32 {
    let number = |place: Option<usize>| place.map_or(0, |place| place as u32 + 1);
    let operation = combining.operation.and_then(|of| OperationName::ALL.iter().position(|all| all.1 == of));
    let element = combining.element.and_then(|of| ElementName::ALL.iter().position(|all| all.1 == of));
    number(operation) << OPERATION_AT | number(element) << ELEMENT_AT
}

/// Operation and element that flags name.
fn combining_of(flags: u32) -> Result<Combining, String> {
    let unknown = || format!("flags {flags}: there is no operation or element with number");
    let place = |at: u32, bits: u32| ((flags >> at & bits) as usize).checked_sub(1);
    let operation = place(OPERATION_AT, OPERATION_BITS);
    let operation = operation.map(|place| OperationName::ALL.get(place).ok_or_else(unknown)).transpose()?;
    let element = place(ELEMENT_AT, ELEMENT_BITS);
    let element = element.map(|place| ElementName::ALL.get(place).ok_or_else(unknown)).transpose()?;
    Ok(Combining { operation: operation.map(|all| all.1), element: element.map(|all| all.1) })
}

#[cfg(test)]
mod tests;
