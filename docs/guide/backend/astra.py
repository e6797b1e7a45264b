"""The system layer's part of an all-reduce, as ASTRA-sim has it, over a network that weir steps.

    python3 docs/guide/backend/astra.py NETWORK.yml SYSTEM.json --engine ideal

An all-reduce is cut into `preferred-dataset-splits` chunks, which each NPU does one after the other: 2 (n - 1) steps
around the ring, in which it sends a part to the next NPU and receives one from the NPU before it. A chunk begins, and a
part is there, `endpoint-delay` later; in the first n - 1 steps what has come is added to what is there, which is read
twice and written once by `local-mem-bw`. All this is counted in whole cycles of 1 ns.

On the engine `ideal` the network is the analytical model without congestion: a message takes the latency and its bytes
over the bandwidth. On `flow` and `packet` it takes the routes of the network.
"""

import argparse
import json
import re
from pathlib import Path

import weir

CYCLE_PS = 1000


class Npu:
    """One NPU: it sends to the next one when its part has come."""

    def __init__(self, backend: weir.Backend, rank: int, system: dict, size: int) -> None:
        """Has nothing yet of its all-reduce of `size` bytes."""
        self.backend, self.rank = backend, rank
        ranks = backend.ranks
        self.next, self.before = (rank + 1) % ranks, (rank - 1) % ranks
        self.steps, self.chunks = 2 * (ranks - 1), system["preferred-dataset-splits"]
        self.part = size // self.chunks // ranks
        self.delay = system["endpoint-delay"]
        self.combining = 3 * int(self.part / system["local-mem-bw"])
        self.received, self.finished = 0, None

    def after(self, cycles: int, then) -> None:
        """Does something so many whole cycles later."""
        now = self.backend.now_ps
        self.backend.schedule(self.rank, (now // CYCLE_PS + cycles) * CYCLE_PS - now, then=then)

    def begin_chunk(self) -> None:
        """Begins a chunk, when the endpoint is ready."""
        self.after(self.delay, self.send)

    def send(self, _=None) -> None:
        """Sends a part, and receives one."""
        number = self.received
        self.backend.send(self.rank, self.next, self.part, tag=number)
        self.backend.receive(self.rank, self.part, source=self.before, tag=number, then=self.has_received)

    def has_received(self, _) -> None:
        """A part has come: it takes time until it can be used."""
        reduces = self.received % self.steps < self.steps // 2
        self.after(self.delay + (self.combining if reduces else 0), self.part_is_there)

    def part_is_there(self, _) -> None:
        """Goes on with the next step, chunk, or nothing."""
        self.received += 1
        if self.received % self.steps > 0:
            self.send()
        elif self.received < self.steps * self.chunks:
            self.begin_chunk()
        else:
            self.finished = self.backend.now_ps // CYCLE_PS


def opened(network: Path, engine: str) -> weir.Backend:
    """The network; without its routes on the engine `ideal`, where it has one dimension."""
    # No message waits for its receive to be posted.
    keys = {"node.eager_limit": "1 TB"}
    if engine != "ideal":
        return weir.Backend(network, engine=engine, set=keys)
    values = dict(re.findall(r"(\w+): *\[ *([\w.]+) *\]", network.read_text()))
    keys |= {
        "workload.ranks": int(values["npus_count"]),
        "engine.latency": f"{values['latency']} ns",
        # A GB is 2^30 bytes in these files.
        "engine.bandwidth": f"{values['bandwidth']} GiB/s",
    }
    return weir.Backend(engine=engine, set=keys)


def all_reduce(network: Path, system: Path, size: int = 1 << 20, engine: str = "ideal") -> list[int]:
    """By NPU: the cycle in which it has finished."""
    backend = opened(network, engine)
    npus = [Npu(backend, rank, json.loads(system.read_text()), size) for rank in range(backend.ranks)]
    for npu in npus:
        npu.begin_chunk()
    backend.run()
    return [npu.finished for npu in npus]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="An all-reduce as ASTRA-sim has it, over a network that weir steps.")
    parser.add_argument("network", type=Path)
    parser.add_argument("system", type=Path)
    parser.add_argument("--bytes", type=int, default=1 << 20)
    parser.add_argument("--engine", choices=["ideal", "flow", "packet"], default="ideal")
    given = parser.parse_args()
    for npu, cycles in enumerate(all_reduce(given.network, given.system, given.bytes, given.engine)):
        print(f"sys[{npu}] finished, {cycles} cycles")
