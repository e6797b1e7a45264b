//! Choices of a rank for the messages it sends from now on (the functions of `weir.h`).

use std::io::{self, Write};
use weir_workload::Gap;

/// Choices for the messages that follow; the default leaves all to the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Eager or rendezvous.
    pub protocol: Protocol,
    /// Copied first or not.
    pub copying: Copying,
    /// The interface of the node, from 0; `None`: the machine chooses.
    pub nic: Option<u16>,
    /// The inter-packet gap; `None`: as the machine says.
    pub gap: Option<Gap>,
}

/// The protocol of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the names of weir.h
pub enum Protocol {
    #[default]
    Auto,
    Eager,
    Rendezvous,
}

/// Copying of messages before they are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the names of weir.h
pub enum Copying {
    #[default]
    Auto,
    Zero,
    One,
}

/// In a list: left to the machine.
const AUTO: i64 = -1;

/// Words of the text form, in the order of a list, and those behind the first two, in the order of their numbers.
const WORDS: [&str; 4] = ["protocol", "copy", "nic", "gap"];
const PROTOCOLS: [&str; 3] = ["auto", "eager", "rendezvous"];
const COPYINGS: [&str; 3] = ["auto", "zero", "one"];

impl Choices {
    /// Numbers of protocol and copying, the interface, and the bits of the gap.
    pub(super) fn to_list(self) -> Vec<i64> {
        let nic = self.nic.map_or(AUTO, i64::from);
        let gap = self.gap.map_or(AUTO, |gap| gap.packet_times().to_bits().cast_signed());
        vec![self.protocol as i64, self.copying as i64, nic, gap]
    }

    /// Reads a list of [`Self::to_list`].
    pub(super) fn of_list(list: &[i64]) -> Option<Self> {
        let &[protocol, copying, nic, gap] = list else { return None };
        let protocols = [Protocol::Auto, Protocol::Eager, Protocol::Rendezvous];
        let copyings = [Copying::Auto, Copying::Zero, Copying::One];
        let protocol = protocols.into_iter().find(|known| *known as i64 == protocol)?;
        let copying = copyings.into_iter().find(|known| *known as i64 == copying)?;
        let nic = if nic == AUTO { None } else { Some(u16::try_from(nic).ok()?) };
        let gap = if gap == AUTO { None } else { Some(Gap::new(f64::from_bits(u64::try_from(gap).ok()?))?) };
        Some(Self { protocol, copying, nic, gap })
    }

    /// Writes what stands behind a word of the text form at its place in a list, unless it is left to the machine.
    pub(super) fn write_word(list: &[i64], word: &str, out: &mut impl Write) -> io::Result<()> {
        let place = WORDS.iter().position(|known| *known == word).unwrap_or_default();
        match (word, list.get(place).copied().unwrap_or(AUTO)) {
            (_, AUTO) | ("protocol" | "copy", 0) => Ok(()),
            ("protocol", number) => write!(out, " protocol {}", PROTOCOLS[number as usize]),
            ("copy", number) => write!(out, " copy {}", COPYINGS[number as usize]),
            ("gap", bits) => write!(out, " gap {}", f64::from_bits(bits.cast_unsigned())),
            (_, number) => write!(out, " {word} {number}"),
        }
    }

    /// Reads what stands behind a word of the text form into its place in a list.
    pub(super) fn read_word(list: &mut [i64], word: &str, text: &str) -> Result<(), String> {
        let place = |names: [&str; 3]| {
            let found = names.iter().position(|name| *name == text);
            let found = found.ok_or_else(|| format!("{word} {text}: one of {}", names.join(", ")));
            found.map(|place| place as i64)
        };
        match word {
            "protocol" => list[0] = place(PROTOCOLS)?,
            "copy" => list[1] = place(COPYINGS)?,
            "nic" => {
                let nic: Result<u16, _> = text.parse();
                list[2] = nic.map_err(|_| format!("nic {text}: must be a whole number, at least 0"))?.into();
            }
            _ => {
                let gap = text.parse().ok().and_then(Gap::new);
                let gap = gap.ok_or_else(|| format!("gap {text}: must be packet times, 0 to 1000000"))?;
                list[3] = gap.packet_times().to_bits().cast_signed();
            }
        }
        Ok(())
    }
}
