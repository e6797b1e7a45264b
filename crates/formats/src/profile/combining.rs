//! The names of the operations of reductions and of the elements that they combine.

/// The operations, as MPI names them, without `MPI_` and in small letters; `user` is a function of the program.
const OPERATIONS: [&str; 13] =
    ["sum", "prod", "max", "min", "land", "lor", "lxor", "band", "bor", "bxor", "maxloc", "minloc", "user"];

/// The elements, each by one name; several datatypes may have the same.
const ELEMENTS: [&str; 26] = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float",
    "double",
    "complex-float",
    "complex-double",
    "bool",
    "logical",
    "byte",
    "char",
    "float-int",
    "double-int",
    "long-int",
    "2int",
    "short-int",
    "2real",
    "2double-precision",
    "long-double",
    "complex-long-double",
    "long-double-int",
];

/// An operation, one of [`Combines::operations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation(u8);

/// An element, one of [`Combines::elements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element(u8);

/// Operation and element of a reduction; `None` where they are not known, and for collectives that combine nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Combines {
    /// Its operation.
    pub operation: Option<Operation>,
    /// The element of its vectors; not known for datatypes that the program has made of several elements.
    pub element: Option<Element>,
}

/// Gives a type its names: one of a list.
macro_rules! named {
    ($named:ident, $names:ident, $what:literal) => {
        impl $named {
            #[doc = concat!("Returns the ", $what, " of this name.")]
            pub fn named(name: &str) -> Option<Self> {
                $names.iter().position(|known| *known == name).map(|place| Self(place as u8))
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                $names[usize::from(self.0)]
            }
        }
    };
}

named!(Operation, OPERATIONS, "operation");
named!(Element, ELEMENTS, "element");

/// Where the number of the operation begins in the flags of a row, and that of the element; each from 1.
const OPERATION_AT: u32 = 16;
const ELEMENT_AT: u32 = 20;
const OPERATION_BITS: u32 = 0xf;
const ELEMENT_BITS: u32 = 0x3f;

impl Combines {
    /// The names of all operations.
    pub const fn operations() -> &'static [&'static str] {
        &OPERATIONS
    }

    /// The names of all elements.
    pub const fn elements() -> &'static [&'static str] {
        &ELEMENTS
    }

    /// Reads the name behind one of the words `op` and `type`.
    pub(super) fn read_word(&mut self, word: &str, name: &str) -> Result<(), String> {
        let (known, names) = if word == "op" {
            self.operation = Operation::named(name);
            (self.operation.is_some(), &OPERATIONS[..])
        } else {
            self.element = Element::named(name);
            (self.element.is_some(), &ELEMENTS[..])
        };
        let what = || format!("{word} {name:?} is not known: it is one of {}", names.join(", "));
        if known { Ok(()) } else { Err(what()) }
    }

    /// Puts them into the flags of a row.
    pub(super) fn in_flags(self, flags: u32) -> u32 {
        let number = |place: Option<u8>| place.map_or(0, |place| u32::from(place) + 1);
        flags & !(OPERATION_BITS << OPERATION_AT | ELEMENT_BITS << ELEMENT_AT)
            | number(self.operation.map(|Operation(place)| place)) << OPERATION_AT
            | number(self.element.map(|Element(place)| place)) << ELEMENT_AT
    }

    /// Finds them in the flags of a row.
    pub(super) fn of_flags(flags: u32) -> Result<Self, String> {
        let place = |at: u32, bits: u32, count: usize| match (flags >> at & bits) as usize {
            0 => Ok(None),
            number if number <= count => Ok(Some(number as u8 - 1)),
            number => Err(format!("flags {flags}: there is no operation or element with number {number}")),
        };
        Ok(Self {
            operation: place(OPERATION_AT, OPERATION_BITS, OPERATIONS.len())?.map(Operation),
            element: place(ELEMENT_AT, ELEMENT_BITS, ELEMENTS.len())?.map(Element),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_back() {
        for (place, name) in OPERATIONS.iter().enumerate() {
            let element = Some(Element((2 * place % ELEMENTS.len()) as u8));
            let combines = Combines { operation: Operation::named(name), element };
            assert_eq!(combines.operation.map(Operation::name), Some(*name));
            assert_eq!(Combines::of_flags(combines.in_flags(0xffff)), Ok(combines));
        }
        assert_eq!(
            (Combines::default().in_flags(!0xffff) & 0x3ff_0000, Combines::of_flags(1023)),
            (0, Ok(Combines::default()))
        );
        let sum_of_doubles =
            Combines { operation: Operation::named("sum"), element: Element::named("double") };
        assert_eq!(sum_of_doubles.in_flags(0), 65_536 + 10 * 1_048_576);
        assert!(Combines::of_flags(14 << 16).is_err() && Combines::of_flags(27 << 20).is_err());
    }
}
