// The bytes that wait for an output, and the decisions of rules that look at them: see routers/ruling.rs and routing/ruled.rs.
#pragma once
#include "routes.h"

// A thread that sees that a place is free must see how its packet has left it, which another thread may have written in this window. So
// these loads and stores stay in order.
DEVICE u64 load_in_order(const u64* word) {
#if IS_HOST
    return *word;
#else
    u64 value = *(const volatile u64*)word;
    __threadfence();
    return value;
#endif
}

DEVICE u64 load_shared(const u64* word) {
#if IS_HOST
    return *word;
#else
    return *(const volatile u64*)word;
#endif
}

DEVICE void store_in_order(u64* word, u64 value) {
#if IS_HOST
    *word = value;
#else
    __threadfence();
    *(volatile u64*)word = value;
#endif
}

// Places of the ring of a lane.
DEVICE u32 depth_of(const Network& n, u32 lane) {
    return n.starts ? n.starts[lane + 1] - n.starts[lane] : (u32)n.depth;
}

DEVICE u64 place_of(const Network& n, u32 lane, u32 slot) {
    return (n.starts ? n.starts[lane] : (u64)lane * n.depth) + slot;
}

DEVICE u32 slot_after(const Network& n, u32 lane, u32 slot) { return slot + 1 == depth_of(n, lane) ? 0 : slot + 1; }

// A packet of so many bytes has left a place from an instant until another one.
DEVICE u64 departure(u64 bytes, u64 begins, u64 from) {
    return least(less(from, begins), NEVER >> 20) << 20 | bytes;
}

// The bytes of a packet that have passed at an instant, if they do from one instant until another one.
DEVICE u64 part(u64 size, u64 begins, u64 ends, u64 now) {
    if (now >= ends) return size;
    u64 passed = less(now, begins), all = less(ends, begins);
    if (passed == 0 || all == 0) return 0;
#if IS_HOST
    return (u64)((unsigned __int128)size * passed / all);
#else
    // A packet has less than 2^20 bytes and passes in less than 2^44 ps, but for those of links slower than 60 kB/s.
    return size * passed / all;
#endif
}

DEVICE void pop(const Network& n, Queue& queue, u32 lane, u64 departed) {
    queue.bytes -= departed & 0xfffff;
    queue.oldest = (u16)slot_after(n, lane, queue.oldest);
    queue.places -= 1;
}

// The bytes in front of a virtual channel at an instant.
DEVICE u64 queue_at(const Network& n, const Point& p, Queue& queue, u32 lane, u64 now) {
    while (queue.places > 0) {
        const Slot& slot = p.slots[place_of(n, lane, queue.oldest)];
        u64 state = load_in_order(&slot.state);
        if (state & TAKEN) break;
        u64 from = state >> INSTANT_SHIFT, departed = load_shared(&slot.packet);
        if (from > now) return queue.bytes - part(departed & 0xfffff, from - (departed >> 20), from, now);
        pop(n, queue, lane, departed);
    }
    return queue.bytes;
}

// The bytes in front of an output at an instant.
DEVICE u64 waits_at(const Network& n, const Point& p, u64 output, u64 now) {
    Front& front = p.fronts[output];
    u64 bytes = 0, occupied = front.occupied;
    u32 vcs = (u32)n.vcs, first_lane = p.outputs[output].lane;
    for (u32 bit = 0; bit < 64 && bit < vcs; ++bit) {
        if (!(occupied >> bit & 1)) continue;
        bool is_empty = true;
        for (u32 vc = bit; vc < vcs; vc += 64) {
            Queue queue = p.queues[output * vcs + vc];
            bytes += queue_at(n, p, queue, first_lane + vc, now);
            p.queues[output * vcs + vc] = queue;
            is_empty &= queue.places == 0;
        }
        if (is_empty) occupied &= ~(1ull << bit);
    }
    front.occupied = occupied;
    return less(bytes, front.size - part(front.size, front.begins, front.ends, now));
}

// A packet that has been granted an output takes the place at the tail of a virtual channel.
DEVICE void join_queue(const Network& n, const Point& p, u64 output, u32 vc, u32 lane, u32 bytes, u64 now, u64 crossed) {
    Queue queue = p.queues[output * n.vcs + vc];
    if (queue.places == depth_of(n, lane)) {
        // The place that it takes is the oldest one, which has become free unseen.
        pop(n, queue, lane, load_shared(&p.slots[place_of(n, lane, queue.oldest)].packet));
    }
    queue.places += 1;
    queue.bytes += bytes;
    p.queues[output * n.vcs + vc] = queue;
    Front& front = p.fronts[output];
    front.begins = now;
    front.ends = crossed;
    front.size = bytes;
    front.occupied |= 1ull << (vc % 64);
}

// The way so far, as an address says it.
static const u32 OPEN = 0, AROUND = 1, STRAIGHT = 2;

// A decision while it is made: at this router, whose outputs begin there, for a packet with this draw.
struct Deciding {
    u32 router, to;
    u64 first_output, draw, now;
    bool may_look;
};

// The port with the shortest queue among the candidates, and what waits there.
DEVICE u32 shortest(const Network& n, const Point& p, const Deciding& d, const u16* found, u64& waits) {
    u32 count = found[0], begin = (u32)pick(d.draw, count), best = 0;
    waits = NEVER;
    for (u32 step = 0; step < count; ++step) {
        u32 place = begin + step < count ? begin + step : begin + step - count;
        u32 port = found[2 + place];
        u64 queue = waits_at(n, p, d.first_output + port, d.now);
        if (step == 0 || queue < waits) {
            waits = queue;
            best = port;
        }
    }
    return best;
}

// The port that begins a shortest way to another router; NOTHING if that depends on what is seen, and nothing may be.
DEVICE u32 toward(const Network& n, const Point& p, const Deciding& d, u32 router) {
    const u16* found = candidates(n, d.router, router);
    if (found[0] == 1) return found[2];
    if (n.rule == VALIANT || n.rule == VALIANT_GROUP) return fixed_port(found, d.to);
    if (!d.may_look) return NOTHING;
    if (n.rule == MINIMAL_RANDOM || n.rule == RANDOM_UP) return found[2 + pick(d.draw, found[0])];
    u64 waits;
    return shortest(n, p, d, found, waits);
}

DEVICE bool is_better(const Network& n, u64 minimal, u64 detour) {
    return n.minimal_weight * minimal > sum(n.detour_weight * detour, n.threshold);
}

// A shortest way, or the best of those around that are drawn; `via` is its router, or NOTHING.
DEVICE u32 weigh(const Network& n, const Point& p, const Deciding& d, u32 home, u32& via) {
    u64 least_waits;
    u32 port = shortest(n, p, d, candidates(n, d.router, home), least_waits);
    u32 around = 0;
    u64 best = NEVER;
    via = NOTHING;
    if (n.minimal_weight * least_waits > n.threshold) {
        for (u64 number = 0; number < n.candidates; ++number) {
            u32 drawn = (u32)pick(mix(d.draw + number), n.homes);
            bool is_in_group = n.rule == PAR && (n.groups[drawn] == n.groups[d.router] || n.groups[drawn] == n.groups[home]);
            if (drawn == d.router || drawn == home || is_in_group) continue;
            u64 waits;
            u32 first = shortest(n, p, d, candidates(n, d.router, drawn), waits);
            if (via == NOTHING || waits < best) {
                best = waits;
                around = first;
                via = drawn;
            }
        }
    }
    if (via != NOTHING && is_better(n, least_waits, best)) return around;
    via = NOTHING;
    return port;
}

// Decides where the head packet of a lane goes on. False: that depends on what is seen, and nothing may be.
DEVICE bool decide(const Network& n, const Point& p, Deciding d, u32 address, Channel channel, Decision& decision) {
    u32 home = d.to / (u32)n.nodes_per_router, here = d.router, port;
    u32 kept = address >> n.to_bits & ((1u << n.kept_bits) - 1);
    u32 phase = address >> (n.to_bits + n.kept_bits) & 3;
    if (phase > STRAIGHT) phase = STRAIGHT;
    bool is_valiant = n.rule == VALIANT || n.rule == VALIANT_GROUP;
    if (phase == OPEN && is_valiant) {
        if (here == home) {
            phase = STRAIGHT;
            kept = 0;
        } else {
            if (!d.may_look) return false;
            phase = AROUND;
            kept = (u32)pick(mix(d.draw), n.homes);
        }
    }
    decision.is_made = 1;
    bool is_chosen = false;
    if (phase == AROUND) {
        if (here == kept || (n.rule == VALIANT_GROUP && n.groups[here] == n.groups[kept])) {
            phase = STRAIGHT;
            kept = 0;
        } else {
            port = toward(n, p, d, kept);
            if (port == NOTHING) return false;
            is_chosen = true;
        }
    }
    if (!is_chosen && here == home) {
        decision.output = (u16)ejection_port(n, here, d.to);
        decision.cls = 0;
        decision.address = address;
        return true;
    }
    if (!is_chosen && phase == OPEN && (n.rule == UGAL_L || n.rule == PAR)) {
        if (!d.may_look) return false;
        u32 via;
        port = weigh(n, p, d, home, via);
        bool again = n.each_router;
        if (n.rule == PAR) {
            u32 next = n.places[p.outputs[d.first_output + port].to].address;
            again = n.groups[here] != n.groups[home] && n.groups[next] == n.groups[here] && channel.input >= n.ports[here];
        }
        if (via != NOTHING) {
            phase = AROUND;
            kept = via;
        } else {
            phase = again ? OPEN : STRAIGHT;
            kept = 0;
        }
    } else if (!is_chosen) {
        port = toward(n, p, d, home);
        if (port == NOTHING) return false;
        phase = STRAIGHT;
        kept = 0;
    }
    decision.output = (u16)port;
    decision.cls = (u8)ruled_class(n, here, port, d.to, channel);
    decision.address = d.to | kept << n.to_bits | phase << (n.to_bits + n.kept_bits);
    return true;
}
