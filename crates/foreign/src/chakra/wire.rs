//! Protobuf messages, taken apart without their schema.

use std::io::Read;

/// A value of a field.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// A number of any length.
    Number(u64),
    /// Bytes: a text, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// A number of fixed length.
    Fixed,
}

/// The length before a message; `None` at the end.
pub(super) fn length(input: &mut impl Read) -> Result<Option<u64>, String> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let mut byte = [0];
        match input.read(&mut byte) {
            Ok(0) if shift == 0 => return Ok(None),
            Ok(0) => return Err("it is cut off in the length of a message".into()),
            Ok(_) => {}
            Err(error) => return Err(format!("cannot be read: {error}")),
        }
        number |= u64::from(byte[0] & 0x7f) << shift;
        shift += 7;
        if byte[0] < 0x80 {
            return Ok(Some(number));
        }
        if shift > 56 {
            return Err("this is no length of a message: it is no trace, or damaged".into());
        }
    }
}

/// A number at the beginning of these bytes, and the rest.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (place, &byte) in bytes.iter().take(10).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Some((number, &bytes[place + 1..]));
        }
    }
    None
}

/// The numbers of packed bytes.
pub(super) fn numbers(mut bytes: &[u8]) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let (number, rest) = varint(bytes)?;
        all.push(number);
        bytes = rest;
    }
    Some(all)
}

/// The fields of a message with their numbers; `None` once, where it is damaged.
pub(super) fn fields(mut bytes: &[u8]) -> impl Iterator<Item = Option<(u64, Value<'_>)>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let mut one = || {
            let (key, rest) = varint(bytes)?;
            let (value, rest) = match key & 7 {
                0 => varint(rest).map(|(number, rest)| (Value::Number(number), rest))?,
                1 => (Value::Fixed, rest.get(8..)?),
                5 => (Value::Fixed, rest.get(4..)?),
                2 => {
                    let (length, rest) = varint(rest)?;
                    let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
                    (Value::Bytes(value), rest)
                }
                _ => return None,
            };
            bytes = rest;
            Some((key >> 3, value))
        };
        let made = one();
        if made.is_none() {
            bytes = &[];
        }
        Some(made)
    })
}

/// A message in the making.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number of a field, which is left out where it is 0.
    pub(super) fn number(mut self, field: u64, number: u64) -> Self {
        if number > 0 {
            self.varint(field << 3);
            self.varint(number);
        }
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// Numbers of a field, one behind the other, which is left out where there is none.
    pub(super) fn packed(self, field: u64, numbers: &[u64]) -> Self {
        let mut packed = Self::default();
        numbers.iter().for_each(|&number| packed.varint(number));
        if packed.0.is_empty() { self } else { self.bytes(field, &packed.0) }
    }

    /// An attribute of a node with its value, which is one of several, in a field of its type: so 0 is written, too.
    pub(super) fn attribute(self, name: &str, field: u64, value: u64) -> Self {
        let mut attribute = Self::default().text(1, name);
        attribute.varint(field << 3);
        attribute.varint(value);
        self.bytes(10, &attribute.0)
    }

    pub(super) fn attribute_text(self, name: &str, value: &str) -> Self {
        self.bytes(10, &Self::default().text(1, name).text(29, value).0)
    }

    /// Writes it behind its length.
    pub(super) fn write(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let mut length = Self::default();
        length.varint(self.0.len() as u64);
        out.write_all(&length.0)?;
        out.write_all(&self.0)
    }
}
