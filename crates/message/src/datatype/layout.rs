//! Layouts: a type map as bytes alone, in runs of equal blocks.

use std::rc::Rc;

/// Equal blocks of contiguous data, a stride apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Piece {
    /// Bytes from the buffer's address to the first block.
    pub offset: isize,
    /// Bytes of a block.
    pub length: usize,
    /// Number of blocks.
    pub count: usize,
    /// Bytes from one block to the next.
    pub stride: isize,
}

/// Part of a layout, at its displacement. Copies share what is below.
#[derive(Clone, Debug)]
pub(super) struct Node {
    offset: isize,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    /// A run.
    Blocks { length: usize, count: usize, stride: isize },
    /// The same so many times.
    Repeat { count: usize, stride: isize, of: Rc<Node> },
    /// One behind the other; nothing, if there are none.
    Sequence(Rc<[Node]>),
}

impl Node {
    fn empty() -> Self {
        Self { offset: 0, body: Body::Sequence(Rc::new([])) }
    }

    fn is_empty(&self) -> bool {
        matches!(&self.body, Body::Sequence(parts) if parts.is_empty())
    }

    /// Bytes at displacement 0.
    pub(super) fn block(length: usize) -> Self {
        Self { offset: 0, body: Body::Blocks { length, count: 1, stride: 0 } }
    }

    pub(super) fn moved(self, by: isize) -> Self {
        Self { offset: self.offset + by, ..self }
    }

    /// The same so many times, a stride apart.
    pub(super) fn repeated(self, times: usize, apart: isize) -> Self {
        if times == 0 || self.is_empty() {
            return Self::empty();
        }
        if times == 1 {
            return self;
        }
        let Self { offset, body } = self;
        let body = match body {
            Body::Blocks { length, count: 1, .. } if apart == length as isize => {
                Body::Blocks { length: length * times, count: 1, stride: 0 }
            }
            Body::Blocks { length, count: 1, .. } => Body::Blocks { length, count: times, stride: apart },
            Body::Blocks { length, count, stride } if goes_on(count, stride, apart) => {
                Body::Blocks { length, count: count * times, stride }
            }
            Body::Repeat { count, stride, of } if goes_on(count, stride, apart) => {
                Body::Repeat { count: count * times, stride, of }
            }
            body => Body::Repeat { count: times, stride: apart, of: Rc::new(Self { offset: 0, body }) },
        };
        Self { offset, body }
    }

    /// One behind the other; what touches becomes one.
    pub(super) fn sequence(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut nodes = Vec::new();
        for part in parts {
            match part.body {
                Body::Sequence(inner) => {
                    inner.iter().for_each(|node| append(&mut nodes, node.clone().moved(part.offset)));
                }
                _ => append(&mut nodes, part),
            }
        }
        match nodes.pop() {
            Some(only) if nodes.is_empty() => only,
            Some(last) => {
                nodes.push(last);
                Self { offset: 0, body: Body::Sequence(nodes.into()) }
            }
            None => Self::empty(),
        }
    }

    /// Where the data begin if one element is a block that fills its extent.
    pub(super) fn contiguous(&self, size: usize, extent: isize) -> Option<isize> {
        match &self.body {
            Body::Blocks { length, count: 1, .. } => (*length as isize == extent).then_some(self.offset),
            _ => (size == 0).then_some(0),
        }
    }

    /// Calls `take` with where the first `limit` bytes of `elements` elements are.
    pub(super) fn pieces(&self, elements: usize, extent: isize, limit: usize, take: &mut impl FnMut(Piece)) {
        let mut walk = Walk { remaining: limit, take };
        let offset = self.offset;
        match self.body {
            Body::Blocks { length, count: 1, .. } if extent == length as isize => {
                walk.run(Piece { offset, length: length * elements, count: 1, stride: 0 });
            }
            Body::Blocks { length, count: 1, .. } => {
                walk.run(Piece { offset, length, count: elements, stride: extent });
            }
            Body::Blocks { length, count, stride } if goes_on(count, stride, extent) => {
                walk.run(Piece { offset, length, count: count * elements, stride });
            }
            _ => walk.repeat(self, 0, elements, extent),
        }
    }
}

/// Returns whether runs of `count` blocks, `apart` from one to the next, are one longer run.
fn goes_on(count: usize, stride: isize, apart: isize) -> bool {
    (count as isize).checked_mul(stride) == Some(apart)
}

/// Adds a part to a sequence: to the run before it, if that goes on.
fn append(nodes: &mut Vec<Node>, part: Node) {
    let (Some(before), Body::Blocks { length: new, count: 1, .. }) = (nodes.last_mut(), &part.body) else {
        return nodes.push(part);
    };
    let distance = part.offset - before.offset;
    match &mut before.body {
        Body::Blocks { length, count: 1, .. } if distance == *length as isize => *length += new,
        Body::Blocks { length, count: count @ 1, stride } if length == new => {
            (*count, *stride) = (2, distance)
        }
        Body::Blocks { length, count, stride } if length == new && goes_on(*count, *stride, distance) => {
            *count += 1
        }
        _ => nodes.push(part),
    }
}

/// A walk over a layout that ends when so many bytes have been seen.
struct Walk<'a, F> {
    remaining: usize,
    take: &'a mut F,
}

impl<F: FnMut(Piece)> Walk<'_, F> {
    fn repeat(&mut self, node: &Node, at: isize, count: usize, stride: isize) {
        let mut at = at;
        for _ in 0..count {
            if self.remaining == 0 {
                return;
            }
            self.node(node, at);
            at = at.wrapping_add(stride);
        }
    }

    fn node(&mut self, node: &Node, at: isize) {
        let offset = at + node.offset;
        match &node.body {
            &Body::Blocks { length, count, stride } => self.run(Piece { offset, length, count, stride }),
            Body::Repeat { count, stride, of } => self.repeat(of, offset, *count, *stride),
            Body::Sequence(parts) => {
                for part in &**parts {
                    if self.remaining == 0 {
                        return;
                    }
                    self.node(part, offset);
                }
            }
        }
    }

    /// Takes a run, as far as it goes.
    fn run(&mut self, run: Piece) {
        let bytes = run.length.saturating_mul(run.count);
        if bytes <= self.remaining {
            self.remaining -= bytes;
            if bytes > 0 {
                (self.take)(run);
            }
            return;
        }
        let (whole, rest) = (self.remaining / run.length, self.remaining % run.length);
        self.remaining = 0;
        if whole > 0 {
            (self.take)(Piece { count: whole, ..run });
        }
        if rest > 0 {
            let offset = run.offset + whole as isize * run.stride;
            (self.take)(Piece { offset, length: rest, count: 1, stride: 0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair of blocks 20 bytes apart twice, and that three times: six times, if the second stride goes on with the first.
    #[test]
    fn repetitions_that_go_on_are_one() {
        let pair = Node::sequence([Node::block(4), Node::block(8).moved(9)]);
        let repeated = |apart| {
            let Body::Repeat { count, stride, .. } = pair.clone().repeated(2, 20).repeated(3, apart).body
            else {
                panic!("a repetition")
            };
            (count, stride)
        };
        assert_eq!([repeated(40), repeated(41)], [(6, 20), (3, 41)]);
    }
}
