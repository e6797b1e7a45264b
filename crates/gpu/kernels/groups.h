// Threads that run one router together. Each has some of its lanes: thread t has lanes t, t + G, t + 2G and so on.
#pragma once
#include "queues.h"

#if IS_HOST
#define METHOD inline
#else
#define METHOD __device__ __forceinline__
static const u32 ALL = 0xffffffffu;
#endif

template <u32 G> struct Group {
    METHOD u32 least(u32 value) const {
#if !IS_HOST
        if (G > 1) return __reduce_min_sync(ALL, value);
#endif
        return value;
    }

    METHOD u64 least(u64 value) const {
        if (G == 1) return value;
        u32 high = least((u32)(value >> 32));
        u32 low = least((u32)(value >> 32) == high ? (u32)value : ~0u);
        return (u64)high << 32 | low;
    }

    METHOD u32 total(u32 value) const {
#if !IS_HOST
        if (G > 1) return __reduce_add_sync(ALL, value);
#endif
        return value;
    }

    // The value of a thread, for all.
    METHOD u32 of(u32 value, u32 thread) const {
#if !IS_HOST
        if (G > 1) return __shfl_sync(ALL, value, (int)thread);
#endif
        return value;
    }

    METHOD void meet() const {
#if !IS_HOST
        if (G > 1) __syncwarp();
#endif
    }
};
