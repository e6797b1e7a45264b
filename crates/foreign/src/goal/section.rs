//! The operations of one rank, which may require others that come later: they are put into an order in which none does.

use crate::work::Work;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weir_operations::{Operation, Requires, Task};

/// Operations of a rank by their numbers in the file, and what they require.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) operations: Vec<Entry>,
    pub(crate) edges: Vec<Edge>,
}

pub(crate) struct Entry {
    pub(crate) operation: Operation,
    pub(crate) stream: u32,
    pub(crate) line: u32,
}

/// An operation that requires another one.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) of: u32,
    pub(crate) needs: u32,
    /// The beginning is enough.
    pub(crate) begun: bool,
}

impl Section {
    /// Adds all of them to the graph: in the order of the file as far as requirements allow.
    pub(crate) fn finish(mut self, rank: u32, name: &dyn Fn(u32) -> String, work: &mut Work<'_>) {
        let is_sorted = self.edges.iter().all(|edge| edge.needs < edge.of);
        let order = if is_sorted { None } else { Some(self.order()) };
        if let Some(order) = &order
            && order.len() < self.operations.len()
        {
            return self.circle(rank, order, name, work);
        }
        let count = self.operations.len();
        let mut place: Vec<u32> = (0..count as u32).collect();
        if let Some(order) = order {
            (0..).zip(&order).for_each(|(new, &old)| place[old as usize] = new);
            let mut entries: Vec<Option<Entry>> = self.operations.into_iter().map(Some).collect();
            self.operations = order.iter().filter_map(|&old| entries[old as usize].take()).collect();
        }
        for edge in &mut self.edges {
            (edge.of, edge.needs) = (place[edge.of as usize], place[edge.needs as usize]);
        }
        self.edges.sort_by_key(|edge| edge.of);
        let mut edges = self.edges.iter().peekable();
        for (number, Entry { operation, stream, line }) in (0..).zip(self.operations) {
            let mut requires = (Vec::new(), Vec::new());
            while let Some(edge) = edges.next_if(|edge| edge.of == number) {
                let list = if edge.begun { &mut requires.1 } else { &mut requires.0 };
                list.push(u64::from(edge.needs));
            }
            let requires = Requires { ended: requires.0.into(), begun: requires.1.into() };
            let task = Task { operation, stream, requires: Some(Box::new(requires)) };
            work.add(rank, task, line as usize, "");
        }
    }

    /// Those that can be carried out, the earliest in the file first.
    pub(crate) fn order(&self) -> Vec<u32> {
        let count = self.operations.len();
        let mut missing = vec![0_u32; count];
        self.edges.iter().for_each(|edge| missing[edge.of as usize] += 1);
        let mut waiting = self.edges.clone();
        waiting.sort_unstable_by_key(|edge| edge.needs);
        let mut begin = vec![0_usize; count + 1];
        waiting.iter().for_each(|edge| begin[edge.needs as usize + 1] += 1);
        (0..count).for_each(|number| begin[number + 1] += begin[number]);
        let mut ready: BinaryHeap<Reverse<u32>> = (0..)
            .zip(&missing)
            .filter(|(_, missing)| **missing == 0)
            .map(|(number, _)| Reverse(number))
            .collect();
        let mut order = Vec::with_capacity(count);
        while let Some(Reverse(number)) = ready.pop() {
            order.push(number);
            for edge in &waiting[begin[number as usize]..begin[number as usize + 1]] {
                missing[edge.of as usize] -= 1;
                if missing[edge.of as usize] == 0 {
                    ready.push(Reverse(edge.of));
                }
            }
        }
        order
    }

    /// Names a circle among those that are not in the order.
    fn circle(&self, rank: u32, order: &[u32], name: &dyn Fn(u32) -> String, work: &mut Work<'_>) {
        let mut needs = vec![None; self.operations.len()];
        let mut is_left = vec![true; self.operations.len()];
        order.iter().for_each(|&number| is_left[number as usize] = false);
        for edge in self.edges.iter().filter(|edge| is_left[edge.needs as usize]) {
            needs[edge.of as usize].get_or_insert(edge.needs);
        }
        let Some(first) = is_left.iter().position(|is_left| *is_left) else { return };
        let (mut seen, mut path, mut here) = (vec![false; self.operations.len()], Vec::new(), first as u32);
        while !std::mem::replace(&mut seen[here as usize], true) {
            path.push(here);
            let Some(next) = needs[here as usize] else { return };
            here = next;
        }
        let circle = &path[path.iter().position(|&number| number == here).unwrap_or(0)..];
        let shown: Vec<String> = circle.iter().take(10).chain([&here]).map(|&number| name(number)).collect();
        let more =
            if circle.len() > 10 { format!(", over {} operations", circle.len()) } else { String::new() };
        let line = self.operations[here as usize].line as usize;
        let what = format!(
            "operations of rank {rank} wait for each other in a circle{more}: {}",
            shown.join(" requires ")
        );
        work.reading.wrong(line, &name(here), what);
    }
}
