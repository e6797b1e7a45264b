//! Words that the message layer and profiles both have.

use weir_formats::profile;
use weir_message::window;

/// A word of one of them, which is one of the other, too.
pub(crate) trait Twin {
    type Other;

    fn twin(self) -> Self::Other;
}

macro_rules! twins {
    ($($of_profile:path, $of_messages:path: $($one:ident $other:ident),+;)+) => {
        $(
            impl Twin for $of_profile {
                type Other = $of_messages;

                fn twin(self) -> $of_messages {
                    match self {
                        $(Self::$one => <$of_messages>::$other,)+
                    }
                }
            }

            impl Twin for $of_messages {
                type Other = $of_profile;

                fn twin(self) -> $of_profile {
                    match self {
                        $(Self::$other => <$of_profile>::$one,)+
                    }
                }
            }
        )+
    };
}

twins! {
    profile::Mode, weir_message::Mode:
        Standard Standard, Buffered Buffered, Synchronous Synchronous, Ready Ready;
    profile::Protocol, weir_message::Protocol: Auto Auto, Eager Eager, Rendezvous Rendezvous;
    profile::Copying, weir_message::Copying: Auto Auto, Zero ZeroCopy, One OneCopy;
    profile::Direction, weir_message::Direction: Read Read, Write Write;
    profile::Conflicts, window::Conflicts: Possible Possible, RuledOut RuledOut;
    profile::Lock, window::Lock: Shared Shared, Exclusive Exclusive;
    profile::AfterFence, window::AfterFence: Accesses Accesses, Nothing Nothing;
    profile::Operands, weir_message::collective::Commutes: Commute Yes, Ordered No;
}
