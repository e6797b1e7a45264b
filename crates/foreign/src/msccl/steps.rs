//! Steps of threadblocks, and whether what is sent is received.

use super::{Block, Gpu, MOST, messages, nothing, number, number_or_none};
use crate::reading::Reading;
use crate::xml::Element;
use std::collections::BTreeMap;
use weir_operations::Operation;

/// The work of a step, by the letters of its type: receive, reduce, copy, send.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Send,
    Receive,
    ReceiveSend,
    ReceiveReduce,
    ReceiveReduceSend,
    /// It copies or reduces within the GPU.
    Local,
    /// It waits.
    Nothing,
}

impl Kind {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "s" => Self::Send,
            "r" => Self::Receive,
            "rcs" => Self::ReceiveSend,
            "rrc" => Self::ReceiveReduce,
            "rrs" | "rrcs" => Self::ReceiveReduceSend,
            "cpy" | "re" => Self::Local,
            "nop" => Self::Nothing,
            _ => return None,
        })
    }

    pub(super) const fn sends(self) -> bool {
        matches!(self, Self::Send | Self::ReceiveSend | Self::ReceiveReduceSend)
    }

    pub(super) const fn receives(self) -> bool {
        matches!(self, Self::Receive | Self::ReceiveSend | Self::ReceiveReduce | Self::ReceiveReduceSend)
    }

    pub(super) const fn reduces(self) -> bool {
        matches!(self, Self::ReceiveReduce | Self::ReceiveReduceSend)
    }
}

pub(super) struct Step {
    number: u32,
    pub(super) kind: Kind,
    /// Number of chunks.
    pub(super) count: u64,
    /// The threadblock and the step that it waits for.
    pub(super) depends: Option<(u32, u32)>,
    pub(super) line: usize,
}

impl Step {
    pub(super) fn operations(&self, block: &Block, chunk: u64) -> Vec<Operation> {
        let made: Vec<Operation> = messages(self, block, chunk).collect();
        if made.is_empty() { vec![nothing()] } else { made }
    }
}

/// A step as its element has it; `None` where it is left out or wrong.
pub(super) fn step(element: &Element, reading: &mut Reading) -> Option<Step> {
    let word = element.get("type").unwrap_or_default();
    let kind = Kind::of(word).unwrap_or_else(|| {
        let value = format!("type={word:?}");
        reading.cannot(element.line, &value, "this type of a step has no task: known are s, r, rcs, rrc, rrs, rrcs, cpy, re and nop; left out, the step only waits");
        Kind::Nothing
    });
    let step = Step {
        number: number(element, "s", reading)?,
        kind,
        count: number(element, "cnt", reading)?,
        depends: number_or_none(element, "depid", reading)?.zip(number_or_none(element, "deps", reading)?),
        line: element.line,
    };
    if step.count >= u64::from(MOST) {
        reading.wrong(
            element.line,
            &format!("cnt=\"{}\"", step.count),
            format!("a step has less than {MOST} chunks"),
        );
    }
    Some(step)
}

/// Lines and chunks of the steps on a channel, in their order.
type Side = Vec<(usize, u64)>;

/// Names steps that are not in their order, or have no other GPU, and messages that are sent and not received, or the other way around.
pub(super) fn check(gpus: &[Gpu], reading: &mut Reading) {
    // By sender, receiver and channel: the sends, then the receives.
    let mut channels: BTreeMap<(u32, u32, i32), [Side; 2]> = BTreeMap::new();
    // The threadblock that has a side of a channel.
    let mut owners: BTreeMap<(u32, u32, i32, usize), u32> = BTreeMap::new();
    for gpu in gpus {
        for block in &gpu.blocks {
            for (place, step) in (0_u32..).zip(&block.steps) {
                if step.number != place {
                    let what =
                        format!("expected step {place}: the steps of a threadblock are in their order");
                    reading.wrong(step.line, &format!("s=\"{}\"", step.number), what);
                }
                let sides =
                    [(step.kind.sends(), block.to, "send"), (step.kind.receives(), block.from, "recv")];
                for (side, (is_it, other, key)) in sides.into_iter().enumerate() {
                    if !is_it {
                        continue;
                    }
                    let Some(other) = other else {
                        let what = format!("the threadblock has no GPU for this: its {key} is -1");
                        reading.wrong(step.line, "step", what);
                        continue;
                    };
                    let (from, to) = if side == 0 { (gpu.id, other) } else { (other, gpu.id) };
                    let owner = *owners.entry((from, to, block.channel, side)).or_insert(block.id);
                    if owner != block.id {
                        let what = format!(
                            "threadblock {owner} has channel {} between GPUs {from} and {to} already: one threadblock has each side",
                            block.channel
                        );
                        reading.wrong(step.line, "step", what);
                    }
                    channels.entry((from, to, block.channel)).or_default()[side]
                        .push((step.line, step.count));
                }
            }
        }
    }
    for ((from, to, channel), [sends, receives]) in channels {
        let differs = sends.iter().zip(&receives).find(|((_, sent), (_, received))| sent != received);
        let between = format!("on channel {channel} from GPU {from} to GPU {to}");
        if let Some(((line, sent), (other, received))) = differs {
            let what = format!("{between} {sent} chunks are sent, and {received} received (line {other})");
            reading.wrong(*line, "step", what);
        }
        let one_more = sends.get(receives.len()).or_else(|| receives.get(sends.len()));
        if let Some((line, _)) = one_more {
            let what = format!("{between} there are {} sends and {} receives", sends.len(), receives.len());
            reading.wrong(*line, "step", what);
        }
    }
}
