"""Values that the filter under the cursor can be completed to, each with what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FILTER_MEANINGS: Mapping[str, str] = {
    "venue:": "conference or journal, several joined by commas",
    "year:": "2021, 2019..2023, 2020.., ..2022 or ~2016",
    "author:": "family name, or the whole name in quotes",
    "source:": "where the record comes from",
    "type:": "article, inproceedings, ...",
    "decision:": "of the reviewers: accept, reject, withdrawn",
    "tag:": "your own tags",
    "is:": "mine, starred, included, excluded, to-read, reading or read",
    "status:": "to-read, reading or read",
    "note:": "words of your note on it",
    "project:": "papers included or starred in a project of yours",
    "import:": "papers that a file or another import of yours brought",
    "collection:": "papers filed under a collection of yours",
    "has:": "fulltext or note",
    "title:": "words of the title",
    "abstract:": "words of the abstract",
    "keyword:": "words of one of its keywords",
    "sort:": "newest, oldest, citations, title, author or added",
    "in:": "in:fulltext searches full texts, too",
    "like:": "papers like the one with this id",
}


@dataclass(frozen=True, slots=True)
class Completion:
    """One text that a filter may become."""

    text: str
    """The whole filter, `venue:acl`, or the beginning of one, `venue:`."""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """A completed word, and the choices if there are several."""

    text: str
    """The replacement; the word itself where nothing is unambiguous."""
    choices: tuple[Completion, ...] = ()
    """To be shown when there are several."""


def complete(word: str, completions: Sequence[Completion]) -> CompletionResult:
    """`word` completed as far as all that it may become agrees."""
    # A filter may be negated; what it can become is listed without the sign.
    minus = "-" if word.startswith("-") else ""
    typed = word.removeprefix("-")
    lead, comma, last = typed.rpartition(",")
    name, colon, _ = lead.partition(":")
    # `venue:acl,em`: the value behind the last comma is the one that is typed.
    prefix = f"{name}:{last}" if comma and colon else typed
    matches = [
        completion
        for completion in completions
        if completion.text.lower().startswith(prefix.lower()) and completion.text != prefix
    ]
    if not prefix or not matches:
        return CompletionResult(word)
    # Like a shell: as far as all candidates agree, and a list of them.
    common = _common_prefix([completion.text for completion in matches])
    ahead = minus + (f"{lead},{common.partition(':')[2]}" if comma and colon else common)
    # Where several fit and nothing is gained, the word stays as typed, its case too.
    text = ahead if len(ahead) > len(word) or len(matches) == 1 else word
    return CompletionResult(text, tuple(matches) if len(matches) > 1 else ())


def _common_prefix(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    difference = next((index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    return first[: min(len(first), len(last)) if difference is None else difference]
