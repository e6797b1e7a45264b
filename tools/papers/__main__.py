"""`make papers`: runs the experiments of the papers, compares them with the published values, writes pages.

The status is 1 where a value is not as it should be without a reason on record, an item could not be run, or other
processes use the computer; 2 where there is no such paper or item.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from papers import mfs, nsim, pacing, pages, parallel_mfs, psi_sim, quiet, tables
from papers.running import ITEMS, ROOT, SILENT_S, Campaign, Failed, Item, say
from papers.values import Comparison

MODULES = {"000": mfs, "001": psi_sim, "002": parallel_mfs, "003": nsim, "004": pacing}


def compare(campaign: Campaign) -> Comparison:
    """Runs an item."""
    item = campaign.item
    function: Callable[[Campaign], Comparison] = getattr(MODULES[item.paper], item.name.replace("-", "_"))
    return dataclasses.replace(function(campaign), paper=item.paper, item=item.name, title=item.title)


def refuse(text: str) -> NoReturn:
    """Ends with an input error."""
    say(f"error: {text}")
    sys.exit(2)


def arguments(words: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="papers", description="Published and own values of the papers, side by side.")
    parser.add_argument("paper", help="the paper: 000 to 004, or all")
    parser.add_argument("item", nargs="?", help="the figure or table; without one, all of the paper")
    parser.add_argument("--full", action="store_true", help="run also the points that take long")
    parser.add_argument("--sizes", metavar="KIB,...", help="sizes of messages in KiB for figures 7 to 12 of paper 004")
    parser.add_argument("--json", action="store_true", help="print the values as JSON")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write plots, tables and pages into this folder")
    parser.add_argument("--built-from", metavar="COMMIT", help="what the pages say that weir was built from")
    parser.add_argument(
        "--threads",
        type=int,
        help="points at a time; default: one where run times are reported, else one per processor",
    )
    parser.add_argument("--weir", default=str(ROOT / "target" / "release" / "weir"), help="the command weir")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    return parser.parse_args(words)


def chosen(paper: str, name: str | None) -> list[Item]:
    """The items that are asked for; refuses what is not there."""
    found = [item for item in ITEMS if paper in ("all", item.paper) and name in (None, item.name)]
    if not found:
        names = [item.name for item in ITEMS if item.paper == paper]
        if names:
            refuse(f"paper {paper} has no item {name}: it has {', '.join(names)}")
        refuse(f"there is no {paper} {name or ''}".rstrip())
    return found


def sizes_of(text: str | None, items: list[Item]) -> list[int]:
    """Sizes of messages that are run instead of an item's own."""
    if text is None:
        return []
    if other := next((item for item in items if not item.sizes), None):
        refuse(f"--sizes: paper {other.paper}, {other.name} has no sizes to choose")
    sizes = [int(size) for size in text.split(",") if size.isdigit()]
    if len(sizes) != text.count(",") + 1 or 0 in sizes:
        refuse(f"--sizes {text}: whole numbers of KiB were expected")
    return sizes


def run_item(item: Item, args: argparse.Namespace, sizes: list[int]) -> tuple[Comparison | None, bool]:
    """Runs an item and writes it, if that is asked for; what it has found, and whether all went well."""
    name = f"paper {item.paper}, {item.name}"

    def watch(point: str, done: int, of: int, seconds: float) -> None:
        if seconds >= SILENT_S and not args.quiet:
            say(f"{item.name}: {done} of {of}: {point}: {seconds:.1f} s")

    begun = quiet.Ticks.now()
    weir, extent = str(Path(args.weir).absolute()), ("full" if args.full else "short")
    try:
        found = compare(Campaign(item, weir, extent, sizes, args.threads, watch=watch))
    except Failed as why:
        say(f"error: {name}: {why}")
        return None, False
    used = begun.used_until(quiet.Ticks.now())
    busy = used is not None and used.is_much
    if busy and args.out:
        say(f"error: {name}: other processes used {used} meanwhile: nothing is written of it")
    elif busy and item.timed:
        say(f"warning: {name}: other processes used {used} meanwhile: run times are too long")
    if args.out and not busy:
        # After each item, so that nothing is lost when a later one is stopped.
        page = pages.write([found], args.built_from, args.out)
        if not args.quiet:
            say(f"written: {page}")
    for row in found.unexplained:
        say(f"not as it should be: {name}: {row.what}, {found.x} {row.x}: {row.own}")
    return found, not found.unexplained and not (busy and args.out)


def main(words: list[str] | None = None) -> int:
    """Runs what is asked for; the exit status."""
    args = arguments(words)
    items = chosen(args.paper, args.item)
    sizes = sizes_of(args.sizes, items)
    if args.out and (used := quiet.look()) and used.is_much:
        say(
            f"error: --out: other processes use {used}, and pages are of a quiet computer: nothing is run\n\nhint: "
            "wait until they have ended (top shows them), or leave out --out: values are printed then, and no page is "
            "written"
        )
        return 1
    all_found, all_well = [], True
    for item in items:
        found, well = run_item(item, args, sizes)
        all_well &= well
        if found:
            all_found.append(found)
            if not args.json and args.paper != "all":
                print(tables.to_text(found))
    if args.json:
        print(json.dumps([found.to_json() for found in all_found], ensure_ascii=False))
    elif args.paper == "all":
        print(tables.overview([tables.Part.of(found) for found in all_found]), end="")
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main())
