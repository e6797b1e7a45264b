"""Which versions of the C library ELF files need, symbol by symbol."""

import ctypes
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile

#: By name: the version.
Version = tuple[int, ...]


def needed(file: Path) -> dict[str, Version]:
    """By symbol that a file takes from the C library: its version."""
    found = {}
    with file.open("rb") as opened:
        elf = ELFFile(opened)
        versions = elf.get_section_by_name(".gnu.version")
        names = {
            entry["vna_other"]: entry.name
            for _, entries in elf.get_section_by_name(".gnu.version_r").iter_versions()
            for entry in entries
        }
        for number, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
            name = names.get(versions.get_symbol(number)["ndx"])
            if symbol["st_shndx"] == "SHN_UNDEF" and isinstance(name, str) and name.startswith("GLIBC_"):
                found[symbol.name] = numbers(name)
    return found


def offered(file: Path) -> dict[str, Version]:
    """By symbol that a library has: the oldest version of it."""
    found: dict[str, Version] = {}
    with file.open("rb") as opened:
        elf = ELFFile(opened)
        versions = elf.get_section_by_name(".gnu.version")
        names = {
            version["vd_ndx"]: next(entries).name
            for version, entries in elf.get_section_by_name(".gnu.version_d").iter_versions()
        }
        for number, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
            index = versions.get_symbol(number)["ndx"]
            name = names.get(index & 0x7FFF) if isinstance(index, int) else None
            if symbol["st_shndx"] != "SHN_UNDEF" and name and name.startswith("GLIBC_2"):
                found[symbol.name] = min(found.get(symbol.name, (99,)), numbers(name))
    return found


def numbers(name: str) -> Version:
    """`GLIBC_2.28` as numbers; of a private symbol, which no program may need, larger than any."""
    return tuple(map(int, name.removeprefix("GLIBC_").split("."))) if name[6:7].isdigit() else (99,)


def executables(folder: Path) -> Iterator[Path]:
    """The ELF files of a folder."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.read_bytes()[:4] == b"\x7fELF":
            yield file


def undefined(file: Path) -> set[str]:
    """What an object file takes from others."""
    with file.open("rb") as opened:
        symbols = ELFFile(opened).get_section_by_name(".symtab").iter_symbols()
        return {symbol.name for symbol in symbols if symbol["st_shndx"] == "SHN_UNDEF" and symbol.name}


def found(library: str) -> Path:
    """A library of this system, where the loader finds it."""
    handle = ctypes.CDLL(library)
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = Path(line.split(maxsplit=5)[-1])
        if path.name == handle._name:
            return path
    raise FileNotFoundError(library)
