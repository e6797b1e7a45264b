"""Figures as pictures: a browser without a window opens the page of a figure, whose own export makes the picture.

```text
 picture --> find     Chromium, Chrome or Edge
         '-> _Browser its process, which takes commands on file 3 and answers on file 4
                      (the DevTools protocol: JSON, each message ended by a zero byte)
```

The page is handed over as text: a browser in a sandbox need not be able to read the folder of temporary files.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from weir.errors import BrowserError, BrowserNotFound

#: Names the browser, instead of looking for it.
VARIABLE = "WEIR_BROWSER"
#: What browsers that speak the protocol are called on the PATH.
NAMES = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "chrome-headless-shell",
    "chromium-headless-shell",
]
OPTIONS = [
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--remote-debugging-pipe",
]
#: Endings of the files that a browser can make.
FORMS = (".svg", ".png")
#: Seconds until a browser is given up: the largest machines take a tenth of it.
TIMEOUT = 120.0
#: Pixels of the window, which the drawing of a machine fills.
WINDOW = {"width": 1200, "height": 900}
#: Waits until a page has drawn all of itself.
WHEN_READY = "for (; !root.dataset.readyMs; ) await new Promise((done) => setTimeout(done, 20));"
#: Moves the slider, and waits until the machine is drawn as it is then.
MOVED = """
$("time").value = INTERVAL;
$("time").dispatchEvent(new Event("input"));
for (; root.dataset.picture !== "INTERVAL"; ) await new Promise((done) => setTimeout(done, 20));
"""


def find() -> str:
    """The browser: what the environment variable WEIR_BROWSER names, or the first that is on the PATH.

    Raises `BrowserNotFound`.
    """
    named = os.environ.get(VARIABLE)
    hint = f"install one, such as Chromium, or name it in the environment variable {VARIABLE}; .html needs none"
    if named and not shutil.which(named):
        raise BrowserNotFound(f"{VARIABLE} = {named}: there is no such program\n\nhint: {hint}")
    found = named or next((path for name in NAMES if (path := shutil.which(name))), None)
    if not found:
        looked = ", ".join(NAMES)
        raise BrowserNotFound(
            f"a figure is written as .svg or .png by a browser, and the PATH has none of: {looked}\n\nhint: {hint}"
        )
    return found


@dataclass(frozen=True)
class Shown:
    """How a page is shown when its picture is made."""

    dark: bool = False
    #: Where the slider stands; the whole run if nowhere.
    interval: int | None = None


def picture(html: str, keys: list[str], form: str, shown: Shown | None = None) -> bytes:
    """Figures of a page, as the page saves them, below each other: the file for `svg` or `png`.

    Raises `BrowserNotFound`, and `BrowserError` if the browser fails.
    """
    shown = shown or Shown()
    moved = "" if shown.interval is None else MOVED.replace("INTERVAL", str(shown.interval))
    with _Browser(find()) as browser:
        script = f"{moved} return savedTogether({json.dumps(keys)}, {json.dumps(form)});"
        saved = browser.evaluated(html, script, "dark" if shown.dark else "light")
    # A picture of points is the address of its data.
    return base64.b64decode(saved.partition(",")[2]) if form == "png" else saved.encode()


class _Browser:
    """A browser without a window, for as long as a `with` takes."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._last = 0
        self._waiting = b""

    def __enter__(self) -> "_Browser":
        self._profile = tempfile.TemporaryDirectory(prefix="weir-browser-", ignore_cleanup_errors=True)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115
        # The superuser's browser has no sandbox to run in. The page loads nothing, and its texts are no code.
        mine = ["--no-sandbox"] if os.geteuid() == 0 else []
        words = [self._path, *OPTIONS, *mine, f"--user-data-dir={self._profile.name}", "about:blank"]
        # The shell gives its pipes the numbers that the browser reads and writes.
        script = 'exec "$@" 3<&0 4>&1 0</dev/null 1>&2'
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", script, "sh", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            start_new_session=True,
        )
        self._late = False
        self._clock = threading.Timer(TIMEOUT, self._give_up)
        self._clock.daemon = True
        self._clock.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._clock.cancel()
        self._kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            # What is left in a pipe to a process that has ended cannot be written.
            with suppress(OSError):
                if pipe:
                    pipe.close()
        self._said.close()
        self._profile.cleanup()

    def evaluated(self, html: str, script: str, scheme: str) -> str:
        """The text that a script returns when a page has drawn all of itself, light or dark."""
        target = self._called("Target.createTarget", url="about:blank")["targetId"]
        session = self._called("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

        def called(method: str, **values: Any) -> Any:
            return self._called(method, session, **values)

        called("Runtime.enable")
        called("Emulation.setDeviceMetricsOverride", **WINDOW, deviceScaleFactor=1, mobile=False)
        # Whatever the desktop has.
        called("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        frame = called("Page.getFrameTree")["frameTree"]["frame"]["id"]
        called("Page.setDocumentContent", frameId=frame, html=html)
        waited = f"(async () => {{ {WHEN_READY} {script} }})()"
        done = called("Runtime.evaluate", expression=waited, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise self._failed(_thrown(done["exceptionDetails"]))
        return str(done["result"]["value"])

    def _called(self, method: str, session: str | None = None, **values: Any) -> Any:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": values}
        if session:
            message["sessionId"] = session
        try:
            assert self._process.stdin
            self._process.stdin.write(json.dumps(message).encode() + b"\0")
            self._process.stdin.flush()
        except OSError as error:
            raise self._ended() from error
        while True:
            answer = self._next()
            if answer.get("method") == "Runtime.exceptionThrown":
                raise self._failed(_thrown(answer["params"]["exceptionDetails"]))
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise self._failed(f"{method}: {answer['error'].get('message', '')}")
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        """The next message, whole."""
        parts = [self._waiting]
        while b"\0" not in parts[-1]:
            assert self._process.stdout
            part = os.read(self._process.stdout.fileno(), 1 << 20)
            if not part:
                raise self._ended()
            parts.append(part)
        message, _, self._waiting = b"".join(parts).partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def _give_up(self) -> None:
        self._late = True
        self._kill()

    def _kill(self) -> None:
        """Ends the browser with the processes that it has started, which are of one group."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _ended(self) -> BrowserError:
        if self._late:
            return self._failed(f"has not drawn the figure within {TIMEOUT:.0f} s")
        status = self._process.wait()
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip()
        return self._failed(f"has ended with status {status}" + (f": {said.splitlines()[-1]}" if said else ""))

    def _failed(self, problem: str) -> BrowserError:
        hint = f"write a page (.html), which has buttons for SVG and PNG, or name another browser in {VARIABLE}"
        return BrowserError(f"{self._path}: {problem}\n\nhint: {hint}")


def _thrown(details: dict[str, Any]) -> str:
    """What went wrong in a page."""
    thrown: dict[str, Any] = details.get("exception", {})
    return str(thrown.get("description") or details.get("text", "an error in the page")).splitlines()[0]
