"""Results folders made by hand, as runs would leave them: machines of any size without a simulation."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PS = 10**12


def write_table(path: Path, name: str, columns: dict[str, Any], **more: str) -> None:
    """Writes one Parquet file with the metadata that every table of weir has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"weir.schema": "1", "weir.table": name, **{f"weir.{key}": value for key, value in more.items()}}
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), path)


def summary(folder: Path, **fields: Any) -> dict[str, Any]:
    """Writes a summary of a finished run of the flow engine, with some fields of its own."""
    found: dict[str, Any] = {
        "schema_version": 1,
        "weir_version": "0.1.0",
        "title": "made by hand",
        "outcome": "finished",
        "engine": "flow",
        "nodes": 4,
        "routers": 4,
        "links": 16,
        "ranks": 4,
        "messages": 12,
        "bytes": 12_000_000,
        "simulated_s": 1e-3,
        "simulated_ps": 10**9,
        "wall_s": 0.25,
        "peak_memory_bytes": 10_000_000,
        "digest": "0123456789abcdef",
        "max_link_utilization": 0.75,
        "mean_link_utilization": 0.25,
        "experiment": {"engine": {"kind": "flow"}, "workload": {"kind": "all-to-all"}},
    }
    found |= fields
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.json").write_text(json.dumps(found), encoding="utf-8")
    return found


def torus(
    folder: Path, shape: list[int], *, intervals: int = 0, packet: bool = False, pairs: bool = False, **fields: Any
) -> None:
    """Writes a torus: a wave of utilization runs along its first axis."""
    size = int(np.prod(shape))
    number = np.arange(size)
    coordinates = np.stack([number // int(np.prod(shape[:axis])) % length for axis, length in enumerate(shape)], 1)
    begin, end, names = [number, number + size], [number + size, number], []
    for axis, length in enumerate(shape):
        for way in (1, -1):
            other = coordinates.copy()
            other[:, axis] = (other[:, axis] + way) % length
            begin.append(number + size)
            end.append(size + (other * np.cumprod([1, *shape[:-1]])).sum(1))
    begins, ends = np.concatenate(begin), np.concatenate(end)
    points = ["(" + ",".join(map(str, point)) + ")" for point in coordinates]
    names = [f"node {one}" for one in number] + [f"router {point}" for point in points]
    links = len(begins)
    simulated = 10**9
    rng = np.random.default_rng(7)
    start_of = np.concatenate([coordinates[:, 0]] * (links // size))
    frames = max(1, intervals)
    phase = (start_of[None, :] / shape[0] - np.arange(frames)[:, None] / frames) * 2 * np.pi
    wave = (0.35 + 0.35 * np.cos(phase)) * rng.uniform(0.6, 1.3, links)[None, :]
    wave[:, rng.uniform(0, 1, links) < 0.1] = 0
    carried = wave * 1e9 * simulated / PS / frames
    used = wave.mean(0)
    busy = (used * simulated).astype(np.uint64)
    busiest = int(used.argmax())
    write_table(
        folder / "places.parquet",
        "places",
        {
            "place": pa.array(np.arange(2 * size), pa.uint32()),
            "kind": ["node"] * size + ["router"] * size,
            "number": pa.array(np.concatenate([number, number]), pa.uint32()),
            "name": names,
            "level": pa.array([0] * size + [1] * size, pa.int32()),
            "coordinates": pa.array(np.concatenate([coordinates, coordinates]).tolist(), pa.list_(pa.uint32())),
        },
    )
    link_names = [f"{names[one]} -> {names[other]}" for one, other in zip(begins, ends, strict=True)]
    none = pa.nulls(links, pa.uint64())
    write_table(
        folder / "links.parquet",
        "links",
        {
            "link": pa.array(np.arange(links), pa.uint32()),
            "name": link_names,
            "from": pa.array(begins, pa.uint32()),
            "to": pa.array(ends, pa.uint32()),
            "kind": ["injection"] * size + ["ejection"] * size + ["network"] * (links - 2 * size),
            "capacity": pa.array(np.full(links, 1e9)),
            "latency_ps": pa.array(np.full(links, 100_000), pa.uint64()),
            "bytes": pa.array(carried.sum(0)),
            "utilization": pa.array(used),
            "max_share": pa.nulls(links, pa.uint32()) if packet else pa.array(np.full(links, 3), pa.uint32()),
            "packets": pa.array(busy // 256_000, pa.uint64()) if packet else none,
            "busy_ps": pa.array(busy, pa.uint64()) if packet else none,
            "waited_ps": pa.array(busy // 10, pa.uint64()) if packet else none,
            "max_queue": pa.array(np.full(links, 4), pa.uint32()) if packet else pa.nulls(links, pa.uint32()),
        },
    )
    kind = "packet" if packet else "message"
    edges = np.unique(np.geomspace(10**5, 10**8, 60).astype(np.int64))
    counts = (1000 * np.exp(-(((np.arange(len(edges) - 1) - 30) / 12) ** 2))).astype(np.int64) + 1
    write_table(
        folder / "latencies.parquet",
        "latencies",
        {
            "kind": [kind] * len(counts),
            "from_ps": pa.array(edges[:-1], pa.uint64()),
            "to_ps": pa.array(edges[1:], pa.uint64()),
            "count": pa.array(counts, pa.uint64()),
        },
    )
    tables = ["places", "links", "latencies"]
    interval = simulated // frames
    if intervals:
        tables += _series(folder, carried, wave, interval, packet)
    if pairs:
        one, other = np.divmod(np.arange(size * size), size)
        keep = one != other
        write_table(
            folder / "pairs.parquet",
            "pairs",
            {
                "from": pa.array(one[keep], pa.uint32()),
                "to": pa.array(other[keep], pa.uint32()),
                "messages": pa.array(np.ones(keep.sum()), pa.uint64()),
                "bytes": pa.array(1000 * (1 + (one + other)[keep]), pa.uint64()),
            },
            ranks_per_block="1",
        )
        tables.append("pairs")
    experiment = {
        "topology": {"kind": "torus", "shape": shape, "bandwidth": "1 GB/s", "latency": "100 ns"},
        "engine": {"kind": "packet" if packet else "flow"},
        "workload": {"kind": "all-to-all", "ranks": size, "size": "1 kB"},
        "output": {"sample_interval": f"{interval} ps"} if intervals else {},
    }
    found = {"nodes": size, "routers": size, "links": links, "ranks": size, "tables": tables}
    found |= {"engine": "packet" if packet else "flow", "experiment": experiment}
    found["busiest_link"] = {"name": link_names[busiest], "utilization": float(used[busiest])}
    summary(folder, **(found | fields))


def _series(folder: Path, carried: Any, wave: Any, interval: int, packet: bool) -> list[str]:
    """Two parts of `series/links`, and of the packet engine also buffers and latencies; names of the tables."""
    frames, links = carried.shape
    half = frames // 2
    for part, chosen in enumerate([range(half), range(half, frames)]):
        rows = [(frame, np.flatnonzero(carried[frame])) for frame in chosen]
        starts = np.concatenate([np.full(len(which), frame * interval) for frame, which in rows])
        which = np.concatenate([which for _, which in rows])
        moved = np.concatenate([carried[frame, which] for frame, which in rows])
        waves = np.concatenate([wave[frame, which] for frame, which in rows])
        times = {"start_ps": pa.array(starts, pa.uint64()), "link": pa.array(which, pa.uint32())}
        busy = pa.array(waves * interval, pa.uint64(), safe=False) if packet else pa.nulls(len(which), pa.uint64())
        more = {"bytes": pa.array(moved), "busy_ps": busy, "packets": pa.nulls(len(which), pa.uint64())}
        write_table(folder / f"series/links/{part:05}.parquet", "series/links", times | more)
        if packet:
            buffers = {
                "vc": pa.array(np.zeros(len(which)), pa.uint32(), safe=False),
                "mean_packets": pa.array(3 * waves**2),
                "max_packets": pa.array(waves * 8, pa.uint32(), safe=False),
            }
            write_table(folder / f"series/buffers/{part:05}.parquet", "series/buffers", times | buffers)
    starts = np.arange(frames) * interval
    write_table(
        folder / "series/latencies/00000.parquet",
        "series/latencies",
        {
            "start_ps": pa.array(starts, pa.uint64()),
            "kind": ["packet" if packet else "message"] * frames,
            "count": pa.array(np.full(frames, 100), pa.uint64()),
            "sum_ps": pa.array(100 * (200_000 + 1000 * np.arange(frames)), pa.uint64()),
            "max_ps": pa.array(900_000 + 5000 * np.arange(frames), pa.uint64()),
        },
    )
    return ["series/links", "series/latencies"] + (["series/buffers"] if packet else [])


def graph(folder: Path, routers: int, nodes_each: int = 2) -> None:
    """Writes a graph: a ring of routers with chords, nodes around each."""
    nodes = routers * nodes_each
    home = nodes + np.arange(nodes) // nodes_each
    one = nodes + np.arange(routers)
    pairs = [(np.arange(nodes), home), (home, np.arange(nodes))]
    for step in (1, 7):
        other = nodes + (np.arange(routers) + step) % routers
        pairs += [(one, other), (other, one)]
    begins, ends = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
    _plain(folder, "graph", nodes, routers, begins, ends, [0] * nodes + [1] * routers)


def fat_tree(folder: Path, arity: int) -> None:
    """Writes a fat tree of two stages."""
    nodes = arity * arity
    leaf, top = nodes + np.arange(nodes) // arity, nodes + arity
    up = [(nodes + one, top + other) for one in range(arity) for other in range(arity)]
    begins = np.concatenate([np.arange(nodes), leaf, [one for one, _ in up], [other for _, other in up]])
    ends = np.concatenate([leaf, np.arange(nodes), [other for _, other in up], [one for one, _ in up]])
    _plain(folder, "fat-tree", nodes, 2 * arity, begins, ends, [0] * nodes + [1] * arity + [2] * arity)


def _plain(folder: Path, kind: str, nodes: int, routers: int, begins: Any, ends: Any, level: list[int]) -> None:
    """A machine without coordinates, and a summary."""
    places, links = nodes + routers, len(begins)
    names = [f"node {one}" for one in range(nodes)] + [f"router {one}" for one in range(routers)]
    write_table(
        folder / "places.parquet",
        "places",
        {
            "place": pa.array(np.arange(places), pa.uint32()),
            "kind": ["node"] * nodes + ["router"] * routers,
            "number": pa.array(list(range(nodes)) + list(range(routers)), pa.uint32()),
            "name": names,
            "level": pa.array(level, pa.int32()),
            "coordinates": pa.array([[]] * places, pa.list_(pa.uint32())),
        },
    )
    kinds = [
        "injection" if one < nodes else "ejection" if two < nodes else "network"
        for one, two in zip(begins, ends, strict=True)
    ]
    used = np.random.default_rng(3).uniform(0, 0.9, links)
    write_table(
        folder / "links.parquet",
        "links",
        {
            "link": pa.array(np.arange(links), pa.uint32()),
            "name": [f"{names[one]} -> {names[two]}" for one, two in zip(begins, ends, strict=True)],
            "from": pa.array(begins, pa.uint32()),
            "to": pa.array(ends, pa.uint32()),
            "kind": kinds,
            "capacity": pa.array(np.full(links, 1e9)),
            "latency_ps": pa.array(np.full(links, 100_000), pa.uint64()),
            "bytes": pa.array(used * 1e6),
            "utilization": pa.array(used),
            "max_share": pa.array(np.full(links, 3), pa.uint32()),
            "packets": pa.nulls(links, pa.uint64()),
            "busy_ps": pa.nulls(links, pa.uint64()),
            "waited_ps": pa.nulls(links, pa.uint64()),
            "max_queue": pa.nulls(links, pa.uint32()),
        },
    )
    experiment = {"topology": {"kind": kind}, "engine": {"kind": "flow"}, "workload": {"kind": "all-to-all"}}
    counts = {"nodes": nodes, "routers": routers, "links": links, "ranks": nodes}
    summary(folder, experiment=experiment, tables=["places", "links"], **counts)


def calls(folder: Path, parts: list[list[tuple[str, int, int | None, int | None]]]) -> None:
    """Writes calls of rank 0, part by part: name, beginning, end and waiting."""
    for number, rows in enumerate(parts):
        names, starts, ends, waited = zip(*rows, strict=True)
        count = len(rows)
        write_table(
            folder / f"calls/{number:05}.parquet",
            "calls",
            {
                "rank": pa.array([0] * count, pa.uint32()),
                "name": list(names),
                "start_ps": pa.array(starts, pa.uint64()),
                "end_ps": pa.array(ends, pa.uint64()),
                "waited_ps": pa.array(waited, pa.uint64()),
                "peer": pa.nulls(count, pa.int32()),
                "tag": pa.nulls(count, pa.int32()),
                "sent_bytes": pa.array([0] * count, pa.uint64()),
                "received_bytes": pa.array([0] * count, pa.uint64()),
            },
        )
