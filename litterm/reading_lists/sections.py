"""Groups a list under two to five headings, which are keywords of the topic or phrases from its titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from litterm.model.reading_list import ListEntry, ListSection
from litterm.reading_lists.topic import content_stems
from litterm.text.tokens import FUNCTION_WORDS, QUESTION_WORDS, SENTENCE_WORDS, stem, words

if TYPE_CHECKING:
    from litterm.model.reading_list import ListStage, Topic

OVERVIEW, FURTHER_READING = "Overviews", "Further reading"
_MAX_SECTIONS, _MIN_SECTIONS = 5, 2
_MIN_SECTION_ENTRIES = 2
"""Minimum number of papers below a heading."""
_MIN_LIST_ENTRIES_FOR_PARTS = 14
"""Minimum number of papers of a list whose sections are split into foundations and later work."""
_MIN_SECTION_ENTRIES_FOR_PARTS = 6
"""Minimum number of papers of a section that is split."""
_MAX_UNGROUPED_SHARE = 0.5
"""If no heading fits more than this share of a list, the list is grouped by stage instead."""
_STAGE_HEADINGS: Mapping[ListStage, str] = {
    "overview": OVERVIEW,
    "foundation": "Foundations",
    "method": "Further work",
    "recent": "Recent work",
}
_CAPITALIZED_WORD = re.compile(r"\b[A-Z](?![A-Z\d]|\w*[A-Z])")
_UNINFORMATIVE_WORDS = FUNCTION_WORDS | QUESTION_WORDS | SENTENCE_WORDS


def group_into_sections(entries: Sequence[ListEntry], topic: Topic) -> tuple[ListSection, ...]:
    """Groups `entries` under headings. Entries keep their order, and sections are in the order of their first entries.

    Returns one section without a name if no heading fits.
    """
    overviews = [entry for entry in entries if entry.stage == "overview"]
    rest = [entry for entry in entries if entry.stage != "overview"]
    groups: list[tuple[str, list[ListEntry]]] = [(OVERVIEW, overviews)] if overviews else []
    named = list(_group_by_heading(rest, topic, _MAX_SECTIONS - len(groups) - 1))
    for heading, members in sorted(named, key=lambda group: entries.index(group[1][0])):
        groups.append((heading, members))
        rest = [entry for entry in rest if entry not in members]
    if rest:
        groups.append((FURTHER_READING, rest))
    if len(rest) > _MAX_UNGROUPED_SHARE * len(entries):
        groups = _group_by_stage(entries)
    if len(groups) < _MIN_SECTIONS:
        return (ListSection("", tuple(entries)),)
    return tuple(part for heading, members in groups for part in _split_section(heading, members, len(entries)))


def _group_by_stage(entries: Sequence[ListEntry]) -> list[tuple[str, list[ListEntry]]]:
    """Groups by stage, which is also the order of the list, for papers that share too few words."""
    by_stage = [
        (heading, [entry for entry in entries if entry.stage == stage]) for stage, heading in _STAGE_HEADINGS.items()
    ]
    return [(heading, members) for heading, members in by_stage if members]


def _group_by_heading(
    entries: Sequence[ListEntry], topic: Topic, max_headings: int
) -> Iterator[tuple[str, list[ListEntry]]]:
    """Chooses headings greedily by the number of papers they fit; none that fits nearly all of the list."""
    ungrouped = list(entries)
    topic_stems = content_stems(topic.text)
    # A single keyword is the topic of the whole list, and a phrase that contains a keyword adds little to it.
    keywords = topic.keywords if len(topic.keywords) > 1 else ()
    stems_of_keywords = [content_stems(keyword) for keyword in topic.keywords]
    for _ in range(max_headings):
        phrases = [
            phrase
            for phrase in _find_title_phrases(ungrouped, topic_stems)
            if not any(stems < content_stems(phrase) for stems in stems_of_keywords)
        ]
        names = dict.fromkeys((*keywords, *phrases))
        members_of = {name: _find_entries_about(name, ungrouped) for name in names}
        fitting = {
            name: members
            for name, members in members_of.items()
            if _MIN_SECTION_ENTRIES <= len(members) <= max(_MIN_SECTION_ENTRIES, 0.6 * len(entries))
        }
        if not fitting:
            return
        # Ties are broken by the name, so that headings do not depend on the order of a dictionary.
        best = max(fitting, key=lambda name: (len(fitting[name]), name in keywords, -len(name), name))
        yield _capitalize(best), fitting[best]
        ungrouped = [entry for entry in ungrouped if entry not in fitting[best]]


def _find_entries_about(name: str, entries: Sequence[ListEntry]) -> list[ListEntry]:
    stems = content_stems(name)
    return [entry for entry in entries if stems and stems <= content_stems(entry.paper.title)]


def _find_title_phrases(entries: Iterable[ListEntry], topic: frozenset[str]) -> list[str]:
    """Phrases that occur in at least two titles and are not part of the topic, the most frequent first."""
    counts: Counter[frozenset[str]] = Counter()
    spelled: dict[frozenset[str], str] = {}
    for entry in entries:
        title = entry.paper.title
        phrases = {
            content_stems(" ".join(phrase)): _spell_as_in_title(phrase, title)
            for phrase in _split_into_phrases(words(title), topic)
        }
        for stems, phrase in phrases.items():
            if len(stems) > 1 and not stems <= topic:
                counts[stems] += 1
                spelled.setdefault(stems, phrase)
    return [spelled[stems] for stems, count in counts.most_common() if count >= _MIN_SECTION_ENTRIES]


def _spell_as_in_title(phrase: Sequence[str], title: str) -> str:
    """The folded words `phrase` as `title` writes them: with hyphens, and with the capitals of acronyms."""
    match = re.search(r"\b" + r"[\W_]{1,3}".join(map(re.escape, phrase)) + r"\b", title, re.IGNORECASE)
    if match is None:
        return " ".join(phrase)
    # A title in capitals does not show which words are acronyms.
    spelled = match[0].lower() if title.isupper() else _CAPITALIZED_WORD.sub(lambda word: word[0].lower(), match[0])
    return " ".join(spelled.split())


def _split_into_phrases(title: Sequence[str], topic: frozenset[str]) -> Iterator[Sequence[str]]:
    """The pairs of adjacent words in `title`, each extended so that it does not cut a run of topic words in two."""
    in_topic = [stem(word) in topic for word in title]
    for start, (first, second) in enumerate(pairwise(title)):
        # Participles such as "pre-trained" make no heading.
        is_informative = not {first, second} & _UNINFORMATIVE_WORDS and not first.isdigit() and not second.isdigit()
        if is_informative and not second.endswith("ed"):
            begin, end = start, start + 2
            # "Neural machine translation" for the topic "machine translation", not "neural machine".
            while begin and in_topic[begin] and in_topic[begin - 1]:
                begin -= 1
            while end < len(title) and in_topic[end - 1] and in_topic[end]:
                end += 1
            yield title[begin:end]


def _split_section(heading: str, members: Sequence[ListEntry], list_size: int) -> Iterator[ListSection]:
    base = [member for member in members if member.stage == "foundation"]
    later = [member for member in members if member.stage != "foundation"]
    if list_size >= _MIN_LIST_ENTRIES_FOR_PARTS and len(members) >= _MIN_SECTION_ENTRIES_FOR_PARTS and base and later:
        yield ListSection(heading, tuple(base), "Foundations")
        yield ListSection(heading, tuple(later), "Later work")
    else:
        yield ListSection(heading, tuple(members))


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
