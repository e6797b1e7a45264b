"""The index of errors and the source have the same texts."""

import re
from pathlib import Path

from conftest import ROOT

import weir

PAGE = ROOT / "docs/reference/errors.md"
#: Functions that report a mistake in an experiment, with the text among their arguments.
CALL = re.compile(r"\.(?:report|report_if|problem|refuse|wrong|wrong_with_hint|mistake)\(|#\[error\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
#: Crates of which the index has only some messages: those of commands and files that have pages of their own.
NOT_ALL = (
    "calibrate/",
    "record/",
    "formats/",
    "capi/src/mpi/",
    "message/src/error.rs",
    "picture/",
    "analysis/src/",
    "experiment/src/machine.rs",
    "experiment/src/pacing.rs",
)
#: Hints and parts of texts, which are no messages of their own.
PART = re.compile(
    r"^(write|leave|did you mean|such as|begin it with|name the|make|it is one of| or |, $|\{[\w:?]*\}[: =]*\{)"
    r"|^\{[\w:?]*\}$"
)


def families() -> list[str]:
    """The texts of the page, from the first column of its tables."""
    rows = re.findall(r"(?m)^\| (`.*?) \| ", PAGE.read_text(encoding="utf-8"))
    return [text for row in rows for text in re.findall(r"`([^`]+)`", row)]


def source() -> dict[str, str]:
    """The product's code, literals that go on in the next line put together."""
    found = {}
    sources = [*(ROOT / "crates").glob("*/src/**/*.rs"), ROOT / "crates/experiment/src/foreign/words.toml"]
    for path in sorted(sources):
        name = path.relative_to(ROOT / "crates").as_posix()
        if "tests" not in name:
            text = path.read_text(encoding="utf-8").split("#[cfg(test)]\nmod tests {")[0]
            found[name] = re.sub(r"\\\n\s*", "", text)
    return found


def arguments(text: str, start: int) -> str:
    """What stands in the brackets that have just been opened."""
    depth, at = 1, start
    while depth and at < len(text):
        if text[at] == '"' and (literal := LITERAL.match(text, at)):
            at = literal.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
    return text[start:at]


def messages() -> list[tuple[str, str]]:
    """All texts of mistakes, with their files."""
    found = []
    for name, text in source().items():
        if name.startswith(NOT_ALL):
            continue
        for call in CALL.finditer(text):
            for literal in LITERAL.findall(arguments(text, call.end())):
                message = literal.replace('\\"', '"').split("\\n\\nhint")[0]
                if " " in message and not PART.match(message):
                    found.append((name, message))
    return found


def pattern(family: str) -> re.Pattern[str]:
    """A text of the page, whose dots stand for anything."""
    return re.compile(".*".join(re.escape(part) for part in family.split("…")), re.DOTALL)


def test_every_message_of_the_source_is_on_the_page() -> None:
    """A new text about a mistake has its row."""
    known = [pattern(family) for family in families()]
    texts = messages()
    assert len(texts) > 100
    missing = [f"{name}: {text}" for name, text in texts if not any(one.fullmatch(text) for one in known)]
    assert missing == []


def test_every_text_of_the_page_is_in_the_source() -> None:
    """A text that has changed or gone is not on the page any more."""
    code = [*source().values(), (ROOT / "python/weir/errors.py").read_text(encoding="utf-8")]
    literals = [literal.replace('\\"', '"') for text in code for literal in LITERAL.findall(text)]
    everything = "\n".join([*literals, *code[-1:]])
    gone = []
    for family in families():
        parts = [re.escape(part) for part in family.split("…") if part.strip()]
        if not re.search("[^\n]*".join(parts), everything):
            gone.append(family)
    assert gone == []


def test_exceptions_are_those_of_the_package() -> None:
    """Every class that is raised is named, but for those above others."""
    above = {"WeirError", "RunError", "ResultsError"}
    raised = {name for name in weir.__all__ if name.endswith("Error") or name in ("NotResults", "DamagedFile")}
    assert raised - above - set(families()) == set()


def test_a_message_that_is_not_there_is_found(tmp_path: Path) -> None:
    """The comparison finds texts in calls of several lines, and does not take a hint for a message."""
    text = 'section.report(\n    key, "is quite new",\n    "write (it)")'
    call = CALL.search(text)
    assert call is not None
    found = LITERAL.findall(arguments(text, call.end()))
    assert [one for one in found if not PART.match(one)] == ["is quite new"]
    assert not any(pattern(family).fullmatch("is quite new") for family in families())
