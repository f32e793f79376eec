"""docs/units.md lists the units that scenes know, and the quantities that pictures can be coloured by."""

import os
import pathlib
import re
import subprocess
import tempfile

SOURCE = pathlib.Path(os.environ["TENDRIL_SOURCE"])
PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")
PAGE = (SOURCE / "docs" / "units.md").read_text()

SCENE = """
[run]
frames = 1
[[strands]]
name = "hair"
source = { generator = "curly", count = 3, vertices = 8 }
rest = "sag-free"
[contact]
"""


def table(heading):
    rows = re.search(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.M)[1]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()]


def units():
    known = re.findall(r'^    \{"([^"]+)", \w+', (SOURCE / "src/tendril/scene/quantity.cpp").read_text(), re.M)
    listed = [unit for row in table("quantity [|] SI unit") for unit in re.findall(r"`([^`]+)`", row[1] + row[2])]
    assert len(known) > 40 and sorted(known) == sorted(listed), (sorted(set(known) ^ set(listed)), len(known), len(listed))


def colours():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "scene.toml").write_text(SCENE)
        subprocess.run([PROGRAM, "run", folder / "scene.toml", "--out", folder / "run", "-q"], check=True)
        refused = subprocess.run(
            [PROGRAM, "render", folder / "run", "--colour", "no such", "--out", folder / "a.png"], capture_output=True, text=True
        )
    offered = re.search(r"there are strand, (.*)\n", refused.stderr)[1].split(", ")
    listed = [row[0].strip("`") for row in table("quantity [|] unit [|] what it is")]
    assert sorted(offered) == sorted(listed), (offered, listed)
    shown = re.findall(
        r'\{"[\w-]+", "([\w-]+)", "[^"]*", "([^"]*)"', (SOURCE / "src/tendril/render/colour_quantity.cpp").read_text()
    )
    shown += re.findall(
        r'\{"([\w-]+)", "[^"]*", "([^"]*)", \w+,\s*Source::derived',
        (SOURCE / "src/tendril/render/colour_quantity.cpp").read_text(),
    )
    assert {"speed", "strain", "contact-force"} <= {quantity for quantity, _ in shown}, shown
    for quantity, unit in shown:
        assert [quantity, unit] in [[row[0].strip("`"), row[1]] for row in table("quantity [|] unit [|] what it is")], quantity


units()
colours()
