"""What pages name is there: links, files, machines, pictures, functions. Their commands: test_commands.py."""

import re
import subprocess
from pathlib import Path

from conftest import ROOT


def pages() -> list[Path]:
    """All texts of the project that readers have."""
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def prose(text: str) -> str:
    """A page without blocks of code and without code in lines."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?ms)^ *```.*?^ *```", "", text))


def headings(text: str) -> set[str]:
    """The names that links give the headings of a page."""
    found = set()
    for title in re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^ *```.*?^ *```", "", text)):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        found.add(re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-"))
    return found


def test_every_link_leads_somewhere() -> None:
    """Files and headings that pages link to are there, pictures too."""
    broken = []
    for page in pages():
        for link in re.findall(r"\]\(([^)\s]+)\)", prose(page.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, heading = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            there = target.exists()
            if there and heading and target.suffix == ".md":
                there = heading in headings(target.read_text(encoding="utf-8"))
            if not there:
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []


def test_commands_within_sentences_are_there(weir: str) -> None:
    """`weir COMMAND` between backticks, and its options. Those of blocks are run: test_commands.py."""
    helps: dict[str, str] = {}
    wrong = []
    for page in pages():
        if page.name == "CHANGELOG.md" or page.parent.name == "decisions":
            continue
        text = re.sub(r"(?ms)^ *```.*?^ *```", "", page.read_text(encoding="utf-8"))
        for code in re.findall(r"`([^`]+)`", text):
            words = r"weir (?!cc\b|c\+\+|fort\b|help\b)(advise \w+|skeleton \w+|[a-z]+)(.*)"
            if not (match := re.match(words, " ".join(code.split()))):
                continue
            command, rest = match[1], re.split(r" -- | \./", match[2])[0]
            if command not in helps:
                done = subprocess.run([weir, *command.split(), "--help"], capture_output=True, text=True, check=False)
                helps[command] = done.stdout if done.returncode == 0 else ""
            options = re.findall(r"(?<= )--[a-z][\w-]*", rest)
            if not helps[command] or any(option not in helps[command] for option in options):
                wrong.append(f"{page.relative_to(ROOT)}: {code}")
    assert wrong == []
    assert len(helps) > 20


def test_files_of_commands_are_there() -> None:
    """What commands of pages name of the repository is in it."""
    missing = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"(?ms)^```(?:sh|console)\n(.*?)^```", text):
            named = re.findall(r"(?<![\w/.-])(?:examples|papers|benches|validation|tools|include)/[\w./-]*\w", block)
            missing += [f"{page.relative_to(ROOT)}: {name}" for name in named if not (ROOT / name).exists()]
    assert missing == []


def test_every_page_is_in_the_navigation() -> None:
    """`make site` refuses others; here it is seen without mkdocs. A new guide is found by the pattern of its folder."""
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:")[1]
    entries = re.findall(r"[\w/*-]+\.md", navigation)
    docs = ROOT / "docs"
    found = {page.relative_to(docs).as_posix() for entry in entries for page in docs.glob(entry)}
    assert sorted({page.relative_to(docs).as_posix() for page in docs.rglob("*.md")} - found) == []
    of_the_root = {"read-me.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}
    assert [name for name in entries if "*" not in name and name not in found | of_the_root] == []


def test_every_machine_is_on_the_page(weir: str) -> None:
    """The names are those of `weir machines`."""
    listed = subprocess.run([weir, "machines"], capture_output=True, text=True, check=True).stdout
    page = (ROOT / "docs/reference/machines.md").read_text(encoding="utf-8")
    names = re.findall(r"(?m)^\| `([\w/-]+)` \|", page)
    assert sorted(names) == sorted(re.findall(r"(?m)^  ([\w/-]+)  ", listed))


def test_tables_have_whole_rows() -> None:
    """A row that goes on in the next line is none for readers of Markdown."""
    cut = []
    for page in pages():
        lines = re.sub(r"(?ms)^ *```.*?^ *```", "", page.read_text(encoding="utf-8")).splitlines()
        cut += [f"{page.relative_to(ROOT)}: {line}" for line in lines if re.match(r" *\|.*[^|]$", line)]
    assert cut == []


def test_pictures_are_small_and_drawn_by_the_script() -> None:
    """Each picture of the gallery is below 60 KB, and `make pictures` knows what it is taken of."""
    script = (ROOT / "tools" / "pictures.py").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]*\]\(gallery/([\w-]+)\.png\)", (ROOT / "docs/gallery.md").read_text(encoding="utf-8"))
    assert len(shown) == len(set(shown)) == 11
    pictures = sorted((ROOT / "docs/gallery").iterdir())
    assert [picture.name for picture in pictures] == sorted(f"{name}.png" for name in shown)
    assert [picture.name for picture in pictures if picture.stat().st_size > 60_000] == []
    assert [name for name in shown if f'"{name}": (' not in script] == []


def test_the_site_has_every_name_of_the_package() -> None:
    """What `weir` exports is on the page that is made of docstrings."""
    import weir

    page = (ROOT / "docs/reference/python-api.md").read_text(encoding="utf-8")
    named = re.findall(r"(?m)^::: weir\.(\S+)$", page)
    homes = {name.split(".")[0] for name in named}
    for name in weir.__all__:
        value = getattr(weir, name)
        home = getattr(value, "__module__", value.__name__ if hasattr(value, "__name__") else "")
        module = home.removeprefix("weir.") if home.startswith("weir.") else name
        assert any(entry in (module, f"{module}.{name}") for entry in named), f"{name} of {home}"
    assert {"running", "sweeping", "patterns", "results", "errors", "report", "machine"} <= homes
