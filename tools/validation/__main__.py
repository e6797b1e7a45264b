"""Lists the studies, or predicts one, and prints and writes what was found: `make validate`."""

import argparse
import json
import os
import sys
from pathlib import Path

from validation import pages, predictions, study
from validation.study import Mistake

#: Where studies are that have only a name.
FOLDER = Path("validation")
#: Exit status for wrong input, and after Ctrl-C.
INPUT, INTERRUPTED = 2, 130


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="validation", description=__doc__)
    parser.add_argument("study", nargs="?", help="a name (of validation/NAME.toml), a file, or all; without: a list")
    parser.add_argument("--fit", action="store_true", help="fit the machine's values to the rows that calibrate, too")
    parser.add_argument("--ablations", action="store_true", help="predict without each part that the study names, too")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.add_argument("--freeze", type=Path, help="write the predictions alone into this file; print nothing")
    parser.add_argument("--out", type=Path, help="write pages, figures and all rows into this folder")
    parser.add_argument("--built-from", help="the commit that the pages name")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="runs at a time")
    parser.add_argument("--quiet", "-q", action="store_true", help="show no progress")
    given = parser.parse_args(words)
    if given.study is None and (given.fit or given.ablations or given.out or given.freeze):
        parser.error("name a study, or all")
    return given


def main(words: list[str] | None = None) -> int:
    """Does what is asked for; returns the exit status."""
    given = _arguments(words)
    if given.study is None:
        return _list()
    named = given.study
    by_name = os.sep not in named and not Path(named).suffix
    paths = sorted(FOLDER.glob("*.toml")) if named == "all" else [FOLDER / f"{named}.toml" if by_name else Path(named)]
    if not paths:
        print(
            f"error: there are no studies in {FOLDER}\n\nhint: begin in the repository, or name a study file",
            file=sys.stderr,
        )
        return INPUT
    extras = {name for name in ("fit", "ablations") if getattr(given, name)}
    found, failed = [], False
    for path in paths:

        def watch(text: str, name: str = path.stem) -> None:
            if not given.quiet:
                print(f"{name}: {text}", file=sys.stderr)

        try:
            found.append(predictions.validate(study.load(path), given.threads, extras, watch))
        except Mistake as mistake:
            failed = True
            print(f"error: {mistake}", file=sys.stderr)
        except KeyboardInterrupt:
            print("interrupted: nothing is written", file=sys.stderr)
            return INTERRUPTED
    if given.freeze:
        given.freeze.write_text("".join(pages.frozen(one) for one in found), encoding="utf-8")
        return INPUT if failed else 0
    # A page of all is one of all.
    if given.out and not (failed and named == "all"):
        try:
            for page in pages.write(found, named == "all", given.built_from, given.out):
                if not given.quiet:
                    print(f"written: {page}", file=sys.stderr)
        except Mistake as mistake:
            failed = True
            print(f"error: {mistake}", file=sys.stderr)
    if given.json:
        print(json.dumps([pages.to_json(one) for one in found]))
    else:
        print("\n".join(pages.to_text(one) for one in found), end="")
    return INPUT if failed else 0


def _list() -> int:
    """Prints one line per study."""
    studies = [study.load(path) for path in sorted(FOLDER.glob("*.toml"))]
    rows = [[one["name"], one["title"], one["source"]] for one in studies]
    print(pages.aligned([["study", "what", "measured by"], *rows]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
