"""Two to five headings for a list, in the library's own words: keywords of the topic, phrases of its titles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from litterm.model.reading_list import ListEntry, ListSection
from litterm.reading_lists.topic import content_stems
from litterm.text.function_words import FUNCTION_WORDS, QUESTION_WORDS, SENTENCE_WORDS
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.model.reading_list import ListStage, Topic

OVERVIEW, OTHERS = "Overviews", "Further reading"
_MOST, _LEAST = 5, 2
_ENTRIES = 2
"""A heading stands over at least so many papers."""
_LONG = 14
"""Papers from which on a section may have parts: foundations and later work."""
# The section itself must have so many papers for that.
_LARGE = 6
_UNSORTED = 0.5
"""Share of a list that no heading fits from which on all of it stands below what each paper is for."""
_STAGES: Mapping[ListStage, str] = {
    "overview": OVERVIEW,
    "foundation": "Foundations",
    "method": "Further work",
    "recent": "Recent work",
}
_NOT_TELLING = FUNCTION_WORDS | QUESTION_WORDS | SENTENCE_WORDS


def in_sections(entries: Sequence[ListEntry], topic: Topic) -> tuple[ListSection, ...]:
    """`entries` below headings; their order within each stays, and the headings come as the first papers below them do.

    One section without a name where no heading fits.
    """
    overviews = [entry for entry in entries if entry.stage == "overview"]
    rest = [entry for entry in entries if entry.stage != "overview"]
    groups: list[tuple[str, list[ListEntry]]] = [(OVERVIEW, overviews)] if overviews else []
    named = list(_grouped(rest, topic, _MOST - len(groups) - 1))
    for heading, members in sorted(named, key=lambda group: entries.index(group[1][0])):
        groups.append((heading, members))
        rest = [entry for entry in rest if entry not in members]
    if rest:
        groups.append((OTHERS, rest))
    if len(rest) > _UNSORTED * len(entries):
        groups = _by_stage(entries)
    if len(groups) < _LEAST:
        return (ListSection("", tuple(entries)),)
    return tuple(part for heading, members in groups for part in _parts(heading, members, len(entries)))


def _by_stage(entries: Sequence[ListEntry]) -> list[tuple[str, list[ListEntry]]]:
    """Where the papers share too few words: what each is for, which is the order of the list, too."""
    by_stage = [(heading, [entry for entry in entries if entry.stage == stage]) for stage, heading in _STAGES.items()]
    return [(heading, members) for heading, members in by_stage if members]


def _grouped(entries: Sequence[ListEntry], topic: Topic, most: int) -> Iterator[tuple[str, list[ListEntry]]]:
    """The headings that stand over the most papers, one after the other; none over nearly all of them."""
    left = list(entries)
    topic_stems = content_stems(topic.text)
    # The only keyword is what the whole list is about, and what adds a word to one says little beside it.
    keywords = topic.keywords if len(topic.keywords) > 1 else ()
    stems_of_keywords = [content_stems(keyword) for keyword in topic.keywords]
    for _ in range(most):
        phrases = [
            phrase
            for phrase in _title_phrases(left, topic_stems)
            if not any(stems < content_stems(phrase) for stems in stems_of_keywords)
        ]
        names = dict.fromkeys((*keywords, *phrases))
        members_of = {name: _about(name, left) for name in names}
        fitting = {
            name: members
            for name, members in members_of.items()
            if _ENTRIES <= len(members) <= max(_ENTRIES, 0.6 * len(entries))
        }
        if not fitting:
            return
        # The name itself decides last, so that the headings do not depend on the order of a dictionary.
        best = max(fitting, key=lambda name: (len(fitting[name]), name in keywords, -len(name), name))
        yield _capital(best), fitting[best]
        left = [entry for entry in left if entry not in fitting[best]]


def _about(name: str, entries: Sequence[ListEntry]) -> list[ListEntry]:
    stems = content_stems(name)
    return [entry for entry in entries if stems and stems <= content_stems(entry.paper.title)]


def _title_phrases(entries: Iterable[ListEntry], topic: frozenset[str]) -> list[str]:
    """Pairs of words that stand side by side in two titles or more, and say more than the topic itself."""
    counts: Counter[frozenset[str]] = Counter()
    spelled: dict[frozenset[str], str] = {}
    for entry in entries:
        title = entry.paper.title
        pairs = {
            content_stems(f"{first} {second}"): _spelled(first, second, title) for first, second in _pairs(words(title))
        }
        for stems, phrase in pairs.items():
            if len(stems) == 2 and not stems <= topic:
                counts[stems] += 1
                spelled.setdefault(stems, phrase)
    return [spelled[stems] for stems, count in counts.most_common() if count >= _ENTRIES]


def _spelled(first: str, second: str, title: str) -> str:
    """The two words as they stand in `title`, with their hyphen."""
    return f"{first}-{second}" if f"{first}-{second}" in title.lower() else f"{first} {second}"


def _pairs(title: Sequence[str]) -> Iterator[tuple[str, str]]:
    for first, second in pairwise(title):
        # "Pre-trained" and "applied" name nothing by themselves.
        telling = not {first, second} & _NOT_TELLING and not first.isdigit() and not second.isdigit()
        if telling and not second.endswith("ed"):
            yield first, second


def _parts(heading: str, members: Sequence[ListEntry], whole: int) -> Iterator[ListSection]:
    base = [member for member in members if member.stage == "foundation"]
    later = [member for member in members if member.stage != "foundation"]
    if whole >= _LONG and len(members) >= _LARGE and base and later:
        yield ListSection(heading, tuple(base), "Foundations")
        yield ListSection(heading, tuple(later), "Later work")
    else:
        yield ListSection(heading, tuple(members))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
