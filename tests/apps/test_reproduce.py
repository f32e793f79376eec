"""tendril reproduce: the list, one figure with its report and page, and what it refuses."""

import json
import os
import pathlib
import subprocess
import tempfile

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")

CONTACT = {f"contact/{name}" for name in "fig-6 fig-7 fig-7-hair fig-8 fig-9 fig-10 fig-11 table-1 table-2".split()}
SAGFREE = {f"sagfree/fig-{number}" for number in range(1, 11)} | {"sagfree/table-1"}


def tendril(*arguments, code=0):
    done = subprocess.run([PROGRAM, "reproduce", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done
    return done


def check_list():
    listed = {line.split()[0] for line in tendril("--list").stdout.splitlines()}
    assert SAGFREE | CONTACT <= listed, listed


def check_figures(folder):
    report, page = folder / "report.json", folder / "page.html"
    # In the order of the list, and each once, whatever the order here.
    done = tendril("sagfree/fig-5", "sagfree/fig-2", "sagfree/fig-5", "--report", report, "--out", page)
    claims = json.loads(report.read_text())
    assert [id for id in dict.fromkeys(claim["id"] for claim in claims)] == ["sagfree/fig-2", "sagfree/fig-5"], claims
    for claim in claims:
        assert set(claim) == {"id", "what", "paper", "ours", "required", "held"} and claim["held"] is True, claim
        assert all(claim[key] for key in ("what", "paper", "ours", "required")), claim
        for key in ("what", "paper", "ours", "required"):
            assert claim[key] in done.stdout, (claim[key], done.stdout)
    required = sum(claim["required"] != "nothing" for claim in claims)
    assert f"All {required} required outcomes held." in done.stdout, done.stdout
    html = page.read_text()
    assert html.count("<svg") == 3 and "sagfree/fig-5" in html and "not held" not in html.lower(), html[:1000]
    assert not tendril("sagfree/fig-2", "-q").stdout


def check_contact(folder):
    """The orbits in full, the batches with few problems; numbers as CSV."""
    numbers = folder / "numbers"
    tendril("contact/fig-7", "contact/fig-11", "contact/table-2", "--quick", "--csv", numbers)
    curve = (numbers / "contact-fig-11-chart-1.csv").read_text().splitlines()
    assert curve[0] == "series,sweeps,share of problems", curve[0]
    share = {}
    for line in curve[1:]:
        name, sweeps, value = line.split(",")
        share.setdefault(name, []).append(float(value))
    assert {"mfb", "enum", "pac", "dac", "4sides", "duriez06", "duriez08", "mfb+enum"} == set(share), set(share)
    for values in share.values():  # the more sweeps, the fewer problems need more
        assert all(0 <= b <= a <= 1 for a, b in zip(values, values[1:])), values
    table = (numbers / "contact-table-2-table-2.csv").read_text()
    assert table.startswith("solver,fail-safe [%],failed [%],over tolerance [%],sweeps,time [ms]"), table[:200]


def check_refusals(folder):
    for words, arguments, code in (
        ("sagfree/fig-12: is no experiment (did you mean 'sagfree/fig-1", ["sagfree/fig-12"], 2),
        ("sagfri: is no experiment (did you mean 'sagfree'?)", ["sagfri"], 2),
        ("nothing-like-it: is no experiment; tendril reproduce --list has them", ["nothing-like-it"], 2),
        ("report.json", ["sagfree/fig-2", "-q", "--report", folder / "missing" / "report.json"], 1),
    ):
        done = tendril(*arguments, code=code)
        assert words in done.stderr and done.stderr.count("\n") == 1, done


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        check_list()
        check_figures(folder)
        check_contact(folder)
        check_refusals(folder)


main()
