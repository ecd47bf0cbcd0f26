"""Parses a model's reply into picked sentences: tolerant of form, strict about numbers.

JSON is read by the shape of the reply, whose numbers are checked here too. Everything else is read here, in the order
the published pipeline tries it: fences and emphasis off, then the last `DECISION:` with a list, else the last list
anywhere, else lines that say `3 | supports | reason`. Ranges are expanded, malformed pieces skipped, doubles
dropped, the order kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from litterm.model.evidence import Stance
from litterm.model.llm import ReplyMismatch
from litterm.text.escape import plain

MAX_REASON_CHARACTERS = 200
"""Characters of a reason that are kept."""
_MAX_RANGE_LENGTH = 200
# A reply is as long as `max_tokens` allows; the patterns below are linear, this keeps even a runaway one cheap.
_MAX_REPLY_CHARACTERS = 100_000

_MARKUP = re.compile(r"```[a-zA-Z]*|\*|\bindex\b\s*", re.IGNORECASE)
_DECISION = re.compile(r"DECISION\s*:\s*\[([^\[\]]*)\]", re.IGNORECASE)
_LIST = re.compile(r"\[([^\[\]]*)\]")
_NUMBER = re.compile(r"[\"'\s]*(\d{1,6})[\"'\s]*(?:[-–—]\s*(\d{1,6})[\"'\s]*)?")
_LINE = re.compile(r"^\W{0,8}(\d{1,6})\W{0,4}[|:\t]([^|\n]{0,40})(?:\|([^\n]*))?$", re.MULTILINE)
_NO_EVIDENCE = re.compile(r"\b(?:none|no (?:sentence|evidence)|empty)\b|\[\s*\]", re.IGNORECASE)

_STANCES: tuple[tuple[Stance, str], ...] = (
    # Refutes first: "does not support" holds the word of the other.
    ("refutes", "refut|contradict|oppos|against|not support|disprov"),
    ("supports", "support|confirm|agree|evidence for"),
    ("context", "context|neutral|background|mixed|unclear"),
)


@dataclass(frozen=True, slots=True)
class PickedSentence:
    """One sentence a model chose, by the number it was shown with."""

    number: int
    """As shown, from 1; may be out of range until it is mapped back."""
    stance: Stance | None = None
    reason: str = ""


def read_picks(text: str, max_number: int = 0) -> tuple[PickedSentence, ...]:
    """The picks of a reply that is no JSON; none at all is an answer. `max_number` sentences were shown, 0: not said.

    Raises:
        ReplyMismatch: it has neither a list nor a line with a number, and no word that says there is none; or every
            number is one that was not shown.
    """
    picks = _find_picks(text)
    # Only checked: the code that maps the numbers back drops unknown ones one by one, and logs them.
    drop_out_of_range(picks, max_number, [])
    return picks


def drop_out_of_range(
    picks: tuple[PickedSentence, ...], max_number: int, dropped: list[str]
) -> tuple[PickedSentence, ...]:
    """`picks` without those whose number is not in 1..`max_number`, which are reported in `dropped`.

    Raises:
        ReplyMismatch: there are some, and none of them is: that says nothing about the sentences that were shown.
    """
    fitting = tuple(pick for pick in picks if 1 <= pick.number <= max_number) if max_number else picks
    if picks and not fitting:
        raise ReplyMismatch(f"No number is one of the sentences shown: they must be from 1 to {max_number}.")
    if len(fitting) < len(picks):
        strange = ", ".join(str(pick.number) for pick in picks if pick not in fitting)
        dropped.append(f"Numbers that no sentence has: {strange[:MAX_REASON_CHARACTERS]}.")
    return fitting


def _find_picks(text: str) -> tuple[PickedSentence, ...]:
    # Models set numbers in bold or call them "index 3".
    bare = _MARKUP.sub("", text[:_MAX_REPLY_CHARACTERS])
    sentences = drop_repeated(_picks_by_line(bare))
    decisions = _DECISION.findall(bare)[-1:]
    lists = [tuple(parse_numbers(content)) for content in decisions or reversed(_LIST.findall(bare))]
    listed = next(filter(None, lists), ())
    if listed:
        described = {pick.number: pick for pick in sentences}
        return drop_repeated(described.get(number, PickedSentence(number)) for number in listed)
    if sentences and not decisions:
        return sentences
    if _NO_EVIDENCE.search(bare):
        return ()
    raise ReplyMismatch("No list of sentence numbers was found; end with DECISION: [numbers].")


def parse_numbers(content: str) -> Iterator[int]:
    """The numbers of a comma-separated list in order, `3-5` expanded; what is neither is skipped."""
    for piece in re.split(r"[,;\n]", content):
        match = _NUMBER.fullmatch(piece)
        if match is None:
            continue
        first, last = int(match[1]), int(match[2] or match[1])
        # "1-99999" is no pick but a way to fill the memory.
        if first <= last < first + _MAX_RANGE_LENGTH:
            yield from range(first, last + 1)


def drop_repeated(picks: Iterable[PickedSentence]) -> tuple[PickedSentence, ...]:
    """`picks` with the first of each number only."""
    first: dict[int, PickedSentence] = {}
    for pick in picks:
        first.setdefault(pick.number, pick)
    return tuple(first.values())


def stance_of(phrase: str) -> Stance | None:
    """The stance that a word or phrase names; `None` without one."""
    lowered = phrase.casefold()
    return next((stance for stance, pattern in _STANCES if re.search(pattern, lowered)), None)


def clean_reason(reason: str) -> str:
    """A model's reason fit to be stored: one line, nothing a terminal acts on, of bounded length."""
    text = " ".join(plain(reason[: 4 * MAX_REASON_CHARACTERS]).split())
    return text if len(text) <= MAX_REASON_CHARACTERS else text[: MAX_REASON_CHARACTERS - 1].rstrip() + "…"


def _picks_by_line(text: str) -> Iterator[PickedSentence]:
    for match in _LINE.finditer(text):
        stance = stance_of(match[2])
        if stance is not None:
            yield PickedSentence(int(match[1]), stance, clean_reason(match[3] or ""))
