// Messages of a pattern file of weir under SimGrid (S4U, C++; 3.32, and from 4.0 on), for `make compare`.
//
//     simgrid_replay PLATFORM PATTERN ENDS [--cfg=...]
//
//     PLATFORM  XML of SimGrid, with a host `r0`, `r1`, ... for each rank, and links without latency
//     PATTERN   text of weir (docs/reference/pattern-files.md) without pauses, waits, gaps and orders, sizes in bytes
//     ENDS      is written: one line per message in the order of their ends: sender, number among its messages, and its end
//               in seconds
//
// A rank goes through its entries as the pattern's model says: a send blocks until its last byte has left, a post does not,
// an await blocks until the message is there. A host sends one message at a time and takes any number. There are no actors:
// the end of a message lets its ranks go on.
//
// Prints one line of JSON. `cpu_s` is user and system time of the simulation alone.

#include "cost.hpp"
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "error: %s; the head of replay.cpp says what there is\n", what.c_str());
  std::exit(2);
}

enum class Kind { Send, Post, Await };

struct Entry {
  Kind kind;
  int peer;
  uint64_t bytes;
};

struct Message {
  int from;
  int to;
  int number; // among those of its sender
  uint64_t bytes;
  bool blocks;
};

struct Rank {
  sg4::Host* host = nullptr;
  std::vector<Entry> entries;
  size_t next = 0;
  int sent = 0;
  bool blocked = false;         // by a send that has not left yet
  std::deque<Message*> waiting; // for the interface
  Message* active = nullptr;
  sg4::CommPtr current;
  sg4::CommPtr finished; // SimGrid 4.1 still uses a message after the signal of its completion
  std::map<int, int> arrived; // by sender: messages that no await has taken
};

std::vector<Rank> ranks;
std::ofstream ends;
uint64_t messages = 0;

void read_pattern(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != "weir-pattern 1")
    refuse(std::string(path) + " is no pattern file");
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first;
    std::string verb;
    if (!(words >> first) || first[0] == '#' || first == "title")
      continue;
    if (first == "ranks") {
      size_t count = 0;
      words >> count;
      ranks.resize(count);
      continue;
    }
    Entry entry{Kind::Send, 0, 0};
    words >> verb >> entry.peer;
    entry.kind = verb == "await" ? Kind::Await : verb == "post" ? Kind::Post : Kind::Send;
    if (entry.kind != Kind::Await)
      words >> entry.bytes;
    if (!words || words >> first || (verb != "send" && verb != "post" && verb != "await"))
      refuse("cannot do \"" + line + "\"");
    ranks.at(std::atoi(line.c_str())).entries.push_back(entry);
  }
}

/// The interface takes the next message, if it is free and there is one.
void send_next(Rank& rank) {
  if (rank.active || rank.waiting.empty())
    return;
  Message* message = rank.waiting.front();
  rank.waiting.pop_front();
  rank.active = message;
  auto comm = sg4::Comm::sendto_init(rank.host, ranks[message->to].host);
  comm->set_payload_size(message->bytes);
  comm->set_data(message);
  rank.current = comm;
  comm->start();
}

/// A rank works through its entries until one blocks.
void go_on(int number) {
  Rank& rank = ranks[number];
  while (!rank.blocked && rank.next < rank.entries.size()) {
    const Entry& entry = rank.entries[rank.next];
    if (entry.kind == Kind::Await) {
      int& arrived = rank.arrived[entry.peer];
      if (arrived == 0)
        return;
      arrived--;
    } else {
      rank.blocked = entry.kind == Kind::Send;
      rank.waiting.push_back(new Message{number, entry.peer, rank.sent++, entry.bytes, rank.blocked});
      send_next(rank);
    }
    rank.next++;
  }
}

void message_ended(Message* message) {
  ends << message->from << ' ' << message->number << ' ' << sg4::Engine::get_clock() << '\n';
  messages++;
  Rank& sender = ranks[message->from];
  sender.finished = sender.current;
  sender.current = nullptr;
  sender.active = nullptr;
  if (message->blocks)
    sender.blocked = false;
  ranks[message->to].arrived[message->from]++;
  go_on(message->from);
  send_next(sender);
  go_on(message->to);
  delete message;
}

} // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv); // takes its own options out of argv
  if (argc != 4)
    refuse("give platform, pattern and a file for the ends");
  engine.load_platform(argv[1]);
  read_pattern(argv[2]);
  ends.open(argv[3]);
  ends.precision(17);
  for (size_t number = 0; number < ranks.size(); number++)
    ranks[number].host = engine.host_by_name("r" + std::to_string(number));
#if SIMGRID_VERSION >= 40000
  sg4::Comm::on_completion_cb([](const sg4::Comm& comm) { message_ended(comm.get_data<Message>()); });
#else
  sg4::Activity::on_completion_cb([](const sg4::Activity& activity) {
    message_ended(static_cast<const sg4::Comm&>(activity).get_data<Message>());
  });
#endif
  for (size_t number = 0; number < ranks.size(); number++)
    go_on(number);

  const double set_up = cpu_seconds();
  engine.run();
  const double ended = cpu_seconds();
  ends.close();
  int major;
  int minor;
  int patch;
  sg_version_get(&major, &minor, &patch);
  std::printf("{\"version\": \"%d.%d\", \"messages\": %llu, \"simulated_s\": %.17g, \"setup_cpu_s\": %.3f, \"cpu_s\": %.4f, "
              "\"peak_memory_bytes\": %ld}\n",
              major, minor, static_cast<unsigned long long>(messages), sg4::Engine::get_clock(), set_up, ended - set_up,
              peak_memory_bytes());
  std::fflush(stdout);
  _exit(0); // taking the platform down is no part of the comparison
}
