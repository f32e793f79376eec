"""docs/scene.md holds what `tendril scene --schema` prints, and every example is right."""

import os
import pathlib
import subprocess

schema = subprocess.run(
    [pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril"), "scene", "--schema"], capture_output=True, text=True, check=True
).stdout
page = pathlib.Path(os.environ["TENDRIL_SOURCE"], "docs", "scene.md").read_text()
assert f"```text\n{schema}```" in page, "put the output of `tendril scene --schema` into docs/scene.md"

# Every example is a scene that can be run.
examples = sorted(pathlib.Path(os.environ["TENDRIL_SOURCE"], "examples").glob("*/scene.toml"))
assert len(examples) > 4, examples
for example in examples:
    subprocess.run([pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril"), "scene", "--check", example, "-q"], check=True)
