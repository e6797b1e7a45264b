"""`python -m weir report DIR` and `python -m weir compare DIR DIR`: what `weir report` and `weir compare` run."""

import argparse
import sys
import time
from pathlib import Path

from weir import __version__
from weir.errors import ResultsError

#: Exit status of wrong input, as of the command `weir`.
INPUT = 2


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m weir", description="Results of the simulator weir")
    parser.add_argument("--version", action="version", version=f"weir (Python package) {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="draw a results folder as one HTML file")
    report.add_argument("folder", metavar="DIR", help="what weir run --out DIR has written")
    report.add_argument("-o", "--output", metavar="FILE", help="the page; default: DIR/report.html")
    report.add_argument("--language", choices=["en", "ja"], default="en", help="in which the page opens")
    report.add_argument("--play", action="store_true", help="begin to play the run when the page opens")
    report.add_argument("--allow-incomplete", action="store_true", help="take also a folder that has lost tables")
    compare = commands.add_parser("compare", help="draw several results folders side by side as one HTML file")
    compare.add_argument("folders", metavar="DIR", nargs="+", help="what weir run --out DIR has written")
    compare.add_argument("-o", "--out", "--output", metavar="FILE", default="compare.html", help="the page")
    compare.add_argument("--language", choices=["en", "ja"], default="en", help="in which the page opens")
    compare.add_argument("--allow-incomplete", action="store_true", help="take also folders that have lost tables")
    options = parser.parse_args(arguments)
    try:
        return _report(options) if options.command == "report" else _compare(options)
    except ResultsError as error:
        print(f"error: {error}", file=sys.stderr)
        return INPUT
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _report(options: argparse.Namespace) -> int:
    from weir import results

    # What a run that was killed has left is drawn, and the page says so; a folder that has lost tables is not.
    unfinished = not (Path(options.folder) / "summary.json").exists()
    found = results.open(options.folder, allow_incomplete=options.allow_incomplete or unfinished)
    # Drawing takes a while to import; mistakes in the input do not wait for it.
    from weir import report

    began = time.monotonic()
    target = Path(options.output) if options.output else found.path / "report.html"
    if _is_read(found.path, target):
        raise ResultsError(target, "is a file of the results themselves", "give the page another name: -o report.html")
    report.write(found, target, report.Language(options.language), play=options.play)
    if not found.complete:
        print("warning: the run has not ended; the page shows what it has left so far", file=sys.stderr)
    _say_written(target, began)
    return 0


def _compare(options: argparse.Namespace) -> int:
    from weir import comparing, report, results

    began = time.monotonic()
    if len(options.folders) < 2:
        problem = "one results folder cannot be compared"
        raise ResultsError(Path(options.folders[0]), problem, "name two or more: weir compare DIR DIR ...")
    # What a run that was killed has left is shown, with its outcome; a folder that has lost tables is not.
    found = [
        results.open(folder, allow_incomplete=options.allow_incomplete or not (Path(folder) / "summary.json").exists())
        for folder in options.folders
    ]
    target = Path(options.out)
    if any(_is_read(one.path, target) for one in found):
        raise ResultsError(target, "is a file of the results themselves", "give the page another name: -o compare.html")
    comparison = comparing.compare(found)
    for warning in comparison.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    comparison.write(target, report.Language(options.language))
    _say_written(target, began)
    return 0


def _say_written(target: Path, began: float) -> None:
    took = time.monotonic() - began
    print(f"written: {target} ({target.stat().st_size / 1e6:.1f} MB, {took:.1f} s)", file=sys.stderr)


def _is_read(folder: Path, target: Path) -> bool:
    """Whether a page in this place would replace a file that it is drawn from."""
    place, whole = target.resolve(), folder.resolve()
    names = ("summary.json", "begun.json", "trace.perfetto")
    return place.is_relative_to(whole) and (place.name in names or place.suffix == ".parquet")


if __name__ == "__main__":
    sys.exit(main())
