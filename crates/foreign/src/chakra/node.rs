//! A node of a trace.

use super::wire::{self, Value};
use weir_operations::{Collective, Function, Lengths, OperandOrder, Root};

/// The work of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Computes,
    Send,
    Receive,
    Collective(u64),
    Memory,
    Nothing,
}

/// A node, as far as it says something here.
pub(super) struct Node {
    pub(super) id: u64,
    pub(super) kind: Kind,
    pub(super) requires: Vec<u64>,
    pub(super) micros: u64,
    pub(super) is_on_cpu: bool,
    pub(super) stream: Option<i64>,
    pub(super) bytes: u64,
    pub(super) from: Option<u32>,
    pub(super) to: Option<u32>,
    pub(super) tag: u64,
    pub(super) root: u32,
    /// The name of its group.
    pub(super) group: Option<String>,
    /// Only some dimensions of the network take part.
    pub(super) has_part: bool,
    is_old: bool,
}

/// A value of an attribute.
enum Attribute {
    Number(u64),
    Text(String),
    Numbers(Vec<u64>),
}

impl Node {
    /// Reads a node, of the schema before 2023-10 if it is old.
    pub(super) fn read(message: &[u8], is_old: bool) -> Result<Self, String> {
        let mut node = Self {
            id: 0,
            kind: Kind::Nothing,
            requires: Vec::new(),
            micros: 0,
            is_on_cpu: false,
            stream: None,
            bytes: 0,
            from: None,
            to: None,
            tag: 0,
            root: 0,
            group: None,
            has_part: false,
            is_old,
        };
        let (mut kind, mut comm_type, mut thread) = (0, None, None);
        for field in wire::fields(message) {
            let damaged = || "it is damaged".to_owned();
            match field.ok_or_else(damaged)? {
                (1, Value::Number(id)) => node.id = id,
                (3, Value::Number(number)) => kind = number,
                (4, Value::Number(other)) => node.requires.push(other),
                (5, Value::Number(other)) if !is_old => node.requires.push(other),
                (4, Value::Bytes(packed)) => node.requires.extend(wire::numbers(packed).ok_or_else(damaged)?),
                (5, Value::Bytes(packed)) if !is_old => node.requires.extend(wire::numbers(packed).ok_or_else(damaged)?),
                (7, Value::Number(micros)) if !is_old => node.micros = micros,
                (13 | 18, Value::Number(_)) => return Err("it is of the schema before 2023-08 (simulated_run_time, comm_size as fields of nodes), which is not read".into()),
                (field, Value::Bytes(attribute)) if field == if is_old { 11 } else { 10 } => {
                    if let Some((name, value)) = attribute_of(attribute, is_old) {
                        // PyTorch has the stream of a kernel as its thread.
                        if let ("tid", Attribute::Number(number)) = (&*name, &value) {
                            thread = Some(number.cast_signed());
                        }
                        node.set(&name, value, &mut comm_type);
                    }
                }
                _ => {}
            }
        }
        node.stream = node.stream.or(thread);
        node.requires.sort_unstable();
        node.requires.dedup();
        node.kind = match kind {
            2 | 3 => Kind::Memory,
            4 => Kind::Computes,
            5 => Kind::Send,
            6 => Kind::Receive,
            7 => match comm_type {
                Some(number) => Kind::Collective(number),
                // The processor calls one, whose kernel is a node of its own.
                None if node.is_on_cpu => Kind::Computes,
                None => return Err("it is a collective without comm_type".into()),
            },
            _ => Kind::Nothing,
        };
        Ok(node)
    }

    fn set(&mut self, name: &str, value: Attribute, comm_type: &mut Option<u64>) {
        match (name, value) {
            ("comm_size", Attribute::Number(bytes)) => self.bytes = bytes,
            ("comm_type", Attribute::Number(number)) => *comm_type = Some(number),
            ("comm_src", Attribute::Number(rank)) => self.from = u32::try_from(rank).ok(),
            ("comm_dst", Attribute::Number(rank)) => self.to = u32::try_from(rank).ok(),
            ("comm_tag", Attribute::Number(tag)) => self.tag = tag,
            ("root" | "root_rank", Attribute::Number(root)) => self.root = u32::try_from(root).unwrap_or(0),
            ("is_cpu_op", Attribute::Number(is)) => self.is_on_cpu = is != 0,
            ("stream", Attribute::Number(stream)) => self.stream = Some(stream.cast_signed()),
            ("runtime", Attribute::Number(micros)) => self.micros = micros,
            ("pg_name", Attribute::Text(name)) => self.group = Some(name),
            ("involved_dim", Attribute::Numbers(dims)) => self.has_part = dims.contains(&0),
            _ => {}
        }
    }

    /// The collective of a node, among so many ranks.
    pub(super) fn collective(&self, ranks: u64) -> Result<Collective, String> {
        let Kind::Collective(number) = self.kind else { return Err("it is no collective".into()) };
        // Older numbers: all-reduce, all-to-all, all-gather, reduce-scatter.
        let number =
            if self.is_old { [0, 6, 2, 7].get(number as usize).copied().unwrap_or(u64::MAX) } else { number };
        collective(number, self.bytes, self.root, ranks)
    }
}

/// A collective by its number in the schema, of so many bytes as ASTRA-sim has it, among so many ranks.
pub(crate) fn collective(number: u64, bytes: u64, root: u32, ranks: u64) -> Result<Collective, String> {
    let (none, root) = (Root::None, Root::Rank(root));
    let whole = || Lengths::Elements { bytes, element: 1, operands: OperandOrder::Commute };
    let share = || Lengths::Bytes(bytes.div_ceil(ranks));
    let blocks = || {
        let of = |rank| bytes * (rank + 1) / ranks - bytes * rank / ranks;
        let blocks: Box<[u64]> =
            if bytes.is_multiple_of(ranks) { [bytes / ranks].into() } else { (0..ranks).map(of).collect() };
        Lengths::Combined { blocks, element: 1, operands: OperandOrder::Commute }
    };
    let (function, root, lengths) = match number {
        0 => (Function::Allreduce, none, whole()),
        1 => (Function::Reduce, root, whole()),
        2 => (Function::Allgather, none, Lengths::Bytes(bytes)),
        3 => (Function::Gather, root, Lengths::Bytes(bytes)),
        4 => (Function::Scatter, root, share()),
        5 => (Function::Bcast, root, Lengths::Bytes(bytes)),
        6 => (Function::Alltoall, none, share()),
        7 | 8 => (Function::ReduceScatter, none, blocks()),
        9 => (Function::Barrier, none, Lengths::None),
        _ => return Err(format!("comm_type {number} is no collective that is known")),
    };
    Ok(Collective::new(function, root, lengths))
}

/// Name and value of an attribute; `None` for those that say nothing here.
fn attribute_of(bytes: &[u8], is_old: bool) -> Option<(String, Attribute)> {
    let (mut name, mut value) = (String::new(), None);
    for field in wire::fields(bytes) {
        // Since 2023-10 each type of a number has a field of its own; strings are 29, lists of truths 28.
        match (field?, is_old) {
            ((1, Value::Bytes(text)), _) => name = String::from_utf8_lossy(text).into_owned(),
            ((4 | 6 | 7, Value::Number(number)), true)
            | ((7 | 9 | 11 | 13 | 27, Value::Number(number)), false) => {
                value = Some(Attribute::Number(number))
            }
            // Numbers that may be negative put their sign last.
            ((15 | 17, Value::Number(number)), false) => {
                value = Some(Attribute::Number((number >> 1) ^ (number & 1).wrapping_neg()))
            }
            ((8, Value::Bytes(text)), true) | ((29, Value::Bytes(text)), false) => {
                value = Some(Attribute::Text(String::from_utf8_lossy(text).into_owned()));
            }
            ((28, Value::Bytes(list)), false) => {
                let packed = wire::fields(list).flatten().find_map(|(_, value)| {
                    if let Value::Bytes(packed) = value { wire::numbers(packed) } else { None }
                });
                value = packed.map(Attribute::Numbers);
            }
            _ => {}
        }
    }
    Some((name, value?))
}
