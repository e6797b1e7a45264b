//! Numbers behind an action, and the collectives that they are of.

use weir_operations::{Collective, Function, Lengths, OperandOrder, Root};

/// Bytes of the datatypes of SMPI, by their numbers (`smpi_datatype.cpp` of SimGrid 3.2x to 4): ten in a row.
const ELEMENTS: [u64; 51] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1,
    1, // double, int, char, short, long, float, byte, long long, signed and unsigned char
    2, 4, 8, 8, 16, 4, 1, 1, 2, 4, // unsigned ones, long double, wchar_t, bool, numbers of 8 to 32 bits
    8, 1, 2, 4, 8, 8, 16, 32, 8, 8, // 64 bits, unsigned ones, complex numbers of C, addresses, offsets
    8, 16, 16, 8, 8, 8, 16, 16, 4, 4, // pairs, REAL and REAL4
    8, 16, 8, 16, 16, 4, 2, 4, 8, 16, // REAL8 and 16, COMPLEX8 to 32, INTEGER1 (an int there) to 16
    32, // long double and int
];

/// The words behind an action.
pub(super) struct Row<'a> {
    pub(super) rest: &'a [&'a str],
    pub(super) ranks: usize,
    pub(super) in_doubles: bool,
}

impl Row<'_> {
    /// A number, at least 0.
    pub(super) fn number(&self, place: usize) -> Result<f64, String> {
        let number = self.rest.get(place).and_then(|word| word.parse::<f64>().ok());
        let number = number.filter(|number| (0.0..1e19).contains(number));
        number
            .ok_or_else(|| format!("expected a number, at least 0, at place {} behind the action", place + 1))
    }

    pub(super) fn whole(&self, place: usize) -> Result<u32, String> {
        let number = self.rest.get(place).and_then(|word| word.parse().ok());
        number
            .ok_or_else(|| format!("expected the number of a rank at place {} behind the action", place + 1))
    }

    /// A tag; -1 is any.
    pub(super) fn tag(&self, place: usize) -> Result<i32, String> {
        let number = self.rest.get(place).and_then(|word| word.parse().ok()).filter(|&tag| tag >= -1);
        number.ok_or_else(|| format!("expected a tag at place {} behind the action", place + 1))
    }

    fn element(&self, place: usize) -> Result<u64, String> {
        match self.rest.get(place) {
            None => Ok(if self.in_doubles { 8 } else { 1 }),
            Some(word) => {
                let bytes = word.parse().ok().and_then(|number: usize| ELEMENTS.get(number));
                bytes.copied().ok_or_else(|| {
                    format!("{word} is no number of a datatype: they are from 0, double, to 50, a pair of a long double and an int")
                })
            }
        }
    }

    /// The bytes of a number of elements of this datatype.
    pub(super) fn bytes(&self, place: usize, datatype: usize) -> Result<u64, String> {
        let bytes = (self.number(place)?.round() as u64).checked_mul(self.element(datatype)?);
        bytes
            .filter(|&bytes| bytes < 1 << 63)
            .ok_or_else(|| "there are no messages of so many bytes".to_owned())
    }

    /// The block of each rank.
    fn blocks(&self, place: usize, datatype: usize) -> Result<Box<[u64]>, String> {
        (place..place + self.ranks).map(|place| self.bytes(place, datatype)).collect()
    }

    fn root(&self, place: usize) -> Result<u32, String> {
        if self.rest.len() > place { self.whole(place) } else { Ok(0) }
    }

    fn combined(&self, place: usize, datatype: usize) -> Result<Lengths, String> {
        let element = self.element(datatype)?;
        Ok(Lengths::Elements {
            bytes: self.bytes(place, datatype)?,
            element: element as u32,
            operands: OperandOrder::Commute,
        })
    }

    /// A collective and the operations that each rank computes behind it; `None` where there is none of this name.
    pub(super) fn collective(&self, action: &str, rank: u32) -> Result<Option<(Collective, f64)>, String> {
        let n = self.ranks;
        let rooted = |function, root, lengths| (Collective::new(function, Root::Rank(root), lengths), 0.0);
        let plain = |function, lengths| (Collective::new(function, Root::None, lengths), 0.0);
        let made = match action {
            "barrier" => plain(Function::Barrier, Lengths::None),
            "bcast" => rooted(Function::Bcast, self.root(1)?, Lengths::Bytes(self.bytes(0, 2)?)),
            "reduce" => {
                let (collective, _) = rooted(Function::Reduce, self.root(2)?, self.combined(0, 3)?);
                (collective, self.number(1)?)
            }
            "allreduce" => (plain(Function::Allreduce, self.combined(0, 2)?).0, self.number(1)?),
            "scan" | "exscan" => {
                let function = if action == "scan" { Function::Scan } else { Function::Exscan };
                (plain(function, Lengths::Bytes(self.bytes(0, 2)?)).0, self.number(1)?)
            }
            "alltoall" => plain(Function::Alltoall, Lengths::Bytes(self.bytes(0, 2)?)),
            "allgather" => plain(Function::Allgather, Lengths::Bytes(self.bytes(0, 2)?)),
            "allgatherv" => plain(Function::Allgatherv, Lengths::Blocks(self.blocks(1, n + 2)?)),
            "gather" => rooted(Function::Gather, self.root(2)?, Lengths::Bytes(self.bytes(0, 3)?)),
            "scatter" => rooted(Function::Scatter, self.root(2)?, Lengths::Bytes(self.bytes(1, 4)?)),
            "gatherv" => {
                let root = self.root(n + 1)?;
                let lengths = if root == rank {
                    Lengths::Blocks(self.blocks(1, n + 3)?)
                } else {
                    Lengths::Bytes(self.bytes(0, n + 2)?)
                };
                rooted(Function::Gatherv, root, lengths)
            }
            "scatterv" => {
                let root = self.root(n + 1)?;
                let lengths = if root == rank {
                    Lengths::Blocks(self.blocks(0, n + 2)?)
                } else {
                    Lengths::Bytes(self.bytes(n, n + 3)?)
                };
                rooted(Function::Scatterv, root, lengths)
            }
            "reducescatter" => {
                let (blocks, element) = (self.blocks(0, n + 1)?, self.element(n + 1)? as u32);
                let lengths = Lengths::Combined { blocks, element, operands: OperandOrder::Commute };
                (plain(Function::ReduceScatter, lengths).0, self.number(n)?)
            }
            "alltoallv" => {
                let (out, into) = (self.blocks(1, 2 * n + 2)?, self.blocks(n + 2, 2 * n + 3)?);
                plain(Function::Alltoallv, Lengths::Exchange { out, into })
            }
            _ => return Ok(None),
        };
        Ok(Some(made))
    }
}
