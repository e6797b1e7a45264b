// Kernels of the packet engine: one launch for each window of simulated time. The same files are compiled as C++ by the tests.
#include "step.h"

#if IS_HOST

static const u32 HEADS = 65536;

// Runs a router in a window by so many threads. Returns whether packets have moved.
template <u32 G, bool DECIDES, bool SAMPLES>
static bool run_together(const Network& n, const Point& p, u32 router, const Window& w, u64& draws) {
    static thread_local u32 memory[G][4 * HEADS];
    bool moved = false;
    auto work = [&](u32 thread) {
        moved |= run_router<G, DECIDES, SAMPLES>(n, p, router, thread, w, heads_in(memory[thread], HEADS, 0));
    };
    if (G == 1) work(0);
    else Warp::here().run(G, draws, work);
    return moved;
}

template <u32 G> static bool run_together(const Network& n, const Point& p, u32 router, const Window& w, u64& draws, u64 kind) {
    switch (kind) {
    case 0: return run_together<G, false, false>(n, p, router, w, draws);
    case 1: return run_together<G, true, false>(n, p, router, w, draws);
    case 2: return run_together<G, false, true>(n, p, router, w, draws);
    default: return run_together<G, true, true>(n, p, router, w, draws);
    }
}

// Runs a window of all points, each router by 1, 4 or 32 threads, in an order of routers that a number says. The lowest bit of `kind` says that
// rules decide, the next one that samples are taken.
extern "C" void weir_window(const Point* points, u64 count, u64 number, u64 order, u64 kind, u64 threads) {
    for (u64 place = 0; place < count; ++place) {
        const Point& p = points[place];
        const Network& n = *(const Network*)p.network;
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
        bool moved = false;
        u64 turn = next_number(state) % all;
        for (u64 step = 0; step < all; ++step) {
            u32 router = (u32)turn;
            moved |= threads == 1    ? run_together<1>(n, p, router, w, state, kind)
                     : threads == 4 ? run_together<4>(n, p, router, w, state, kind)
                                    : run_together<32>(n, p, router, w, state, kind);
            turn = (turn + stride) % all;
        }
        if (moved && p.moved) p.moved[number] = 1;
    }
}

extern "C" void weir_inject(const Point* points, const Injected* injected, u64 count) {
    const Network& n = *(const Network*)points->network;
    for (u64 place = 0; place < count; ++place) inject(n, *points, injected[place]);
}

// The interval with a number is over at an instant.
extern "C" void weir_close(const Point* points, u64 number, u64 until) {
    const Network& n = *(const Network*)points->network;
    u32 lanes = n.places[n.routers].input * (u32)n.vcs;
    for (u32 lane = 0; lane < lanes; ++lane) close_lane(n, *points, lane, number, until);
}

extern "C" void weir_end(const Point* points, u64 count) {
    for (u64 place = 0; place < count; ++place) {
        const Point& p = points[place];
        const Network& n = *(const Network*)p.network;
        for (u32 source = 0; source < n.nodes; ++source) count_rest(n, p, source);
    }
}

extern "C" double weir_logarithm(double x) { return logarithm(x); }

#else

// Numbers that do not change during a run are in constant memory: their loads need not be repeated behind stores.
extern "C" {
__constant__ Network networks[16];
__constant__ Point points[112];
}

// Each block runs some routers of one point; the second number of a block is that of the point.
template <u32 G, bool DECIDES, bool SAMPLES> DEVICE void window(u64 number, u64 most_heads) {
    extern __shared__ u32 memory[];
    const Point& p = points[blockIdx.y];
    if (number >= p.windows) return;
    const Network& n = networks[p.network];
    u32 router = (blockIdx.x * STRIDE + threadIdx.x) / G;
    if (router >= n.routers) return;
    Heads heads = heads_in(memory, (u32)most_heads, threadIdx.x);
    bool moved = run_router<G, DECIDES, SAMPLES>(n, p, router, threadIdx.x % G, window_of(n, p, number), heads);
    if (moved && p.moved) p.moved[number] = 1;
}

#define WINDOW(name, G, DECIDES, SAMPLES) \
    extern "C" __global__ void __launch_bounds__(STRIDE, 4) name(u64 number, u64 most_heads) { \
        window<G, DECIDES, SAMPLES>(number, most_heads); \
    }

WINDOW(window_by_1, 1, false, false)
WINDOW(window_by_32, 32, false, false)
WINDOW(deciding_window_by_32, 32, true, false)
WINDOW(sampled_window_by_32, 32, false, true)
WINDOW(sampled_deciding_window_by_32, 32, true, true)

// Each block closes an interval, which is over at an instant, for some lanes of the only point.
extern "C" __global__ void __launch_bounds__(STRIDE) close_interval(u64 number, u64 until) {
    const Network& n = networks[points[0].network];
    u32 lane = blockIdx.x * STRIDE + threadIdx.x;
    if (lane < n.places[n.routers].input * (u32)n.vcs) close_lane(n, points[0], lane, number, until);
}

// Each block puts some packets into the places of the only point.
extern "C" __global__ void __launch_bounds__(STRIDE) inject_all(const Injected* injected, u64 count) {
    u64 place = (u64)blockIdx.x * STRIDE + threadIdx.x;
    if (place < count) inject(networks[points[0].network], points[0], injected[place]);
}

// Each block ends some sources of one point.
extern "C" __global__ void __launch_bounds__(STRIDE) end_of_points() {
    const Point& p = points[blockIdx.y];
    const Network& n = networks[p.network];
    u32 place = blockIdx.x * STRIDE + threadIdx.x;
    if (place < n.nodes) count_rest(n, p, place);
}

#endif
