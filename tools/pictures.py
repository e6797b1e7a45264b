#!/usr/bin/env python3
"""Draws the pictures of the documentation anew: `make pictures`.

A page that has pictures says how they come about: below a heading stand the commands and the picture, which lies in the folder
of the page or beside it. A tutorial is followed from its top. The commands run in a folder of their own; what they have drawn is rendered by Chromium, and the picture is written with few colors, so that it stays below 60 KB. The picture of the README is
that of docs/guide/report.md.

    target/site/bin/python tools/pictures.py --weir target/release/weir [--only NAME]...
"""

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops, ImageOps
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 60_000
#: Pages whose pictures are drawn.
PAGES = (
    "docs/gallery.md",
    *(f"docs/tutorials/{name}.md" for name in ("my-cluster", "which-collective", "two-networks", "why-slow")),
)
#: Of each picture what it is taken of: the page or drawing that the commands leave, and what is set before it is taken.
SOURCES: dict[str, tuple[str, dict[str, Any]]] = {
    "torus": ("results/torus/report.html", {"interval": 60}),
    "fat-tree": ("results/fat-tree/report.html", {}),
    "faults": ("results/faults/report.html", {}),
    "tofu": ("results/tofu/report.html", {}),
    "hot-spot": ("results/hot-spot/report.html", {"interval": 3, "quantity": "packets in input buffers (mean)"}),
    "victims": ("results/victims/picture.svg", {}),
    "dragonfly": ("results/dragonfly/report.html", {}),
    "topologies": ("results/topologies/picture.svg", {}),
    "load-latency": ("results/load-latency/picture.svg", {}),
    "buffers": ("results/buffers/picture.svg", {}),
    "collectives": ("best.svg", {}),
    "fit": ("fit.svg", {}),
    "incast": ("first/report.html", {}),
    "which-collective": ("allreduce.svg", {}),
    "two-networks-compare": ("transpose.html", {"part": "#table"}),
    "two-networks-saturation": ("saturation/picture.svg", {}),
}
#: The picture of the README: the first screen of the run in docs/guide/report.md, in an interval.
README = ("report", "results/torus/report.html", 40)
PICTURE = re.compile(r"!\[[^\]]*\]\(((?:gallery/)?[\w-]+\.png)\)")
#: A block of a page, and the name under which it is saved if it is a file.
BLOCK = re.compile(r"(?ms)(?:into `([\w.]+)`[^\n]*\n\n)?^```(\w+)\n(.*?)^```$")


def recipes(page: str) -> dict[str, tuple[Path, str]]:
    """Of each picture its place, and the commands that stand below its heading, in a tutorial also above, with the files they need."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found, above = {}, ""
    for section in re.split(r"(?m)^## ", text)[1:]:
        commands = above
        for name, language, block in BLOCK.findall(section):
            # A file of a tutorial may have its name in its first line.
            if language == "toml" and (first := re.match(r"# ([\w-]+\.toml)\n", block)):
                name = first[1]
            if name:
                commands += f"cat > {name} <<'END'\n{block}END\n"
            elif language == "sh":
                commands += block
        for place in PICTURE.findall(section):
            found[Path(place).stem] = ((ROOT / page).parent / place, commands)
        above = commands if "tutorials" in page else ""
    return found


def of_the_readme() -> str:
    """The commands that the picture of the README needs."""
    guide = (ROOT / "docs/guide/report.md").read_text(encoding="utf-8")
    (experiment,) = re.findall(r"(?ms)^```toml\n(.*?)^```$", guide)
    (commands,) = re.findall(r"(?ms)^```sh\n(weir run torus.*?)^```$", guide)
    return f"cat > torus.toml <<'END'\n{experiment}END\n{commands}"


def take_page(page: Page, file: Path, interval: int) -> bytes:
    """The first screen of a report, in this interval."""
    page.set_viewport_size({"width": 1280, "height": 830})
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready-ms]", state="attached")
    page.locator("#time").fill(str(interval))
    page.wait_for_selector(f"html[data-picture='{interval}']", state="attached")
    page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
    wait_for_drawing(page)
    return page.screenshot()


def wait_for_drawing(page: Page) -> None:
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_timeout(300)


def take(
    page: Page, file: Path, interval: int | None = None, quantity: str | None = None, part: str = "#machine"
) -> bytes:
    """What Chromium draws of a part of a page, mostly the machine of a report, or of a whole drawing."""
    if file.suffix == ".svg":
        page.set_viewport_size({"width": 1200, "height": 600})
        page.goto(file.as_uri())
        return without_margins(page.screenshot())
    page.set_viewport_size({"width": 760, "height": 900})
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready-ms]", state="attached")
    if quantity is not None:
        page.select_option("#quantity", label=quantity)
    if interval is not None:
        page.locator("#time").fill(str(interval))
        page.wait_for_selector(f"html[data-picture='{interval}']", state="attached")
    wait_for_drawing(page)
    return page.locator(part).screenshot()


def without_margins(picture: bytes) -> bytes:
    """Of a drawing the part in which something is drawn."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    box = ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox()
    written = io.BytesIO()
    ImageOps.expand(image.crop(box), 12, "white").save(written, "PNG")
    return written.getvalue()


def smaller(picture: bytes, width: int = 600, most: int = MOST_BYTES, finest: int = 64) -> bytes:
    """As a PNG of at most so many points across and bytes, with few colors."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    if image.width > width:
        image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    for colors in (finest, 32, 16, 8):
        written = io.BytesIO()
        image.quantize(colors, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
        if written.tell() <= most:
            return written.getvalue()
    raise SystemExit(f"a picture takes {written.tell()} bytes even with 8 colors; {most} are the most")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", type=Path, required=True, help="the command weir")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this picture")
    options = parser.parse_args()
    weir = options.weir.resolve()
    wanted = {name: recipe for page in PAGES for name, recipe in recipes(page).items()}
    if missing := sorted(set(wanted) ^ set(SOURCES)):
        print(f"not both in a page and in SOURCES: {', '.join(missing)}", file=sys.stderr)
        return 1
    environment = {**os.environ, "PATH": f"{weir.parent}{os.pathsep}{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        for name, (picture, commands) in wanted.items():
            if options.only and name not in options.only:
                continue
            subprocess.run(
                ["bash", "-euc", commands], cwd=place, env=environment, check=True, stdout=subprocess.DEVNULL
            )
            file, settings = SOURCES[name]
            picture.parent.mkdir(exist_ok=True)
            picture.write_bytes(smaller(take(page, Path(place) / file, **settings)))
            print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size} bytes", flush=True)
        name, of_readme, interval = README
        if not options.only or name in options.only:
            subprocess.run(
                ["bash", "-euc", of_the_readme()], cwd=place, env=environment, check=True, stdout=subprocess.DEVNULL
            )
            picture = ROOT / "docs/guide" / f"{name}.png"
            picture.write_bytes(smaller(take_page(page, Path(place) / of_readme, interval), 1000, 2 * MOST_BYTES, 256))
            print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size} bytes", flush=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
