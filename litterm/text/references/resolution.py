"""Resolves references and in-text mentions to papers of the library; precision comes before recall.

What is not certain stays unresolved: a missing edge of the citation graph is noticed, a false one is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from litterm.interfaces import WorkLookup
from litterm.model.document import Reference, Span
from litterm.model.paper import Byline, Paper, PaperId
from litterm.text.references.identity import is_generic, numerals, title_key
from litterm.text.references.parser import read_reference
from litterm.text.tokens import FUNCTION_WORDS, fold, stem, words

_PARTICLE = r"(?:(?<!\w)(?:van|von|der|den|de|del|della|di|da|dos|la|le|ten|ter|al|el|bin)\s+){0,3}"
_CAPITALS = "A-ZÀ-ÖØ-ÞŁŠŽČĆĐĎŘŚŻŹİ"
_NAME = rf"{_PARTICLE}[{_CAPITALS}][^\W\d_]*(?:[-'’][^\W\d_]+){{0,2}}"
_MENTION = re.compile(
    # From the start of a word, `deSilva` too: from each of its letters a long word would take the square of its length.
    rf"(?<![^\W\d_])(?:[^\W\d_{_CAPITALS}]++(?=[{_CAPITALS}]))?(?P<names>{_NAME}(?:,\s+{_NAME}){{0,5}}(?:,?\s+(?:and|&)\s+{_NAME})?)"
    r"(?P<others>,?\s+(?:et\.?\s?al\b\.?|and (?:colleagues|others)))?(?:['’]s?)?"
    r"(?:,\s*|\s*\(\s*|\s*\[\s*|\s+)"
    r"(?P<years>(?:18|19|20)\d\d[a-z]?\b(?:(?:\s*[,;]\s*|\s+and\s+)(?:(?:18|19|20)\d\d[a-z]?|[a-z])\b)*)"
)
_YEAR = re.compile(r"((?:18|19|20)\d\d)([a-z]?)")
_NAME_SEPARATOR = re.compile(r"(?:,|(?<![\s,]))\s+(?:and|&)\s+|,\s+")
_NOT_NAMES = frozenset(
    """in on at by of for from since until during see the this that and or as with after before between january february
    march april may june july august september october november december spring summer autumn fall winter section figure
    table chapter equation release version university proceedings conference workshop volume corpus""".split()
)
_MIN_TITLE_CHARS = 15
"""Shorter title keys are not distinctive."""
_MIN_TITLE_SIMILARITY = 93.0
"""Likeness of two title keys, 0 to 100, from which one is the other misread."""
_MIN_CONTEXT_WORDS = 2
_REVIEW = re.compile(r"book reviews?\b|review of\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """An author-year citation in running text, one for each year it names."""

    span: Span
    """Of names and year, in characters of the text."""
    families: tuple[str, ...]
    """As printed, in order."""
    others: bool
    """Whether `et al.` follows."""
    year: int
    letter: str = ""
    """`b` of `2001b`."""


def find_mentions(text: str) -> Iterator[Mention]:
    """The author-year citations of `text`, in order."""
    for match in _MENTION.finditer(text):
        families = tuple(_NAME_SEPARATOR.split(match["names"].strip()))
        while len(families) > 1 and families[0].casefold() in _NOT_NAMES:
            families = families[1:]
        if any(family.casefold() in _NOT_NAMES for family in families):
            continue
        for year in _YEAR.finditer(match["years"]):
            span = Span(match.start("names"), match.start("years") + year.end())
            yield Mention(span, families, match["others"] is not None, int(year[1]), year[2])


def resolve_references(references: Sequence[Reference], works: WorkLookup) -> Iterator[Reference]:
    """`references` with their targets, one after the other; those already resolved stay.

    A target is found by a stated id, else by an equal title with an author or year that agrees. All that is
    looked up at once, before the first is given: entries of many lists together take few statements.
    """
    entries = [read_entry(reference) for reference in references]
    papers_by_entry = _resolve_by_ids(references, works)
    papers = _candidates_by_title(entries, works)
    certain = [
        reference.target or papers_by_entry.get(index) or _resolve_by_title(fields, papers)
        for index, (reference, fields) in enumerate(zip(references, entries, strict=True))
    ]
    works.prefetch_first_authors(
        [
            (fields.families[0], fields.year)
            for target, fields in zip(certain, entries, strict=True)
            if target is None and fields.families and fields.year is not None and fields.titles
        ]
    )
    for reference, target, fields in zip(references, certain, entries, strict=True):
        yield replace(reference, target=target or _resolve_damaged_title(fields, works))


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """The fields of a reference, from the source or from its text."""

    text: str
    families: tuple[str, ...]
    year: int | None
    titles: tuple[str, ...]
    """The distinctive ones, the most likely first."""


def read_entry(reference: Reference) -> ReferenceEntry:
    """The fields by which a target is found: those of the source, else those of the text."""
    fields = read_reference(reference.text)
    titles = dict.fromkeys(title for title in (reference.title, *fields.titles) if _is_distinctive(title))
    families = reference.families or fields.families
    return ReferenceEntry(reference.text, families, reference.year or fields.year, tuple(titles))


def _resolve_by_ids(references: Sequence[Reference], works: WorkLookup) -> dict[int, PaperId]:
    """The one paper that the stated ids of a reference name, by its place in `references`."""
    # Not by `index`, which several have where they are of several lists.
    stated = [(index, paper_id) for index, reference in enumerate(references) for paper_id in reference.ids]
    ids_by_place: dict[int, set[PaperId]] = {}
    for (index, _), ids in zip(stated, works.find([paper_id for _, paper_id in stated]), strict=True):
        ids_by_place.setdefault(index, set()).update(ids)
    return {index: next(iter(ids)) for index, ids in ids_by_place.items() if len(ids) == 1}


def _candidates_by_title(entries: Sequence[ReferenceEntry], works: WorkLookup) -> dict[str, tuple[Paper, ...]]:
    titles = list(dict.fromkeys(title for fields in entries for title in fields.titles))
    ids_by_title = works.find_by_title(titles)
    ids = list(dict.fromkeys(paper_id for candidates in ids_by_title for paper_id in candidates))
    papers = dict(zip(ids, works.by_id(ids), strict=True))
    return {
        title: tuple(papers[paper_id] for paper_id in title_ids)
        for title, title_ids in zip(titles, ids_by_title, strict=True)
    }


def _resolve_by_title(fields: ReferenceEntry, papers: dict[str, tuple[Paper, ...]]) -> PaperId | None:
    for title in fields.titles:
        fitting = [paper for paper in papers[title] if _is_consistent(paper, fields)]
        if fitting:
            return _nearest_version(fitting, fields.year)
    return None


def resolve_mention(mention: Mention, context: str, works: WorkLookup) -> PaperId | None:
    """The paper that a mention cites, where the library holds one by these authors of that year that fits.

    `context` is the text around it. All names given are proof enough; `et al.` asks for one word of the title
    in the context, a lone name or a lettered year for two, a choice between several papers for a clear lead.
    """
    papers = [
        paper
        for paper in works.find_by_first_author(mention.families[0], mention.year)
        if _is_by_authors(paper, mention)
    ]
    if not papers:
        return None
    around = _content_words(context)
    shared = sorted(((len(around & _content_words(paper.title)), paper.id) for paper in papers), reverse=True)
    best, lead = shared[0][0], shared[0][0] - (shared[1][0] if len(shared) > 1 else 0)
    if len(papers) > 1:
        return shared[0][1] if best > _MIN_CONTEXT_WORDS and lead >= _MIN_CONTEXT_WORDS else None
    return shared[0][1] if best >= _count_words_needed(mention) else None


def _count_words_needed(mention: Mention) -> int:
    """The number of title words that must be around a mention before a single candidate is accepted."""
    if mention.letter:
        return _MIN_CONTEXT_WORDS
    if mention.others:
        return 1
    return 0 if len(mention.families) > 1 else _MIN_CONTEXT_WORDS


def match_reference(mention: Mention, references: Sequence[Reference]) -> int | None:
    """Index of the entry of the paper's own list that a mention means; `None` if none or several fit."""
    fitting = [
        reference.index
        for reference in references
        if reference.year == mention.year and _families_match(mention, reference.families)
    ]
    if len(fitting) > 1 and mention.letter:
        index = ord(mention.letter) - ord("a")
        return fitting[index] if index < len(fitting) else None
    return fitting[0] if len(fitting) == 1 else None


def _is_distinctive(title: str) -> bool:
    return len(title_key(title)) >= _MIN_TITLE_CHARS and not is_generic(title)


def _is_consistent(paper: Paper, fields: ReferenceEntry) -> bool:
    """Equal titles are one work if an author agrees and the years are not far apart."""
    # A preprint may be two years older than what is printed of it.
    if paper.year is not None and fields.year is not None and abs(paper.year - fields.year) > 2:
        return False
    if not paper.authors:
        return fields.year is not None and paper.year == fields.year
    family = _key(paper.authors[0].surname)
    # The first half of the entry, where its authors stand; the rest may name the paper's author as an editor.
    printed = title_key(fields.text[: 40 + len(fields.text) // 2])
    return family in {_key(name) for name in fields.families} or family in printed


def _nearest_version(papers: Sequence[Paper], year: int | None) -> PaperId:
    """The version whose year is nearest; ties by id."""
    return min(papers, key=lambda paper: (abs((paper.year or 0) - (year or paper.year or 0)), paper.id)).id


def _resolve_damaged_title(fields: ReferenceEntry, works: WorkLookup) -> PaperId | None:
    """A title that scanning or hyphenation damaged: nearly equal to one by the same first author of that year."""
    if not fields.families or fields.year is None or not fields.titles:
        return None
    # Compiled, and needed only where ids and titles have found nothing.
    from rapidfuzz import fuzz

    best: list[tuple[float, PaperId]] = []
    for paper in works.find_by_first_author(fields.families[0], fields.year):
        if not paper.authors or _key(paper.authors[0].surname) != _key(fields.families[0]):
            continue
        candidate_key, candidate_numerals = title_key(paper.title), numerals(paper.title)
        similar = (
            fuzz.ratio(candidate_key, title_key(title))
            for title in fields.titles
            if numerals(title) == candidate_numerals
        )
        likeness = max(similar, default=0.0)
        if likeness >= _MIN_TITLE_SIMILARITY:
            best.append((likeness, paper.id))
    return max(best)[1] if best else None


def _is_by_authors(paper: Byline, mention: Mention) -> bool:
    families = tuple(author.surname for author in paper.authors)
    if _REVIEW.match(paper.title):
        return False  # the book is cited, not what somebody wrote about it
    return paper.year == mention.year and _families_match(mention, families)


def _families_match(mention: Mention, families: Sequence[str]) -> bool:
    """All names given agree in order; `et al.` stands for at least two more, or one more beside two names."""
    if mention.others:
        has_enough = len(families) >= max(3, len(mention.families) + 1)
    else:
        has_enough = len(families) == len(mention.families)
    return has_enough and all(_key(a) == _key(b) for a, b in zip(mention.families, families, strict=False))


def _key(family: str) -> str:
    return title_key(fold(family))


def _content_words(text: str) -> set[str]:
    return {stem(word) for word in words(text) if len(word) > 2 and word not in FUNCTION_WORDS}
