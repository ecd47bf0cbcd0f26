"""`python -m litterm_training.document_frequency FIELD...`: how common each stem is, from full texts of several fields.

A FIELD is a file or folder of full texts in any form litterm imports, PDF excepted. A stem counts as common if
it is so in any field: *patient* says little in medicine, *corpus* in computational linguistics.
"""

from __future__ import annotations

import argparse
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from litterm.core.user_files import write_file
from litterm.evidence.candidate_pool import content_stems
from litterm.evidence.language.concepts import FREQUENCY_FILE, LEVELS_PER_E_FOLD, MIN_PAPER_SHARE
from litterm.importers.reader import FileReader
from litterm.model.document import Document
from litterm.model.library import Parsed

_FEWEST_SENTENCES = 40
"""Shorter texts are abstracts or fragments: a stem is rarer there only because there is less of it."""
_KINDS = frozenset({"title", "abstract", "body"})


def shares(field: Path) -> Mapping[str, float]:
    """Per stem, the share of the field's full texts that hold it."""
    frequency: Counter[str] = Counter()
    texts = 0
    for record in FileReader(None).read(field, lambda _sha256: False):
        if isinstance(record, Parsed) and record.document and len(record.document.sentences) > _FEWEST_SENTENCES:
            frequency.update(_stems(record.document))
            texts += 1
    return {stem: count / texts for stem, count in frequency.items()}


def inputs(fields: Iterable[Path]) -> tuple[str, ...]:
    """What was read, a line each: name and SHA-256 of every file, and for a folder of all in it together."""
    return tuple(f"# Read: {field.name} {_digest(field)}" for field in fields)


def _digest(field: Path) -> str:
    if field.is_file():
        return hashlib.sha256(field.read_bytes()).hexdigest()
    files = sorted(path for path in field.rglob("*") if path.is_file())
    listing = "".join(f"{path.relative_to(field).as_posix()} {_digest(path)}\n" for path in files)
    return hashlib.sha256(listing.encode()).hexdigest()


def table(fields: Iterable[Mapping[str, float]], read_fields: Sequence[str] = ()) -> str:
    """The background file: `read_fields`, then a line for every level, stems in order."""
    largest_shares: defaultdict[str, float] = defaultdict(float)
    for field in fields:
        for stem, share in field.items():
            largest_shares[stem] = max(largest_shares[stem], share)
    levels: defaultdict[int, list[str]] = defaultdict(list)
    for stem, share in sorted(largest_shares.items()):
        if share >= MIN_PAPER_SHARE:
            levels[round(-LEVELS_PER_E_FOLD * math.log(share))].append(stem)
    header = "# Made by python -m litterm_training.document_frequency."
    head = f"{header} Level, stems: share of papers exp(-level/{LEVELS_PER_E_FOLD}).\n"
    head += "".join(f"{line}\n" for line in read_fields)
    return head + "".join(f"{level} {' '.join(stems)}\n" for level, stems in sorted(levels.items()))


def main(argv: list[str] | None = None) -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.document_frequency", description=__doc__)
    parser.add_argument("field", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=FREQUENCY_FILE)
    typed = parser.parse_args(argv)
    written = table((shares(field) for field in typed.field), inputs(typed.field))
    write_file(typed.out, written.encode(), force=True)


def _stems(document: Document) -> frozenset[str]:
    return frozenset(
        stem for sentence in document.sentences if sentence.kind in _KINDS for stem in content_stems(sentence.text)
    )


if __name__ == "__main__":
    main()
