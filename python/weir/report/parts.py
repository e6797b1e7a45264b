"""What every page is put together from: templates, scripts, data, and a file that is whole or not there."""

import base64
import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from weir import _weir
from weir.extras import needed
from weir.report import units
from weir.report.packing import pack
from weir.report.said import spans
from weir.report.texts import Words, words


def filled(package: str, template: str, words: Callable[..., Words] = words, **values: object) -> str:
    """A template among the assets of a package, filled in. What it includes, and `asset` in it, is a file beside it, or
    one of a report.
    """

    def text(name: str) -> str:
        own = resources.files(package).joinpath("assets", name)
        return (own if own.is_file() else _of_report(name)).read_text(encoding="utf-8")

    environment = Environment(
        loader=FunctionLoader(text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(
        t=lambda key, **own: spans(words(key, **own)),
        label=spans,
        words=words,
        units=units,
        palette=Markup(_weir.PALETTE),
        asset=lambda name: Markup(text(name)),
        **values,
    )


def _of_report(name: str) -> "resources.abc.Traversable":
    return resources.files("weir.report").joinpath("assets", name)


def as_json(value: object) -> Markup:
    """JSON in an element of the page, which no text of the run may end; `Words` are lists of both texts."""
    text = json.dumps(value, default=lambda words: [words.en, words.ja])
    return Markup(text.replace("<", "\\u003c"))


@cache
def plotly_script() -> str:
    """Plotly's script as the page has it. The wheel has it compressed, and the source folder after `make
    python`; without, it comes from the package of Plotly, and is compressed once for all pages of a process.
    """
    packed = _of_report("plotly.min.js.gz")
    if packed.is_file():
        return base64.b64encode(packed.read_bytes()).decode()
    return pack(needed("plotly.offline", "a page with charts").get_plotlyjs().encode())


def write_whole(target: Path, content: str | bytes) -> Path:
    """Writes a file; one of this name is replaced when the new one is complete.

    Raises `OSError` if it cannot be written.
    """
    handle, scratch = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(scratch, 0o644)
        os.replace(scratch, target)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
    return target
