"""Siconos finds the same velocities as we do for the nine reference problems of contact with friction."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import contact_problems
import numpy as np
import siconos_judge
import tendril


def largest_difference(problem, error):
    """In velocity, over the largest one without contact. Hair is so stiff that only the error bounds it."""
    return {"wellposed": 2e-6, "overconstrained": 1e-4, "hair": 20 * error}[problem.kind]


def compare(problem):
    ours = tendril.contact.solve(
        W=problem.W, b=problem.b, mu=problem.mu, tolerance=1e-6 if problem.kind == "hair" else 1e-7, max_sweeps=50000
    )
    assert ours.converged, (problem.kind, ours)
    scale, measured = np.abs(problem.b).max(), siconos_judge.our_error(problem, ours.r.ravel())
    assert abs(measured - ours.error) <= 1e-6 * ours.error + 1e-13, (problem.kind, measured, ours.error)
    theirs, their_error = siconos_judge.solve(problem)
    difference = np.abs(ours.u.ravel() - theirs).max() / scale
    print(f"{problem.kind}, {len(problem.mu)} contacts: u differs by {difference:.1e}; errors {ours.error:.1e}, {their_error:.1e}")
    assert difference <= largest_difference(problem, ours.error + their_error), (problem.kind, difference, their_error)


def time_the_last(problem):
    """The script as `tendril bench contact` calls it."""
    script = pathlib.Path(os.environ["TENDRIL_SOURCE"], "bench", "siconos_nsgs.py")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "problem.h5")
        tendril.contact.write(path, W=problem.W, b=problem.b, mu=problem.mu)
        done = subprocess.run([sys.executable, script, path, "--sweeps", "30"], capture_output=True, text=True)
    if done.returncode == 77:
        print(f"not timed: {done.stderr.strip()}")
        return
    assert done.returncode == 0, done
    numbers = json.loads(done.stdout)
    assert numbers["contacts"] == len(problem.mu) and numbers["sweeps"] == 30 and numbers["seconds_per_sweep"] > 0, numbers
    assert numbers["last_error"] <= 1e-3 and numbers["sweeps_to_tolerance"] > 0 < numbers["seconds_to_tolerance"], numbers


def main():
    siconos_judge.need_siconos()
    problems = list(contact_problems.problems())
    assert len(problems) == 9
    for problem in problems:
        compare(problem)
    time_the_last(problems[-1])


main()
