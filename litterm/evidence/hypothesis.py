"""The hypothesis for which evidence is extracted: typed text to its claim and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from litterm.core.errors import UsageError
from litterm.evidence.candidate_pool import content_stems
from litterm.text.request_limits import check_hypothesis
from litterm.text.tokens import stem_spans


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A claim and its content words."""

    text: str
    words: Mapping[str, str]
    """Each distinct stem, in order, with the first word that has it, as typed."""


def read_hypothesis(typed: str) -> Hypothesis:
    """`typed` with blanks squeezed, and its content words.

    Raises:
        UsageError: there is no content word to look for.
        AsksTooMuch: it has more words than a hypothesis may have.
    """
    check_hypothesis(typed)
    text = " ".join(typed.split())
    words: dict[str, str] = {}
    for start, end, _ in stem_spans(text):
        for stem in content_stems(text[start:end]):
            # As typed: the words are shown to the user.
            words.setdefault(stem, text[start:end])
    if not words:
        fault = "is empty" if not text else "has no word to look for"
        raise UsageError(f"The hypothesis {fault}; state what the paper should show, for example: dropout helps.")
    return Hypothesis(text, words)
