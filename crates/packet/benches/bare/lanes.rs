//! When the lanes of a router are due.

use crate::Nanoseconds;

/// Lanes, and places that are none, so that all of them fill whole registers.
pub(crate) const LANES: usize = 16;

/// Later than any instant.
pub(crate) const NEVER: Nanoseconds = 0x3fff_ffff;

/// Every x86-64 processor compares four floats at once and returns the smaller ones; not every one can do that with
/// integers. So the instants are in registers as positive floats, whose bits are ordered like integers.
#[cfg(target_arch = "x86_64")]
mod registers {
    use super::{LANES, Nanoseconds};
    use safe_arch::{
        add_i32_m128i, bitand_m128i, cast_to_m128_from_m128i, cast_to_m128i_from_m128, cmp_eq_mask_i32_m128i,
        cmp_eq_mask_m128, get_i32_from_m128i_s, m128, m128i, max_m128, min_m128, min_m128_s,
        move_high_low_m128, move_mask_i8_m128i, pack_i16_to_i8_m128i, pack_i32_to_i16_m128i,
        set_splat_i32_m128i, shuffle_abi_f32_all_m128, sub_i32_m128i,
    };

    /// By lane: the instant from which on it is due.
    pub(crate) struct Due([m128; LANES / 4]);

    /// The bits of 1.0. With them an instant is a float, and the last one is the largest of all.
    const FLOAT: i32 = 0x3f80_0000;

    #[inline(always)]
    fn splat(instant: Nanoseconds) -> m128i {
        set_splat_i32_m128i(instant + FLOAT)
    }

    /// By lane: its bit.
    const BITS: [[i32; 4]; LANES / 4] = {
        let mut bits = [[0; 4]; LANES / 4];
        let mut lane = 0;
        while lane < LANES {
            bits[lane / 4][lane % 4] = 1 << lane;
            lane += 1;
        }
        bits
    };

    impl Due {
        #[inline(always)]
        pub(crate) fn load(instants: &[Nanoseconds; LANES]) -> Self {
            let (quarters, _) = instants.as_chunks();
            Self(std::array::from_fn(|quarter| {
                let instants = m128i::from(quarters[quarter]);
                cast_to_m128_from_m128i(add_i32_m128i(instants, splat(0)))
            }))
        }

        #[inline(always)]
        pub(crate) fn store(&self, instants: &mut [Nanoseconds; LANES]) {
            let (quarters, _) = instants.as_chunks_mut();
            for (quarter, due) in quarters.iter_mut().zip(self.0) {
                *quarter = sub_i32_m128i(cast_to_m128i_from_m128(due), splat(0)).into();
            }
        }

        #[inline(always)]
        pub(crate) fn earliest(&self) -> Nanoseconds {
            let [first, second, third, fourth] = self.0;
            let least = min_m128(min_m128(first, second), min_m128(third, fourth));
            let least = min_m128(least, move_high_low_m128(least, least));
            let least = min_m128_s(least, shuffle_abi_f32_all_m128::<1>(least, least));
            get_i32_from_m128i_s(cast_to_m128i_from_m128(least)) - FLOAT
        }

        /// Returns which lanes are due from an instant on, as bits.
        #[inline(always)]
        pub(crate) fn lanes_at(&self, instant: Nanoseconds) -> u32 {
            let instant = cast_to_m128_from_m128i(splat(instant));
            let [first, second, third, fourth] =
                self.0.map(|due| cast_to_m128i_from_m128(cmp_eq_mask_m128(due, instant)));
            let low = pack_i32_to_i16_m128i(first, second);
            let high = pack_i32_to_i16_m128i(third, fourth);
            move_mask_i8_m128i(pack_i16_to_i8_m128i(low, high)) as u32
        }

        /// Lanes, given as bits, are not due before an instant.
        #[inline(always)]
        pub(crate) fn postpone(&mut self, lanes: u32, until: Nanoseconds) {
            let (lanes, until) = (set_splat_i32_m128i(lanes as i32), splat(until));
            for (due, bits) in self.0.iter_mut().zip(BITS) {
                let bits = m128i::from(bits);
                let chosen = cmp_eq_mask_i32_m128i(bitand_m128i(lanes, bits), bits);
                *due = max_m128(*due, cast_to_m128_from_m128i(bitand_m128i(chosen, until)));
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use registers::Due;

#[cfg(not(target_arch = "x86_64"))]
mod array {
    use super::{LANES, Nanoseconds};

    /// By lane: the instant from which on it is due.
    pub(crate) struct Due([Nanoseconds; LANES]);

    impl Due {
        pub(crate) fn load(instants: &[Nanoseconds; LANES]) -> Self {
            Self(*instants)
        }

        pub(crate) fn store(&self, instants: &mut [Nanoseconds; LANES]) {
            *instants = self.0;
        }

        pub(crate) fn earliest(&self) -> Nanoseconds {
            self.0.into_iter().fold(Nanoseconds::MAX, Nanoseconds::min)
        }

        /// Returns which lanes are due from an instant on, as bits.
        pub(crate) fn lanes_at(&self, instant: Nanoseconds) -> u32 {
            (0..LANES).map(|lane| u32::from(self.0[lane] == instant) << lane).sum()
        }

        /// Lanes, given as bits, are not due before an instant.
        pub(crate) fn postpone(&mut self, lanes: u32, until: Nanoseconds) {
            for (lane, due) in self.0.iter_mut().enumerate() {
                *due = if lanes >> lane & 1 == 1 { until.max(*due) } else { *due };
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use array::Due;
