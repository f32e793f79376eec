"""The tree shows the architecture: a folder of src/tendril includes only itself and folders earlier in the list.

Prints file:line of every offence.
"""

import os
import pathlib
import re
import sys

LAYERS = """base linalg geometry contracts collide rods solids contact implicit sagfree io scene sim
            plot render serve""".split()
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]tendril/([^/">]+)/')


def code(text):
    """The text with comments blanked, line by line."""
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
    return [re.sub(r"//.*", "", line) for line in text.splitlines()]


def offences_of(name, text):
    """Offences of one file, given by its path in the repository."""
    parts = name.split("/")
    layer = parts[2] if parts[:2] == ["src", "tendril"] else None
    if layer is not None and layer not in LAYERS:
        yield f"{name}:1: the folder '{layer}' is not in the list of layers ({' '.join(LAYERS)})"
        return
    for number, line in enumerate(code(text), 1):
        found = INCLUDE.match(line)
        if found and found[1] not in LAYERS:
            yield f"{name}:{number}: includes from '{found[1]}', which is not in the list of layers"
        elif found and layer and LAYERS.index(found[1]) > LAYERS.index(layer):
            yield f"{name}:{number}: '{layer}' includes from '{found[1]}', which comes later in the list of layers"


def check_the_checker():
    def count(name, text):
        return len(list(offences_of(name, text)))

    assert count("src/tendril/rods/a.hpp", '#include "tendril/linalg/b.hpp"\n#include "tendril/rods/c.hpp"\n') == 0
    assert count("src/tendril/linalg/a.hpp", '#include "tendril/rods/b.hpp"\n') == 1
    assert count("src/tendril/linalg/a.hpp", '// #include "tendril/rods/b.hpp"\n') == 0
    assert count("src/tendril/misc/a.hpp", "") == 1
    assert count("apps/tendril/a.cpp", '#include "tendril/sim/b.hpp"\n') == 0
    assert count("apps/tendril/a.cpp", '#include "tendril/sims/b.hpp"\n') == 1


def main():
    check_the_checker()
    root = pathlib.Path(os.environ["TENDRIL_SOURCE"])
    files = [file for folder in ("src", "apps", "python", "tests", "fuzz", "bench", "experiments") for file in sorted((root / folder).rglob("*.[ch]pp"))]
    offences = [offence for file in files for offence in offences_of(str(file.relative_to(root)), file.read_text())]
    print(*offences, sep="\n")
    print(f"{len(files)} files, {len(offences)} offences")
    sys.exit(1 if offences or not files else 0)


main()
