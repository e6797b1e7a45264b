"""The JSON Schema of experiments: what weir runs is valid, what it refuses for its form is not."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomllib

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def schema(request: pytest.FixtureRequest) -> Any:
    """What `weir schema` prints, checked to be a schema."""
    weir = request.getfixturevalue("weir")
    found = json.loads(subprocess.run([weir, "schema"], check=True, capture_output=True).stdout)
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def experiments() -> list[str]:
    """The experiments and machines of examples, papers and pages."""
    files = [path for folder in ("examples", "papers") for path in (ROOT / folder).rglob("*.toml")]
    pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
    blocks = re.findall(r"```toml\n(# experiment: .*?)```", pages, re.DOTALL)
    # A study names an experiment, and is none; nor is the list of what the papers show.
    texts = (path.read_text() for path in files if path.name != "items.toml")
    return [text for text in texts if "[study]" not in text] + blocks


def test_experiments_are_valid(schema: Any) -> None:
    """All that is written anywhere in the project, as it is run by other tests."""
    found = experiments()
    assert len(found) > 30
    for text in found:
        mistakes = [f"{'.'.join(map(str, one.path))}: {one.message}" for one in schema.iter_errors(tomllib.loads(text))]
        assert not mistakes, f"{mistakes}\n{text}"


@pytest.mark.parametrize(
    "text",
    [
        "topologie = {}",
        "[topology]\nshappe = [4]",
        '[topology]\nkind = "ring"',
        '[topology]\nshape = "4x4"',
        "[topology]\nshape = [0, 4]",
        "[topology]\nwrap = [1]",
        "[engine]\nthreads = 0",
        '[engine]\nsharing = "maxmin"',
        "[node]\nnics = 17",
        '[node]\nnics = "two"',
        "[workload]\noffered_load = 0",
        '[workload]\nsynchronised = "yes"',
        "[output]\nmessages = 1",
        '[output]\nseries = ["link"]',
        "[packet]\nvirtual_channels = 1.5",
    ],
)
def test_mistakes_are_not(schema: Any, text: str) -> None:
    """Keys that there are not, and values of another form."""
    assert list(schema.iter_errors(tomllib.loads(text)))
