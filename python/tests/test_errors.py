"""The index of errors and the source have the same texts."""

import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import weir
from weir.errors import in_python

PAGE = ROOT / "docs/reference/errors.md"
#: Functions that report a mistake in an experiment, with the text among their arguments.
CALL = re.compile(r"\.(?:report|report_if|problem|refuse|wrong|wrong_with_hint|mistake)\(|#\[error\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
#: Crates of which the index has only some messages: those of commands and files that have pages of their own.
NOT_ALL = (
    "calibrate/",
    "record/",
    "foreign/",
    "formats/",
    "capi/src/mpi/",
    "message/src/error.rs",
    "picture/",
    "profiler/",
    "analysis/src/",
    "experiment/src/machine.rs",
    "experiment/src/pacing.rs",
)
#: Hints and parts of texts, which are no messages of their own.
PART = re.compile(
    r"^(write|leave|say which|take a |did you mean|such as|begin it with|name the|make|it is one of| or |, $)"
    r"|^\{[\w:?]*\}[: =]*\{"
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write --set table.key=value, such as --set engine.sharing=iterative", None),
        ("give --set node.clock=\"3 GHz\" (or leave it)", 'give set={"node.clock": "3 GHz"} (or leave it)'),
        ("if they count from 1: --set 'mapping.hosts={a = 0, b = 1}'", None),
        ("(1: --set \"a.size=8 KiB\" gives more)", '(1: set={"a.size": "8 KiB"} gives more)'),
        ("--set faults.0.speed=0.5 sets a key", 'set={"faults.0.speed": 0.5} sets a key'),
        ("--set mapping.job=[4, 4], or so", 'set={"mapping.job": [4, 4]}, or so'),
        ("write --set output.band=true; then", 'write set={"output.band": True}; then'),
        ("--set: seed = -1: is wrong", "set: seed = -1: is wrong"),
        ("leave out --set or --unset", "leave out set or unset"),
        ("say --unset node.clock.", 'say unset=["node.clock"].'),
        ("set output.dir, or add --out FOLDER", 'set output.dir, or add out="FOLDER"'),
    ],
)  # fmt: skip
def test_texts_of_the_command_are_those_of_python(text: str, expected: str | None) -> None:
    """Options are arguments, values those of Python, and a text that is one already stays."""
    found = in_python(text)
    assert "--set" not in found and "--unset" not in found and found == (expected or found) == in_python(found)


def test_no_text_of_the_source_speaks_of_options_in_python() -> None:
    """Whatever stands in a literal of the crates that a run consists of."""
    texts = [one for text in source().values() for one in LITERAL.findall(text) if "--set" in one or "--unset" in one]
    assert len(texts) > 5
    for text in texts:
        said = in_python(text.replace('\\"', '"'))
        assert "--set" not in said and "--unset" not in said, said


@pytest.mark.parametrize(
    ("experiment", "set_"),
    [
        ({}, {"engine.kind": "flw"}),
        ({"topology": {"kind": "torus"}}, {"a..b": 1}),
        ({"faults": {"speed": 0.5}}, {}),
        ({"workload": {"kind": "ring", "message_size": 10}, "output": {"sample_interval": 1e-6}}, {}),
        ({}, {"seed": -1}),
    ],
)
def test_errors_name_arguments_of_python(experiment: Any, set_: Any) -> None:
    """In the message, in all problems, and when they come from another process."""
    for unset in ([], ["engine.kind", "node.nics"]):
        with pytest.raises(weir.ExperimentError) as caught:
            weir.run(experiment, set=set_, unset=unset)
        for said in (str(caught.value), *(str(part) for problem in caught.value.problems for part in problem)):
            assert "--set" not in said and "--unset" not in said and "--out" not in said, said
        again = pickle.loads(pickle.dumps(caught.value))
        assert str(again) == str(caught.value) and again.problems == caught.value.problems


def test_all_errors_are_written_so(tmp_path: Path) -> None:
    """Whichever class: those of results folders, too."""
    text = "give --set engine.kind=flow"
    for error in (weir.BudgetError(text), weir.NotResults(tmp_path, text, text), weir.MissingPackage(text, name="x")):
        assert 'give set={"engine.kind": "flow"}' in str(error) and "--set" not in str(error)
    run = weir.run({"topology": weir.machine.torus([2], 1e9, 0), "workload": {"kind": "ring", "message_size": 10}})
    assert "--" not in repr(run)
