"""What every page is put together from: templates, scripts, data, and a file that is whole or not there."""

import json
import os
import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from weir.report import units
from weir.report.packing import pack
from weir.report.said import spans
from weir.report.texts import Words, words


def filled(package: str, template: str, words: Callable[..., Words] = words, **values: object) -> str:
    """A template among the assets of a package, filled in. `asset` in it is a file beside it, or one of a report."""

    def asset(name: str) -> Markup:
        own = resources.files(package).joinpath("assets", name)
        return Markup((own if own.is_file() else _of_report(name)).read_text(encoding="utf-8"))

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    text = resources.files(package).joinpath("assets", template).read_text(encoding="utf-8")
    return environment.from_string(text).render(
        t=lambda key, **own: spans(words(key, **own)), label=spans, words=words, units=units, asset=asset, **values
    )


def _of_report(name: str) -> "resources.abc.Traversable":
    return resources.files("weir.report").joinpath("assets", name)


def as_json(value: object) -> Markup:
    """JSON in an element of the page, which no text of the run may end; `Words` are lists of both texts."""
    text = json.dumps(value, default=lambda words: [words.en, words.ja])
    return Markup(text.replace("<", "\\u003c"))


def plotly_script() -> str:
    """Plotly's script as the page has it."""
    return pack(get_plotlyjs().encode())


def write_whole(target: Path, text: str) -> Path:
    """Writes a file; one of this name is replaced when the new one is complete.

    Raises `OSError` if it cannot be written.
    """
    handle, scratch = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(scratch, 0o644)
        os.replace(scratch, target)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
    return target
