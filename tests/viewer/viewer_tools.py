"""What the tests of the page share: the tools they need, runs to show, servers to show them, and the browser's script."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["TENDRIL_SOURCE"])
BUILD = pathlib.Path(os.environ["TENDRIL_BUILD"])
PROGRAM = BUILD / "tendril"
HERE = SOURCE / "tests" / "viewer"
BROWSER = "/usr/bin/chromium"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need_tools():
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            skip(f"there is no {tool}")
    if not pathlib.Path(BROWSER).exists():
        skip("there is no chromium")
    for folder in (SOURCE / "viewer", HERE):
        if (folder / "node_modules").is_dir():
            continue
        done = subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"npm ci failed in {folder.relative_to(SOURCE)}: {done.stderr.strip().splitlines()[-1:]}")


def simulate(scene, folder, *more):
    subprocess.run([PROGRAM, "run", scene, "--out", folder, "-q", *more], check=True)


@contextlib.contextmanager
def serving(*arguments):
    """(address, process) of a server that shows something."""
    environment = {**os.environ, "TENDRIL_PAGE": str(SOURCE / "viewer")}
    server = subprocess.Popen([PROGRAM, "view", *arguments], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        line = server.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"the server said {line!r}"
        yield found[0], server
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def drive(script, **settings):
    """Runs a script with the browser; it gets the settings as JSON and prints what it saw."""
    pictures = BUILD / "screenshots"
    pictures.mkdir(exist_ok=True)
    settings.update(browser=BROWSER, pictures=str(pictures))
    done = subprocess.run(["node", HERE / script, json.dumps(settings, default=str)], timeout=1200)
    assert done.returncode == 0, f"{script} failed"
