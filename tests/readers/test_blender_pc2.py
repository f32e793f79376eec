"""Blender plays our .pc2 on the lines of our .obj."""

import pathlib
import tempfile

import blender_judge
import judges


def main():
    blender_judge.need_blender()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        blender_judge.judge_pc2(judges.two_sets(folder), folder)


main()
