//! What a program wants of the interface for one message.

/// How a message is to leave its node, where it is not to be left to the machine. Only the packet engine has interfaces
/// that can be told so much: whoever sets something asks first what the engine offers.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Way {
    gap: Option<f64>,
    nic: Option<u16>,
}

// Gaps are numbers, see `with_gap`.
impl Eq for Way {}

impl Way {
    /// With this inter-packet gap: how long the interface pauses after each packet of the message, in times that the
    /// packet takes (paper 004; paper 003, section 4.1). `None`: as the machine says.
    ///
    /// # Panics
    /// When it is negative or not finite.
    #[must_use]
    pub fn with_gap(self, gap: Option<f64>) -> Self {
        assert!(gap.is_none_or(|gap| gap >= 0.0 && gap.is_finite()), "gaps are numbers, 0 or more");
        Self { gap, ..self }
    }

    /// By this interface of the node, counted from 0. `None`: the machine chooses.
    #[must_use]
    pub fn with_nic(self, nic: Option<u16>) -> Self {
        Self { nic, ..self }
    }

    /// The gap after each packet, in times that the packet takes.
    #[must_use]
    pub const fn gap(&self) -> Option<f64> {
        self.gap
    }

    /// The interface of the node.
    #[must_use]
    pub const fn nic(&self) -> Option<u16> {
        self.nic
    }

    /// Whether all is left to the machine.
    #[must_use]
    pub const fn is_default(&self) -> bool {
        self.gap.is_none() && self.nic.is_none()
    }
}
