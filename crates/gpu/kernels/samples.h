// Samples at intervals, as crates/packet/src/routers/series.rs and crates/packet/src/nic.rs take them. What lies behind the last interval is
// in none: there are as many as the last packet needs.
#pragma once
#include "queues.h"

// Words of a link (packets, bytes, time that it is busy), of a lane (time for which packets are there, the most that wait), and of the packets that
// reach nodes of a router (how many, their latencies, the longest of these).
static const u64 LOAD_SAMPLES = 3, LANE_SAMPLES = 2, LATENCY_SAMPLES = 3;

// Adds the parts of a time to a word of the intervals in which they lie.
DEVICE void sample_time(const Sampling& s, u64 word, u64 from, u64 to) {
    for (u64 number = from / s.interval; from < to && number < s.intervals; ++number) {
        u64 until = least(to, (number + 1) * s.interval);
        add(s.samples[number][word], until - from);
        from = until;
    }
}

// A packet is on a link from an instant until another one.
DEVICE void sample_load(const Sampling& s, u64 word, u64 bytes, u64 from, u64 to) {
    u64 number = from / s.interval;
    if (number >= s.intervals) return;
    add(s.samples[number][word], 1);
    add(s.samples[number][word + 1], bytes);
    sample_time(s, word + 2, from, to);
}

// A packet has reached a node of a router at an instant.
DEVICE void sample_latency(const Sampling& s, u32 router, u64 at, u64 latency) {
    u64* words = s.samples[at / s.interval] + s.of_routers + LATENCY_SAMPLES * router;
    add(words[0], 1);
    add(words[1], latency);
    raise(words[2], latency);
}

// The interval with a number is over for a lane at an instant: packets that have not been granted are there still.
DEVICE void close_lane(const Network& n, const Point& p, u32 lane, u64 number, u64 until) {
    const Sampling& s = *p.sampling;
    u32 word = p.lanes[lane], head = word & 0xffff, longest = word >> 16, depth = depth_of(n, lane), count = 0;
    u64 start = number * s.interval, time = 0;
    for (u32 slot = head; count < depth; slot = slot_after(n, lane, slot)) {
        u64 state = p.slots[place_of(n, lane, slot)].state, eligible = state >> INSTANT_SHIFT;
        if (!(state & TAKEN) || eligible >= until) break;
        time += until - most(eligible, start);
        count += 1;
    }
    u64* words = s.samples[number] + s.of_lanes + LANE_SAMPLES * lane;
    words[0] += time;
    words[1] = longest > count ? longest : count;
    if (longest > s.ever[lane]) s.ever[lane] = (u16)longest;
    p.lanes[lane] = head;
}
