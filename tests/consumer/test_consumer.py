"""Installs Tendril to a temporary folder and builds, against that alone, a project that uses it by find_package."""

import os
import pathlib
import re
import subprocess
import tempfile

SOURCE = pathlib.Path(os.environ["TENDRIL_SOURCE"])
BUILD = pathlib.Path(os.environ["TENDRIL_BUILD"])


def run(*command):
    print("+", *command, flush=True)
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE).stdout


def main():
    version = re.search(r"project\(Tendril VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    with tempfile.TemporaryDirectory() as temporary:
        prefix, build = pathlib.Path(temporary, "prefix"), pathlib.Path(temporary, "build")
        run("cmake", "--install", BUILD, "--prefix", prefix)
        run("cmake", "-S", SOURCE / "tests/consumer", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
        cache = (build / "CMakeCache.txt").read_text()
        assert f"Tendril_DIR:PATH={prefix}" in cache, "the consumer found another Tendril than the installed one"
        run("cmake", "--build", build)
        assert run(build / "consumer").startswith(f"tendril {version}: the tip hangs ")
        assert run(prefix / "bin/tendril", "--version").startswith(f"tendril {version} (")


main()
