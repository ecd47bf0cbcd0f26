"""What the semantic model is trained on: papers as stems, citing sentences, and papers of the same people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

from litterm.importers.reader import FileReader
from litterm.model.document import Document
from litterm.model.library import Parsed
from litterm.model.paper import Byline, Paper, PaperId
from litterm.text.documents.sentences import split
from litterm.text.references.identity import identity_key
from litterm.text.references.resolution import find_mentions, resolve_mention
from litterm.text.tokens import fold, tokens, words

_RUN_WORDS = 4
"""Words in a row by which two sentences are compared."""
_FEWEST_RUNS = 5
"""A sentence with fewer is a heading or half a phrase and gives nothing away."""
_NEAR = 0.4
"""Share of the shorter one's runs from which two sentences are one, cut or cleaned differently."""
_MOST_TOGETHER = 12
"""Papers of two names from which on they are taken for several people's."""
_MOST_AUTHORS = 8


@dataclass(frozen=True, slots=True)
class Text:
    """One paper as stems."""

    title: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...] = ()
    """Of the abstract; empty ones are left out."""
    keywords: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[tuple[str, ...], ...]:
        """Title, sentences, keywords."""
        return (self.title, *self.sentences, self.keywords)


@dataclass(frozen=True, slots=True)
class TextPair:
    """A text that is about a paper: a sentence that cites it, or the title of another one by the same people."""

    stems: tuple[str, ...]
    paper: int
    """Place of the paper."""


def read_papers(files: Iterable[Path]) -> tuple[list[Paper], list[Document]]:
    """The papers of `files`, each title once (the record with the longest abstract), in order; and the full texts."""
    best: dict[str, Paper] = {}
    documents: list[Document] = []
    for file in files:
        for record in FileReader(None).read(file, lambda _sha256: False):
            if not isinstance(record, Parsed):
                continue
            if record.document is not None:
                documents.append(record.document)
            key = identity_key(record.paper.title)
            known = best.get(key)
            if key and (known is None or len(record.paper.abstract) > len(known.abstract)):
                best[key] = record.paper
    return list(best.values()), documents


def as_text(paper: Paper) -> Text:
    """`paper` as stems, stop words left out."""
    sentences = (tuple(tokens(paper.abstract[span.start : span.end])) for span in split(paper.abstract))
    return Text(
        title=tuple(tokens(paper.title)),
        sentences=tuple(sentence for sentence in sentences if sentence),
        keywords=tuple(tokens(" ".join(paper.keywords))),
    )


class Banned:
    """What must not be trained on: the questions of a benchmark, and papers whose sentences they are."""

    def __init__(self, papers: Iterable[str] = (), excerpts: Iterable[str] = ()) -> None:
        """`papers` are ids, `excerpts` the questions' texts."""
        self.papers = frozenset(papers)
        self._runs: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        self._sizes: list[int] = []
        for number, excerpt in enumerate(excerpts):
            runs = _runs(excerpt)
            self._sizes.append(len(runs))
            for run in runs:
                self._runs[run].append(number)

    def holds(self, sentence: str) -> bool:
        """Whether `sentence` is one of the excerpts, give or take some words."""
        runs = _runs(sentence)
        shared: defaultdict[int, int] = defaultdict(int)
        for run in runs:
            for number in self._runs.get(run, ()):
                shared[number] += 1
        return any(
            count >= _NEAR * max(_FEWEST_RUNS, min(len(runs), self._sizes[number])) for number, count in shared.items()
        )


def citing_pairs(documents: Iterable[Document], papers: Sequence[Paper], banned: Banned) -> Iterator[TextPair]:
    """Every sentence of `documents`, without its citations, with each paper it cites for certain.

    Sentences and papers that are `banned` are left out.
    """
    works = _Works(papers)
    places = {name: index for index, paper in enumerate(papers) for name in (*paper.aliases, paper.id)}
    for document in documents:
        for sentence in document.sentences if document.paper_id not in banned.papers else ():
            mentions = list(find_mentions(sentence.text))
            if not mentions or banned.holds(sentence.text):
                continue
            spans = [(mention.span.start, mention.span.end) for mention in mentions]
            stems = tuple(tokens(_without(sentence.text, spans)))
            cited = {resolve_mention(mention, sentence.text, works) for mention in mentions}
            yield from (
                TextPair(stems, places[paper_id])
                for paper_id in sorted(paper_id for paper_id in cited if paper_id)
                if stems
            )


def kindred_pairs(papers: Sequence[Paper], texts: Sequence[Text]) -> Iterator[TextPair]:
    """Titles of papers with the next paper that two of their authors wrote within a year, either way in turn."""
    together: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for index, paper in enumerate(papers):
        names = sorted({fold(author.surname) for author in paper.authors})
        if paper.year and len(names) <= _MOST_AUTHORS:
            for two in combinations(names, 2):
                together[two].append(index)
    close_pairs: set[tuple[int, int]] = set()
    for places in together.values():
        ordered = sorted(places, key=lambda index: (papers[index].year or 0, index))
        if len(ordered) <= _MOST_TOGETHER:
            close = ((a, b) for a, b in pairwise(ordered) if (papers[b].year or 0) - (papers[a].year or 0) <= 1)
            close_pairs.update(close)
    for number, (earlier, later) in enumerate(sorted(close_pairs)):
        first, second = (earlier, later) if number % 2 else (later, earlier)
        if texts[first].title and texts[second].title:
            yield TextPair(texts[first].title, second)


class _Works:
    """Who wrote what when, over papers in memory: as much of `interfaces.WorkLookup` as mentions ask for."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        self._written: defaultdict[tuple[str, int], dict[PaperId, Paper]] = defaultdict(dict)
        for paper in papers:
            for author in paper.authors if paper.year else ():
                for word in words(author.surname):
                    self._written[word, paper.year or 0][paper.id] = paper

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple(() for _ in keys)

    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple(() for _ in titles)

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        return ()

    def prefetch_first_authors(self, pairs: Sequence[tuple[str, int]]) -> None:
        """Nothing: all papers are in memory."""

    def find_by_first_author(self, family: str, year: int) -> tuple[Byline, ...]:
        (papers,) = self.find_by_author_years([(family, year)])
        return tuple(paper.byline for paper in papers)

    def find_by_author_years(self, pairs: Sequence[tuple[str, int]]) -> tuple[tuple[Paper, ...], ...]:
        return tuple(self._find_by_author_year(*pair) for pair in pairs)

    def _find_by_author_year(self, family: str, year: int) -> tuple[Paper, ...]:
        named = [self._near(word, year) for word in words(family)]
        by_all = set(named[0]).intersection(*named[1:]) if named else set()
        return tuple(named[0][paper_id] for paper_id in sorted(by_all))

    def _near(self, word: str, year: int) -> Mapping[PaperId, Paper]:
        papers: dict[PaperId, Paper] = {}
        for near_year in (year - 1, year, year + 1):
            papers |= self._written.get((word, near_year), {})
        return papers


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, end = [], 0
    for start, stop in sorted(spans):
        parts.append(text[end:start])
        end = max(end, stop)
    return " ".join((*parts, text[end:]))


def _runs(text: str) -> set[tuple[str, ...]]:
    text_words = words(text)
    return {tuple(text_words[start : start + _RUN_WORDS]) for start in range(len(text_words) - _RUN_WORDS + 1)}
