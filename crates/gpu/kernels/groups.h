// Threads that run one router together. Each has some of its lanes: thread t has lanes t, t + G, t + 2G and so on. They are neighbors in a
// warp, of which other groups may be elsewhere in the code.
#pragma once
#include "queues.h"
#if IS_HOST
#include "warp.h"
#endif

template <u32 G> struct Group {
#if IS_HOST
    METHOD u64 least(u64 value) const {
        if (G == 1) return value;
        const u64* all = Warp::here().meet(1, value);
        for (u32 thread = 0; thread < G; ++thread) value = ::least(value, all[thread]);
        return value;
    }

    METHOD u32 least(u32 value) const { return (u32)least((u64)value); }

    METHOD u32 total(u32 value) const {
        if (G == 1) return value;
        const u64* all = Warp::here().meet(2, value);
        value = 0;
        for (u32 thread = 0; thread < G; ++thread) value += (u32)all[thread];
        return value;
    }

    METHOD u32 of(u32 value, u32 thread) const { return G == 1 ? value : (u32)Warp::here().meet(3, value)[thread]; }

    METHOD void meet() const {
        if (G > 1) Warp::here().meet(4, 0);
    }
#else
    // The threads of this group.
    u32 mask;

    METHOD Group() : mask(G == 32 ? ~0u : ((1u << G % 32) - 1) << (threadIdx.x % 32 / G * G)) {}

    METHOD u32 least(u32 value) const {
        if (G == 32) return __reduce_min_sync(mask, value);
        for (u32 away = G / 2; away > 0; away /= 2) {
            u32 other = __shfl_xor_sync(mask, value, (int)away);
            value = other < value ? other : value;
        }
        return value;
    }

    METHOD u64 least(u64 value) const {
        for (u32 away = G / 2; away > 0; away /= 2) {
            u64 other = __shfl_xor_sync(mask, value, (int)away);
            value = other < value ? other : value;
        }
        return value;
    }

    METHOD u32 total(u32 value) const {
        if (G == 32) return __reduce_add_sync(mask, value);
        for (u32 away = G / 2; away > 0; away /= 2) value += __shfl_xor_sync(mask, value, (int)away);
        return value;
    }

    // The value of a thread, for all.
    METHOD u32 of(u32 value, u32 thread) const { return G == 1 ? value : __shfl_sync(mask, value, (int)thread, G); }

    METHOD void meet() const {
        if (G > 1) __syncwarp(mask);
    }
#endif
};
