"""The page with a million vertices: the first frame within 3 s, less than 1 GB of memory, and how long scrubbing takes."""

import pathlib
import tempfile

import viewer_tools as tools

SCENE = """
[run]
name = "million"
frames = 15
fps = 60
substeps = 2

[[strands]]
name = "hair"
source = { generator = "curly", count = 20000, vertices = 50, length = "25 cm" }
material = { preset = "human-hair" }
motion = { sine = ["5 cm", 0, 0], frequency = "2 Hz" }
"""


def main():
    tools.need_tools()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scene = folder / "million.toml"
        scene.write_text(SCENE)
        tools.simulate(scene, folder / "million")
        with tools.serving(folder / "million") as (address, _):
            tools.drive("million.mjs", million=address, vertices=1000000)


main()
