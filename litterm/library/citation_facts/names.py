"""Names of papers in a text: which words are a name, and not only a word that is spelt like one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litterm.library.citation_facts.shipped import name_key
from litterm.text.references.names_before_marks import GENERIC_WORDS, MAX_NAME_WORDS
from litterm.text.tokens import STOP_WORDS, fold

if TYPE_CHECKING:
    from litterm.interfaces import Records
    from litterm.library.citation_facts.shipped import ShippedFacts
    from litterm.model.citations.facts import NameFact
    from litterm.model.paper import PaperId

MAX_TEXT_WORDS = 80
"""Words of a text that are looked up at most: a longer one is pasted, and no query."""
_WORD = re.compile(r"[^\W_]+")
_TAIL_CHARS = 120
"""Characters before a mark in which its name is looked for."""
_BREAK = re.compile(r"[.,;:!?)\]]")
"""What parts a name from the mark behind it."""
_SHORT_CHARS = 4
"""A shorter name is a name within other words only as it is written."""


@dataclass(frozen=True, slots=True)
class NameInText:
    """A name that a text holds."""

    text: str
    """As it stands in the text."""
    words: tuple[str, ...]
    """Its folded words."""
    start: int
    """Its place in the text, in characters."""
    end: int
    facts: tuple[NameFact, ...]
    """What it may stand for: one fact a paper."""
    is_whole: bool
    """Whether the text holds nothing else but generic words ("the SNLI corpus")."""


OwnNames = Callable[[Collection[str]], Mapping[str, Sequence["NameFact"]]]
"""Looks up the names in the user's own texts: by the `name_key` of each the papers that it stands for."""


@dataclass(frozen=True, slots=True)
class _TextNames:
    """The names that may stand in one text."""

    shipped: ShippedFacts
    own: Mapping[str, Sequence[NameFact]]
    """Those that are in the user's own texts, by key."""
    own_first_words: frozenset[str]
    max_words: int
    """Words of a name at most."""

    def may_begin_with(self, word: str) -> bool:
        """Whether a name begins with the folded `word`."""
        return word in self.shipped.first_words or word in self.own_first_words

    def facts(self, key: str, *, with_variants: bool) -> tuple[NameFact, ...]:
        """What `key` stands for: what the user's own texts say, then what others say."""
        own = self.own.get(key, ())
        shipped = self.shipped.names(key, with_variants=with_variants)
        return join_names(own, shipped) if own else shipped


class NameTable:
    """The names in the user's own texts and those that ship, looked up in texts; safe from any thread."""

    def __init__(self, shipped: Callable[[], ShippedFacts], own: OwnNames = lambda _keys: {}) -> None:
        """`shipped` opens the facts when they are first needed; `own` is asked once for each text."""
        self._shipped = shipped
        self._own = own

    def find(self, text: str) -> tuple[NameInText, ...]:
        """The names in `text`, in its order; of those that overlap the longest of the first.

        A name whose words were in use before it must be written as a name, unless it is all of the text; one that is a
        common topic in any case.
        """
        matches = list(_WORD.finditer(text))
        if not matches or len(matches) > MAX_TEXT_WORDS:
            return ()
        words = [fold(match.group()) for match in matches]
        first, last = _without_generic(words)
        names = self._names_in(words, range(len(words)), last)
        whole = _find_at(names, text, matches, words, first, last, is_whole=True)
        if whole is not None:
            return (whole,)
        shown = _without_title_case(text, matches)
        # Of a few letters the small one has another length: such a text stays as it is.
        within = _find_within(names, shown if len(shown) == len(text) else text, matches, words)
        return tuple(replace(name, text=text[name.start : name.end]) for name in within)

    def at_end(self, text: str) -> NameInText | None:
        """The name at the end of `text`, before a mark: generic words, blanks and opening brackets may follow it."""
        tail = text[-_TAIL_CHARS:]
        matches = list(_WORD.finditer(tail))
        if not matches or _BREAK.search(tail, matches[-1].end()):
            return None
        words = [fold(match.group()) for match in matches]
        _, last = _without_generic(words)
        names = self._names_in(words, [last], last)
        found = (
            _find_at(names, tail, matches, words, place, last, is_whole=False)
            for place in range(max(0, last - names.max_words), last)
            if names.may_begin_with(words[place])
        )
        return next(filter(None, found), None)

    def _names_in(self, words: Sequence[str], ends: Iterable[int], last: int) -> _TextNames:
        """The names that may end before the places `ends` of `words`, or before `last`."""
        shipped = self._shipped()
        keys = {
            " ".join(words[place:end])
            for end in {*(end + 1 for end in ends if end != last), last}
            for place in range(max(0, end - MAX_NAME_WORDS), end)
            if words[place] not in STOP_WORDS and words[end - 1] not in STOP_WORDS
        }
        own = self._own(keys)
        longest = max(shipped.max_name_words, MAX_NAME_WORDS if own else 0)
        return _TextNames(shipped, own, frozenset(key.split()[0] for key in own), longest)


def _find_within(
    names: _TextNames, text: str, matches: Sequence[re.Match[str]], words: Sequence[str]
) -> Iterator[NameInText]:
    place = 0
    while place < len(words):
        found = None
        if names.may_begin_with(words[place]):
            for end in range(min(len(words), place + names.max_words), place, -1):
                found = _find_at(names, text, matches, words, place, end, is_whole=False)
                if found is not None:
                    yield found
                    place = end
                    break
        if found is None:
            place += 1


def _find_at(
    names: _TextNames,
    text: str,
    matches: Sequence[re.Match[str]],
    words: Sequence[str],
    place: int,
    end: int,
    *,
    is_whole: bool,
) -> NameInText | None:
    """The name that the words from `place` to `end` are."""
    if place >= end:
        return None
    facts = names.facts(" ".join(words[place:end]), with_variants=is_whole)
    if not facts:
        return None
    start, stop = matches[place].start(), matches[end - 1].end()
    written = text[start:stop]
    meant = tuple(fact for fact in facts if is_name(fact, written, is_whole=is_whole))
    return NameInText(written, tuple(words[place:end]), start, stop, meant, is_whole) if meant else None


def _without_title_case(text: str, matches: Sequence[re.Match[str]]) -> str:
    """`text` without the capital letters that say nothing, as every longer word begins with one or has no other."""
    longer = [match.group() for match in matches if len(match.group()) >= _SHORT_CHARS]
    if len(matches) > 1 and text.isupper():
        return text.lower()
    if not all(word[0].isupper() for word in longer):
        return text
    return _WORD.sub(lambda match: match[0].lower() if match[0][1:] == match[0][1:].lower() else match[0], text)


def is_name(fact: NameFact, written: str, *, is_whole: bool) -> bool:
    """Whether `written` is meant as the name of `fact`, and not as words; `is_whole` where it stands alone."""
    capitals = sum(letter.isupper() for letter in written)
    # A capital letter within a word is no beginning of a sentence: RACE, SQuAD, GLUE.
    looks_like_name = capitals > 1 or any(letter.isupper() for letter in written[1:])
    as_written = written == fact.name and capitals > 0
    if fact.usage == "topic":
        return as_written and (looks_like_name or is_whole)
    if is_whole:
        return True
    if fact.usage == "words" or len(written) < _SHORT_CHARS:
        return looks_like_name and (as_written or written.isupper())
    # A name that nobody writes with a capital letter or a digit is as good as a word.
    return looks_like_name or fact.name != fact.name.lower() or any(map(str.isdigit, written)) or " " in fact.name


def _without_generic(words: Sequence[str]) -> tuple[int, int]:
    """The first and the last place, exclusive, of the words that are not generic."""
    first, last = 0, len(words)
    while first < last and words[first] == "the":
        first += 1
    while last > first + 1 and words[last - 1] in GENERIC_WORDS:
        last -= 1
    return first, last


class PapersOfNames:
    """The papers of one library that names in texts stand for, without those that the user says a name is not of."""

    def __init__(
        self,
        table: NameTable,
        library: Records,
        titled: Callable[[str], Sequence[PaperId]],
        hidden: Callable[[], Collection[tuple[PaperId, str]]],
    ) -> None:
        """`titled` gives the papers of the library with a title, `hidden` papers with keys of names that are wrong."""
        self._table = table
        self._library = library
        self._titled = titled
        self._hidden = hidden

    def at_end(self, text: str) -> Mapping[PaperId, str]:
        """The papers that the name at the end of `text` stands for, each with a sentence that says so."""
        name = self._table.at_end(text)
        return {paper: reason_of(name.text, fact) for paper, fact in self._papers(name)} if name is not None else {}

    def within(self, text: str) -> Mapping[PaperId, str]:
        """The papers that names in `text` stand for, each with the name as it is written there."""
        return {paper: name.text for name in self._table.find(text) for paper, _ in self._papers(name)}

    def _papers(self, name: NameInText) -> Iterator[tuple[PaperId, NameFact]]:
        """The papers that `name` stands for, each once."""
        passed: set[PaperId] = set()
        for fact in name.facts:
            for paper in papers_of(fact, self._library, self._titled):
                if paper not in passed and (paper, name_key(fact.name)) not in self._hidden():
                    passed.add(paper)
                    yield paper, fact


def papers_of(fact: NameFact, library: Records, titled: Callable[[str], Sequence[PaperId]]) -> tuple[PaperId, ...]:
    """The papers of `library` that `fact` is about: by its ids, else by its title (`titled`)."""
    found = [paper for ids in library.find(fact.ids) for paper in ids] if fact.ids else []
    return tuple(dict.fromkeys(found or (titled(fact.title) if fact.title else ())))


def join_names(own: Sequence[NameFact], shipped: Sequence[NameFact]) -> tuple[NameFact, ...]:
    """`own` and `shipped`, own ones first; those of one name and one paper joined."""
    joined, left = [], list(shipped)
    for fact in own:
        same = next((other for other in left if not set(other.ids).isdisjoint(fact.ids)), None)
        if same is None:
            joined.append(fact)
        else:
            left.remove(same)
            joined.append(replace(same, ids=tuple(dict.fromkeys((*fact.ids, *same.ids))), texts=fact.texts))
    return (*joined, *left)


def reason_of(name: str, fact: NameFact) -> str:
    """A sentence on why a paper is found: `the name SNLI is used for this paper (Hugging Face data sets)`.

    In the user's own texts: `the name SNLI is used for this paper in 3 of your texts`.
    """
    reason = f"the name {name} is used for this paper"
    if not fact.texts:
        return f"{reason} ({sources_of(fact.sources)})"
    by_others = f", and by {sources_of(fact.sources)}" if fact.sources else ""
    return f"{reason} in {fact.texts} of your texts{by_others}"


def sources_of(sources: Collection[str]) -> str:
    """The first of `sources`, and how many others there are."""
    first, *others = sources
    return f"{first} and {len(others)} more" if others else first


def known_by(fact: NameFact) -> str:
    """Who uses a name, in a few words: `your texts, 3; Hugging Face data sets and 2 more`."""
    own = f"your texts, {fact.texts}" if fact.texts else ""
    return "; ".join(filter(None, (own, sources_of(fact.sources) if fact.sources else "")))
