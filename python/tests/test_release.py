"""What `make release` puts together, but for what it builds."""

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def release() -> ModuleType:
    """`tools/release.py`."""
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_changes_of_a_version(release: ModuleType) -> None:
    """From its heading to the next one, whether it is released, has a date, or is still to become this version."""
    text = "# Changelog\n\nIntro 0.1.0.\n\n## Unreleased (0.2.0)\n\nnew\n\n### Added\n\nmore\n\n"
    text += "## [0.1.0] - 2026-12-24\n\nold\n"
    assert release.section(text, "0.2.0") == "## Unreleased (0.2.0)\n\nnew\n\n### Added\n\nmore\n\n"
    assert release.section(text, "0.1.0") == "## [0.1.0] - 2026-12-24\n\nold\n"
    assert release.section(text, "0.1") == release.section(text, "0.1.1") == release.section(text, "1.0") == ""
    own = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert len(release.section(own, release.versions(ROOT)["Cargo.toml"])) > 1000


def test_all_files_say_the_same_version(release: ModuleType) -> None:
    """Those that a release looks at; the package reads the same."""
    import weir
    from weir import _weir

    assert set(release.versions(ROOT).values()) == {weir.__version__} == {_weir.__version__}


def test_checksums_are_those_of_sha256sum(release: ModuleType, tmp_path: Path) -> None:
    """It finds nothing wrong with them, until a file is another one."""
    (tmp_path / "a.whl").write_bytes(b"wheel")
    (tmp_path / "b.tar.gz").write_bytes(b"")
    text = release.sums(tmp_path)
    (tmp_path / "SHA256SUMS").write_text(text)
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "a.whl: OK\nb.tar.gz: OK\n"
    (tmp_path / "a.whl").write_bytes(b"whale")
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 1
