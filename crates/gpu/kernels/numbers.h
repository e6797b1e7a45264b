// Random numbers and logarithms, the same bits as those of crates/units and crates/packet.
#pragma once
#include "state.h"

static const u64 GOLDEN = 0x9e3779b97f4a7c15ull;

DEVICE u64 mix(u64 x) {
    u64 z = x + GOLDEN;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

DEVICE u64 high_of_product(u64 a, u64 b) {
#if IS_HOST
    return (u64)((unsigned __int128)a * b >> 64);
#else
    return __umul64hi(a, b);
#endif
}

// One of so many numbers from 0 on.
DEVICE u64 pick(u64 draw, u64 count) { return high_of_product(draw, count); }

// A random number of SplitMix64.
DEVICE u64 next_number(u64& state) {
    u64 number = mix(state);
    state += GOLDEN;
    return number;
}

DEVICE u64 least(u64 a, u64 b) { return a < b ? a : b; }
DEVICE u64 most(u64 a, u64 b) { return a > b ? a : b; }
DEVICE u64 less(u64 a, u64 b) { return a > b ? a - b : 0; }

DEVICE u64 sum(u64 a, u64 b) { return a + b < a ? NEVER : a + b; }
DEVICE u64 product(u64 a, u64 b) { return high_of_product(a, b) ? NEVER : a * b; }

DEVICE double of_bits(u64 bits) {
#if IS_HOST
    double number;
    __builtin_memcpy(&number, &bits, sizeof number);
    return number;
#else
    return __longlong_as_double((i64)bits);
#endif
}

DEVICE u64 bits_of(double number) {
#if IS_HOST
    u64 bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
#else
    return (u64)__double_as_longlong(number);
#endif
}

// A number as a whole one, as Rust's `as u64` makes it.
DEVICE u64 whole(double number) {
    if (!(number > 0.0)) return 0;
    return number >= 18446744073709551616.0 ? NEVER : (u64)number;
}

// The logarithm of a positive, normal number, by the same steps as `ln` in crates/packet/src/logarithm.rs. No product may be
// joined with a sum here: compile with --fmad=false or -ffp-contract=off.
DEVICE double logarithm(double x) {
    u64 bits = bits_of(x);
    i64 exponent = (i64)(bits >> 52 & 0x7ff) - 1023;
    double m = of_bits((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m = m * 0.5;
        exponent += 1;
    }
    double f = m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double p = 2.0 / 23.0;
    p = p * z + 2.0 / 21.0;
    p = p * z + 2.0 / 19.0;
    p = p * z + 2.0 / 17.0;
    p = p * z + 2.0 / 15.0;
    p = p * z + 2.0 / 13.0;
    p = p * z + 2.0 / 11.0;
    p = p * z + 2.0 / 9.0;
    p = p * z + 2.0 / 7.0;
    p = p * z + 2.0 / 5.0;
    p = p * z + 2.0 / 3.0;
    double k = (double)exponent;
    // ln 2 in two parts, of which the first has so few digits that its products with exponents are exact.
    return k * 0.6931471803691238 + (2.0 * s + (s * z * p + k * 1.9082149292705877e-10));
}

// Sums and the like that are read when a run is over: a GPU does not wait for them.
DEVICE void add(u64& sum, u64 value) {
#if IS_HOST
    sum += value;
#else
    atomicAdd(&sum, value);
#endif
}

DEVICE void raise(u64& largest, u64 value) {
#if IS_HOST
    largest = most(largest, value);
#else
    atomicMax(&largest, value);
#endif
}
