"""All C++ files of the repository are as clang-format leaves them (`scripts/format` does it)."""

import os
import shutil
import subprocess
import sys

SKIPPED = 77


def main():
    root = os.environ["TENDRIL_SOURCE"]
    if not shutil.which("clang-format"):
        print("skipped: clang-format is not installed")
        sys.exit(SKIPPED)
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.cpp", "*.hpp"],
        capture_output=True, text=True)
    if listing.returncode != 0:
        print("skipped: not a git checkout, so there is no list of files")
        sys.exit(SKIPPED)
    files = [file for file in sorted(set(listing.stdout.split("\0"))) if file and os.path.exists(os.path.join(root, file))]
    assert files, "no files found"
    sys.exit(subprocess.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *files], cwd=root).returncode)


main()
