#!/usr/bin/env python3
"""Compiles the kernels of crates/gpu into PTX, the text that the driver of a GPU compiles for the GPU that it finds.

The compiler comes from the Python package index and is installed into target/nvcc; nothing of the system changes, and no GPU is
needed. It calls the C++ compiler of the system. The PTX is part of the sources, so that only who changes a kernel needs this. It
begins with a hash of all files in the folder of the kernels; a test of crates/gpu compares the two.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "crates" / "gpu" / "kernels"
NVCC = ROOT / "target" / "nvcc"
VERSION = "13.0.*"
WHEELS = ("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl")
# A100 and later. Products are not contracted with sums, so that results are those of the CPU.
OPTIONS = ("--ptx", "-arch=compute_80", "-O3", "--fmad=false")
# The GPU whose registers the report counts, unless another is named: H100 and H200.
REPORTED = "sm_90"


class CannotCompile(Exception):
    """Says what is missing, or what the compiler says."""


def run(command: list[str]) -> str:
    """Runs a command and returns all that it prints."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    except OSError as error:
        raise CannotCompile(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise CannotCompile(done.stdout.strip() or f"{command[0]} ends with status {done.returncode}")
    return done.stdout


def install() -> Path:
    """Makes sure of the compiler; returns the folder of its programs."""
    programs = NVCC / "nvidia" / "cu13" / "bin"
    if not (programs / "nvcc").exists():
        NVCC.parent.mkdir(parents=True, exist_ok=True)
        print(f"the compiler of CUDA {VERSION} into {NVCC}", flush=True)
        with tempfile.TemporaryDirectory(prefix=".nvcc-", dir=NVCC.parent) as scratch:
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--only-binary", ":all:", "--target", f"{scratch}/new"]
            run([*command, *(f"{wheel}=={VERSION}" for wheel in WHEELS)])
            shutil.rmtree(NVCC, ignore_errors=True)
            os.rename(f"{scratch}/new", NVCC)
    return programs


def fnv1a(content: bytes) -> int:
    """The hash FNV-1a of 64 bits; crates/gpu/tests/ptx.rs has it as well."""
    value = 0xCBF29CE484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value


def hash_of_sources() -> str:
    """The hash of all files of the kernels but PTX, in the order of their names: name, zero, content, zero of each."""
    files = sorted(path for path in KERNELS.iterdir() if path.suffix != ".ptx")
    content = b"".join(path.name.encode() + b"\0" + path.read_bytes() + b"\0" for path in files)
    return f"{fnv1a(content):016x}"


def compile_kernels(programs: Path) -> Path:
    """Compiles the kernels; returns the file that is made."""
    place = KERNELS / "packet.ptx"
    # Of the sources as they are before: who changes one meanwhile is reminded by the test.
    sources = hash_of_sources()
    with tempfile.TemporaryDirectory(prefix="weir-ptx-") as scratch:
        made = Path(scratch) / "packet.ptx"
        said = run([str(programs / "nvcc"), *OPTIONS, "-o", str(made), str(KERNELS / "packet.cu")])
        print(said, end="")
        lines = [line.replace("\t", " ").rstrip() for line in made.read_text().splitlines()]
    head = [
        "// Made by tools/gpu_ptx.py (make gpu-ptx), not to be edited:",
        f"// nvcc {' '.join(OPTIONS)} packet.cu",
        f"// of sources with FNV-1a hash {sources}",
    ]
    place.write_text("\n".join([*head, *lines]) + "\n")
    return place


def report(programs: Path, ptx: Path, gpu: str) -> None:
    """Prints for each kernel how many registers it has on a GPU, and how much of them is kept in memory."""
    with tempfile.TemporaryDirectory(prefix="weir-ptx-") as scratch:
        made = f"{scratch}/packet.cubin"
        said = run([str(programs / "ptxas"), "--verbose", f"--gpu-name={gpu}", "--output-file", made, str(ptx)])
    pattern = (
        r"Compiling entry function '(\S+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
        r".*?Used (\d+) registers"
    )
    kernels = re.findall(pattern, said, flags=re.DOTALL)
    if not kernels:
        raise CannotCompile(f"a line of registers was expected of ptxas, which says: {said.strip()}")
    for name, stack, stored, loaded, registers in kernels:
        spills = f"spills: {stored} bytes stored, {loaded} loaded"
        print(f"{gpu} {name}: {registers} registers, {spills}; stack: {stack} bytes")


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", action="store_true", help="print registers and spills of each kernel")
    parser.add_argument("--gpu", default=REPORTED, help=f"for which GPU the report is; default: {REPORTED}")
    args = parser.parse_args()
    try:
        programs = install()
        ptx = compile_kernels(programs)
        print(f"{ptx.relative_to(ROOT)}: {ptx.stat().st_size} bytes")
        if args.report:
            report(programs, ptx, args.gpu)
    except CannotCompile as error:
        print(f"the kernels of crates/gpu are not compiled: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
