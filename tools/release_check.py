"""`python tools/release_check.py TAG`: whether the files of this checkout are those of the release TAG, as in v1.0.0.

It is the first step of `.github/workflows/release.yml`. Exit status 1, with a line for each file that differs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PLACES = (
    ("litterm/core/version.py", r'^__version__ = "(.+)"$'),
    ("CITATION.cff", r"^version: (.+)$"),
    ("CHANGELOG.md", r"^## \[(\d.*?)\]"),
)
"""Where the version stands: the first match of the pattern in the file."""
_DATE_PLACES = (("CITATION.cff", r"^date-released: (.+)$"), ("CHANGELOG.md", r"^## \[\d.*?\] - (.+)$"))


def faults(root: Path, tag: str) -> Iterator[str]:
    """One sentence for each file below `root` that is not that of the release `tag`."""
    if not re.fullmatch(r"v\d+\.\d+\.\d+((a|b|rc)\d+)?", tag):
        yield f"the tag {tag!r} is no version with a v before it, as in v1.0.0"
    for name, pattern in _PLACES:
        if (version := _first(root / name, pattern)) != tag.removeprefix("v"):
            yield f"{name} says version {version or '(none)'}, the tag {tag}"
    dates = {name: _first(root / name, pattern) for name, pattern in _DATE_PLACES}
    if len(set(dates.values())) > 1:
        yield "the dates of the release differ: " + ", ".join(f"{name} says {date}" for name, date in dates.items())


def _first(path: Path, pattern: str) -> str:
    found = re.search(pattern, path.read_text("utf-8"), re.MULTILINE)
    return found[1].strip() if found else ""


def main(words: list[str]) -> int:
    """Prints what differs, and returns the exit status."""
    if len(words) != 1:
        sys.stderr.write("usage: python tools/release_check.py TAG\n")
        return 2
    found = list(faults(ROOT, words[0]))
    sys.stderr.writelines(f"{fault}\n" for fault in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
