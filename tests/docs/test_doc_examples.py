"""The worked examples of docs/add-a-*.md: their code blocks are compiled, run, and print what the page says.

A block ```cpp whose first line is `// file: NAME` is that file. One whose first line is `// in FILE, below: LINE` goes into
a copy of the project's FILE, below that line. Every main.cpp and *_test.cpp is a program (the latter with GoogleTest), and
is linked with all other .cpp of its page and with the library of the build. The ```text block after main.cpp is what it
prints.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(os.environ["TENDRIL_SOURCE"])
BUILD = pathlib.Path(os.environ["TENDRIL_BUILD"])
LIBRARIES = "-lfmt -ltomlplusplus -lembree3 -lhdf5_serial -lpng -lfreetype -lpthread".split()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def cache_entry(name):
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


def write_files(text, folder):
    """The files of a page, and what its main.cpp is to print."""
    files, printed = [], None
    for kind, body in BLOCK.findall(text):
        first, _, rest = body.partition("\n")
        if named := re.fullmatch(r"// file: (\S+)", first):
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rest)
            files.append(path)
        elif inserted := re.fullmatch(r"// in (\S+), below: (.+)", first):
            path = folder / inserted[1]
            if path not in files:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text((SOURCE / inserted[1]).read_text())
                files.append(path)
            old = path.read_text()
            assert old.count(f"\n{inserted[2]}\n") == 1, f"{inserted[1]} has no line of its own {inserted[2]!r}"
            path.write_text(old.replace(f"\n{inserted[2]}\n", f"\n{inserted[2]}\n{rest}"))
        elif kind == "text" and files and files[-1].name == "main.cpp" and printed is None:
            printed = body
    return [path for path in files if path.suffix == ".cpp"], printed


def compile_file(path, folder):
    # A target of libFuzzer is a plain function here, as in tests/fuzz.
    entry = [f"-DLLVMFuzzerTestOneInput={path.stem}"] if path.stem.endswith("_fuzz") else []
    start = time.monotonic()
    subprocess.run(
        [
            cache_entry("CMAKE_CXX_COMPILER"), "-std=c++20", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror",
            "-Wno-psabi", f"-I{folder}", f"-I{folder / 'src'}", f"-I{SOURCE / 'src'}", f"-I{SOURCE / 'fuzz'}",
            f"-I{BUILD / 'generated'}", "-isystem", "/usr/include/eigen3", *entry, "-c", path, "-o", path.with_suffix(".o"),
        ],
        check=True,
    )
    print(f"  {path.relative_to(folder)} compiled in {time.monotonic() - start:.1f} s", flush=True)
    return path.with_suffix(".o")


def run_page(page):
    print(page.name, flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sources, printed = write_files(page.read_text(), folder)
        programs = [path for path in sources if path.name == "main.cpp" or path.stem.endswith("_test")]
        assert programs and printed, f"{page} has no main.cpp, or does not say what it prints"
        objects = {path: compile_file(path, folder) for path in sources}
        shared = [made for path, made in objects.items() if path not in programs]
        for path in programs:
            program = path.with_suffix("")
            testing = ["-lgtest_main", "-lgtest"] if path.stem.endswith("_test") else []
            subprocess.run(
                [
                    cache_entry("CMAKE_CXX_COMPILER"), objects[path], *shared, BUILD / "libtendril_core.a", *testing,
                    "-L/usr/lib/x86_64-linux-gnu/hdf5/serial", *LIBRARIES, "-o", program,
                ],
                check=True,
            )
            done = subprocess.run([program], cwd=folder, text=True, stdout=subprocess.PIPE, timeout=60)
            assert done.returncode == 0, done
            if path.name == "main.cpp":
                assert done.stdout == printed, f"{page.name} says:\n{printed}\nits program prints:\n{done.stdout}"
            else:
                assert "[  PASSED  ]" in done.stdout, done.stdout


def main():
    if cache_entry("TENDRIL_SANITIZE"):
        print("skipped: the examples are compiled without sanitizers, the library of this build is not")
        raise SystemExit(77)
    pages = sorted((SOURCE / "docs").glob("add-a-*.md"))
    assert len(pages) >= 3, pages
    for page in pages:
        run_page(page)


if __name__ == "__main__":
    main()
