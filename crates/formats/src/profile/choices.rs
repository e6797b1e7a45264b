//! What a rank chooses for the messages it sends from now on (the functions of `weir.h`).

/// The default leaves all to the machine.
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

/// Which way messages go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the names of weir.h
pub enum Protocol {
    #[default]
    Auto,
    Eager,
    Rendezvous,
}

/// Whether messages are copied first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the names of weir.h
pub enum Copying {
    #[default]
    Auto,
    Zero,
    One,
}

/// An inter-packet gap in times that a packet takes: 0 to 1,000,000. Kept bit by bit, so that it comes back as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap(u64);

/// As long as the packet engine takes.
const LONGEST_GAP: f64 = 1e6;

/// In a list: left to the machine.
const AUTO: i64 = -1;

/// Words of the text form, in the order of their numbers.
pub(super) const PROTOCOLS: [&str; 3] = ["auto", "eager", "rendezvous"];
pub(super) const COPYINGS: [&str; 3] = ["auto", "zero", "one"];

impl Gap {
    /// A gap of so many packet times; `None` if there is none as long.
    #[must_use]
    pub fn new(packet_times: f64) -> Option<Self> {
        // Zero has two signs.
        (0.0..=LONGEST_GAP).contains(&packet_times).then(|| Self((packet_times + 0.0).to_bits()))
    }

    /// In packet times.
    #[must_use]
    pub const fn packet_times(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl Choices {
    /// Numbers of protocol and copying, the interface, and the bits of the gap.
    pub(super) fn to_list(self) -> Vec<i64> {
        let nic = self.nic.map_or(AUTO, i64::from);
        let gap = self.gap.map_or(AUTO, |gap| gap.0.cast_signed());
        vec![self.protocol as i64, self.copying as i64, nic, gap]
    }

    /// What [`Self::to_list`] has written.
    pub(super) fn of_list(list: &[i64]) -> Option<Self> {
        let &[protocol, copying, nic, gap] = list else { return None };
        let protocol = match protocol {
            0 => Protocol::Auto,
            1 => Protocol::Eager,
            2 => Protocol::Rendezvous,
            _ => return None,
        };
        let copying = match copying {
            0 => Copying::Auto,
            1 => Copying::Zero,
            2 => Copying::One,
            _ => return None,
        };
        let nic = if nic == AUTO { None } else { Some(u16::try_from(nic).ok()?) };
        let gap = if gap == AUTO { None } else { Some(Gap::new(f64::from_bits(u64::try_from(gap).ok()?))?) };
        Some(Self { protocol, copying, nic, gap })
    }

    /// The words that the text form has for what is not left to the machine.
    pub(super) fn words(self) -> String {
        let mut words = String::new();
        if self.protocol != Protocol::Auto {
            words += &format!(" protocol {}", PROTOCOLS[self.protocol as usize]);
        }
        if self.copying != Copying::Auto {
            words += &format!(" copy {}", COPYINGS[self.copying as usize]);
        }
        if let Some(nic) = self.nic {
            words += &format!(" nic {nic}");
        }
        if let Some(gap) = self.gap {
            words += &format!(" gap {}", gap.packet_times());
        }
        words
    }

    /// Takes in a word of the text form and what follows it.
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
                list[3] = gap.0.cast_signed();
            }
        }
        Ok(())
    }
}
