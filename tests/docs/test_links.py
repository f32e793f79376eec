"""Links between the pages of the project lead to files and headings that exist."""

import os
import pathlib
import re

SOURCE = pathlib.Path(os.environ["TENDRIL_SOURCE"])


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors(path):
    """As GitHub makes them: small letters, blanks to hyphens, no other signs."""
    headings = re.findall(r"^#+ (.*)$", without_code(path.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def main():
    pages = [*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md"), *(SOURCE / "fuzz").glob("*.md")]
    wrong = []
    for page in sorted(pages):
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if not path.exists() or (anchor and anchor not in anchors(path)):
                wrong.append(f"{page.relative_to(SOURCE)}: {target}")
    assert not wrong, "links that lead nowhere:\n" + "\n".join(wrong)


main()
