// The state of a machine and its traffic as arrays, as crates/packet/src/flat writes them. Network and Point have words of 64 bits in the
// order of the fields there.
#pragma once

typedef unsigned long long u64;
typedef long long i64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#define METHOD __device__ __forceinline__
#define IS_HOST 0
#else
#define DEVICE static inline
#define METHOD inline
#define IS_HOST 1
#endif

static const u64 NEVER = ~0ull;
static const u32 NODE = 1u << 31;

// A router: the address by which routes know it, and where its ports begin. Behind the last one is one more.
struct Router {
    u32 address, input, output, kind;
};

// An interface: its router, the first lane of its port there, and its wire.
struct Nic {
    u32 router, lane, wire, pad;
};

// A dimension of a grid.
struct Axis {
    u32 size, shift, mask, ring, crosses, pad;
};

struct Level {
    u32 up, down, parallel_up, parallel_down, under_port, width, first_router, pad;
};

// A place for a packet. The first word is an instant, in picoseconds, above two bits, of which the lowest says that a packet is there:
// it can leave from then on, or the place is free from then on. Second: address and what the packet says of its message, or how a packet
// has left it. Then when the packet set out; and how far its tail is behind its head above its bytes.
struct Slot {
    u64 state, packet, birth, lag;
};

static const u32 BYTES_BITS = 20;
static const u64 BYTES_MASK = (1 << BYTES_BITS) - 1;

static const u64 TAKEN = 1;
static const u32 INSTANT_SHIFT = 2;

// Since when a lane waits, and when a packet has gone from it.
struct Turn {
    u64 turn, granted;
};

// An output port: all that a grant needs, in one sector of memory. Where a link has two virtual channels at most, the place that each of
// them fills next is here; else it is in `tails`.
struct Output {
    u64 link_free, available;
    u32 to, lane;
    u16 wire, last_vc, tails[2];
};

// The load of the link of an output.
struct Load {
    u64 packets, bytes, busy, waited;
};

// A packet that comes from an interface of the processor into a place.
struct Injected {
    u32 lane, slot, address, message;
    u64 birth, lag, eligible;
};

// A packet that has reached a node.
struct Delivered {
    u32 node, message;
    u64 at;
};

// A place behind an interface of the processor that is free from an instant on.
struct Freed {
    u32 lane, slot;
    u64 from;
};

// Lengths of the lists of a window, and the packets that have moved in it.
struct Lists {
    u64 delivered, freed, hops;
};

struct Decision {
    u32 address;
    u16 output;
    u8 cls, is_made;
};

struct Front {
    u64 begins, ends, occupied;
    u32 size, pad;
};

struct Queue {
    u64 bytes;
    u16 oldest, places;
    u32 pad;
};

// The next packet of a node, and its interface. Sources are in the order of the routers of their nodes.
struct Source {
    u64 free, made, state, packets, offered, waited, stalled_since;
    u32 to, last_vc;
};

// Sums of the packets that have reached nodes of a router. The least of some numbers are kept as the most of their complements.
struct Result {
    u64 hops, packets, digest, measured, sum, least, most, made_sum, made_least, made_most;
};

// Steps of a histogram of latencies; see crates/network/src/latencies.rs.
static const u32 STEPS = 2048;

// The crossbar of a kind of routers: its delay, the time in which it passes a packet, and that of a flit where that counts for credits.
struct Crossbar {
    u64 delay, passes, flit_passes, pad;
};

// Links of the same speed and latency: the time in which they send a packet, the latency, and the pause of an interface behind a packet.
struct Wire {
    u64 sends, latency, pause, pad;
};

static const u32 MOST_AXES = 8;
static const u32 MOST_CLASSES = 16;

struct Network {
    u64 routers, nodes, vcs, depth, alike, keeps_lags, output_buffer, arbiter, pipeline, turnaround, lookahead, width, nics_per_node;
    // The time of a credit where all inputs have the same; else NEVER.
    u64 credit;
    const u32* starts;
    const Router* places;
    const u32* from_node;
    const u64* credits;
    const u32* channels;
    const Nic* nics;
    const u32* first_sources;
    const u32* nodes_of_sources;
    u32 class_low[MOST_CLASSES], class_high[MOST_CLASSES];
    u64 routing;
    u64 axes_count, fields, way_bit, tie, keeps_class;
    Axis axes[MOST_AXES];
    u8 axis_of_bit[32];
    const u32* addresses;
    const Level* levels;
    const u8* stages;
    u64 node_bits, ways, by_source;
    u64 rule, to_bits, kept_bits, rule_classes, links_passed, nodes_per_router, homes;
    const u32* table;
    const u16* lists;
    const u32* ports;
    const u32* groups;
    const u8* port_classes;
    u64 most_ports, threshold, minimal_weight, detour_weight, candidates, each_router;
};

// Samples at intervals of this length. Each interval has so many words: of outputs, of sources, of lanes and of routers, see samples.h.
struct Sampling {
    u64 interval, intervals, of_sources, of_lanes, of_routers;
    u64* const* samples;
    // By lane: the most packets that have waited there at a grant in intervals that are over.
    u16* ever;
};

struct Point {
    // Its network: a number, or on a processor of its own an address.
    u64 network;
    u64 from, last, unit, windows, bytes;
    // How many wires and crossbars there are, and the first of each.
    u64 wires_count, crossbars_count;
    Wire wire;
    Crossbar crossbar;
    const Wire* wires;
    const Crossbar* crossbars;
    Slot* slots;
    u32* lanes;
    Turn* turns;
    u64* turned;
    u64* inputs;
    Output* outputs;
    Load* loads;
    u16* tails;
    u64* leaves;
    u64 leaves_each;
    Decision* decided;
    Front* fronts;
    Queue* queues;
    Source* sources;
    u64* next;
    u16* source_tails;
    u64 injection_vcs;
    Result* results;
    u64* histograms;
    u64 stripes;
    u32* moved;
    u64 geometric, slot, scale;
    u64 pattern;
    const u32* only;
    u64 group, shift, hot_node, hot_part, skips_self, has_others;
    // Where interfaces are those of the processor: times of packets by bytes, first those of wires and then those of crossbars, up to so
    // many bytes; and lists for the processor.
    u64 has_messages, times_each;
    const u64* times;
    Lists* lists;
    Delivered* delivered;
    Freed* freed;
    // If samples are taken.
    const Sampling* sampling;
};

enum Routing { GRID = 0, TREE = 1, RULED = 2 };
enum Tie { TIE_PLUS = 0, TIE_DIRECT = 1, TIE_PARITY = 2, TIE_SPREAD = 3 };
enum Arbiter { ROUND_ROBIN = 0, TRANSIT_FIRST = 1, INJECTION_FIRST = 2, OLDEST_FIRST = 3, FIXED_PRIORITY = 4 };
enum Rule {
    MINIMAL = 0, MINIMAL_RANDOM = 1, HASHED = 2, MINIMAL_ADAPTIVE = 3, VALIANT = 4, VALIANT_GROUP = 5, UGAL_L = 6, PAR = 7,
    RANDOM_UP = 8, ADAPTIVE_UP = 9
};
enum Pattern { ONLY = 0, UNIFORM = 1, GROUP_SHIFT = 2, HOT_SPOT = 3 };
