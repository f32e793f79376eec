"""Blender plays a run of a real groom: every twentieth strand of Sintel's hair, for 0.1 s."""

import pathlib
import tempfile

import blender_judge
import judges


def main():
    judges.need_data()
    blender_judge.need_blender()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        blender_judge.judge_pc2(judges.sintel(folder), folder)


main()
