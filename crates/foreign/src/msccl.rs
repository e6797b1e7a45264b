//! Algorithms of collectives of GPUs (MSCCL XML): each GPU is a rank, and each of its threadblocks goes through steps that move chunks of a buffer.
//!
//! Grammar and meaning: the parser and the interpreter of MSCCL (`xml.cc` and `msccl_kernel_impl.h` of microsoft/msccl). The file has chunks and no bytes: the size of the whole buffer is
//! given, and a chunk is its part by `nchunksperloop`.
//!
//! # Model
//! - The steps of a threadblock follow each other, and each waits for the step that it depends on, if any.
//! - A step that sends is over when its message has begun: the protocol buffers what is sent. All others are over when they have ended.
//! - Messages of a channel between two GPUs match in their order: the channel is the tag.
//! - Copies and reductions within a GPU take no time, for the file does not say how long they do. The slices of chunks of which a protocol makes pipelines are not modeled.

mod steps;

use crate::goal::section::{Edge, Entry, Section};
use crate::reading::Reading;
use crate::work::{self, Work};
use crate::xml::{Element, Part, Parts};
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use steps::{Kind, Step};
use weir_formats::graph::GraphFile;
use weir_operations::Operation;
use weir_units::Duration;

/// A GPU has no more threadblocks, a threadblock no more steps, and a step no more chunks than numbers of 16 bits say.
const MOST: u32 = 1 << 16;

/// The head of an algorithm.
struct Head {
    name: String,
    chunks: u64,
    gpus: u32,
    /// The sizes for which it is chosen.
    sizes: (u64, u64),
}

/// A threadblock of a GPU.
struct Block {
    id: u32,
    to: Option<u32>,
    from: Option<u32>,
    channel: i32,
    line: usize,
    steps: Vec<Step>,
}

struct Gpu {
    id: u32,
    line: usize,
    blocks: Vec<Block>,
}

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| reading.wrong_whole(format!("{} cannot be read: {error}", path.display()), None))
        .ok()?;
    let mut parts = Parts::new(&text);
    let (mut head, mut gpus): (Option<Head>, Vec<Gpu>) = (None, Vec::new());
    while let Some(part) = parts.next(reading).ok()? {
        let Part::Begin(element) = part else { continue };
        match (&*element.name, gpus.last_mut()) {
            ("algo", None) if head.is_none() => head = Some(self::head(&element, reading)?),
            ("gpu", _) if head.is_some() => {
                let id = number(&element, "id", reading)?;
                gpus.push(Gpu { id, line: element.line, blocks: Vec::new() });
            }
            ("tb", Some(gpu)) => gpu.blocks.push(block(&element, reading)?),
            ("step", Some(Gpu { blocks, .. })) if !blocks.is_empty() => {
                if let (Some(step), Some(block)) = (steps::step(&element, reading), blocks.last_mut()) {
                    block.steps.push(step);
                }
            }
            _ => reading.wrong(
                element.line,
                &element.name,
                "expected algo, and within it gpu, tb and step, each in the one before",
            ),
        }
    }
    let Some(head) = head else {
        reading.wrong_whole("there is no element algo", None);
        return None;
    };
    check(&head, &gpus, reading);
    let chunk = chunk(&head, reading)?;
    if reading.is_wrong() {
        return None;
    }
    graph(&head, gpus, chunk, reading)
}

/// A number of an attribute, at least 0.
fn number<T: FromStr>(element: &Element, key: &str, reading: &mut Reading) -> Option<T> {
    let value = element.get(key);
    let number = value.and_then(|value| value.parse().ok());
    if number.is_none() {
        let shown = value.map_or_else(|| element.name.clone(), |value| format!("{key}={value:?}"));
        reading.wrong(element.line, &shown, format!("expected {key}, a whole number of at least 0"));
    }
    number
}

/// A number of an attribute, or -1, which is none.
fn number_or_none(element: &Element, key: &str, reading: &mut Reading) -> Option<Option<u32>> {
    if element.get(key) == Some("-1") { Some(None) } else { number(element, key, reading).map(Some) }
}

fn head(element: &Element, reading: &mut Reading) -> Option<Head> {
    let chunks: u64 = number(element, "nchunksperloop", reading)?;
    let gpus = number(element, "ngpus", reading)?;
    if chunks == 0 {
        reading.wrong(element.line, "nchunksperloop=\"0\"", "a buffer has at least one chunk");
        return None;
    }
    let mut size = |key, otherwise| match element.get(key) {
        Some(_) => number(element, key, reading),
        None => Some(otherwise),
    };
    let sizes = (size("minBytes", 0)?, size("maxBytes", u64::MAX)?);
    Some(Head { name: element.get("name").unwrap_or_default().to_owned(), chunks, gpus, sizes })
}

fn block(element: &Element, reading: &mut Reading) -> Option<Block> {
    let id: u32 = number(element, "id", reading)?;
    let channel: u32 = number(element, "chan", reading)?;
    if id >= MOST || channel >= MOST {
        reading.wrong(element.line, "tb", format!("numbers of threadblocks and channels are below {MOST}"));
        return None;
    }
    Some(Block {
        id,
        to: number_or_none(element, "send", reading)?,
        from: number_or_none(element, "recv", reading)?,
        channel: channel as i32,
        line: element.line,
        steps: Vec::new(),
    })
}

/// The bytes of a chunk.
fn chunk(head: &Head, reading: &mut Reading) -> Option<u64> {
    let Some(bytes) = reading.given.message_size else {
        reading.wrong_whole(
            "it has chunks of a buffer and no bytes: say how long the whole buffer is",
            Some("workload.message_size = \"1 MiB\" in an experiment, --message-size 1MiB with weir convert"),
        );
        return None;
    };
    let bytes = bytes.0;
    if bytes == 0 || !bytes.is_multiple_of(head.chunks) {
        let near = bytes.next_multiple_of(head.chunks).max(head.chunks);
        reading.wrong_whole(
            format!("a buffer of {bytes} bytes cannot be cut into {} chunks of equal size", head.chunks),
            Some(&format!("a message_size of {near} bytes can")),
        );
        return None;
    }
    let (least, most) = head.sizes;
    if !(least..=most).contains(&bytes) {
        reading.note(format!("MSCCL takes {} for {least} to {most} bytes, not for {bytes} bytes", head.name));
    }
    Some(bytes / head.chunks)
}

/// All GPUs and threadblocks are there, and what is sent on a channel is received there.
fn check(head: &Head, gpus: &[Gpu], reading: &mut Reading) {
    let mut lines = BTreeMap::new();
    for gpu in gpus {
        if gpu.id >= head.gpus {
            let what = format!("there are {} GPUs, counted from 0", head.gpus);
            reading.wrong(gpu.line, &format!("id=\"{}\"", gpu.id), what);
        }
        if lines.insert(gpu.id, gpu.line).is_some() {
            reading.wrong(gpu.line, &format!("id=\"{}\"", gpu.id), "this GPU is there twice");
        }
        for (place, block) in gpu.blocks.iter().enumerate() {
            if gpu.blocks[..place].iter().any(|other| other.id == block.id) {
                let what = format!("GPU {} has this threadblock twice", gpu.id);
                reading.wrong(block.line, &format!("id=\"{}\"", block.id), what);
            }
        }
    }
    // The number of the head may be any, so it is not counted up to.
    let missing = head.gpus as usize - lines.range(..head.gpus).count();
    if missing > 0 {
        reading.wrong_whole(format!("{missing} of {} GPUs are missing", head.gpus), None);
    }
    steps::check(gpus, reading);
}

/// The task that a step is over with, and whether its beginning is enough.
type Over = (u32, bool);

fn graph(head: &Head, mut gpus: Vec<Gpu>, chunk: u64, reading: &mut Reading) -> Option<GraphFile> {
    let mut work = Work::new(u64::from(head.gpus), 0, reading)?;
    let mut local = 0;
    gpus.sort_by_key(|gpu| gpu.id);
    for gpu in &gpus {
        let mut section = Section::default();
        let mut over: BTreeMap<(u32, u32), Over> = BTreeMap::new();
        let mut depends: Vec<(u32, &Step)> = Vec::new();
        for block in &gpu.blocks {
            let mut last: Option<Over> = None;
            for (number, step) in (0..).zip(&block.steps) {
                depends.push((section.operations.len() as u32, step));
                local += u64::from(matches!(step.kind, Kind::Local) || step.kind.reduces());
                for operation in step.operations(block, chunk) {
                    let of = section.operations.len() as u32;
                    if let Some((needs, begun)) = last {
                        section.edges.push(Edge { of, needs, begun });
                    }
                    last = Some((of, matches!(operation, Operation::Send { .. })));
                    section.operations.push(Entry { operation, stream: block.id, line: step.line as u32 });
                }
                if let Some(last) = last {
                    over.insert((block.id, number), last);
                }
            }
        }
        for (of, step) in depends {
            let Some(on) = step.depends else { continue };
            match over.get(&on) {
                Some(&(needs, begun)) => section.edges.push(Edge { of, needs, begun }),
                None => {
                    let what = format!("GPU {} has no step {} of a threadblock {}", gpu.id, on.1, on.0);
                    let value = format!("depid=\"{}\" deps=\"{}\"", on.0, on.1);
                    work.reading.wrong(step.line, &value, what);
                }
            }
        }
        section.finish(gpu.id, &|number| format!("operation {number}"), &mut work);
    }
    if local > 0 {
        work.reading.note(format!("{local} copies and reductions within a GPU take no time"));
    }
    work.finish()
}

/// A step without a message, which takes no time.
const fn nothing() -> Operation {
    Operation::Compute { time: Duration::ZERO }
}

/// The messages of a step: what it receives comes before what it sends.
fn messages(step: &Step, block: &Block, chunk: u64) -> impl Iterator<Item = Operation> {
    let bytes = chunk.saturating_mul(step.count);
    let receive = block.from.filter(|_| step.kind.receives());
    let send = block.to.filter(|_| step.kind.sends());
    let receive = receive.map(|from| work::receive(Some(from), Some(block.channel), bytes));
    receive.into_iter().chain(send.map(|to| work::send(to, block.channel, bytes)))
}
