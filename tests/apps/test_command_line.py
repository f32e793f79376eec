"""The command line: exit codes, one-line complaints, --help and --version."""

import os
import pathlib
import subprocess

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")


def tendril(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def main():
    version = tendril("--version")
    assert version.returncode == 0 and version.stdout.startswith("tendril ") and "instruction set" in version.stdout, version

    for arguments in (["--help"], []):
        help_text = tendril(*arguments)
        assert help_text.returncode == 0 and "Example:" in help_text.stdout and not help_text.stderr, help_text

    for arguments in (["--no-such-option"], ["no-such-command"]):
        refused = tendril(*arguments)
        assert refused.returncode == 2, refused
        assert refused.stderr.count("\n") == 1 and arguments[0] in refused.stderr and not refused.stdout, refused

    wrong_set = tendril("--version", TENDRIL_ISA="mmx")
    assert wrong_set.returncode == 2 and "mmx" in wrong_set.stderr and wrong_set.stderr.count("\n") == 1, wrong_set
    assert "instruction set v2" in tendril("--version", TENDRIL_ISA="v2").stdout


main()
