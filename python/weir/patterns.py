"""Messages written in Python: arrays of sources, destinations and bytes, a graph, or what each rank does."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import arguments
from weir.extras import Later

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    np, pa, pq = (Later(name, "weir.Pattern") for name in ("numpy", "pyarrow", "pyarrow.parquet"))


class Pattern:
    """What every rank sends and awaits, in its order. Stands for the table `[workload]` in `weir.run`."""

    def __init__(self, table: "pa.Table", ranks: int) -> None:
        """Takes the entries as a pattern file has them; see `docs/reference/pattern-files.md`."""
        self.table = table
        self.ranks = ranks

    @classmethod
    def from_arrays(
        cls,
        source: "npt.ArrayLike",
        destination: "npt.ArrayLike",
        bytes: "npt.ArrayLike",  # noqa: A002
        *,
        phase: "npt.ArrayLike | None" = None,
        ranks: int | None = None,
    ) -> "Pattern":
        """One message for each place of the arrays; one number of bytes may stand for all.

        A rank sends its messages in the order of the arrays and waits for none of them to leave. With `phase`, those
        of the lowest phase go first, and a rank goes on to the next one when all messages to it in this phase have
        arrived. `ranks` is one more than the largest rank unless said.

        Raises `ValueError` for arrays of different lengths, or numbers that are no ranks or sizes.
        """
        senders, receivers = _whole("source", source), _whole("destination", destination)
        sizes = (
            np.broadcast_to(_whole("bytes", bytes), senders.shape) if np.ndim(bytes) == 0 else _whole("bytes", bytes)
        )
        phases = np.zeros_like(senders) if phase is None else _whole("phase", phase)
        for name, array in (("destination", receivers), ("bytes", sizes), ("phase", phases)):
            if array.shape != senders.shape:
                raise ValueError(f"{name}: {len(array)} numbers for {len(senders)} of source")
        least = 1 + max((int(array.max()) for array in (senders, receivers) if len(array)), default=0)
        count = _enough(ranks, least)
        posts, last = len(senders), phases.max(initial=0)
        # After the last phase there is nothing to wait for.
        awaited = np.flatnonzero(phases < last)
        rank = np.concatenate([senders, receivers[awaited]])
        peer = np.concatenate([receivers, senders[awaited]])
        size = np.concatenate([sizes, np.zeros(len(awaited), np.int64)])
        awaits = np.arange(len(rank)) >= posts
        order = np.lexsort((awaits, np.concatenate([phases, phases[awaited]]), rank))
        kind = np.where(awaits[order], "await", "post")
        return cls(_table(rank[order], kind, peer[order], size[order], None), count)

    @classmethod
    def from_networkx(cls, graph: Any, *, bytes: int | str = "bytes", ranks: int | None = None) -> "Pattern":  # noqa: A002
        """One message for each edge of a graph of networkx whose vertices are ranks; two for one without direction.

        `bytes` is a number, or the attribute of edges that has it.

        Raises `ValueError` for vertices that are no ranks, or an edge without the attribute.
        """
        edges = list(graph.edges(data=True))
        wrong = next((vertex for vertex in graph.nodes if not isinstance(vertex, int | np.integer)), None)
        if wrong is not None:
            raise ValueError(
                f"vertex {wrong!r} is no rank: networkx.convert_node_labels_to_integers makes them numbers"
            )
        if isinstance(bytes, str) and (bare := [edge[:2] for edge in edges if bytes not in edge[2]]):
            raise ValueError(f"edge {bare[0]} has no attribute {bytes!r}: bytes=1000 gives all edges a size")
        rows = [(one, two, data[bytes] if isinstance(bytes, str) else bytes) for one, two, data in edges]
        if not graph.is_directed():
            rows += [(two, one, size) for one, two, size in rows]
        columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
        least = 1 + max((int(vertex) for vertex in graph.nodes), default=0)
        return cls.from_arrays(*columns, ranks=_enough(ranks, least))

    @classmethod
    def from_ranks(cls, ranks: int, steps: Callable[[int], Iterable[tuple[Any, ...]]]) -> "Pattern":
        """What each rank does: `steps(rank)` gives or yields its steps.

        They are `("send", destination, bytes)`, which waits until the message has left, `("post", destination, bytes)`,
        which does not, `("await", sender)` and `("pause", seconds)`.

        Raises `ValueError` for anything else, with the rank and the step.
        """
        rows: list[tuple[int, str, int, int, int]] = []
        for rank in range(_enough(ranks, 1)):
            for number, step in enumerate(steps(rank)):
                try:
                    rows.append(_entry(rank, tuple(step)))
                except (TypeError, ValueError) as error:
                    raise ValueError(f"rank {rank}, step {number}: {step!r}: {error}") from error
        columns = list(zip(*rows, strict=True)) if rows else [()] * 5
        rank_column, kinds, peers, sizes, waits = (np.array(column) for column in columns)
        return cls(_table(rank_column, kinds, peers, sizes, waits), ranks)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Writes it as a pattern file, whose name ends in `.parquet`; `ValueError` for another ending."""
        file = arguments.path("path", path)
        if not file.endswith(".parquet"):
            raise ValueError(f"{file}: must end in .parquet, as which a pattern is written")
        header = {"weir.pattern": "1", "weir.ranks": str(self.ranks)}
        pq.write_table(self.table.replace_schema_metadata(header), file, compression="snappy")
        return Path(file)

    def __repr__(self) -> str:
        """Ranks and entries."""
        return f"<weir.Pattern of {self.ranks} ranks: {self.table.num_rows} entries>"

    def __reduce__(self) -> Any:
        """Goes to other processes as it is."""
        return Pattern, (self.table, self.ranks)


def _entry(rank: int, step: tuple[Any, ...]) -> tuple[int, str, int, int, int]:
    kind, *rest = step
    if kind in ("send", "post") and len(rest) == 2:
        return rank, kind, int(rest[0]), int(rest[1]), 0
    if kind == "await" and len(rest) == 1:
        return rank, kind, int(rest[0]), 0, 0
    if kind == "pause" and len(rest) == 1:
        return rank, kind, 0, 0, round(rest[0] * 1e12)
    raise ValueError(
        'write ("send", destination, bytes), ("post", destination, bytes), ("await", sender), ("pause", seconds)'
    )


def _enough(ranks: int | None, least: int) -> int:
    if ranks is None:
        return least
    if ranks < least:
        raise ValueError(f"ranks = {ranks}: the messages need {least}")
    return int(ranks)


def _whole(name: str, values: "npt.ArrayLike") -> "npt.NDArray[np.int64]":
    """An array of whole numbers from 0."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    if array.ndim < 2 and array.dtype.kind in "iuf":
        whole = array.astype(np.int64)
        if (whole == array).all() and whole.min() >= 0:
            return whole
    raise ValueError(f"{name}: a list of whole numbers from 0 was expected")


def _table(rank: Any, kind: Any, peer: Any, size: Any, wait: Any) -> "pa.Table":
    columns = {
        "rank": pa.array(rank, pa.uint32()),
        "kind": pa.array(kind, pa.string()),
        "peer": pa.array(peer, pa.uint32()),
        "bytes": pa.array(size, pa.uint64()),
    }
    if wait is not None:
        columns["wait_ps"] = pa.array(wait, pa.uint64())
    return pa.table(columns)
