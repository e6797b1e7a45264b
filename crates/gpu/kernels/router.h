// A router in a window: see crates/packet/src/routers/router.rs. A window goes from an instant until another one; nothing is granted
// from `end` on, which is before the end of the window where the run ends. Instants within a window are counted from its start.
#pragma once
#include "groups.h"

struct Window {
    u64 start, closes, end;
};

// Later than any instant of a window.
static const u32 LATER = ~0u;

DEVICE u32 within(const Window& w, u64 at) { return at >= w.end ? LATER : (u32)(at - w.start); }

// A router while it is run.
struct Here {
    u32 number, address, first_input, first_output, lanes, first_lane;
    const Crossbar* crossbar;
};

DEVICE Here here_of(const Network& n, const Point& p, u32 router) {
    Router place = n.places[router], after = n.places[router + 1];
    u32 vcs = (u32)n.vcs;
    return Here{router, place.address, place.input, place.output, (after.input - place.input) * vcs, place.input * vcs, p.crossbars + place.kind};
}

// Finds a virtual channel with a credit, as Filling::find_credit in slots.rs. Returns the channel; or vcs, and when there will be one.
DEVICE u32 find_credit(const Network& n, const Point& p, u32 low, u32 high, u32 last, u32 first_lane, const u16* tails, u64 at, u64& soonest) {
    u32 first = last >= low && last + 1 < high ? last + 1 : low;
    soonest = NEVER;
    for (u32 step = 0; step < high - low; ++step) {
        u32 vc = first + step < high ? first + step : first + step - (high - low);
        u64 state = p.slots[place_of(n, first_lane + vc, tails[vc])].state;
        if (state & TAKEN) continue;
        u64 from = state >> INSTANT_SHIFT;
        if (from <= at) return vc;
        soonest = least(soonest, from);
    }
    return (u32)n.vcs;
}

// The same for the output that a packet needs.
DEVICE u32 find_output_credit(const Network& n, const Point& p, const Output& port, u64 output, u32 cls, u64 at, u64& soonest) {
    u32 low = n.classes[2 * cls], high = n.classes[2 * cls + 1];
    return find_credit(n, p, low, high, port.last_vc, port.lane, p.tails + output * n.vcs, at, soonest);
}

// The head packet of a lane: what it needs, and when it could be granted, not before an instant.
DEVICE u32 look(const Network& n, Point& p, const Here& h, const Window& w, u32 lane, u64 floor, u32& needs) {
    needs = NOTHING;
    u32 own = h.first_lane + lane;
    const Slot& slot = p.slots[place_of(n, own, p.lanes[own] & 0xffff)];
    u64 state = slot.state;
    if (!(state & TAKEN)) return LATER;
    u64 eligible = state >> INSTANT_SHIFT;
    if (eligible >= w.closes) return LATER;
    Channel channel = channel_of(n, lane);
    u32 address = (u32)(slot.packet >> 32);
    if (rule_decides(n)) {
        Decision& decision = p.decided[own];
        if (!decision.is_made) {
            Deciding d{h.address, destination_of(n, address), h.first_output, 0, 0, false};
            Decision made;
            if (!decide(n, p, d, address, channel, made)) {
                needs = UNDECIDED;
                return within(w, most(eligible, floor));
            }
            decision = made;
        }
        needs = needs_of(decision.output, decision.cls);
    } else {
        needs = fixed_hop(n, h.address, address, channel);
    }
    u64 output = h.first_output + (needs >> 8);
    const Output& port = p.outputs[output];
    u64 ready = most(most(eligible, p.inputs[h.first_input + channel.input]), most(port.available, floor));
    if (n.turnaround) ready = most(ready, p.turns[own].turned);
    if (ready < w.end && !(port.to & NODE)) {
        u64 soonest;
        // What becomes free in this window can be used after it, so it is enough to look at the first one of each channel.
        if (find_output_credit(n, p, port, output, needs & 0xff, ready, soonest) == n.vcs) ready = soonest;
    }
    return within(w, ready);
}

// Who goes first of those that could at the same instant; the least does.
struct Rank {
    u32 behind;
    u64 first, second;
    u32 lane;
};

DEVICE bool is_before(const Rank& a, const Rank& b) {
    if (a.behind != b.behind) return a.behind < b.behind;
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    return a.lane < b.lane;
}

DEVICE Rank rank_of(const Network& n, const Point& p, const Here& h, u32 lane, u32 needs) {
    if (needs == UNDECIDED) return Rank{0, 0, 0, lane};
    Rank rank{1, 0, 0, lane};
    u32 own = h.first_lane + lane;
    const Slot& slot = p.slots[place_of(n, own, p.lanes[own] & 0xffff)];
    bool from_node = n.from_node[h.first_input + lane / (u32)n.vcs];
    switch (n.arbiter) {
    case FIXED_PRIORITY: break;
    case OLDEST_FIRST: rank.first = rank.second = slot.birth; break;
    default: {
        u64 eligible = slot.state >> INSTANT_SHIFT;
        rank.first = most(eligible, p.turns[own].turn);
        rank.second = most(eligible, p.turns[own].granted);
        bool is_behind = (n.arbiter == TRANSIT_FIRST && from_node) || (n.arbiter == INJECTION_FIRST && !from_node);
        rank.behind += is_behind;
    }
    }
    return rank;
}

// Ports that a grant keeps busy.
struct Granted {
    u32 input, needs, input_free, available;
};

// When the output buffer has room for the next packet: see room_from in states.rs.
DEVICE u64 room_from(const Network& n, Point& p, u64 output, u64 ends, u64 before) {
    if (n.output_buffer == 1) return ends;
    if (n.output_buffer == 2) return before;
    u64 size = n.output_buffer - 2;
    u64* words = p.leaves + output * p.leaves_each;
    u64 oldest = words[0], instant = words[1 + oldest];
    words[1 + oldest] = before;
    words[0] = oldest + 1 == size ? 0 : oldest + 1;
    return instant;
}

DEVICE u32 step_of(u64 value) {
    u32 bits = 0;
#if IS_HOST
    bits = value ? 64 - (u32)__builtin_clzll(value) : 0;
#else
    bits = 64 - (u32)__clzll((i64)value);
#endif
    u32 exponent = bits > 6 ? bits - 6 : 0;
    return (exponent << 5) + (u32)(value >> exponent);
}

DEVICE void count_in(u64* counter) {
#if IS_HOST
    *counter += 1;
#else
    atomicAdd(counter, 1ull);
#endif
}

// A packet has reached its node.
DEVICE void deliver(Point& p, const Here& h, u32 node, const Slot& packet, u64 at) {
    if (at > p.last) return;
    Result& r = p.results[h.number];
    u64 message = packet.packet & 0xffffffff;
    r.packets += 1;
    r.digest += mix((message << 32 | node) ^ mix(at) ^ packet.birth << 20);
    if (at < p.from) return;
    u64 latency = at - packet.birth;
    u64 since = (u64)((u32)(at >> p.unit) - (u32)message) << p.unit;
    bool is_first = r.measured == 0;
    r.measured += 1;
    r.sum += latency;
    r.least = is_first ? latency : least(r.least, latency);
    r.most = most(r.most, latency);
    r.made_sum += since;
    r.made_least = is_first ? since : least(r.made_least, since);
    r.made_most = most(r.made_most, since);
    u64* histogram = p.histograms + 2 * STEPS * (h.number % p.stripes);
    count_in(histogram + step_of(latency));
    count_in(histogram + STEPS + step_of(since));
}

// Whether a packet so many places behind the head of a lane waits at an instant.
DEVICE bool waits_behind(const Network& n, const Point& p, u32 lane, u32 head, u32 behind, u64 now) {
    u32 place = head + behind, depth = depth_of(n, lane);
    u64 state = p.slots[place_of(n, lane, place >= depth ? place - depth : place)].state;
    return state & TAKEN && state >> INSTANT_SHIFT <= now;
}

// Grants the head packet of a lane at an instant. False: it has no credit; `granted.available` is when it could be granted then.
DEVICE bool grant(const Network& n, Point& p, const Here& h, const Window& w, u32 lane, u32 needs, u64 now, Granted& granted) {
    u32 own = h.first_lane + lane, vcs = (u32)n.vcs;
    u32 word = p.lanes[own], head = word & 0xffff;
    u64 taken = place_of(n, own, head);
    Slot packet = p.slots[taken];
    u64 eligible = packet.state >> INSTANT_SHIFT;
    u64 output = h.first_output + (needs >> 8);
    Output port = p.outputs[output];
    bool to_node = port.to & NODE;
    u32 vc = 0;
    if (!to_node) {
        u64 soonest;
        vc = find_output_credit(n, p, port, output, needs & 0xff, now, soonest);
        if (vc == vcs) {
            granted.available = within(w, soonest);
            return false;
        }
    }
    const Crossbar& crossbar = *h.crossbar;
    u64 passes = crossbar.passes, sends = passes, crossed = now + passes;
    if (!n.alike) {
        sends = p.sends[port.wire];
        crossed = most(crossed, eligible - n.pipeline + (n.keeps_lags ? packet.lag : sends));
    }
    u64 starts = most(port.link_free, now + crossbar.delay);
    u64 ends = most(starts + sends, crossed + crossbar.delay);
    u64 leaves = room_from(n, p, output, ends, port.link_free);
    port.link_free = ends;
    port.available = most(crossed, less(leaves, crossbar.delay));
    if (now >= p.from) {
        port.packets += 1;
        port.busy += ends - starts;
        port.waited += now - eligible;
    }
    u64 latency = p.latencies[port.wire];
    u64 credit = n.credits[h.first_input + lane / vcs];
    u64 known = (crossbar.flit_passes == NEVER ? crossed : now + least(passes, crossbar.flit_passes)) + credit;
    bool decides = rule_decides(n);
    if (to_node) {
        deliver(p, h, port.lane, packet, ends + latency);
    } else {
        port.last_vc = vc;
        u32 to_lane = port.lane + vc;
        u16& tail = p.tails[output * vcs + vc];
        Slot& to = p.slots[place_of(n, to_lane, tail)];
        u64 onward = packet.packet;
        if (decides) {
            join_queue(n, p, output, vc, to_lane, (u32)p.bytes, now, crossed);
            onward = (u64)p.decided[own].address << 32 | (onward & 0xffffffff);
        }
        tail = (u16)slot_after(n, to_lane, tail);
        to.packet = onward;
        to.birth = packet.birth;
        if (n.keeps_lags) to.lag = ends - starts;
        to.state = (starts + latency + n.pipeline) << INSTANT_SHIFT | TAKEN;
    }
    p.outputs[output] = port;
    Turn& turn = p.turns[own];
    turn.turn = turn.granted = now;
    if (n.turnaround) turn.turned = crossed + n.turnaround;
    p.inputs[h.first_input + lane / vcs] = crossed;
    if (decides) {
        p.decided[own].is_made = 0;
        p.slots[taken].packet = departure(p.bytes, now + most(credit, n.lookahead), known);
        store_in_order(&p.slots[taken].state, known << INSTANT_SHIFT);
    } else {
        p.slots[taken].state = known << INSTANT_SHIFT;
    }
    // The most packets that have waited here at a grant: this one, and those behind it.
    u32 after = slot_after(n, own, head), longest = word >> 16 ? word >> 16 : 1, depth = depth_of(n, own);
    if (waits_behind(n, p, own, after, 0, now)) {
        longest = longest > 2 ? longest : 2;
        while (longest < depth && waits_behind(n, p, own, after, longest - 1, now)) longest += 1;
    }
    p.lanes[own] = longest << 16 | after;
    granted.input = lane / vcs;
    granted.needs = needs;
    granted.input_free = within(w, crossed);
    granted.available = within(w, port.available);
    return true;
}
