"""What tests share: folders made by hand, the command `weir` where it is, and Chromium."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]


def find_weir() -> str | None:
    """The command: what WEIR names, or the last build."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / "debug" / "weir", target / "release" / "weir"]
    return os.environ.get("WEIR") or next((str(path) for path in built if path.exists()), None)


@pytest.fixture(scope="session")
def weir() -> str:
    """The command `weir`; the tests are of the whole project, so it must be there."""
    command = find_weir()
    assert command, "build it first: cargo build --package weir-cli"
    return command


@pytest.fixture(scope="session", autouse=True)
def _interruptions() -> None:
    """Ctrl-C interrupts what tests start. A script that starts the tests with `&` has them ignore it, and all that they
    start would ignore it, too.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def begin() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts a program in a session of its own; if it goes on when the test ends it is killed: some run for minutes."""
    started: list[subprocess.Popen[str]] = []

    def begin(command: list[Any], **options: Any) -> "subprocess.Popen[str]":
        running: subprocess.Popen[str] = subprocess.Popen(command, text=True, start_new_session=True, **options)
        started.append(running)
        return running

    yield begin
    for running in started:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


@pytest.fixture
def no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports without the command `weir`."""
    monkeypatch.delenv("WEIR", raising=False)
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "weir" else which(name))


@pytest.fixture(scope="session")
def run(weir: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Runs an experiment given as text, and returns its results folder."""

    def run(text: str, status: int = 0, *options: str) -> Path:
        folder = tmp_path_factory.mktemp("run")
        (folder / "experiment.toml").write_text(text, encoding="utf-8")
        command = [weir, "run", str(folder / "experiment.toml"), "--quiet", "--out", str(folder / "results"), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        return folder / "results"

    return run


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium of the system; nothing is downloaded."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert chromium, "install Chromium: apt-get install chromium"
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=[*quiet, "--disable-sync", "--no-first-run"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """Opens a file or an address in a window of its own. When the test ends, nothing may have been said on any console,
    and no page may have asked for anything but files of this computer, or what its own address serves.
    """
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_page(address: Path | str, ready: str = "html[data-ready-ms]", **options: Any) -> Any:
        at = address.as_uri() if isinstance(address, Path) else address
        options = {"viewport": {"width": 1200, "height": 900}, "offline": isinstance(address, Path), **options}
        context = browser.new_context(**options)
        # Other tests may run beside this one.
        context.set_default_timeout(120_000)
        contexts.append(context)
        page = context.new_page()
        own = ("data:", "blob:", "about:", "file:" if isinstance(address, Path) else at)

        def asked(request: Any) -> None:
            if not request.url.startswith(own):
                complaints.append(f"{at} asks for {request.url}")

        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", asked)
        page.goto(at)
        page.wait_for_selector(ready, state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
