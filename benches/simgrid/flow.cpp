// The flow-level cases of `make bench` under SimGrid (S4U, C++; 3.32, and from 4.0 on), beside which weir is measured.
//
//     simgrid_flow MACHINE PATTERN MAPPING [--cfg=...]
//
//     MACHINE   ft:P         fat tree of three stages of 2P-port switches, full bisection: 2 P^3 nodes
//               torus:N      N x N torus, without links between node and router (SimGrid's own torus has none)
//     PATTERN   simple-spread | simple-spread-2d | pairwise      all-to-all; the second one on a torus only
//               ring:K       random ring (seed 1), K messages a node
//     MAPPING   linear       rank = node
//               random       seed 1; by the same rule as weir's generator "lcg"
//
// Bandwidth 1e6 B/s, messages of 1e6 B, latency 0: a message alone takes 1 s. Sizes are not 1 B at 1 B/s as they are for
// weir, because SimGrid's precision (1e-5 by default) is in these units.
//
// There are no actors: the completion of a message starts the next one of its rank. Of the ways to drive SimGrid this is
// the cheapest; an actor per node costs more.
//
// Prints one line of JSON. `cpu_s` is user and system time of the simulation alone; setting up the platform is
// `setup_cpu_s`.

#include "cost.hpp"
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

constexpr double BANDWIDTH = 1e6;
constexpr uint64_t MESSAGE_SIZE = 1000000;
constexpr auto DUPLEX = sg4::Link::SharingPolicy::SPLITDUPLEX;

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "error: %s; the head of flow.cpp says what there is\n", what.c_str());
  std::exit(2);
}

/// A shuffle after Fisher and Yates with the draws of weir's generator "lcg", seed 1.
std::vector<int> permutation(int n) {
  std::vector<int> order(n);
  for (int i = 0; i < n; i++)
    order[i] = i;
  uint64_t state = 1;
  for (int i = n - 1; i > 0; i--) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::swap(order[i], order[(state >> 33) % (i + 1)]);
  }
  return order;
}

// ---- The machine -------------------------------------------------------------------------------------------------------

#if SIMGRID_VERSION >= 40000
sg4::Host* node(sg4::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
  return zone->add_host("n" + std::to_string(id), 1e9);
}

void build_fat_tree(sg4::Engine& engine, unsigned p) {
  auto* root = engine.get_netzone_root();
  auto* zone = root->add_netzone_fatTree("ft", 3, {p, p, 2 * p}, {1, p, p}, {1, 1, 1}, BANDWIDTH, 0.0, DUPLEX);
  zone->set_host_cb(node);
  zone->seal();
  root->seal();
}

void build_torus(sg4::Engine& engine, unsigned long n) {
  auto* root = engine.get_netzone_root();
  auto* zone = root->add_netzone_torus("torus", {n, n}, BANDWIDTH, 0.0, DUPLEX);
  zone->set_host_cb(node);
  zone->seal();
  root->seal();
}
#else
std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>
node(sg4::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
  return {zone->create_host("n" + std::to_string(id), 1e9)->get_netpoint(), nullptr};
}

void build_fat_tree(sg4::Engine&, unsigned p) {
  const sg4::FatTreeParams stages(3, {p, p, 2 * p}, {1, p, p}, {1, 1, 1});
  sg4::create_fatTree_zone("ft", nullptr, stages, sg4::ClusterCallbacks(node), BANDWIDTH, 0.0, DUPLEX)->seal();
}

void build_torus(sg4::Engine&, unsigned long n) {
  sg4::create_torus_zone("torus", nullptr, {n, n}, sg4::ClusterCallbacks(node), BANDWIDTH, 0.0, DUPLEX)->seal();
}
#endif

// ---- The pattern -------------------------------------------------------------------------------------------------------

enum class Pattern { SimpleSpread, SimpleSpread2d, Pairwise, Ring };

Pattern pattern;
int nodes;
int side;                 // of the torus
int messages_per_rank;
std::vector<int> mapping; // rank -> node
std::vector<int> next;    // of a ring: rank -> the rank behind it

/// Whom a rank sends to in step 1 .. messages_per_rank.
int destination(int rank, int step) {
  switch (pattern) {
    case Pattern::SimpleSpread:
      return (rank + step) % nodes;
    case Pattern::SimpleSpread2d:
      return (rank % side + step % side) % side + (rank / side + step / side) % side * side;
    case Pattern::Pairwise:
      return rank ^ step;
    case Pattern::Ring:
      break;
  }
  return next[rank];
}

void read_pattern(const std::string& word) {
  messages_per_rank = nodes - 1;
  if (word == "simple-spread") {
    pattern = Pattern::SimpleSpread;
  } else if (word == "simple-spread-2d" && side > 0) {
    pattern = Pattern::SimpleSpread2d;
  } else if (word == "pairwise" && (nodes & (nodes - 1)) == 0) {
    pattern = Pattern::Pairwise;
  } else if (word.rfind("ring:", 0) == 0) {
    pattern = Pattern::Ring;
    messages_per_rank = std::atoi(word.c_str() + 5);
    const std::vector<int> stroke = permutation(nodes);
    next.resize(nodes);
    for (int i = 0; i < nodes; i++)
      next[stroke[i]] = stroke[(i + 1) % nodes];
  } else {
    refuse("no pattern " + word + " on this machine");
  }
}

// ---- The run -----------------------------------------------------------------------------------------------------------

struct Cursor {
  int rank;
  int step;
};

std::vector<sg4::Host*> hosts;
std::vector<Cursor> cursors;
std::vector<sg4::CommPtr> current;
std::vector<sg4::CommPtr> finished; // SimGrid 4.1 still uses a message after the signal of its completion

void start_next(Cursor* cursor) {
  const int rank = cursor->rank;
  finished[rank] = current[rank];
  if (cursor->step > messages_per_rank) {
    current[rank] = nullptr;
    return;
  }
  const int to = destination(rank, cursor->step++);
  auto message = sg4::Comm::sendto_init(hosts[mapping[rank]], hosts[mapping[to]]);
  message->set_payload_size(MESSAGE_SIZE);
  message->set_data(cursor);
  current[rank] = message;
  message->start();
}

void start_all() {
#if SIMGRID_VERSION >= 40000
  sg4::Comm::on_completion_cb([](const sg4::Comm& message) { start_next(message.get_data<Cursor>()); });
#else
  sg4::Activity::on_completion_cb([](const sg4::Activity& activity) {
    start_next(static_cast<const sg4::Comm&>(activity).get_data<Cursor>());
  });
#endif
  current.resize(nodes);
  finished.resize(nodes);
  cursors.resize(nodes);
  for (int rank = 0; rank < nodes; rank++) {
    cursors[rank] = {rank, 1};
    start_next(&cursors[rank]);
  }
}

} // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv); // takes its own options out of argv
  if (argc != 4)
    refuse("give machine, pattern and mapping");
  const std::string machine = argv[1];
  const std::string placement = argv[3];
  const int size = std::atoi(machine.substr(machine.find(':') + 1).c_str());
  if (machine.rfind("ft:", 0) == 0 && size > 0) {
    nodes = 2 * size * size * size;
    build_fat_tree(engine, size);
  } else if (machine.rfind("torus:", 0) == 0 && size > 1) {
    side = size;
    nodes = size * size;
    build_torus(engine, size);
  } else {
    refuse("no machine " + machine);
  }
  for (int i = 0; i < nodes; i++)
    hosts.push_back(engine.host_by_name("n" + std::to_string(i)));
  read_pattern(argv[2]);
  if (placement == "random") {
    mapping = permutation(nodes);
  } else if (placement == "linear") {
    for (int i = 0; i < nodes; i++)
      mapping.push_back(i);
  } else {
    refuse("no mapping " + placement);
  }
  start_all();

  const double set_up = cpu_seconds();
  engine.run();
  const double ended = cpu_seconds();
  int major;
  int minor;
  int patch;
  sg_version_get(&major, &minor, &patch);
  std::printf("{\"version\": \"%d.%d\", \"nodes\": %d, \"messages\": %llu, \"simulated_s\": %.9f, \"setup_cpu_s\": %.3f, "
              "\"cpu_s\": %.4f, \"peak_memory_bytes\": %ld}\n",
              major, minor, nodes, static_cast<unsigned long long>(nodes) * messages_per_rank,
              sg4::Engine::get_clock(), set_up, ended - set_up, peak_memory_bytes());
  std::fflush(stdout);
  _exit(0); // taking the platform down is no part of the comparison
}
