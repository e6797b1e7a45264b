// A router in a window: see crates/packet/src/routers/router.rs. A window goes from an instant until another one; nothing is granted
// from `end` on, which is before the end of the window where the run ends. Instants within a window are counted from its start.
#pragma once
#include "groups.h"
#include "samples.h"

struct Window {
    u64 start, closes, end;
};

// Later than any instant of a window.
static const u32 LATER = ~0u;

// An instant as one of a window that is not before its start. In a window that begins behind the end of the run nothing is.
DEVICE u32 within(const Window& w, u64 at) {
    u64 instant = at > w.start ? at : w.start;
    return instant >= w.end ? LATER : (u32)(instant - w.start);
}

DEVICE u32 later(u32 a, u32 b) { return a > b ? a : b; }

// A router while it is run.
struct Here {
    u32 number, address, first_input, first_output, lanes, first_lane, kind;
};

DEVICE Here here_of(const Network& n, u32 router) {
    Router place = n.places[router];
    u32 vcs = (u32)n.vcs, next = n.places[router + 1].input;
    return Here{router, place.address, place.input, place.output, (next - place.input) * vcs, place.input * vcs, place.kind};
}

DEVICE Crossbar crossbar_of(const Point& p, const Here& h) { return p.crossbars_count == 1 ? p.crossbar : p.crossbars[h.kind]; }
DEVICE Wire wire_of(const Point& p, u32 wire) { return p.wires_count == 1 ? p.wire : p.wires[wire]; }

#if IS_HOST
static const u32 STRIDE = 1;
#else
// Threads of a block. Lists of its threads lie side by side, so that each has a bank of its own.
static const u32 STRIDE = 128;
#endif

// The head packets of a thread's lanes that are eligible in a window: when each could be granted, what it needs, its lane with the
// number of its port above that, and the place of the head in the ring of the lane with the most packets that have waited there above.
struct Heads {
    u32* words;
    u32 each, count;

    METHOD u32& at(u32 place) const { return words[place * STRIDE]; }
    METHOD u32& needs(u32 place) const { return words[each + place * STRIDE]; }
    METHOD u32& port(u32 place) const { return words[2 * each + place * STRIDE]; }
    METHOD u32& head(u32 place) const { return words[3 * each + place * STRIDE]; }
    METHOD u32 lane(u32 place) const { return port(place) & 0xffff; }
};

// The lists of a thread of a block in a memory for lists of so many packets.
DEVICE Heads heads_in(u32* memory, u32 most_heads, u32 thread) { return Heads{memory + thread, most_heads * STRIDE, 0}; }

// The place of a slot of a lane, whose number is in the lower half of a word.
DEVICE u64 head_place(const Network& n, u32 own, u32 word) { return place_of(n, own, word & 0xffff); }

// Asks for memory before it is needed.
DEVICE void prefetch(const void* address) {
#if !IS_HOST
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

// Finds the head packets of the lanes of a thread, and when they are eligible.
template <u32 G> DEVICE void find_heads(const Network& n, const Point& p, const Here& h, u32 thread, const Window& w, Heads& heads) {
    // Loads of so many lanes are under way at a time.
    const u32 AHEAD = G == 1 ? 8 : G < 8 ? 4 : 2;
    heads.count = 0;
    for (u32 first = thread; first < h.lanes; first += AHEAD * G) {
        u64 states[AHEAD];
        u32 words[AHEAD];
#pragma unroll
        for (u32 step = 0; step < AHEAD; ++step) {
            u32 lane = first + step * G;
            words[step] = lane < h.lanes ? p.lanes[h.first_lane + lane] : 0;
        }
#pragma unroll
        for (u32 step = 0; step < AHEAD; ++step) {
            u32 lane = first + step * G, own = h.first_lane + lane;
            // Where there is no link there are no places.
            bool is_there = lane < h.lanes && (!n.starts || depth_of(n, own) > 0);
            states[step] = is_there ? p.slots[head_place(n, own, words[step])].state : 0;
        }
#pragma unroll
        for (u32 step = 0; step < AHEAD; ++step) {
            u64 eligible = states[step] >> INSTANT_SHIFT;
            if (states[step] & TAKEN && eligible < w.closes) {
                u32 lane = first + step * G, own = h.first_lane + lane;
                heads.at(heads.count) = within(w, eligible);
                heads.port(heads.count) = lane;
                heads.head(heads.count) = words[step];
                heads.count += 1;
                prefetch(p.slots + place_of(n, own, slot_after(n, own, words[step] & 0xffff)));
            }
        }
    }
}

// The place that a virtual channel of an output fills next.
DEVICE u32 tail_of(const Network& n, const Point& p, const Output& port, u64 output, u32 vc) {
    return n.vcs > 2 ? p.tails[output * n.vcs + vc] : vc == 0 ? port.tails[0] : port.tails[1];
}

// The virtual channel of a class that is tried first.
DEVICE u32 first_channel(const Network& n, const Output& port, u32 cls) {
    u32 low = n.class_low[cls], last = port.last_vc;
    return last >= low && last + 1 < n.class_high[cls] ? last + 1 : low;
}

// Finds a virtual channel with a credit among those from `low` on and before `high`, the first of them from `vc` on, as Filling::find_credit in
// slots.rs. Their lanes begin with one, and `tail` says which place of a channel is filled next. Returns the channel; or vcs, and when there
// will be one.
template <class Tail>
DEVICE u32 find_credit(const Network& n, const Point& p, u32 first_lane, u32 low, u32 high, u32 vc, u64 at, u64& soonest, Tail tail) {
    soonest = NEVER;
    for (u32 left = high - low; left > 0; --left) {
        u64 state = p.slots[place_of(n, first_lane + vc, tail(vc))].state;
        if (!(state & TAKEN)) {
            u64 from = state >> INSTANT_SHIFT;
            if (from <= at) return vc;
            soonest = least(soonest, from);
        }
        vc = vc + 1 < high ? vc + 1 : low;
    }
    return (u32)n.vcs;
}

// The same for an output.
DEVICE u32 find_credit_of(const Network& n, const Point& p, const Output& port, u64 output, u32 cls, u64 at, u64& soonest) {
    auto tail = [&](u32 vc) { return tail_of(n, p, port, output, vc); };
    return find_credit(n, p, port.lane, n.class_low[cls], n.class_high[cls], first_channel(n, port, cls), at, soonest, tail);
}

// The output and class that a head packet with an address needs.
template <bool DECIDES> DEVICE u32 needs_of_head(const Network& n, const Point& p, const Here& h, u32 address, u32 lane, Channel channel) {
    if (!DECIDES) return fixed_hop(n, h.address, address, channel);
    Decision decision = p.decided[h.first_lane + lane];
    if (!decision.is_made) {
        Deciding d{h.address, destination_of(n, address), h.first_output, 0, 0, false};
        if (!decide(n, p, d, address, channel, decision)) return UNDECIDED;
        p.decided[h.first_lane + lane] = decision;
    }
    return needs_of(decision.output, decision.cls);
}

// When a packet for an output can be granted that could be at an instant but for credits.
DEVICE u32 with_credit(const Network& n, const Point& p, const Window& w, const Output& port, u64 output, u32 cls, u32 ready) {
    if (ready == LATER || port.to & NODE) return ready;
    u64 soonest;
    // A place that becomes free in this window can be used after it, so it is enough to look at the first place of each channel.
    u32 vc = find_credit_of(n, p, port, output, cls, w.start + ready, soonest);
    return vc == n.vcs ? within(w, soonest) : ready;
}

// When ports are free for a head packet that is eligible at an instant; its input port is from another one on.
DEVICE u32 when_free(const Network& n, const Point& p, const Here& h, const Window& w, u32 lane, u64 input_free, const Output& port, u32 eligible) {
    u32 ready = later(later(eligible, within(w, input_free)), within(w, port.available));
    return n.turnaround ? later(ready, within(w, p.turned[h.first_lane + lane])) : ready;
}

// Looks at all heads that were found: so many at a time, step by step, so that loads for all of them are under way.
template <bool DECIDES> DEVICE void look_at_all(const Network& n, const Point& p, const Here& h, const Window& w, const Heads& heads) {
    const u32 TOGETHER = 4;
    for (u32 first = 0; first < heads.count; first += TOGETHER) {
        u64 packets[TOGETHER], inputs[TOGETHER], credits[TOGETHER];
        u32 channels[TOGETHER], needs[TOGETHER];
        Output ports[TOGETHER];
        u32 count = heads.count - first < TOGETHER ? heads.count - first : TOGETHER;
#pragma unroll
        for (u32 step = 0; step < TOGETHER; ++step) {
            if (step >= count) break;
            u32 lane = heads.port(first + step);
            packets[step] = p.slots[head_place(n, h.first_lane + lane, heads.head(first + step))].packet;
            channels[step] = n.channels[lane];
        }
#pragma unroll
        for (u32 step = 0; step < TOGETHER; ++step) {
            if (step >= count) break;
            u32 lane = heads.port(first + step);
            Channel channel = channel_in(channels[step]);
            heads.port(first + step) = channel.input << 16 | lane;
            needs[step] = needs_of_head<DECIDES>(n, p, h, (u32)(packets[step] >> 32), lane, channel);
            heads.needs(first + step) = needs[step];
            if (DECIDES && needs[step] == UNDECIDED) continue;
            ports[step] = p.outputs[h.first_output + (needs[step] >> 8)];
            inputs[step] = p.inputs[h.first_input + channel.input];
        }
#pragma unroll
        for (u32 step = 0; step < TOGETHER; ++step) {
            if (step >= count) break;
            if ((DECIDES && needs[step] == UNDECIDED) || ports[step].to & NODE) continue;
            u32 vc = first_channel(n, ports[step], needs[step] & 0xff);
            u64 output = h.first_output + (needs[step] >> 8);
            credits[step] = p.slots[place_of(n, ports[step].lane + vc, tail_of(n, p, ports[step], output, vc))].state;
        }
#pragma unroll
        for (u32 step = 0; step < TOGETHER; ++step) {
            if (step >= count) break;
            if (DECIDES && needs[step] == UNDECIDED) continue;
            u32 lane = heads.lane(first + step);
            u32 ready = when_free(n, p, h, w, lane, inputs[step], ports[step], heads.at(first + step));
            bool has_credit = ports[step].to & NODE || (!(credits[step] & TAKEN) && credits[step] >> INSTANT_SHIFT <= w.start);
            u64 output = h.first_output + (needs[step] >> 8);
            heads.at(first + step) = has_credit ? ready : with_credit(n, p, w, ports[step], output, needs[step] & 0xff, ready);
        }
    }
}

// Looks at the head packet of a lane again, at an instant.
template <bool DECIDES>
DEVICE void look_again(const Network& n, const Point& p, const Here& h, const Window& w, const Heads& heads, u32 place, u32 now) {
    u32 port = heads.port(place), lane = port & 0xffff;
    const Slot& slot = p.slots[head_place(n, h.first_lane + lane, heads.head(place))];
    u64 state = slot.state, packet = slot.packet, input_free = p.inputs[h.first_input + (port >> 16)];
    heads.needs(place) = NOTHING;
    heads.at(place) = LATER;
    if (!(state & TAKEN) || state >> INSTANT_SHIFT >= w.closes) return;
    u32 eligible = later(within(w, state >> INSTANT_SHIFT), now);
    u32 needs = needs_of_head<DECIDES>(n, p, h, (u32)(packet >> 32), lane, channel_of(n, lane));
    heads.needs(place) = needs;
    if (DECIDES && needs == UNDECIDED) {
        heads.at(place) = eligible;
        return;
    }
    u64 output = h.first_output + (needs >> 8);
    Output to = p.outputs[output];
    heads.at(place) = with_credit(n, p, w, to, output, needs & 0xff, when_free(n, p, h, w, lane, input_free, to, eligible));
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

DEVICE Rank rank_of(const Network& n, const Point& p, const Here& h, u32 port, u32 needs, u32 head) {
    u32 lane = port & 0xffff;
    Rank rank{0, 0, 0, lane};
    if (needs == UNDECIDED) return rank;
    rank.behind = 1;
    if (n.arbiter == FIXED_PRIORITY) return rank;
    u32 own = h.first_lane + lane;
    const Slot& slot = p.slots[head_place(n, own, head)];
    if (n.arbiter == OLDEST_FIRST) {
        rank.first = rank.second = slot.birth;
        return rank;
    }
    u64 eligible = slot.state >> INSTANT_SHIFT;
    Turn turn = p.turns[own];
    rank.first = most(eligible, turn.turn);
    rank.second = most(eligible, turn.granted);
    if (n.arbiter == TRANSIT_FIRST) rank.behind += n.from_node[h.first_input + (port >> 16)];
    if (n.arbiter == INJECTION_FIRST) rank.behind += !n.from_node[h.first_input + (port >> 16)];
    return rank;
}

// Ports that a grant keeps busy.
struct Granted {
    u32 input, needs, input_free, available;
};

// When the output buffer has room for the next packet: see room_from in states.rs.
DEVICE u64 room_from(const Network& n, const Point& p, u64 output, u64 ends, u64 before) {
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
#if IS_HOST
    u32 bits = value ? 64 - (u32)__builtin_clzll(value) : 0;
#else
    u32 bits = 64 - (u32)__clzll((i64)value);
#endif
    u32 exponent = bits > 6 ? bits - 6 : 0;
    return (exponent << 5) + (u32)(value >> exponent);
}

// The number of an entry that is added to a list.
DEVICE u64 next_entry(u64& count) {
#if IS_HOST
    return count++;
#else
    return atomicAdd(&count, 1ull);
#endif
}

// The time of a packet of so many bytes on a wire, and in a crossbar of a kind.
DEVICE u64 sends_of(const Point& p, const Wire& wire, u32 number, u64 bytes) {
    return bytes == p.bytes ? wire.sends : p.times[number * p.times_each + bytes];
}

DEVICE u64 passes_of(const Point& p, const Crossbar& crossbar, u32 kind, u64 bytes) {
    return bytes == p.bytes ? crossbar.passes : p.times[(p.wires_count + kind) * p.times_each + bytes];
}

// A packet has reached its node.
template <bool SAMPLES> DEVICE void deliver(const Point& p, const Here& h, u32 node, const Slot& packet, u64 at) {
    if (p.has_messages) {
        p.delivered[next_entry(p.lists->delivered)] = Delivered{node, (u32)packet.packet, at};
        return;
    }
    if (at > p.last) return;
    Result& r = p.results[h.number];
    u64 message = packet.packet & 0xffffffff;
    add(r.packets, 1);
    add(r.digest, mix((message << 32 | node) ^ mix(at) ^ packet.birth << 20));
    if (at < p.from) return;
    u64 latency = at - packet.birth;
    u64 since = (u64)((u32)(at >> p.unit) - (u32)message) << p.unit;
    if (SAMPLES) sample_latency(*p.sampling, h.number, at, latency);
    add(r.measured, 1);
    add(r.sum, latency);
    raise(r.least, ~latency);
    raise(r.most, latency);
    add(r.made_sum, since);
    raise(r.made_least, ~since);
    raise(r.made_most, since);
    u64* histogram = p.histograms + 2 * STEPS * (h.number % (u32)p.stripes);
    add(histogram[step_of(latency)], 1);
    add(histogram[STEPS + step_of(since)], 1);
}

// Returns whether a packet waits at an instant so many places behind the head of a lane.
DEVICE bool waits_behind(const Network& n, const Point& p, u32 lane, u32 head, u32 behind, u64 now) {
    u32 place = head + behind, depth = depth_of(n, lane);
    u64 state = p.slots[place_of(n, lane, place >= depth ? place - depth : place)].state;
    return state & TAKEN && state >> INSTANT_SHIFT <= now;
}

// The place in the input buffer that a packet leaves is free from an instant on, and the next one is the head of the lane. Returns the
// word of that head.
template <bool DECIDES>
DEVICE u32 leave_input(const Network& n, const Point& p, u32 own, u32 word, u64 bytes, u64 now, u64 credit, u64 known) {
    Slot& slot = p.slots[head_place(n, own, word)];
    if (DECIDES) {
        p.decided[own].is_made = 0;
        slot.packet = departure(bytes, now + most(credit, n.lookahead), known);
        store_in_order(&slot.state, known << INSTANT_SHIFT);
    } else {
        slot.state = known << INSTANT_SHIFT;
    }
    // The most packets that have waited here at a grant: this one, and those behind it.
    u32 after = slot_after(n, own, word & 0xffff), longest = word >> 16 ? word >> 16 : 1, depth = depth_of(n, own);
    if (waits_behind(n, p, own, after, 0, now)) {
        longest = longest > 2 ? longest : 2;
        while (longest < depth && waits_behind(n, p, own, after, longest - 1, now)) longest += 1;
    }
    prefetch(p.slots + place_of(n, own, slot_after(n, own, after)));
    u32 next = longest << 16 | after;
    p.lanes[own] = next;
    return next;
}

// Grants a head packet at an instant. False: it has no credit; `granted.available` is when it could be granted then.
template <bool DECIDES, bool SAMPLES>
DEVICE bool grant(const Network& n, const Point& p, const Here& h, const Window& w, const Heads& heads, u32 place, u64 now, Granted& granted) {
    u32 port_word = heads.port(place), word = heads.head(place), needs = heads.needs(place);
    u32 own = h.first_lane + (port_word & 0xffff), input = port_word >> 16;
    u64 output = h.first_output + (needs >> 8);
    Slot packet = p.slots[head_place(n, own, word)];
    Output port = p.outputs[output];
    u64 eligible = packet.state >> INSTANT_SHIFT;
    u32 vc = 0;
    if (!(port.to & NODE)) {
        u64 soonest;
        vc = find_credit_of(n, p, port, output, needs & 0xff, now, soonest);
        if (vc == n.vcs) {
            granted.available = within(w, soonest);
            return false;
        }
    }
    Crossbar crossbar = crossbar_of(p, h);
    Wire wire = wire_of(p, port.wire);
    u64 bytes = packet.lag & BYTES_MASK, passes = passes_of(p, crossbar, h.kind, bytes), sends = passes, crossed = now + passes;
    if (!n.alike) {
        sends = sends_of(p, wire, port.wire, bytes);
        crossed = most(crossed, eligible - n.pipeline + (n.keeps_lags ? packet.lag >> BYTES_BITS : sends));
    }
    u64 starts = most(port.link_free, now + crossbar.delay);
    u64 ends = most(starts + sends, crossed + crossbar.delay);
    u64 leaves = room_from(n, p, output, ends, port.link_free);
    port.link_free = ends;
    port.available = most(crossed, less(leaves, crossbar.delay));
    if (now >= p.from) {
        Load& load = p.loads[output];
        add(load.packets, 1);
        add(load.bytes, bytes);
        add(load.busy, ends - starts);
        if (now > eligible) add(load.waited, now - eligible);
    }
    if (SAMPLES) {
        const Sampling& sampling = *p.sampling;
        if (now >= p.from) sample_load(sampling, LOAD_SAMPLES * output, bytes, starts, ends);
        u64 start = now / sampling.interval * sampling.interval;
        sample_time(sampling, sampling.of_lanes + LANE_SAMPLES * own, most(eligible, start), crossed);
    }
    u64 credit = n.credit != NEVER ? n.credit : n.credits[h.first_input + input];
    u64 given_back = crossbar.flit_passes == NEVER ? crossed : now + least(passes, crossbar.flit_passes);
    if (port.to & NODE) {
        deliver<SAMPLES>(p, h, port.lane, packet, ends + wire.latency);
    } else {
        port.last_vc = (u16)vc;
        u32 to_lane = port.lane + vc, tail = tail_of(n, p, port, output, vc);
        Slot& to = p.slots[place_of(n, to_lane, tail)];
        u64 onward = packet.packet;
        if (DECIDES) {
            join_queue(n, p, output, vc, to_lane, (u32)bytes, now, crossed);
            onward = (u64)p.decided[own].address << 32 | (onward & 0xffffffff);
        }
        u16 next = (u16)slot_after(n, to_lane, tail);
        if (n.vcs > 2) p.tails[output * n.vcs + vc] = next;
        else if (vc == 0) port.tails[0] = next;
        else port.tails[1] = next;
        to.packet = onward;
        to.birth = packet.birth;
        to.lag = (ends - starts) << BYTES_BITS | bytes;
        to.state = (starts + wire.latency + n.pipeline) << INSTANT_SHIFT | TAKEN;
    }
    p.outputs[output] = port;
    p.turns[own] = Turn{now, now};
    if (n.turnaround) p.turned[own] = crossed + n.turnaround;
    p.inputs[h.first_input + input] = crossed;
    heads.head(place) = leave_input<DECIDES>(n, p, own, word, bytes, now, credit, given_back + credit);
    if (p.has_messages && n.from_node[h.first_input + input]) {
        p.freed[next_entry(p.lists->freed)] = Freed{own, word & 0xffff, given_back + credit};
    }
    granted = Granted{input, needs, within(w, crossed), within(w, port.available)};
    return true;
}
