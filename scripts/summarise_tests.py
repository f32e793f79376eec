"""Sums up the results of ctest: summarise_tests.py FOLDER [BROKEN STAGE]...

Names each failure and each reason for which tests were skipped, then prints "N passed, N failed, N skipped". A broken
stage (a build that failed, say) counts as one failure. Exits with 1 if anything failed.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree


def skip_reason(case):
    output = case.findtext("system-out") or ""
    # GoogleTest says "file:line: Skipped" and the reason on the next line; scripts print "skipped: reason".
    found = re.search(r": Skipped\n(.+)", output) or re.search(r"^skipped: (.+)", output, re.MULTILINE)
    return found[1].strip() if found else "no reason given"


def main():
    folder, broken = pathlib.Path(sys.argv[1]), sys.argv[2:]
    passed, failures, skips = 0, [f"{stage} (broken)" for stage in broken], collections.defaultdict(list)
    for file in sorted(folder.glob("*.xml")):
        for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
            name = f"{file.stem}: {case.get('name')}"
            status = case.get("status")
            if status == "run":
                passed += 1
            elif status == "disabled":
                skips["disabled in the source"].append(name)
            elif status == "notrun" and case.find("skipped").get("message").startswith("SKIP_"):
                skips[skip_reason(case)].append(name)
            else:
                failures.append(name)
    for name in failures:
        print(f"failed: {name}")
    for reason, names in sorted(skips.items()):
        print(f"skipped: {reason} ({len(names)}: {', '.join(names[:3])}{', ...' if len(names) > 3 else ''})")
    if not skips:
        print("skipped: none")
    print(f"{passed} passed, {len(failures)} failed, {sum(map(len, skips.values()))} skipped")
    sys.exit(1 if failures or passed == 0 else 0)


main()
