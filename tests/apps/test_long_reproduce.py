"""tendril reproduce: everything that is required of the experiments of all papers."""

import json
import os
import pathlib
import subprocess
import tempfile

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        report, page = pathlib.Path(temporary, "report.json"), pathlib.Path(temporary, "page.html")
        done = subprocess.run(
            [PROGRAM, "reproduce", "--report", report, "--out", page, "-q"], capture_output=True, text=True
        )
        missed = [claim for claim in json.loads(report.read_text()) if not claim["held"]]
        assert not missed, missed
        assert done.returncode == 0 and not done.stderr, done
        claims = json.loads(report.read_text())
        assert len({claim["id"] for claim in claims}) >= 20, claims
        assert page.read_text().count("<svg") >= 30


main()
