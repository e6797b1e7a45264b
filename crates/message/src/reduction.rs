//! Reductions: how two operands become one.

use crate::{Combining, ElementName, Kind, MpiError, OperationName, Predefined, Result};
use std::fmt;
use std::sync::Arc;

/// Combines two vectors of elements.
pub trait Combine {
    /// `into[i] = from[i] op into[i]` for all elements; both have the same length.
    fn combine(&self, from: &[u8], into: &mut [u8]);

    /// Returns whether the operands may change places. If not, the ranks' order is kept.
    fn commutes(&self) -> bool;

    /// Returns whether it is a function of the program, which may call the library in turn. It is called by the owner of the
    /// process ([`crate::Process::next_combination`]), never from within the process.
    fn is_of_program(&self) -> bool {
        false
    }

    /// Its name and that of its elements, on which the time it takes depends.
    fn combining(&self) -> Combining {
        Combining::default()
    }
}

/// The operation of a collective that combines, if it does.
pub type Reduction = Option<Arc<dyn Combine + Send + Sync>>;

impl fmt::Debug for dyn Combine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Combine {{ commutes: {} }}", self.commutes())
    }
}

/// A predefined operation on elements of a kind for which it is defined.
#[derive(Clone, Copy, Debug)]
pub struct PredefinedOperation {
    apply: fn(&[u8], &mut [u8]),
    op: Predefined,
    kind: Kind,
}

/// One element, as far as bytes go. Reading and writing need no alignment.
trait Element: Copy {
    const BYTES: usize;
    fn read(bytes: &[u8]) -> Self;
    fn write(self, bytes: &mut [u8]);
}

macro_rules! element {
    ($($number:ty),*) => {$(
        impl Element for $number {
            const BYTES: usize = size_of::<$number>();
            fn read(bytes: &[u8]) -> Self {
                Self::from_ne_bytes(bytes[..Self::BYTES].try_into().expect("an element has its size"))
            }
            fn write(self, bytes: &mut [u8]) {
                bytes[..Self::BYTES].copy_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}
element!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

#[derive(Clone, Copy)]
struct Complex<T>(T, T);

impl<T: Element> Element for Complex<T> {
    const BYTES: usize = 2 * T::BYTES;
    fn read(bytes: &[u8]) -> Self {
        Self(T::read(bytes), T::read(&bytes[T::BYTES..]))
    }
    fn write(self, bytes: &mut [u8]) {
        self.0.write(bytes);
        self.1.write(&mut bytes[T::BYTES..]);
    }
}

/// A value and where it is; `AT` is where the compiler puts the place, `EXTENT` where the next pair begins.
#[derive(Clone, Copy)]
struct Located<T, P, const AT: usize, const EXTENT: usize>(T, P);

impl<T: Element, P: Element, const AT: usize, const EXTENT: usize> Element for Located<T, P, AT, EXTENT> {
    const BYTES: usize = EXTENT;
    fn read(bytes: &[u8]) -> Self {
        Self(T::read(bytes), P::read(&bytes[AT..]))
    }
    fn write(self, bytes: &mut [u8]) {
        self.0.write(bytes);
        self.1.write(&mut bytes[AT..]);
    }
}

fn each<T: Element>(from: &[u8], into: &mut [u8], f: impl Fn(T, T) -> T) {
    for (from, into) in from.chunks_exact(T::BYTES).zip(into.chunks_exact_mut(T::BYTES)) {
        f(T::read(from), T::read(into)).write(into);
    }
}

type Apply = fn(&[u8], &mut [u8]);

/// Operations on elements of a type, each by what it makes of two of them; `None` for all others.
macro_rules! defined {
    ($t:ty, $op:expr; $($name:ident($a:ident, $b:ident) => $combined:expr),+) => {
        match $op {
            $(Predefined::$name => Some((|from, into| each::<$t>(from, into, |$a, $b| $combined)) as Apply),)+
            _ => None,
        }
    };
}

/// Arithmetic of one kind of number; integers wrap as on the machines the standard has in mind.
macro_rules! numeric {
    ($t:ty, $op:expr, $add:expr, $mul:expr) => {
        defined!($t, $op;
            Sum(a, b) => $add(a, b),
            Product(a, b) => $mul(a, b),
            Min(a, b) => if a < b { a } else { b },
            Max(a, b) => if a > b { a } else { b })
    };
}

macro_rules! logical {
    ($t:ty, $op:expr) => {
        defined!($t, $op;
            And(a, b) => (a != 0 && b != 0).into(),
            Or(a, b) => (a != 0 || b != 0).into(),
            Xor(a, b) => ((a != 0) != (b != 0)).into())
    };
}

macro_rules! bitwise {
    ($t:ty, $op:expr) => {
        defined!($t, $op; BitAnd(a, b) => a & b, BitOr(a, b) => a | b, BitXor(a, b) => a ^ b)
    };
}

macro_rules! integer {
    ($t:ty, $op:expr) => {
        logical!($t, $op).or(bitwise!($t, $op)).or(numeric!($t, $op, <$t>::wrapping_add, <$t>::wrapping_mul))
    };
}

/// Numbers, and truth: the standard has no logical operations on floating point, MPICH computes them as C does.
macro_rules! floating {
    ($t:ty, $op:expr) => {
        defined!($t, $op;
            And(a, b) => truth(a != 0.0 && b != 0.0).into(),
            Or(a, b) => truth(a != 0.0 || b != 0.0).into(),
            Xor(a, b) => truth((a != 0.0) != (b != 0.0)).into())
        .or(numeric!($t, $op, std::ops::Add::add, std::ops::Mul::mul))
    };
}

fn truth(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

macro_rules! complex {
    ($t:ty, $op:expr) => {
        defined!(Complex<$t>, $op;
            Sum(a, b) => Complex(a.0 + b.0, a.1 + b.1),
            Product(a, b) => Complex(a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0))
    };
}

/// The smaller location of two equal values wins (MPI 5.0, section 6.9.4).
macro_rules! located {
    ($t:ty, $place:ty, $at:literal, $extent:literal, $op:expr) => {{
        type Pair = Located<$t, $place, $at, $extent>;
        defined!(Pair, $op;
            MinLocation(a, b) => if a.0 < b.0 || (a.0 == b.0 && a.1 < b.1) { a } else { b },
            MaxLocation(a, b) => if a.0 > b.0 || (a.0 == b.0 && a.1 < b.1) { a } else { b })
    }};
}

fn find(op: Predefined, kind: Kind) -> Option<Apply> {
    match kind {
        // The standard has no arithmetic of characters; every MPI we know computes it, as that of `signed char`, and
        // programs rely on it.
        Kind::I8 | Kind::Character => integer!(i8, op),
        Kind::I16 => integer!(i16, op),
        Kind::I32 => integer!(i32, op),
        Kind::I64 => integer!(i64, op),
        Kind::U8 => integer!(u8, op),
        Kind::U16 => integer!(u16, op),
        Kind::U32 => integer!(u32, op),
        Kind::U64 => integer!(u64, op),
        Kind::F32 => floating!(f32, op),
        Kind::F64 => floating!(f64, op),
        Kind::ComplexF32 => complex!(f32, op),
        Kind::ComplexF64 => complex!(f64, op),
        Kind::Bool => logical!(u8, op),
        Kind::Logical32 => logical!(i32, op),
        Kind::Byte => bitwise!(u8, op),
        Kind::F32Index => located!(f32, i32, 4, 8, op),
        Kind::F64Index => located!(f64, i32, 8, 16, op),
        Kind::I64Index => located!(i64, i32, 8, 16, op),
        Kind::I32Index => located!(i32, i32, 4, 8, op),
        Kind::I16Index => located!(i16, i32, 4, 8, op),
        Kind::F32Pair => located!(f32, f32, 4, 8, op),
        Kind::F64Pair => located!(f64, f64, 8, 16, op),
    }
}

impl PredefinedOperation {
    /// The operation on elements of this kind.
    ///
    /// # Errors
    /// [`MpiError::Operation`] where the standard does not define it (MPI 5.0, section 6.9.2).
    pub fn new(op: Predefined, kind: Kind) -> Result<Self> {
        let apply = find(op, kind).ok_or_else(|| {
            MpiError::Operation(format!("{op:?} is not defined for elements of kind {kind:?}"))
        })?;
        Ok(Self { apply, op, kind })
    }
}

impl Combine for PredefinedOperation {
    fn combine(&self, from: &[u8], into: &mut [u8]) {
        (self.apply)(from, into);
    }

    fn commutes(&self) -> bool {
        true
    }

    fn combining(&self) -> Combining {
        Combining {
            operation: Some(OperationName::Predefined(self.op)),
            element: Some(ElementName::Kind(self.kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Element>(op: Predefined, kind: Kind, from: &[T], into: &[T], expected: &[T]) {
        assert_eq!(T::BYTES, kind.extent(), "{kind:?}");
        let bytes = |numbers: &[T]| {
            let mut bytes = vec![0; numbers.len() * T::BYTES];
            numbers.iter().zip(bytes.chunks_mut(T::BYTES)).for_each(|(number, place)| number.write(place));
            bytes
        };
        let mut result = bytes(into);
        PredefinedOperation::new(op, kind).unwrap().combine(&bytes(from), &mut result);
        assert_eq!(result, bytes(expected), "{op:?} {kind:?}");
    }

    #[test]
    fn numbers_and_locations() {
        use Predefined::{And, BitXor, MaxLocation, Min, MinLocation, Product, Sum, Xor};
        check(Sum, Kind::I32, &[1, i32::MAX], &[2, 1], &[3, i32::MIN]);
        check(Min, Kind::F64, &[1.5], &[-2.5], &[-2.5]);
        check(BitXor, Kind::U16, &[0b1100u16], &[0b1010], &[0b0110]);
        check(Xor, Kind::I64, &[5i64], &[0], &[1]);
        check(Xor, Kind::F64, &[5.5], &[0.0], &[1.0]);
        check(And, Kind::F32, &[0.5f32], &[0.0], &[0.0]);
        check(Sum, Kind::Character, &[-3i8], &[1], &[-2]);
        check(Product, Kind::ComplexF32, &[Complex(1f32, 2.0)], &[Complex(3.0, 4.0)], &[Complex(-5.0, 10.0)]);
        let pair = |value, at| [Located::<f64, i32, 8, 16>(value, at)];
        check(MaxLocation, Kind::F64Index, &pair(2.0, 7), &pair(2.0, 3), &pair(2.0, 3));
        check(MinLocation, Kind::F64Index, &pair(1.0, 7), &pair(2.0, 3), &pair(1.0, 7));
        let reals = |value, at| [Located::<f32, f32, 4, 8>(value, at)];
        check(MinLocation, Kind::F32Pair, &reals(1.5, 7.0), &reals(1.5, 3.0), &reals(1.5, 3.0));
        let doubles = |value, at| [Located::<f64, f64, 8, 16>(value, at)];
        check(MaxLocation, Kind::F64Pair, &doubles(2.5, 1.0), &doubles(1.5, 0.0), &doubles(2.5, 1.0));
    }

    #[test]
    fn what_the_standard_does_not_define_is_refused() {
        for (op, kind) in [
            (Predefined::BitAnd, Kind::F32),
            (Predefined::Max, Kind::ComplexF64),
            (Predefined::Sum, Kind::Byte),
            (Predefined::Sum, Kind::F64Index),
            (Predefined::Sum, Kind::F64Pair),
            (Predefined::MaxLocation, Kind::I32),
        ] {
            assert!(PredefinedOperation::new(op, kind).is_err(), "{op:?} {kind:?}");
        }
    }
}
