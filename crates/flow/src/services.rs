//! The service classes of messages, as flows have them.
//!
//! A flow has the weight of its class: where flows of one priority share a link, they have rates like their weights. That is max-min
//! fairness of *rates over weights*, so a flow of the weight `w` is one of `1 / w` of its bytes that loads each link `w` times. Classes of a
//! higher priority share all links first, and those of lower ones what is left ([`crate::progressive_filling`]).

use weir_network::{Message, ServiceClasses};

/// The service classes of a run; one if nothing is said.
#[derive(Clone, Debug)]
pub(crate) struct Services<'a> {
    classes: Option<&'a ServiceClasses>,
    /// By class: weight, the greatest is 1; and number of priorities above its own.
    weights: Vec<f64>,
    levels: Vec<u8>,
}

impl<'a> Services<'a> {
    pub(crate) fn new(classes: Option<&'a ServiceClasses>) -> Self {
        let Some(all) = classes.map(ServiceClasses::all) else {
            return Self { classes: None, weights: vec![1.0], levels: vec![0] };
        };
        let most = all.iter().map(|class| class.weight).max().unwrap_or(1);
        let weights = all.iter().map(|class| f64::from(class.weight) / f64::from(most)).collect();
        let ends = all.windows(2).map(|pair| u8::from(pair[0].priority != pair[1].priority));
        let levels = std::iter::once(0).chain(ends).scan(0, |level, step| {
            *level += step;
            Some(*level)
        });
        Self { classes, weights, levels: levels.collect() }
    }

    /// Number of classes.
    pub(crate) fn count(&self) -> usize {
        self.weights.len()
    }

    /// Returns whether flows have different weights.
    pub(crate) fn are_weighted(&self) -> bool {
        self.weights.iter().any(|&weight| weight < 1.0)
    }

    /// Returns whether there are several priorities.
    pub(crate) fn have_levels(&self) -> bool {
        self.levels.last().is_some_and(|&last| last > 0)
    }

    pub(crate) fn of<B>(&self, message: &Message<B>) -> usize {
        self.classes.map_or(0, |classes| classes.of(message))
    }

    pub(crate) fn weight(&self, class: usize) -> f64 {
        self.weights[class]
    }

    pub(crate) fn level(&self, class: usize) -> u8 {
        self.levels[class]
    }
}
