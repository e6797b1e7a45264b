"""The package as others get it: built as a wheel, with everything that it needs."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import folders
from conftest import ROOT


def test_a_wheel_has_all_it_needs(tmp_path: Path) -> None:
    """Templates and styles are in it, and it draws without the source folder."""
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(ROOT / "pyproject.toml", source)
    shutil.copytree(ROOT / "python", source / "python", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*build, str(tmp_path), str(source)], check=True)
    (wheel,) = tmp_path.glob("weir-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    results = tmp_path / "results"
    folders.torus(results, [3, 3])
    draw = [sys.executable, "-P", "-m", "weir", "report", str(results)]
    environment = {"PYTHONPATH": str(tmp_path / "installed"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(draw, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "made by hand" in (results / "report.html").read_text(encoding="utf-8")
