//! `kind = "ideal"`: no network, or the parameters of LogGP.

use crate::keys::form::{RATE, TIME};
use crate::keys::section;
use weir_units::{Bandwidth, Duration};

section! {
    /// Its keys.
    #[derive(Clone, Debug, PartialEq)]
    pub struct IdealEngine of kinds &["ideal"];
    latency: Duration = TIME, Is("0"), "Time from the last byte leaving to the message being there (L of LogGP).", Less(Latency);
    message_gap: Duration = TIME, Is("0"), "Least time between the starts of two messages of one node (g of LogGP).", Less(StartUp);
    bandwidth: Bandwidth = RATE, Words("infinite"), "Rate at which bytes leave a node (1 / G of LogGP).", More(Serialization);
}
