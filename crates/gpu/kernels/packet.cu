// Kernels of the packet engine: one launch for each window of simulated time. The same files are compiled as C++ by the tests.
#include "step.h"

#if IS_HOST

// Runs a window of all points, in an order of routers that a number says.
extern "C" void weir_window(Point* points, u64 count, u64 number, u64 order) {
    static thread_local u32 memory[3 * 65536];
    for (u64 place = 0; place < count; ++place) {
        Point& p = points[place];
        const Network& n = *p.network;
        if (number >= p.windows) continue;
        Window w = window_of(n, p, number);
        u64 all = n.routers, state = order ^ number;
        // An odd stride that has no divisor in common with the number of all.
        u64 stride = next_number(state) % all | 1;
        for (u64 a = stride, b = all; ; ) {
            u64 rest = a % b;
            if (rest == 0) {
                if (b == 1) break;
                stride += 2;
                a = stride, b = all;
                continue;
            }
            a = b, b = rest;
        }
        if (order == 0) stride = 1;
        bool moved = false;
        u64 turn = order == 0 ? 0 : next_number(state) % all;
        for (u64 step = 0; step < all; ++step) {
            moved |= run_router<1>(n, p, (u32)turn, 0, w, heads_in(memory, 65536, 0));
            turn = (turn + stride) % all;
        }
        if (moved) p.moved[number] = 1;
    }
}

extern "C" double weir_logarithm(double x) { return logarithm(x); }

#else

// Each block runs some routers of one point; the second number of a block is that of the point.
template <u32 G> DEVICE void window(Point* points, u64 number, u64 most_heads) {
    extern __shared__ u32 memory[];
    Point& p = points[blockIdx.y];
    if (number >= p.windows) return;
    const Network& n = *p.network;
    u32 router = (blockIdx.x * STRIDE + threadIdx.x) / G;
    if (router >= n.routers) return;
    Heads heads = heads_in(memory, (u32)most_heads, threadIdx.x);
    if (run_router<G>(n, p, router, threadIdx.x % G, window_of(n, p, number), heads)) p.moved[number] = 1;
}

extern "C" __global__ void __launch_bounds__(STRIDE) window_by_threads(Point* points, u64 number, u64 most_heads) {
    window<1>(points, number, most_heads);
}

extern "C" __global__ void __launch_bounds__(STRIDE) window_by_warps(Point* points, u64 number, u64 most_heads) {
    window<32>(points, number, most_heads);
}

#endif
