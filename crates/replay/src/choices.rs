//! How messages are sent, as the message layer has it and as a profile records it.

use weir_formats::profile::{self, Choices, Gap};
use weir_message::{Copying, Gaps, Interfaces, Protocol, SendChoices};
use weir_network::Way;

/// What a profile says of a program's choices.
pub(crate) fn of_program(choices: &SendChoices) -> Choices {
    let protocol = match choices.protocol {
        Protocol::Auto => profile::Protocol::Auto,
        Protocol::Eager => profile::Protocol::Eager,
        Protocol::Rendezvous => profile::Protocol::Rendezvous,
    };
    let copying = match choices.copying {
        Copying::Auto => profile::Copying::Auto,
        Copying::ZeroCopy => profile::Copying::Zero,
        Copying::OneCopy => profile::Copying::One,
    };
    Choices { protocol, copying, nic: choices.way.nic(), gap: choices.way.gap().and_then(Gap::new) }
}

/// The choices of a profile, on a machine with these interfaces: what it has not got, it chooses itself.
pub(crate) fn of_profile(choices: Choices, interfaces: Interfaces) -> SendChoices {
    let protocol = match choices.protocol {
        profile::Protocol::Auto => Protocol::Auto,
        profile::Protocol::Eager => Protocol::Eager,
        profile::Protocol::Rendezvous => Protocol::Rendezvous,
    };
    let copying = match choices.copying {
        profile::Copying::Auto => Copying::Auto,
        profile::Copying::Zero => Copying::ZeroCopy,
        profile::Copying::One => Copying::OneCopy,
    };
    let nic = choices.nic.filter(|&nic| nic < interfaces.count);
    let gap = choices.gap.filter(|_| interfaces.gaps == Gaps::PerMessage).map(Gap::packet_times);
    SendChoices { protocol, copying, way: Way::default().with_nic(nic).with_gap(gap) }
}
