//! Loops of a sequence of tokens: a tree of leaves and loops, found by folding what repeats at the end of what has been read, and
//! other sequences as repetitions of that tree.

/// A part of a program: a token by its shape, or a loop. How often a loop repeats is no part of it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    hash: u64,
    pub(crate) part: Part,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Leaf(u32),
    Loop(Vec<Node>),
}

/// The longest body of a loop, in parts.
const LONGEST: usize = 2048;
/// The number of loops around a token whose repetitions are counted.
pub(crate) const DEEPEST: usize = 8;
/// The most that folding finds; dividing loops by their values finds more.
const DEEPEST_FOLDED: usize = 5;

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
            && match (&self.part, &other.part) {
                (Part::Leaf(own), Part::Leaf(other)) => own == other,
                (Part::Loop(own), Part::Loop(other)) => own == other,
                _ => false,
            }
    }
}

impl Node {
    fn leaf(shape: u32) -> Self {
        Self { hash: weir_units::mix(u64::from(shape) + 1), part: Part::Leaf(shape) }
    }

    pub(crate) fn repeated(body: Vec<Self>) -> Self {
        let hash = body.iter().fold(7, |hash: u64, node| weir_units::mix(hash.wrapping_mul(31) ^ node.hash));
        Self { hash, part: Part::Loop(body) }
    }

    fn depth(&self) -> usize {
        match &self.part {
            Part::Leaf(_) => 0,
            Part::Loop(body) => 1 + body.iter().map(Self::depth).max().unwrap_or(0),
        }
    }

    /// Leaves and loops in it, itself among them.
    pub(crate) fn size(&self) -> usize {
        match &self.part {
            Part::Leaf(_) => 1,
            Part::Loop(body) => 1 + size(body),
        }
    }
}

pub(crate) fn size(nodes: &[Node]) -> usize {
    nodes.iter().map(Node::size).sum()
}

/// Folds a sequence of shapes.
pub(crate) fn fold(shapes: &[u32]) -> Vec<Node> {
    let mut stack: Vec<Node> = Vec::new();
    for &shape in shapes {
        stack.push(Node::leaf(shape));
        while shorten(&mut stack) {}
    }
    stack
}

/// A sequence of shapes as it is.
pub(crate) fn unfolded(shapes: &[u32]) -> Vec<Node> {
    shapes.iter().map(|&shape| Node::leaf(shape)).collect()
}

/// Folds the end of what has been read once, if something repeats there.
fn shorten(stack: &mut Vec<Node>) -> bool {
    let length = stack.len();
    for body in 1..=LONGEST.min(length.saturating_sub(1)) {
        let (before, last) = stack.split_at(length - body);
        if before.last().is_some_and(|before| goes_on(before, last)) {
            stack.truncate(length - body);
            return true;
        }
        let repeats = before.len() >= body && before[before.len() - body..] == *last;
        let is_flat = last.iter().all(|node| node.depth() < DEEPEST_FOLDED);
        if repeats && is_flat {
            let last = stack.split_off(length - body);
            stack.truncate(length - 2 * body);
            match <[Node; 1]>::try_from(last) {
                // Two loops of one body, one behind the other, are one loop.
                Ok([node @ Node { part: Part::Loop(_), .. }]) => stack.push(node),
                Ok([node]) => stack.push(Node::repeated(vec![node])),
                Err(last) => stack.push(Node::repeated(last)),
            }
            return true;
        }
    }
    false
}

/// Returns whether parts are one more repetition of a loop, or of a loop at its end.
fn goes_on(before: &Node, last: &[Node]) -> bool {
    match &before.part {
        Part::Leaf(_) => false,
        Part::Loop(body) => body.as_slice() == last || body.last().is_some_and(|end| goes_on(end, last)),
    }
}

/// The number of repetitions before this one, of each loop around a token, from the outermost.
pub(crate) type Index = [u32; DEEPEST];

/// A token, or a loop with the number of its repetitions, at its place in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The number of the node in the tree, from the front, each before the parts in it.
    pub(crate) node: u32,
    /// The number of the token, or of repetitions.
    pub(crate) value: u32,
    pub(crate) index: Index,
}

/// Reads a sequence as one that a tree stands for; `None` where it is not.
pub(crate) fn read(tree: &[Node], shapes: &[u32]) -> Option<Vec<Event>> {
    let mut reader = Reader { shapes, next: 0, events: Vec::new() };
    let is_read = reader.nodes(tree, 0, 0, [0; DEEPEST]) && reader.next == shapes.len();
    is_read.then_some(reader.events)
}

struct Reader<'a> {
    shapes: &'a [u32],
    next: usize,
    events: Vec<Event>,
}

impl Reader<'_> {
    fn nodes(&mut self, nodes: &[Node], mut number: u32, depth: usize, index: Index) -> bool {
        for node in nodes {
            match &node.part {
                Part::Leaf(shape) => {
                    if self.shapes.get(self.next) != Some(shape) {
                        return false;
                    }
                    self.events.push(Event { node: number, value: self.next as u32, index });
                    self.next += 1;
                }
                Part::Loop(body) => {
                    let place = self.events.len();
                    self.events.push(Event { node: number, value: 0, index });
                    self.events[place].value = self.repetitions(body, number + 1, depth, index);
                }
            }
            number += node.size() as u32;
        }
        true
    }

    /// Reads a loop as often as it goes.
    fn repetitions(&mut self, body: &[Node], number: u32, depth: usize, mut index: Index) -> u32 {
        for count in 0.. {
            index[depth] = count;
            let (next, events) = (self.next, self.events.len());
            if !self.nodes(body, number, depth + 1, index) || self.next == next {
                self.next = next;
                self.events.truncate(events);
                return count;
            }
        }
        unreachable!("a sequence ends")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(nodes: &[Node]) -> String {
        let part = |node: &Node| match &node.part {
            Part::Leaf(shape) => char::from(b'a' + *shape as u8).to_string(),
            Part::Loop(body) => format!("({})", text(body)),
        };
        nodes.iter().map(part).collect()
    }

    fn shapes(text: &str) -> Vec<u32> {
        text.bytes().map(|letter| u32::from(letter - b'a')).collect()
    }

    #[track_caller]
    fn check(sequence: &str, expected: &str) {
        let shapes = shapes(sequence);
        let tree = fold(&shapes);
        assert_eq!(text(&tree), expected, "{sequence}");
        let events = read(&tree, &shapes).expect("a tree stands for what it was made of");
        let tokens = events.iter().filter(|event| event.node != u32::MAX);
        assert!(tokens.count() >= shapes.len());
    }

    #[test]
    fn what_repeats_is_folded() {
        check("abc", "abc");
        check("aaa", "(a)");
        check("ababc", "(ab)c");
        check("aabaab", "((a)b)");
        check("xaabaabaaby", "x((a)b)y");
        check("abccabccdabccabccd", "((ab(c))d)");
        check("abbbabbbabbb", "(a(b))");
    }

    #[test]
    fn other_counts_are_read_by_the_same_tree() {
        let tree = fold(&shapes("aabaabc"));
        let events = read(&tree, &shapes("bbaaabc")).expect("it stands for this too");
        let counts: Vec<u32> =
            events.iter().filter(|event| event.node < 2).map(|event| event.value).collect();
        assert_eq!(counts, [3, 0, 0, 3]);
        assert!(read(&tree, &shapes("aabaab")).is_none());
    }
}
