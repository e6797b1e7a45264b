//! The order of a training step: what each rank computes and exchanges, and what it waits for. All ranks do the same.

use super::Policy;
use super::groups::{Group, Groups, Of};
use super::layers::{Exchange, File, Layer, Part};
use crate::reading::Reading;
use std::collections::BTreeMap;

/// A computation or a collective.
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) line: usize,
    pub(super) ended: Vec<u64>,
    pub(super) begun: Vec<u64>,
}

pub(super) enum Kind {
    /// It takes this number of nanoseconds.
    Compute(u64),
    Collective {
        function: u64,
        bytes: u64,
        group: Group,
    },
}

/// A step in the making.
struct Step<'a> {
    file: &'a File,
    groups: &'a Groups,
    reading: &'a mut Reading,
    items: Vec<Item>,
    /// The items that the next computation waits for.
    after: Vec<u64>,
    /// The last collective of each group.
    last: BTreeMap<Group, u64>,
}

/// Everything that a rank does.
pub(super) fn items(file: &File, groups: &Groups, reading: &mut Reading) -> Vec<Item> {
    let mut step =
        Step { file, groups, reading, items: Vec::new(), after: Vec::new(), last: BTreeMap::new() };
    match file.head.policy {
        Policy::Micro => step.micro(),
        Policy::Data => step.data(),
        Policy::Dlrm => step.recommendation(),
        Policy::Inference => step.forward(&file.layers),
        _ => step.model(),
    }
    step.items
}

impl Step<'_> {
    fn compute(&mut self, layer: &Layer, part: Part) {
        if part.ns > 0 {
            self.items.push(Item {
                kind: Kind::Compute(part.ns),
                line: layer.line,
                ended: std::mem::take(&mut self.after),
                begun: Vec::new(),
            });
            self.after = vec![self.items.len() as u64 - 1];
        }
    }

    /// Begins a collective, if there is one among more than one rank.
    fn exchange(&mut self, layer: &Layer, part: Part, of: Of) -> Option<u64> {
        let policy = layer.policy.unwrap_or(self.file.head.policy);
        if matches!((policy, of), (Policy::Data, Of::Model) | (Policy::Model, Of::Data)) {
            self.never(layer, part);
            return None;
        }
        let Exchange { function, among, bytes } = part.exchange?;
        let group = self.groups.group(policy, of, among);
        if group.size < 2 {
            return None;
        }
        let number = self.items.len() as u64;
        let before = self.last.insert(group, number);
        let begun = before.filter(|before| !self.after.contains(before));
        self.items.push(Item {
            kind: Kind::Collective { function, bytes, group },
            line: layer.line,
            ended: self.after.clone(),
            begun: begun.into_iter().collect(),
        });
        Some(number)
    }

    fn wait(&mut self, item: Option<u64>) {
        self.after.extend(item);
        self.after.sort_unstable();
        self.after.dedup();
    }

    /// Names a collective that this order never begins.
    fn never(&mut self, layer: &Layer, part: Part) {
        if part.exchange.is_some() {
            self.reading.cannot(layer.line, "", "ASTRA-sim never begins this collective, for the way in which work is divided has none there; left out, it is not begun here either");
        }
    }

    /// The collectives of weights alone, one after the other.
    fn micro(&mut self) {
        for layer in &self.file.layers {
            self.never(layer, layer.forward);
            self.never(layer, layer.input);
            if let Some(begun) = self.exchange(layer, layer.weights, Of::Data) {
                self.after = vec![begun];
            }
        }
    }

    /// Each rank has all of the model: gradients of weights are exchanged while the rank goes on.
    fn data(&mut self) {
        self.forward(&self.file.layers);
        for (place, layer) in self.file.layers.iter().enumerate().rev() {
            self.compute(layer, layer.weights);
            self.exchange(layer, layer.weights, Of::Data);
            self.never(layer, layer.input);
            if place > 0 {
                self.compute(layer, layer.input);
            }
        }
    }

    /// Ranks have parts of the model: what a layer gives is exchanged before the next one begins. What a layer gives back is exchanged while the gradient of its weights is computed, in
    /// transformers before.
    fn model(&mut self) {
        let file = self.file;
        let waits = matches!(file.head.policy, Policy::Transformer | Policy::TransformerAgain);
        self.forward(&file.layers);
        for (place, layer) in file.layers.iter().enumerate().rev() {
            if file.head.initiates.contains(&place) {
                let begin = file.head.checkpoints.iter().copied().filter(|&kept| kept <= place).max();
                self.forward(&file.layers[begin.unwrap_or(0)..place]);
            }
            self.compute(layer, layer.input);
            // The first layer gives nothing back, but in transformers.
            let begun = if place > 0 || waits { self.exchange(layer, layer.input, Of::Model) } else { None };
            if waits {
                self.wait(begun);
            }
            self.compute(layer, layer.weights);
            self.exchange(layer, layer.weights, Of::Data);
            self.wait(begun);
        }
    }

    fn forward(&mut self, layers: &[Layer]) {
        for layer in layers {
            self.compute(layer, layer.forward);
            let begun = self.exchange(layer, layer.forward, Of::Model);
            self.wait(begun);
        }
    }

    /// A recommendation model: embeddings are exchanged beside the layers at the bottom, and their gradients when those at the top are there.
    fn recommendation(&mut self) {
        let file = self.file;
        let bottom = file.head.bottom;
        let mut exchanged = None;
        for (place, layer) in file.layers.iter().enumerate() {
            self.compute(layer, layer.forward);
            if place == 0 {
                exchanged = self.exchange(layer, layer.forward, Of::Model);
            } else {
                self.never(layer, layer.forward);
                self.never(layer, layer.input);
            }
            if place == bottom {
                self.wait(exchanged);
            }
        }
        for (place, layer) in file.layers.iter().enumerate().rev() {
            self.compute(layer, layer.weights);
            self.exchange(layer, layer.weights, Of::Data);
            if place > 0 {
                self.compute(layer, layer.input);
                if place == bottom + 1 {
                    self.exchange(&file.layers[0], file.layers[0].input, Of::Model);
                }
            }
        }
    }
}
