"""tendril reproduce: everything that is required of the experiments of all papers, but contact/table-1, which takes
hours: tendril reproduce contact/table-1 --runs DIR."""

import json
import os
import pathlib
import subprocess
import tempfile

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        report, page = pathlib.Path(temporary, "report.json"), pathlib.Path(temporary, "page.html")
        listed = subprocess.run([PROGRAM, "reproduce", "--list"], capture_output=True, text=True, check=True).stdout
        ids = [line.split()[0] for line in listed.splitlines() if not line.startswith("contact/table-1")]
        done = subprocess.run(
            [PROGRAM, "reproduce", *ids, "--report", report, "--out", page, "-q"], capture_output=True, text=True
        )
        missed = [claim for claim in json.loads(report.read_text()) if not claim["held"]]
        assert not missed, missed
        assert done.returncode == 0 and not done.stderr, done
        claims = json.loads(report.read_text())
        assert len({claim["id"] for claim in claims}) >= 19, claims
        assert page.read_text().count("<svg") >= 30


main()
