//! Choices for messages, as the message layer has them and as a profile records them.

use crate::twins::Twin;
use weir_formats::profile::{Choices, Gap};
use weir_message::{Gaps, Interfaces, SendChoices};
use weir_network::Way;

/// The choices of a program, for a profile.
pub(crate) fn of_program(choices: &SendChoices) -> Choices {
    let (nic, gap) = (choices.way.nic(), choices.way.gap().and_then(Gap::new));
    Choices { protocol: choices.protocol.twin(), copying: choices.copying.twin(), nic, gap }
}

/// The choices of a profile, on a machine with these interfaces: what it has not got, it chooses itself.
pub(crate) fn of_profile(choices: Choices, interfaces: Interfaces) -> SendChoices {
    let nic = choices.nic.filter(|&nic| nic < interfaces.count);
    let gap = choices.gap.filter(|_| interfaces.gaps == Gaps::PerMessage).map(Gap::packet_times);
    let way = Way::default().with_nic(nic).with_gap(gap);
    SendChoices { protocol: choices.protocol.twin(), copying: choices.copying.twin(), way }
}
