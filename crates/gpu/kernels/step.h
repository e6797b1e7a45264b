// The work of a router and of a source in a window.
#pragma once
#include "router.h"

// The place of the packet that goes first of all that could at an instant, and its lane; of another thread, only the lane.
template <u32 G>
DEVICE u32 first_of(const Network& n, const Point& p, const Here& h, const Group<G>& group, const Heads& heads, u32 now, u32& found) {
    u32 count = 0, lane = ~0u;
    for (u32 place = 0; place < heads.count; ++place) {
        if (heads.at(place) == now) {
            count += 1;
            found = place;
            lane = heads.lane(place);
        }
    }
    if (group.total(count) == 1) return group.least(lane);
    Rank best{~0u, NEVER, NEVER, ~0u};
    for (u32 place = 0; place < heads.count; ++place) {
        if (heads.at(place) == now) {
            Rank rank = rank_of(n, p, h, heads.port(place), heads.needs(place), heads.head(place));
            if (is_before(rank, best)) {
                best = rank;
                found = place;
            }
        }
    }
    if (G == 1) return best.lane;
    u32 behind = group.least(best.behind);
    bool is_left = best.behind == behind;
    u64 first = group.least(is_left ? best.first : NEVER);
    is_left = is_left && best.first == first;
    u64 second = group.least(is_left ? best.second : NEVER);
    is_left = is_left && best.second == second;
    return group.least(is_left ? best.lane : ~0u);
}

// Decides where the head packet of a lane goes on, by what is seen at an instant.
DEVICE void decide_now(const Network& n, const Point& p, const Here& h, u32 lane, u32 head, u64 instant) {
    u32 own = h.first_lane + lane;
    u32 address = (u32)(p.slots[head_place(n, own, head)].packet >> 32);
    u64 draw = mix(mix((u64)h.address << 16 | lane) + instant);
    Deciding d{h.address, destination_of(n, address), h.first_output, draw, instant, true};
    Decision decision;
    decide(n, p, d, address, channel_of(n, lane), decision);
    p.decided[own] = decision;
}

// The ports of a grant are busy for others; and the port of the packet has had its turn at that output.
DEVICE void hold_back(const Point& p, const Here& h, const Heads& heads, const Granted& granted, u32 granted_lane, u64 instant) {
    for (u32 place = 0; place < heads.count; ++place) {
        u32 needs = heads.needs(place), port = heads.port(place), at = heads.at(place);
        if (needs >= UNDECIDED) continue;
        bool same_input = port >> 16 == granted.input;
        if (same_input && needs == granted.needs && (port & 0xffff) != granted_lane) p.turns[h.first_lane + (port & 0xffff)].turn = instant;
        if (at == LATER) continue;
        if (same_input) at = later(at, granted.input_free);
        if (needs >> 8 == granted.needs >> 8) at = later(at, granted.available);
        heads.at(place) = at;
    }
}

// When the next packet of a node is made, and where it goes: see Draws::draw in crates/packet/src/draws.rs.
DEVICE void draw(const Network& n, const Point& p, u32 node, Source& source) {
    double uniform = (double)(next_number(source.state) >> 11) + 1.0;
    double log = logarithm(uniform * 1.1102230246251565e-16);
    u64 pause;
    if (p.geometric) {
        pause = product(sum(whole(log * of_bits(p.scale)), 1), p.slot);
    } else {
        pause = whole(-log * of_bits(p.scale));
    }
    source.made = sum(source.made, pause);
    for (;;) {
        u32 to;
        if (p.pattern == ONLY) {
            to = p.only[node];
        } else if (p.pattern == GROUP_SHIFT) {
            u64 target = (node / p.group + p.shift) % (n.nodes / p.group);
            to = (u32)(target * p.group + pick(next_number(source.state), p.group));
        } else if (p.pattern == HOT_SPOT && (double)(next_number(source.state) >> 11) * 1.1102230246251565e-16 < of_bits(p.hot_part)) {
            to = (u32)p.hot_node;
        } else {
            to = (u32)pick(next_number(source.state), n.nodes);
        }
        source.to = to;
        if (!(p.skips_self && to == node)) return;
        if (!p.has_others) {
            source.made = NEVER;
            return;
        }
    }
}

// Sends the packets of a node that can leave in a window: see nic.rs and sources.rs. Returns whether any has.
template <bool SAMPLES> DEVICE bool run_source(const Network& n, const Point& p, u32 place, const Window& w) {
    if (p.next[place] >= w.end) return false;
    Source source = p.sources[place];
    u32 node = n.nodes_of_sources[place], vcs = (u32)n.vcs;
    Nic nic = n.nics[node * (u32)n.nics_per_node];
    u16* tails = p.source_tails + (u64)place * vcs;
    bool moved = false;
    for (;;) {
        u64 now = most(source.made, source.free);
        if (source.made > p.last || now >= w.end) break;
        u32 vc = vcs;
        while (now < w.end) {
            u64 soonest;
            u32 high = (u32)p.injection_vcs, first = source.last_vc + 1 < high ? source.last_vc + 1 : 0;
            vc = find_credit(n, p, nic.lane, 0, high, first, now, soonest, [&](u32 channel) { return tails[channel]; });
            if (vc < vcs) break;
            source.stalled_since = least(source.stalled_since, now);
            now = soonest;
        }
        if (vc == vcs) break;
        Wire wire = wire_of(p, nic.wire);
        u64 stalled = source.stalled_since == NEVER ? 0 : now - source.stalled_since;
        source.stalled_since = NEVER;
        u32 lane = nic.lane + vc;
        Slot& to = p.slots[place_of(n, lane, tails[vc])];
        tails[vc] = (u16)slot_after(n, lane, tails[vc]);
        source.last_vc = vc;
        if (now >= p.from) {
            source.packets += 1;
            source.waited += least(stalled, now);
            if (SAMPLES) {
                u64 word = p.sampling->of_sources + LOAD_SAMPLES * place;
                sample_load(*p.sampling, word, p.bytes, now, now + wire.sends);
            }
        }
        source.free = now + wire.sends + wire.pause;
        to.packet = (u64)address_to(n, node, source.to) << 32 | (u32)(source.made >> p.unit);
        to.birth = now;
        to.lag = wire.sends << BYTES_BITS | p.bytes;
        to.state = (now + wire.latency + n.pipeline) << INSTANT_SHIFT | TAKEN;
        moved = true;
        source.offered += source.made >= p.from;
        draw(n, p, node, source);
    }
    p.sources[place] = source;
    p.next[place] = source.made > p.last ? NEVER : most(source.made, source.free);
    return moved;
}

// A packet comes from an interface of the processor.
DEVICE void inject(const Network& n, const Point& p, const Injected& injected) {
    Slot& to = p.slots[place_of(n, injected.lane, injected.slot)];
    to.packet = (u64)injected.address << 32 | injected.message;
    to.birth = injected.birth;
    to.lag = injected.lag;
    to.state = injected.eligible << INSTANT_SHIFT | TAKEN;
}

// When all is over: counts the packets that were made and have not left.
DEVICE void count_rest(const Network& n, const Point& p, u32 place) {
    Source source = p.sources[place];
    u32 node = n.nodes_of_sources[place];
    while (source.made <= p.last) {
        source.offered += source.made >= p.from;
        draw(n, p, node, source);
    }
    p.sources[place].offered = source.offered;
}

// Runs a router and its nodes in a window, by G threads of which this is one. Returns whether packets have moved.
template <u32 G, bool DECIDES, bool SAMPLES>
DEVICE bool run_router(const Network& n, const Point& p, u32 router, u32 thread, const Window& w, Heads heads) {
    Group<G> group;
    Here h = here_of(n, router);
    bool moved = false;
    // A packet of a node may come to its router within the window, so nodes are first.
    if (!p.has_messages) {
        for (u32 place = n.first_sources[router] + thread; place < n.first_sources[router + 1]; place += G) {
            moved |= run_source<SAMPLES>(n, p, place, w);
        }
    }
    group.meet();
    find_heads<G>(n, p, h, thread, w, heads);
    if (group.total(heads.count) == 0) return moved;
    look_at_all<DECIDES>(n, p, h, w, heads);
    group.meet();
    u32 hops = 0;
    for (;;) {
        u32 now = LATER;
        for (u32 place = 0; place < heads.count; ++place) now = heads.at(place) < now ? heads.at(place) : now;
        now = group.least(now);
        if (now == LATER) break;
        u32 place = 0, done = 0;
        u32 lane = first_of<G>(n, p, h, group, heads, now, place);
        Granted granted{~0u, NOTHING, 0, 0};
        if (lane % G == thread) {
            bool again = true;
            if (DECIDES && heads.needs(place) == UNDECIDED) {
                decide_now(n, p, h, lane, heads.head(place), w.start + now);
            } else {
                done = grant<DECIDES, SAMPLES>(n, p, h, w, heads, place, w.start + now, granted);
                again = done;
                if (!done) heads.at(place) = granted.available;
            }
            if (again) look_again<DECIDES>(n, p, h, w, heads, place, now);
        }
        group.meet();
        if (!group.of(done, lane % G)) continue;
        hops += 1;
        granted.input = group.of(granted.input, lane % G);
        granted.needs = group.of(granted.needs, lane % G);
        granted.input_free = group.of(granted.input_free, lane % G);
        granted.available = group.of(granted.available, lane % G);
        hold_back(p, h, heads, granted, lane, w.start + now);
        group.meet();
    }
    if (hops && thread == 0) {
        add(p.results[router].hops, hops);
        if (p.has_messages) add(p.lists->hops, hops);
    }
    return moved || hops > 0;
}

DEVICE Window window_of(const Network& n, const Point& p, u64 number) {
    u64 start = number * n.width, closes = start + n.width;
    return Window{start, closes, least(closes, p.last + 1)};
}
