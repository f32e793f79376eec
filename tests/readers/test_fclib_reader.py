"""FCLIB reads the contact problems that we write as .h5, and we read those that it writes."""

import pathlib
import tempfile

import contact_problems
import fclib_judge
import judges
import numpy as np
import tendril


def natural_map(problem, r):
    """What FCLIB's merit function is: how far r is from the projection of r - û on the cones, in all."""
    u = (problem.W @ r + problem.b).reshape(-1, 3)
    r, mu = r.reshape(-1, 3), problem.mu
    z = r - u
    z[:, 0] -= mu * np.hypot(u[:, 1], u[:, 2])
    tangential = np.hypot(z[:, 1], z[:, 2])
    height = (mu * tangential + z[:, 0]) / (1 + mu**2)
    on_cone = np.column_stack([height, *(mu * height * z[:, 1:].T / np.maximum(tangential, 1e-300))])
    inside, beyond = tangential <= mu * z[:, 0], mu * tangential <= -z[:, 0]
    projected = np.where(beyond[:, None], 0.0, np.where(inside[:, None], z, on_cone))
    return np.linalg.norm(r - projected) / (1 + np.sqrt(np.linalg.norm(problem.b)))


def judge_ours(problem, folder):
    given = {"W": problem.W, "b": problem.b, "mu": problem.mu}
    # The error that we stop by is that of the worst contact; FCLIB's merit is a sum over all of them.
    solution = tendril.contact.solve(**given, tolerance=1e-7, max_sweeps=20000)
    for share, largest in ((1.0, 1e-6), (0.5, np.inf)):  # of the impulses: the merit of a wrong answer, too
        r = share * solution.r.ravel()
        tendril.contact.write(folder / "ours.h5", **given, solution=solution._replace(r=r))
        read = fclib_judge.read(folder / "ours.h5")
        for name, expected in (("W", problem.W), ("q", problem.b), ("mu", problem.mu), ("r", r), ("u", solution.u)):
            assert (read[name] == np.ravel(expected).reshape(read[name].shape)).all(), name
        assert read["title"] == f"{len(problem.mu)} contacts", read["title"]
        assert read["merit"] <= largest, (problem.kind, share, read["merit"])
        assert abs(read["merit"] - natural_map(problem, r)) < 1e-12, (read["merit"], natural_map(problem, r))


def judge_theirs(problem, folder):
    for form in ("columns", "rows", "triplets"):
        path = folder / f"local_{form}.h5"
        fclib_judge.write_local(path, problem.W, problem.b, problem.mu, form)
        read = tendril.contact.read(path)
        assert (read["W"] == problem.W).all() and (read["b"] == problem.b).all() and (read["mu"] == problem.mu).all()

        path = folder / f"global_{form}.h5"
        fclib_judge.write_global(path, problem.M, problem.H.T, problem.f, problem.w, problem.mu, form)
        read = tendril.contact.read(path)
        if "W" in read:  # a contact that touches more than two blocks
            np.testing.assert_allclose(read["W"].toarray(), problem.W, atol=1e-12 * np.abs(problem.W).max())
            np.testing.assert_allclose(read["b"], problem.b, atol=1e-12 * np.abs(problem.b).max())
        else:
            assert (read["H"] == problem.H).all() and (read["f"] == problem.f).all() and (read["w"] == problem.w).all()
            assert sum(len(block) for block in read["M_blocks"]) == len(problem.M)


def main():
    fclib_judge.library()
    try:
        import scipy  # noqa: F401
    except ImportError:
        judges.skip("SciPy (python3-scipy) is not installed")
    for problem in contact_problems.problems():
        with tempfile.TemporaryDirectory() as name:
            judge_ours(problem, pathlib.Path(name))
            judge_theirs(problem, pathlib.Path(name))


main()
