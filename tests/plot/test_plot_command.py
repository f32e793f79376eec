"""tendril plot: the pages of real reports are XML, and every refusal is one line that says what to do."""

import json
import os
import pathlib
import subprocess
import tempfile
import xml.etree.ElementTree

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")

SCENE = """
[run]
name = "curls"
frames = 4
fps = 60
substeps = 2

[[strands]]
name = "hair"
source = { generator = "curly", count = 3, vertices = 8 }

[[probes]]
name = "tip"
kind = "path"
strand = 0
vertex = -1
"""


def tendril(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


def succeed(*arguments):
    done = tendril(*arguments)
    assert done.returncode == 0, done
    return done


def refused(*arguments, words):
    done = tendril(*arguments)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and not done.stdout, done
    assert all(word in done.stderr for word in words), done


def charts(page):
    root = xml.etree.ElementTree.parse(page).getroot()
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), ids
    return len(root.findall(".//{http://www.w3.org/2000/svg}svg"))


def pages(folder):
    run, page = folder / "run", folder / "page.html"
    (folder / "scene.toml").write_text(SCENE)
    succeed("run", folder / "scene.toml", "--out", run, "-q")
    succeed("plot", run, "--out", page, "--report", folder / "plot.json", "-q")
    report = json.loads((folder / "plot.json").read_text())
    assert report == {"command": "plot", "out": str(page), "charts": charts(page), "bytes": page.stat().st_size}, report
    assert report["charts"] >= 7 and "tip: position" in page.read_text(), report

    before = page.read_bytes()
    assert "charts" in succeed("plot", run, "--out", page).stdout  # its own page is replaced
    assert page.read_bytes() == before

    succeed("plot", run, run / "report.json", "--out", page, "-q")
    assert "Comparison of 2 runs" in page.read_text() and charts(page) >= 4

    succeed("validate", "--case", "B1", "--report", folder / "validation.json", "-q")
    succeed("plot", folder / "validation.json", "--out", page, "-q")
    assert charts(page) >= 2


def refusals(folder):
    run, page, report = folder / "run", folder / "page.html", folder / "run" / "report.json"
    text = report.read_bytes()
    refused("plot", report, "--out", run, words=["is a folder"])
    refused("plot", report, "--out", report, words=["another name"])
    refused("plot", report, "--out", report, "--force", words=["another name"])
    refused("plot", report, "--out", folder / "page.json", words=["end it in .html"])
    (folder / "mine.html").write_text("<html>mine</html>")
    refused("plot", report, "--out", folder / "mine.html", words=["--force"])
    succeed("plot", report, "--out", folder / "mine.html", "--force", "-q")
    assert report.read_bytes() == text

    refused("plot", folder / "scene.toml", "--out", page, words=["scene.toml", "not JSON"])
    refused("plot", folder, "--out", page, words=["not the folder of a run"])
    (folder / "plot.json").write_text("{}")
    refused("plot", folder / "plot.json", "--out", page, words=["no report"])
    refused("plot", report, folder / "validation.json", "--out", page, words=["validation.json", "only runs"])
    report.unlink()
    assert tendril("plot", run, "--out", page).returncode == 0  # a run in progress has no report, but records
    assert "still at work" in page.read_text()
    assert tendril("plot", "--out", page).returncode == 2


def main():
    with tempfile.TemporaryDirectory() as folder:
        pages(pathlib.Path(folder))
        refusals(pathlib.Path(folder))


main()
