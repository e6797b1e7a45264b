"""What mkdocs does not do for the site: patterns in the navigation, pages for files that lie outside of docs, links as the
repository has them, and tabs for the forms of one thing.

A page of docs may link to any file of the repository. README.md and its like become pages; other files that a page names are
shown as they are, each on a page of its own below `source`. A link that leads nowhere is an error, as mkdocs has it.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
#: Pages of the root. A page named README would be the first of the site.
PAGES = {name: name for name in ("CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md")} | {"README.md": "read-me.md"}
LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^([ ]*)(`{3,})[^\n]*\n.*?^\1\2[ ]*$", re.MULTILINE | re.DOTALL)
LANGUAGES = {".toml": "toml", ".rs": "rust", ".c": "c", ".cpp": "cpp", ".h": "c", ".py": "python", ".cff": "yaml"}
#: Where each page of the site comes from, seen from the folder of the repository.
origins: dict[str, str] = {}


def is_elsewhere(link: str) -> bool:
    return link.startswith("#") or bool(re.match(r"^[a-z]+:", link))


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """Changes what is prose, and leaves blocks of code as they are."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def address(path: str) -> str:
    """The page or file of the site that shows a file or folder of the repository."""
    if path.startswith("docs/") and (ROOT / path).is_file():
        return path.removeprefix("docs/")
    if path in PAGES:
        return PAGES[path]
    if (ROOT / path).is_dir():
        return f"source/{path}/all-files.md"
    return f"source/{path}" if path.endswith(".md") else f"source/{path}.md"


def content(path: str) -> str:
    """The page for a file or folder that is no page itself."""
    place = ROOT / path
    if place.is_dir():
        inside = sorted(entry for entry in place.iterdir() if not entry.name.startswith((".", "__")))
        lines = [f"- [{entry.name}]({entry.name})" if entry.is_file() else f"- {entry.name}/" for entry in inside]
        return f"# {path}\n\n" + "\n".join(lines) + "\n"
    text = place.read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    return f"# {path}\n\n````{LANGUAGES.get(place.suffix, 'text')}\n{text.rstrip()}\n````\n"


def targets(path: str, text: str) -> list[str]:
    """The files and folders of the repository that a text links to."""
    found: list[str] = []

    def note(prose: str) -> str:
        for match in LINK.finditer(prose):
            for link in [match[2], *re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", match[1])]:
                if not is_elsewhere(link):
                    found.append(resolve(path, link))
        return prose

    outside_fences(text, note)
    return found


def resolve(path: str, link: str) -> str:
    base = path if (ROOT / path).is_dir() else posixpath.dirname(path)
    return posixpath.normpath(posixpath.join(base, unquote(link.split("#")[0])))


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Patterns of the navigation become the pages they stand for."""
    named = set(re.findall(r"[\w./-]+\.md", str(config["nav"])))

    def expanded(entries: list) -> list:
        result: list = []
        for entry in entries:
            if isinstance(entry, dict):
                result += [{key: expanded(value) if isinstance(value, list) else value} for key, value in entry.items()]
            elif "*" in entry:
                pages = sorted(page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").glob(entry))
                result += [page for page in pages if page not in named]
            else:
                result.append(entry)
        return result

    config["nav"] = expanded(config["nav"])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages of the root, and all that pages link to outside of docs."""
    origins.clear()
    waiting = list(PAGES)
    for file in files.documentation_pages():
        origins[file.src_uri] = f"docs/{file.src_uri}"
        waiting += targets(f"docs/{file.src_uri}", Path(file.abs_src_path).read_text(encoding="utf-8"))
    while waiting:
        path = waiting.pop()
        name = address(path)
        inside = path.startswith("docs/") and (ROOT / path).is_file()
        if inside or name in origins or not (ROOT / path).exists() or path.startswith(".."):
            continue
        try:
            text = content(path)
        except UnicodeDecodeError as error:
            raise PluginError(f"{path} is linked, and no text: {error}") from error
        origins[name] = path
        page = File.generated(config, name, content=text)
        page.inclusion = page.inclusion if path in PAGES else type(page.inclusion).NOT_IN_NAV
        files.append(page)
        if (ROOT / path).is_dir() or path.endswith(".md"):
            waiting += targets(path, text)
    places = [file.dest_uri for file in files]
    if twice := sorted({place for place in places if places.count(place) > 1}):
        raise PluginError(f"two pages would be one file of the site: {', '.join(twice)}")
    return files


def lists_spaced(text: str) -> str:
    """Lists as the site's reader of Markdown needs them: an empty line before the first item, and what belongs to an item, which
    other readers find behind two or three blanks, behind four.
    """
    lines: list[str] = []
    width, fence = 0, ""
    for line in text.splitlines():
        inner = line.lstrip(" ")
        indent = len(line) - len(inner)
        if mark := re.match(r"`{3,}", inner):
            fence = "" if fence == mark[0] else fence or mark[0]
        item = re.match(r"(- |\d+\. )", line) if not fence and not mark else None
        if item:
            if not width and lines and lines[-1].strip() and not lines[-1].startswith("#"):
                lines.append("")
            width = len(item[1])
        elif width and line and not indent and lines and not lines[-1].strip():
            width = 0
        if width and indent >= width:
            line = " " * (4 * (indent // width) + indent % width) + inner
        lines.append(line)
    return "\n".join(lines) + "\n"


#: The forms in which a reader may write one thing. Where blocks stand behind these names alone, they become tabs.
FORMS = ("File", "Command", "Python")
FORM = re.compile(rf"^\*\*({'|'.join(FORMS)})\*\*\n\n(```\w+\n.*?^```$)\n", re.MULTILINE | re.DOTALL)


def tabbed(text: str) -> str:
    """Blocks with the name of a form above them, as tabs of the site; other readers of Markdown show one below the other."""
    return FORM.sub(lambda form: f'=== "{form[1]}"\n\n{indent(form[2], " " * 4)}\n', text)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links as the site needs them; lists as all other readers of Markdown understand them."""
    origin = origins[page.file.src_uri]

    def seen_from_here(link: str) -> str:
        if is_elsewhere(link):
            return link
        name, mark, heading = link.partition("#")
        path = resolve(origin, name)
        if not (ROOT / path).exists():
            return link
        here = posixpath.dirname(page.file.src_uri) or "."
        return posixpath.relpath(address(path), here) + mark + heading

    def rewritten(match: re.Match) -> str:
        inner = re.sub(
            r"(!\[[^\]]*\]\()([^)\s]+)(\))", lambda image: image[1] + seen_from_here(image[2]) + image[3], match[1]
        )
        return inner + seen_from_here(match[2]) + match[3]

    return outside_fences(tabbed(lists_spaced(markdown)), lambda prose: LINK.sub(rewritten, prose))
