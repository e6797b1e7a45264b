#!/usr/bin/env python3
"""Measures what `weir record` adds to a call of MPI: benches/mpi/calls.c on two ranks of this computer, in turns with and without it.

Of each part the shortest and the median block of a run count, and of these the median over the runs. The two ranks need a processor
each: where others compute, too, the shortest blocks are the better measure.
"""

import statistics
import tempfile

from local_mpi import ROOT, options_of, run, two_ranks


def measured(command: list[str]) -> dict[str, list[float]]:
    """Returns the numbers that the program prints, by the name of the part."""
    lines = (line.split() for line in run(command).splitlines())
    return {name: [float(shortest), float(median)] for name, shortest, median in lines}


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--blocks", default="500")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/calls"
        run([f"{options.mpi}mpicc", "-O2", str(ROOT / "benches/mpi/calls.c"), "-o", program])
        launch = [*two_ranks(options.mpi), program, options.blocks]
        plain, recorded = [], []
        for _ in range(options.runs):
            plain.append(measured(launch))
            recorded.append(measured([str(options.weir), "record", "-o", f"{scratch}/calls.parquet", "--", *launch]))
        print(f"{'':10}  {'plain':>18}  {'recorded':>18}  {'added':>18}   ns a call: shortest, median block")
        for part in plain[0]:
            rows = [
                [statistics.median(of[part][place] for of in runs) for place in (0, 1)] for runs in (plain, recorded)
            ]
            rows.append([with_it - without for without, with_it in zip(*rows, strict=True)])
            print(f"{part:10}" + "".join(f"  {shortest:8.1f}, {median:8.1f}" for shortest, median in rows))


if __name__ == "__main__":
    main()
