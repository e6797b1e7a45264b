#!/usr/bin/env python3
"""Takes a picture of the upper part of a report, as in docs/guide/report.png.

    target/python/bin/python tools/report_picture.py PAGE.html PICTURE.png [INTERVAL | machine]

Needs Chromium and playwright, which `make setup` installs. With INTERVAL the machine is shown in that interval of its series;
with the word `machine` only the drawing of the machine is taken, as in docs/guide/machine.png.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SIZE = {"width": 1000, "height": 1250}


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    page_file, picture = Path(sys.argv[1]).resolve(), sys.argv[2]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=SIZE)
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-ready-ms]", state="attached")
        if sys.argv[3:] == ["machine"]:
            page.set_viewport_size({"width": 640, "height": 900})
            page.wait_for_timeout(300)
            page.locator("#machine").screenshot(path=picture)
            browser.close()
            return 0
        if len(sys.argv) == 4:
            page.locator("#time").fill(sys.argv[3])
            page.wait_for_selector(f"html[data-picture='{sys.argv[3]}']", state="attached")
        page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
        page.wait_for_timeout(300)
        page.screenshot(path=picture)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
