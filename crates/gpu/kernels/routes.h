// The next step of a packet, as crates/packet/src/routing says it.
#pragma once
#include "numbers.h"

// A virtual channel of an input port: the port, the channel, and the class to which that belongs between routers.
struct Channel {
    u32 input, vc, cls;
};

DEVICE Channel channel_in(u32 word) { return Channel{word >> 16, word >> 8 & 0xff, word & 0xff}; }
DEVICE Channel channel_of(const Network& n, u32 lane) { return channel_in(n.channels[lane]); }

// An output port and a class in one word: lanes of a port with the same word need the same.
DEVICE u32 needs_of(u32 output, u32 cls) { return output << 8 | cls; }

// No packet needs this.
static const u32 NOTHING = ~0u;
// The need of a packet has not been decided.
static const u32 UNDECIDED = ~0u - 1;

// See grid.rs.
DEVICE bool goes_plus(const Network& n, const Axis& axis, u32 here, u32 there, u32 address) {
    u32 ahead = there - here + (there > here ? 0 : axis.ring);
    if (2 * ahead != axis.ring) return 2 * ahead < axis.ring;
    switch (n.tie) {
    case TIE_SPREAD: return axis.ring != 2 || n.way_bit > 31 || !(address >> n.way_bit & 1);
    case TIE_PLUS: return true;
    case TIE_DIRECT: return there > here;
    default: return here % 2 == 0;
    }
}

DEVICE u32 first_bit(u32 word) {
#if IS_HOST
    return (u32)__builtin_ctz(word);
#else
    return (u32)__ffs((int)word) - 1;
#endif
}

DEVICE u32 grid_hop(const Network& n, u32 own, u32 address, Channel channel) {
    u32 difference = (own ^ address) & (u32)n.fields;
    if (difference == 0) return needs_of(2 * (u32)n.axes_count, 0);
    u32 number = n.axis_of_bit[first_bit(difference)];
    Axis axis = n.axes[number];
    u32 here = own >> axis.shift & axis.mask, there = address >> axis.shift & axis.mask;
    bool plus = goes_plus(n, axis, here, there, address);
    u32 cls = axis.crosses && plus != (there > here);
    if (n.keeps_class && channel.input >> 1 == number) cls = channel.cls;
    return needs_of(2 * number + !plus, cls);
}

// See tree.rs. Nodes of the lowest stage have so many interfaces, of which the first one is meant.
DEVICE u32 tree_hop(const Network& n, u32 router, u32 address) {
    u32 stage = n.stages[router];
    Level level = n.levels[stage];
    u32 destination = n.node_bits > 31 ? address : address & ((1u << n.node_bits) - 1);
    u32 subtree = (router - level.first_router) / level.width;
    u32 below = destination / level.under_port;
    u32 decides = (n.node_bits > 31 ? 0 : address >> n.node_bits) / level.width;
    if (below / level.down == subtree) {
        u32 port = below % level.down;
        u32 down = stage == 0 ? port * (u32)n.nics_per_node : port * level.parallel_down + decides % level.parallel_down;
        return needs_of(level.up * level.parallel_up + down, 0);
    }
    return needs_of(decides % level.up * level.parallel_up + decides / level.up % level.parallel_up, 0);
}

// The ports that begin a shortest way between two routers: their number, that of the leading ones, and they themselves.
DEVICE const u16* candidates(const Network& n, u32 from, u32 to) { return n.lists + n.table[(u64)from * n.homes + to]; }

DEVICE u16 fixed_port(const u16* found, u32 to) { return found[2 + to % found[1]]; }

DEVICE u32 destination_of(const Network& n, u32 address) { return address & (u32)((1ull << n.to_bits) - 1); }

DEVICE u32 ejection_port(const Network& n, u32 router, u32 to) {
    return n.ports[router] + to % (u32)n.nodes_per_router * (u32)n.nics_per_node;
}

// The class of a packet on the link behind a port.
DEVICE u32 ruled_class(const Network& n, u32 router, u32 port, u32 to, Channel channel) {
    if (n.links_passed) {
        u32 passed = channel.input >= n.ports[router] ? 0 : channel.cls + 1;
        return passed < n.rule_classes - 1 ? passed : (u32)n.rule_classes - 1;
    }
    u32 home = to / (u32)n.nodes_per_router;
    return n.rule_classes > 1 && n.groups[router] == n.groups[home] && n.port_classes[router * n.most_ports + port] == 0;
}

// The next step of a way that is always the same.
DEVICE u32 ruled_hop(const Network& n, u32 router, u32 address, Channel channel) {
    u32 to = destination_of(n, address), home = to / (u32)n.nodes_per_router;
    if (router == home) return needs_of(ejection_port(n, router, to), 0);
    const u16* found = candidates(n, router, home);
    u32 port;
    if (n.rule == HASHED) {
        u32 kept = address >> n.to_bits & ((1u << n.kept_bits) - 1);
        port = found[2 + pick(mix((u64)kept << 32 | router), found[0])];
    } else {
        port = fixed_port(found, to);
    }
    return needs_of(port, ruled_class(n, router, port, to, channel));
}

// The next step of a packet at a router where nothing is decided.
DEVICE u32 fixed_hop(const Network& n, u32 router, u32 address, Channel channel) {
    if (n.routing == GRID) return grid_hop(n, router, address, channel);
    if (n.routing == TREE) return tree_hop(n, router, address);
    return ruled_hop(n, router, address, channel);
}

// The address of a packet from one node to another.
DEVICE u32 address_to(const Network& n, u32 from, u32 to) {
    if (n.routing == GRID) {
        u32 place = n.addresses[to];
        if (n.way_bit > 31) return place;
        u32 own = n.addresses[from], odd = 0;
        for (u32 number = 0; number < n.axes_count; ++number) {
            Axis axis = n.axes[number];
            u32 here = own >> axis.shift & axis.mask, there = place >> axis.shift & axis.mask;
            odd ^= (there >= here ? there - here : there + axis.size - here) & 1;
        }
        return place | (odd == 0) << n.way_bit;
    }
    if (n.routing == TREE) {
        u32 decides = (n.by_source ? from : to) % (u32)n.ways;
        return to | (n.node_bits > 31 ? 0 : decides << n.node_bits);
    }
    if (n.rule == HASHED) {
        u64 pair = (u64)from << 32 | to;
        return to | (u32)(mix(mix(pair)) >> (64 - 8)) << n.to_bits;
    }
    return to;
}
