//! Service classes as an experiment says them.

use weir_network::{Selected, ServiceClass, ServiceClasses};

/// A service class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassRow {
    /// Its name.
    pub name: String,
    /// Virtual channels of each link that are its own, if that is said.
    pub channels: Option<u32>,
    /// A class with a higher one goes first.
    pub priority: u32,
    /// Its part of a link beside those of other classes of the same priority.
    pub weight: u32,
    /// The messages that are in it, beside those of protocols.
    pub messages: Selected,
    /// True if what protocols need beside data is in it.
    pub control: bool,
}

/// The classes for engines; `None` if there is only one. Those that do not say their channels have so many.
pub(crate) fn services(rows: &[ClassRow], channels: u32) -> Option<ServiceClasses> {
    let class = |row: &ClassRow| ServiceClass {
        name: row.name.clone(),
        channels: row.channels.unwrap_or(channels),
        priority: row.priority,
        weight: row.weight,
        messages: row.messages.clone(),
        control: row.control,
    };
    ServiceClasses::new(rows.iter().map(class).collect())
}
