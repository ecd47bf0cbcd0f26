"""`python -m litterm_training.compounds FILE...`: elements that take a hyphen, from records and full texts.

FILE is in any form litterm imports, PDF excepted, as its lines have lost what is counted here. A word or compound
counts once a paper. An element takes a hyphen if most of the words with it do; of the other words with it, those that
are written as one are listed, and of other compounds the common ones.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from litterm.core.user_files import write_file
from litterm.importers.reader import FileReader
from litterm.model.library import Parsed
from litterm.text.documents.hyphens import COMPOUNDS_FILE, KINDS
from litterm_training.document_frequency import inputs

_TOKEN = re.compile(r"(?<![\w-])[a-z]+(?:[-‐‑][a-z]+)?(?![\w-])")
"""Compounds of two elements: of longer ones nobody knows which belong together."""
_MIN_PAPERS = 3
"""Papers with a word before it counts for its elements: rarer ones are misprints and words glued at line ends."""
_MIN_WORDS = 5
"""Different words of which an element is part."""
_MIN_JOINED_PAPERS = 5
_MIN_HYPHENED_PAPERS = 10
_MIN_HALF_CHARS = 2
_MIN_SECOND_CHARS = 3


@dataclass(frozen=True, slots=True)
class Counts:
    """In how many papers each word and each compound, with its hyphen, occurs."""

    words: Mapping[str, int]
    compounds: Mapping[str, int]

    def is_compound(self, first: str, second: str) -> bool:
        """Whether more papers write the hyphen than do not."""
        return self.compounds.get(f"{first}-{second}", 0) > self.words.get(first + second, 0)

    def is_word(self, word: str) -> bool:
        """Whether none of its divisions is a more common compound: then it is not glued."""
        return not any(self.is_compound(first, second) for first, second in _divisions(word))


def count(files: Iterable[Path]) -> Counts:
    """The words of titles, abstracts and full texts."""
    papers: Counter[str] = Counter()
    for file in files:
        for record in FileReader(None).read(file, lambda _sha256: False):
            if isinstance(record, Parsed):
                papers.update(set(_TOKEN.findall(_text(record).casefold())))
    compounds: Counter[str] = Counter()
    for token, number in papers.items():
        if not token.isalpha():
            compounds[re.sub("[‐‑]", "-", token)] += number
    return Counts({word: number for word, number in papers.items() if word.isalpha()}, compounds)


def _text(record: Parsed) -> str:
    document = record.document
    full_text = document.text if document is not None and document.origin != "abstract" else ""
    return f"{record.paper.title} . {record.paper.abstract} {full_text}"


def _divisions(word: str) -> Iterator[tuple[str, str]]:
    for at in range(_MIN_HALF_CHARS, len(word) - _MIN_HALF_CHARS + 1):
        yield word[:at], word[at:]


def elements(counts: Counts) -> tuple[frozenset[str], frozenset[str]]:
    """First and second elements, most of whose words have a hyphen."""
    hyphened: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    joined: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for compound, number in counts.compounds.items():
        first, second = compound.split("-")
        long = len(first) >= _MIN_HALF_CHARS and len(second) >= _MIN_SECOND_CHARS
        if number >= _MIN_PAPERS and long and counts.is_compound(first, second):
            hyphened[0][first] += 1
            hyphened[1][second] += 1
    for word, number in counts.words.items():
        for first, second in _divisions(word) if number >= _MIN_PAPERS else ():
            if len(second) >= _MIN_SECOND_CHARS and not counts.is_compound(first, second):
                joined[0][first] += 1
                joined[1][second] += 1
    first_elements, second_elements = (
        frozenset(
            element for element, number in hyphened[side].items() if number >= max(_MIN_WORDS, joined[side][element])
        )
        for side in (0, 1)
    )
    return first_elements, second_elements


def table(counts: Counts, read_files: Sequence[str] = ()) -> str:
    """The file: what was read, then a line for each kind."""
    firsts, seconds = elements(counts)
    joined = {
        word
        for word, number in counts.words.items()
        if number >= _MIN_JOINED_PAPERS
        and any(first in firsts or second in seconds for first, second in _divisions(word))
        and counts.is_word(word)
    }
    hyphened = {
        compound
        for compound, number in counts.compounds.items()
        if number >= _MIN_HYPHENED_PAPERS
        and not _is_covered(compound, firsts, seconds)
        and number > 2 * counts.words.get(compound.replace("-", ""), 0)
    }
    lists = dict(zip(KINDS, (firsts, seconds, hyphened, joined), strict=True))
    head = (
        "# Made by python -m litterm_training.compounds. Words that take a hyphen, and words that look so and do not.\n"
    )
    head += "".join(f"{line}\n" for line in read_files)
    return head + "".join(f"{kind} {' '.join(sorted(words))}\n" for kind, words in lists.items())


def _is_covered(compound: str, firsts: frozenset[str], seconds: frozenset[str]) -> bool:
    """Whether an element tells the hyphen already, or a single letter, which no line end divides from its word."""
    first, second = compound.split("-")
    return len(first) < _MIN_HALF_CHARS or first in firsts or second in seconds


def main(argv: list[str] | None = None) -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.compounds", description=__doc__)
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=COMPOUNDS_FILE)
    typed = parser.parse_args(argv)
    write_file(typed.out, table(count(typed.file), inputs(typed.file)).encode(), force=True)


if __name__ == "__main__":
    main()
