//! Reads the words of a step in the text form, behind its rank.

use crate::quantity;
use std::str::FromStr;
use weir_operations::{
    Choices, Collective, Copying, ElementName, Fallible, Fields, Function, Gap, LengthCells, OperandOrder,
    Operation, OperationName, Place, Protocol, ReceiveSource, RequestId, Requests, Requires, Root, Step,
    Task, Wildcards,
};
use weir_units::{Bytes, Duration};

/// The highest number of a stream.
const MOST_STREAMS: u32 = 65_535;

/// All words that name what follows them, sorted.
const KEYWORDS: [&str; 34] = [
    "after",
    "at-once",
    "begun",
    "blocks",
    "channel",
    "comm",
    "copy",
    "element",
    "exclusive",
    "from",
    "gap",
    "in",
    "lasts",
    "list",
    "local",
    "looks",
    "nic",
    "nocheck",
    "nosucceed",
    "op",
    "ordered",
    "out",
    "partition",
    "partitions",
    "protocol",
    "ranks",
    "request",
    "requires",
    "root",
    "stream",
    "tag",
    "tagged",
    "took",
    "type",
];

pub(super) const PROTOCOLS: [(&str, Protocol); 3] =
    [("auto", Protocol::Auto), ("eager", Protocol::Eager), ("rendezvous", Protocol::Rendezvous)];
pub(super) const COPYINGS: [(&str, Copying); 3] =
    [("auto", Copying::Auto), ("zero", Copying::ZeroCopy), ("one", Copying::OneCopy)];

/// Reads a step whose own work is not known here.
pub(super) fn read_step(name: &str, words: &[&str]) -> Result<Step, String> {
    let mut operation = Operation::named(name).ok_or_else(|| {
        format!("{name:?} is no kind of event: one is send, recv, wait, bcast, compute, end, ...")
    })?;
    let mut words = Words::new(operation.name(), words)?;
    let took = words.quantity("took").map(|text| time_of(&text)).transpose()?;
    operation.fields(&mut words)?;
    words.end()?;
    Ok(Step { compute: Duration::ZERO, took, operation })
}

/// Reads a task of a graph: an operation, its stream, and what it requires.
pub(crate) fn read_task(name: &str, words: &[&str]) -> Result<Task, String> {
    let mut operation = Operation::named(name).ok_or_else(|| {
        format!("{name:?} is no kind of task: one is compute, send, recv, bcast, allreduce, ...")
    })?;
    let mut words = Words::new(operation.name(), words)?;
    let stream = words.named_number("stream")?.unwrap_or(0);
    check_stream(stream)?;
    let (ended, begun) = (words.numbers("requires", "requires")?, words.numbers("begun", "begun")?);
    let requires = (ended.is_some() || begun.is_some())
        .then(|| Box::new(Requires { ended: ended.unwrap_or_default(), begun: begun.unwrap_or_default() }));
    operation.fields(&mut words)?;
    words.end()?;
    Ok(Task { operation, stream, requires })
}

/// Refuses the number of a stream that no rank has room for.
pub(crate) fn check_stream(stream: u32) -> Result<(), String> {
    let what = || format!("stream {stream}: numbers of streams are up to {MOST_STREAMS}");
    if stream > MOST_STREAMS { Err(what()) } else { Ok(()) }
}

pub(super) fn time_of(text: &str) -> Result<Duration, String> {
    if text.starts_with('-') {
        return Err(format!("{text}: times run backwards; a time is at least 0"));
    }
    quantity::time(text).map_err(|error| format!("{text:?} is no time: {error}"))
}

fn size_of(text: &str) -> Result<u64, String> {
    let size = quantity::size(text).map(|Bytes(bytes)| bytes);
    size.map_err(|error| format!("{text:?} is no size: {error}"))
}

fn number_of<T: FromStr>(needs: &str, text: Option<&str>) -> Result<T, String> {
    let text = text.ok_or_else(|| format!("{needs} needs a number"))?;
    text.parse().map_err(|_| format!("{needs} {text}: must be a whole number, at least 0"))
}

/// The words behind the kind: values without a name first, then words with the values behind them, of which each is taken once.
struct Words<'a> {
    kind: &'static str,
    first: &'a [&'a str],
    named: Vec<(&'a str, &'a [&'a str])>,
}

impl<'a> Words<'a> {
    fn new(kind: &'static str, words: &'a [&'a str]) -> Result<Self, String> {
        let is_keyword = |word: &&str| KEYWORDS.binary_search(word).is_ok();
        let (first, mut rest) = words.split_at(words.iter().position(is_keyword).unwrap_or(words.len()));
        let mut named: Vec<(&str, &[&str])> = Vec::new();
        while let Some((&word, behind)) = rest.split_first() {
            let (values, next) = behind.split_at(behind.iter().position(is_keyword).unwrap_or(behind.len()));
            if named.iter().any(|(known, _)| *known == word) {
                return Err(format!("{word} stands twice"));
            }
            named.push((word, values));
            rest = next;
        }
        Ok(Self { kind, first, named })
    }

    /// Checks that all words were taken.
    fn end(self) -> Fallible {
        let name = self.kind;
        let left = self.first.first().or_else(|| self.named.first().map(|(word, _)| word));
        match left {
            None => Ok(()),
            Some(&"request") => Err("only what goes on has a request: isend, irecv, ibcast, ...".into()),
            Some(&("op" | "type")) if Function::ALL.iter().any(|of| name.ends_with(of.word())) => {
                Err(format!("{name} combines nothing: it has no operation and no type"))
            }
            Some(word) => Err(format!("{word:?} does not belong here")),
        }
    }

    /// The next value without a name.
    fn next(&mut self) -> Option<&'a str> {
        let (&first, rest) = self.first.split_first()?;
        self.first = rest;
        Some(first)
    }

    /// The values behind a word, if it is there.
    fn values(&mut self, word: &str) -> Option<&'a [&'a str]> {
        debug_assert!(KEYWORDS.binary_search(&word).is_ok(), "{word} is none of the words");
        let place = self.named.iter().position(|(known, _)| *known == word)?;
        Some(self.named.remove(place).1)
    }

    /// The one value behind a word, if it is there.
    fn value(&mut self, word: &str) -> Result<Option<&'a str>, String> {
        match self.values(word) {
            None => Ok(None),
            Some(&[value]) => Ok(Some(value)),
            Some([]) => Err(format!("{word} needs a value")),
            Some([_, more, ..]) => Err(format!("{more:?} does not belong here")),
        }
    }

    /// The number behind a word, if it is there.
    fn named_number<T: FromStr>(&mut self, word: &str) -> Result<Option<T>, String> {
        match self.values(word) {
            None => Ok(None),
            Some([_, more, ..]) => Err(format!("{more:?} does not belong here")),
            Some(values) => number_of(word, values.first().copied()).map(Some),
        }
    }

    /// The quantity behind a word, if it is there: a number and its unit.
    fn quantity(&mut self, word: &str) -> Option<String> {
        self.values(word).map(|values| values.join(" "))
    }

    /// All values without a name, as a quantity.
    fn first_quantity(&mut self) -> String {
        std::mem::take(&mut self.first).join(" ")
    }

    /// The numbers behind a word, if it is there.
    fn numbers<T: FromStr>(&mut self, word: &str, needs: &str) -> Result<Option<Box<[T]>>, String> {
        let numbers = |values: &[&str]| values.iter().map(|value| number_of(needs, Some(value))).collect();
        self.values(word).map(numbers).transpose()
    }

    /// The value that one of these names has.
    fn one_of<T: Copy>(&mut self, word: &str, names: [(&str, T); 3]) -> Result<Option<T>, String> {
        let Some(text) = self.value(word)? else { return Ok(None) };
        let found = names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        let all = names.map(|(name, _)| name).join(", ");
        found.map(Some).ok_or_else(|| format!("{word} {text}: one of {all}"))
    }
}

impl Fields for Words<'_> {
    const READS: bool = true;

    fn peer(&mut self, rank: &mut Option<u32>) -> Fallible {
        *rank = match self.next() {
            Some("nobody") => None,
            peer => Some(number_of("the other rank", peer)?),
        };
        Ok(())
    }

    fn target(&mut self, rank: &mut u32) -> Fallible {
        let word = self.next().ok_or_else(|| format!("{} needs a rank", self.kind))?;
        *rank = number_of("the rank", Some(word))?;
        Ok(())
    }

    fn target_or_all(&mut self, rank: &mut Option<u32>) -> Fallible {
        *rank = self.next().map(|word| number_of("the rank", Some(word))).transpose()?;
        Ok(())
    }

    fn source(&mut self, from: &mut ReceiveSource) -> Fallible {
        let any_source = self.first.first() == Some(&"any");
        let mut source = None;
        if any_source {
            self.next();
            source = self.named_number("from")?;
        } else {
            self.peer(&mut source)?;
        }
        let (any_tag, tag) = match self.values("tag") {
            Some(["any"]) => (true, self.named_number("tagged")?),
            Some(&[tag]) => (false, Some(number_of("tag", Some(tag))?)),
            Some([_, more, ..]) => return Err(format!("{more:?} does not belong here")),
            Some([]) => return Err("tag needs a number".into()),
            None => (false, Some(0)),
        };
        *from = ReceiveSource::checked(source, tag, Wildcards::of(any_source, any_tag))?;
        Ok(())
    }

    fn bytes(&mut self, bytes: &mut u64) -> Fallible {
        *bytes = size_of(&self.first_quantity())?;
        Ok(())
    }

    fn number(&mut self, word: &'static str, _: Place, number: &mut u32, _: &str) -> Fallible {
        *number = match word {
            "" => number_of("the channel", self.next())?,
            word => self.named_number(word)?.ok_or_else(|| format!("{word} needs a number"))?,
        };
        Ok(())
    }

    fn tag(&mut self, tag: &mut i32) -> Fallible {
        *tag = self.named_number("tag")?.unwrap_or(0);
        Ok(())
    }

    fn flag(&mut self, word: &'static str, _: bool) -> Result<bool, String> {
        match self.values(word) {
            None => Ok(false),
            Some([]) => Ok(true),
            Some([more, ..]) => Err(format!("{more:?} does not belong here")),
        }
    }

    fn request(&mut self, request: &mut RequestId) -> Fallible {
        *request = RequestId(number_of("the request", self.next())?);
        Ok(())
    }

    fn requests(&mut self, requests: &mut Requests) -> Fallible {
        let words = std::mem::take(&mut self.first).iter();
        let numbers = words.map(|word| number_of("the request", Some(word)).map(RequestId));
        *requests = Requests::new(&numbers.collect::<Result<Vec<RequestId>, String>>()?);
        Ok(())
    }

    fn started(&mut self, request: &mut RequestId) -> Fallible {
        let number = self.named_number("request")?;
        *request = RequestId(number.ok_or_else(|| format!("{} needs a request", self.kind))?);
        Ok(())
    }

    fn time(&mut self, word: &'static str, time: &mut Duration) -> Fallible {
        let text = match word {
            "" => Some(self.first_quantity()),
            word => self.quantity(word),
        };
        *time = time_of(&text.ok_or_else(|| format!("{} needs how long it lasts: {word} TIME", self.kind))?)?;
        Ok(())
    }

    fn after(&mut self, after: &mut Option<u64>) -> Fallible {
        *after = self.named_number("after")?;
        Ok(())
    }

    fn ranks(&mut self, ranks: &mut Box<[u32]>) -> Fallible {
        let group = self.numbers("ranks", "a rank")?;
        *ranks = group.ok_or_else(|| format!("{} needs the ranks of a group: ranks 1 2", self.kind))?;
        Ok(())
    }

    fn lengths(&mut self, function: Function, cells: &mut LengthCells) -> Fallible {
        cells.bytes = if self.first.is_empty() { 0 } else { size_of(&self.first_quantity())? };
        if cells.bytes > 0 && !function.has_data() {
            return Err("it has no size".into());
        }
        let mut lists = Vec::new();
        for word in function.lists() {
            lists.extend(self.numbers(word, "a block")?);
        }
        cells.list = match (function.lists(), lists.as_slice()) {
            (_, []) => None,
            ([_, _], [out, into]) if out.len() == into.len() => Some(lists.concat()),
            ([_, _], _) => return Err("as many blocks must go out as come in".into()),
            _ => lists.pop().map(Vec::from),
        };
        Ok(())
    }

    fn root(&mut self, root: &mut Root) -> Fallible {
        *root = match self.value("root")? {
            Some("here") => Root::Here,
            Some("nobody") | None => Root::Elsewhere,
            rank => Root::Rank(number_of("root", rank)?),
        };
        Ok(())
    }

    fn combining(&mut self, collective: &mut Collective, cells: &mut LengthCells) -> Fallible {
        if !collective.function.combines() {
            return Ok(());
        }
        if let Some(element) = self.quantity("element") {
            cells.element = u32::try_from(size_of(&element)?).map_err(|_| "element: too large")?;
        }
        self.either("ordered", &mut cells.operands, OperandOrder::BOTH)?;
        let unknown = |word: &str, name: &str, names: Vec<&str>| {
            format!("{word} {name:?} is not known: it is one of {}", names.join(", "))
        };
        if let Some(name) = self.value("op")? {
            let all = || OperationName::ALL.iter().map(|all| all.0).collect();
            let known = OperationName::ALL.iter().find(|all| all.0 == name);
            let (_, operation) = known.ok_or_else(|| unknown("op", name, all()))?;
            collective.combines.operation = Some(*operation);
        }
        if let Some(name) = self.value("type")? {
            let all = || ElementName::ALL.iter().map(|all| all.0).collect();
            let known = ElementName::ALL.iter().find(|all| all.0 == name);
            let (_, element, _) = known.ok_or_else(|| unknown("type", name, all()))?;
            collective.combines.element = Some(*element);
        }
        Ok(())
    }

    fn persistent(&mut self, number: &mut Option<u32>) -> Fallible {
        let tag: Option<i64> = self.named_number("tag")?;
        *number = tag.and_then(|tag| u32::try_from(tag).ok());
        match number {
            Some(0) | None if tag.is_some() => {
                Err(format!("{} needs a tag of at least 1, or none", self.kind))
            }
            _ => Ok(()),
        }
    }

    fn choices(&mut self, choices: &mut Choices) -> Fallible {
        choices.protocol = self.one_of("protocol", PROTOCOLS)?.unwrap_or_default();
        choices.copying = self.one_of("copy", COPYINGS)?.unwrap_or_default();
        choices.nic = self.named_number("nic")?;
        if let Some(text) = self.value("gap")? {
            let gap = text.parse().ok().and_then(Gap::new);
            choices.gap = Some(gap.ok_or_else(|| format!("gap {text}: must be packet times, 0 to 1000000"))?);
        }
        Ok(())
    }

    fn communicator(&mut self, communicator: &mut u32) -> Fallible {
        *communicator = self.named_number("comm")?.unwrap_or(0);
        Ok(())
    }
}
