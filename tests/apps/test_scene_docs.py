"""docs/scene.md holds what `tendril scene --schema` prints."""

import os
import pathlib
import subprocess

schema = subprocess.run(
    [pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril"), "scene", "--schema"], capture_output=True, text=True, check=True
).stdout
page = pathlib.Path(os.environ["TENDRIL_SOURCE"], "docs", "scene.md").read_text()
assert f"```text\n{schema}```" in page, "put the output of `tendril scene --schema` into docs/scene.md"
