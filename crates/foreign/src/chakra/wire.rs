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
