//! Requests of a program to the node's interface for one message.

/// The way of a message out of its node, where it is not to be left to the machine. Only the packet engine has interfaces
/// that can be given a gap or be named: whoever sets one of these asks first what the engine offers. A rail may be set always.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Way {
    gap: Option<f64>,
    nic: Option<u16>,
    rail: Option<u16>,
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

    /// By the interface that this rail has at every node: that with the number of the rail, modulo how many there are, where messages
    /// would take interfaces in turn. It does not change whose turn it is. `None`: the machine chooses.
    #[must_use]
    pub fn with_rail(self, rail: Option<u16>) -> Self {
        Self { rail, ..self }
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

    /// The rail.
    #[must_use]
    pub const fn rail(&self) -> Option<u16> {
        self.rail
    }

    /// Returns whether all is left to the machine.
    #[must_use]
    pub const fn is_default(&self) -> bool {
        self.gap.is_none() && self.nic.is_none() && self.rail.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::Way;

    #[test]
    fn one_thing_does_not_change_another() {
        let way = Way::default().with_gap(Some(0.0)).with_nic(Some(2));
        assert_eq!((way.gap(), way.nic(), way.is_default()), (Some(0.0), Some(2), false));
        let (gap, nic) = (way.clone().with_nic(None), way.with_gap(None));
        assert_eq!((gap.gap(), gap.nic(), gap.is_default()), (Some(0.0), None, false));
        assert_eq!((nic.gap(), nic.nic(), nic.is_default()), (None, Some(2), false));
        assert!(nic.with_nic(None).is_default());
        let rail = Way::default().with_rail(Some(7));
        assert_eq!((rail.rail(), rail.nic(), rail.is_default()), (Some(7), None, false));
    }
}
