"""The stubs of the C++ core say what it has, as mypy's stubtest sees it; and the package is right by mypy."""

import os
import subprocess
import sys
import tempfile
import unittest


def mypy(*arguments):
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "MYPYPATH": os.environ["PYTHONPATH"], "MYPY_CACHE_DIR": cache}
        return subprocess.run([sys.executable, "-m", *arguments], env=environment, capture_output=True, text=True)


# What pybind11 makes of a class is no concern of users: its metaclass, and __init__ of what has none.
ALLOWED = "DerStrands", "Simulation", r"Simulation\.__init__"


class StubsTest(unittest.TestCase):
    def test_the_core(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as allowed:
            allowed.write("".join(f"tendril\\._tendril\\.{name}\n" for name in ALLOWED))
            allowed.flush()
            result = mypy("mypy.stubtest", "tendril._tendril", "--allowlist", allowed.name)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_package(self):
        package = os.path.join(os.environ["PYTHONPATH"], "tendril")
        result = mypy("mypy", "--check-untyped-defs", "--no-error-summary", package)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    try:
        import mypy.stubtest as _  # noqa: F401
    except ImportError:
        print("mypy is not installed")
        sys.exit(77)
    unittest.main()
