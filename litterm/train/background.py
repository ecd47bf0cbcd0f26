"""`python -m litterm.train.background FIELD...`: how common each stem is, from full texts of several fields.

A FIELD is a file or folder of full texts in any form litterm imports, PDF excepted. A stem counts as common if
it is so in any field: *patient* says little in medicine, *corpus* in computational linguistics.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from litterm.evidence.background import FILE, FLOOR, LEVELS
from litterm.evidence.pool import content_stems
from litterm.formats.reader import FileReader
from litterm.model.document import Document
from litterm.model.library import Parsed

_FEWEST_SENTENCES = 40
"""Shorter texts are abstracts or fragments: a stem is rarer there only because there is less of it."""
_KINDS = frozenset({"title", "abstract", "body"})


def shares(field: Path) -> Mapping[str, float]:
    """Per stem, the share of the field's full texts that hold it."""
    frequency: Counter[str] = Counter()
    texts = 0
    for read in FileReader(None).read(field, lambda _sha256: False):
        if isinstance(read, Parsed) and read.document and len(read.document.sentences) > _FEWEST_SENTENCES:
            frequency.update(_stems(read.document))
            texts += 1
    return {stem: count / texts for stem, count in frequency.items()}


def table(fields: Iterable[Mapping[str, float]]) -> str:
    """The background file: a line for every level, stems in order."""
    most: defaultdict[str, float] = defaultdict(float)
    for field in fields:
        for stem, share in field.items():
            most[stem] = max(most[stem], share)
    levels: defaultdict[int, list[str]] = defaultdict(list)
    for stem, share in sorted(most.items()):
        if share >= FLOOR:
            levels[round(-LEVELS * math.log(share))].append(stem)
    head = f"# Made by python -m litterm.train.background. Level, stems: share of papers exp(-level/{LEVELS}).\n"
    return head + "".join(f"{level} {' '.join(stems)}\n" for level, stems in sorted(levels.items()))


def main(argv: list[str] | None = None) -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(prog="python -m litterm.train.background", description=__doc__)
    parser.add_argument("field", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=FILE)
    typed = parser.parse_args(argv)
    typed.out.write_text(table(shares(field) for field in typed.field), encoding="utf-8")


def _stems(document: Document) -> frozenset[str]:
    return frozenset(
        stem for sentence in document.sentences if sentence.kind in _KINDS for stem in content_stems(sentence.text)
    )


if __name__ == "__main__":
    main()
