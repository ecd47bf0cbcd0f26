"""What the agent may look up: the library first, and services where the user allows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from litterm.attribution.candidate_bounds import is_admitted
from litterm.attribution.supporting_sentence import find_supporting_sentence
from litterm.core.errors import LittermError, QueryError
from litterm.core.tasks import Task
from litterm.interfaces import CitationGraph, Records, Searcher
from litterm.model.attribution.agent import AgentHit
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.document import Document, Reference
from litterm.model.events import Notice
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Filters, Query, RankedPaper, YearRange
from litterm.text.queries.parser import literal_query, parse_query
from litterm.text.references.identity import identity_key, paper_ids
from litterm.text.references.same_paper import is_one_work

if TYPE_CHECKING:
    from litterm.services.online import OnlineServices

_SEARCH_FIELD = re.compile(r'(?<!\S)(?:author|title|venue|year):(?:"[^"]+"|[^\s"]+)', re.IGNORECASE)
"""What of the query language a model may use."""
MAX_RESULTS = 10
"""Papers of one result list, as in Press et al. 2024."""
SERVICES = ("s2", "arxiv", "openalex")
"""Services that are asked, in this order."""
_POOL_SIZE = 100
"""Of the most relevant, those most cited are listed (Press et al. 2024, appendix)."""
_MIN_RELATIVE_SCORE = 1 / 3
"""Of the best score: a paper below it is listed for nothing but its fame."""
_NO_YEAR = 9999
"""Stands for "up to today" where citations are counted up to a year."""
_EXTRA_RESULTS = 20
"""Asked for beyond those listed, because the citing paper and later ones are left out."""


@dataclass(frozen=True, slots=True)
class AgentResults:
    """A result list, and what was not answered."""

    hits: tuple[AgentHit, ...]
    troubles: tuple[str, ...] = ()
    sent: str = ""
    """The query as services were asked it; empty where none was."""


class AgentSearch:
    """Papers by search, by id and by reference; never one outside the bounds of the excerpt."""

    def __init__(
        self,
        records: Records,
        searcher: Searcher,
        graph: Callable[[], CitationGraph],
        services: OnlineServices | None = None,
        world: Callable[[Sequence[PaperId], int], Sequence[int | None]] = lambda ids, _year: [None] * len(ids),
    ) -> None:
        """`services` is `None` where nothing may be asked over the network; `world` counts citations up to a year."""
        self._world = world
        self._records = records
        self._searcher = searcher
        self._graph = graph
        self._services = services

    @property
    def is_online(self) -> bool:
        """Whether services may be asked."""
        return self._services is not None

    def has_references(self, hits: Sequence[AgentHit]) -> bool:
        """Whether the reference list of any of these papers of the library is known."""
        return any(self._graph().has_references([hit.paper.id for hit in hits])) if hits else False

    def search(
        self, query: str, bounds: CandidateBounds, *, by_citations: bool, online_query: str = ""
    ) -> Task[AgentResults]:
        """At most `MAX_RESULTS` papers, the most relevant first, or of the most relevant those cited most.

        Services are asked for `online_query`, which is shown before it is sent; none are asked if it is empty.
        """
        library_hits, troubles = yield from self._library_hits(
            query, bounds, _POOL_SIZE if by_citations else MAX_RESULTS + _EXTRA_RESULTS
        )
        further: list[AgentHit] = []
        sent = online_query if self._services is not None else ""
        if self._services is not None and sent:
            yield Notice(f"Sent to {', '.join(SERVICES)}: “{sent}”")
            for name in SERVICES:
                hits_there, trouble = yield from self._service_hits(self._services, name, sent)
                further += [hit for hit in hits_there if is_within_bounds(hit.paper, bounds)]
                troubles += [trouble] if trouble else []
        # By relevance the two lists take turns, for their scores do not compare. By citations the order comes from
        # the counts, and of two records of one paper the library's stays.
        hits = _without_duplicates(
            chain.from_iterable(zip_longest(library_hits, further)) if not by_citations else (*library_hits, *further)
        )
        if by_citations:
            hits.sort(key=lambda hit: (-_count_or_negative(hit.service_count), -_count_or_negative(hit.cited)))
        return AgentResults(tuple(hits[:MAX_RESULTS]), tuple(troubles), sent)

    def find_library_paper(self, key: str, bounds: CandidateBounds) -> Paper | None:
        """The library's paper with this id, alias or unambiguous bare key; `None` if there is none within `bounds`."""
        (ids,) = self._records.find([key])
        # A bare key may be that of several papers; then none is meant, rather than a guess.
        if len(ids) != 1:
            return None
        paper: Paper = self._records.by_id(ids)[0]
        return paper if is_within_bounds(paper, bounds) else None

    def with_counts(self, papers: Sequence[Paper], bounds: CandidateBounds) -> list[AgentHit]:
        """Papers of the library with how often others of it cite them, up to the citing year."""
        ids = [paper.id for paper in papers]
        counts = self._graph().counts(ids, until=bounds.year, exclude=bounds.exclude)
        year = bounds.year if bounds.year is not None else _NO_YEAR
        world = self._world(ids, year)
        return [
            AgentHit(paper, count.papers, service_count=known)
            for paper, count, known in zip(papers, counts, world, strict=True)
        ]

    def document(self, hit: AgentHit) -> Task[Document | None]:
        """The full text the library holds, or gets where it may; `None` if there is only the record."""
        # A paper of a service has no place in the library where a full text could be kept.
        if hit.service:
            return None
        document = self._records.document(hit.paper.id)
        if document is None and self._services is not None:
            try:
                yield from self._services.fetch((hit.paper.id,))
            except LittermError as error:
                yield Notice(str(error))
            document = self._records.document(hit.paper.id)
        return document

    def find_support(self, weights: Mapping[str, float], paper: Paper) -> str:
        """The sentence of `paper` nearest to the weighted stems, of its full text where that is here."""
        return find_supporting_sentence(weights, paper, self._records.document(paper.id) if paper.full_text else None)

    def references(
        self, hit: AgentHit, bounds: CandidateBounds
    ) -> Task[tuple[tuple[Reference, ...], dict[int, Paper]]]:
        """A paper's reference list, of its text or as a service knows it, and by entry what of it the library holds."""
        document = yield from self.document(hit)
        if document is not None and document.references:
            return document.references, self._targets(hit.paper, bounds)
        if self._services is None:
            return (), {}
        try:
            listed = yield from self._services.fetch_list(hit.paper, "references")
        except LittermError as error:
            yield Notice(str(error))
            return (), {}
        entries = tuple(replace(work.reference, index=index) for index, work in enumerate(listed.works))
        targets = ((entry.index, self._find_first_library_paper(entry.ids, bounds)) for entry in entries)
        return entries, {number: paper for number, paper in targets if paper is not None}

    def _find_first_library_paper(self, ids: Sequence[PaperId], bounds: CandidateBounds) -> Paper | None:
        return next(filter(None, (self.find_library_paper(paper_id, bounds) for paper_id in ids)), None)

    def _targets(self, paper: Paper, bounds: CandidateBounds) -> dict[int, Paper]:
        (edges,) = self._graph().references([paper.id])
        papers = self._records.by_id([edge.cited for edge in edges])
        return {
            entry: target
            for edge, target in zip(edges, papers, strict=True)
            # Entries of edges that a service told count in the service's list, not in that of this text.
            if edge.source in ("text", "starter") and is_within_bounds(target, bounds)
            for entry in edge.entries
        }

    def _library_hits(self, query: str, bounds: CandidateBounds, k: int) -> Task[tuple[list[AgentHit], list[str]]]:
        restricted = read_search(query, bounds.year)
        try:
            ranking = yield from self._searcher.search(restricted, k=k)
            listed = _drop_irrelevant(ranking.papers) if k == _POOL_SIZE else ranking.papers
            papers = [item.paper for item in listed if is_within_bounds(item.paper, bounds)]
            return self.with_counts(papers, bounds), []
        except LittermError as error:
            return [], [f"The library could not be searched: {error}"]

    def _service_hits(self, services: OnlineServices, name: str, query: str) -> Task[tuple[list[AgentHit], str]]:
        try:
            results = yield from services.find(name, query, limit=MAX_RESULTS + _EXTRA_RESULTS)
        except LittermError as error:
            return [], f"{name} could not be searched: {error}"
        ids = [paper_ids(item.paper) for item in results]
        matches = [next(filter(None, self._records.find(paper_id)), ()) for paper_id in ids]
        library_ids: tuple[PaperId, ...] = tuple(item[0] for item in matches if item)
        known = dict(zip(library_ids, self._records.by_id(library_ids), strict=True))
        hits = [
            AgentHit(known[match[0]]) if match else AgentHit(item.paper, None, name)
            for item, match in zip(results, matches, strict=True)
        ]
        return hits, ""


def read_search(text: str, until: int | None) -> Query:
    """The query that a model wrote: words, and of the query language only four fields; nothing after `until`."""
    fields = [match[0] for match in _SEARCH_FIELD.finditer(text)]
    words = literal_query(" ".join(_SEARCH_FIELD.sub(" ", text).split()) or " ".join(map(_field_value, fields)))
    try:
        parsed = parse_query(" ".join(fields))
    except QueryError:
        return _with_limit(literal_query(_SEARCH_FIELD.sub(lambda match: _field_value(match[0]), text)), until)
    return _with_limit(replace(words, filters=parsed.filters, conditions=parsed.conditions), until)


def without_fields(text: str) -> str:
    """The words of a query that a model wrote, without the names of fields, as services are asked them."""
    return _SEARCH_FIELD.sub(lambda match: _field_value(match[0]), text)


def _field_value(field: str) -> str:
    return field.partition(":")[2].strip('"')


def _with_limit(query: Query, until: int | None) -> Query:
    if until is None:
        return query
    limit = Filters(years=(YearRange(None, until),))
    # Years of one filter are joined by *or*: beside those that the model asks for the limit is a condition.
    if query.filters.years:
        return replace(query, conditions=(*query.conditions, limit))
    return replace(query, filters=replace(query.filters, years=limit.years))


def _count_or_negative(count: int | None) -> int:
    """A sort key that puts papers without a count after papers with a count of 0."""
    return -1 if count is None else count


def is_within_bounds(paper: Paper, bounds: CandidateBounds) -> bool:
    """Whether `paper` is neither the citing one nor later than it."""
    later = bounds.year is not None and paper.year is not None and paper.year > bounds.year
    return not later and is_admitted(paper, bounds)


def _drop_irrelevant(ranked: Sequence[RankedPaper]) -> list[RankedPaper]:
    """Those that are listed for more than their fame."""
    best = max((item.score or 0.0 for item in ranked), default=0.0)
    return [item for item in ranked if (item.score or 0.0) >= best * _MIN_RELATIVE_SCORE]


def _without_duplicates(hits: Iterable[AgentHit | None]) -> list[AgentHit]:
    """Each work once, where it comes first: of two publications of it no excerpt tells which one is cited."""
    first_hits: list[AgentHit] = []
    seen: set[str] = set()
    titled: dict[str, list[Paper]] = {}
    for hit in hits:
        if hit is None or not seen.isdisjoint(paper_ids(hit.paper)):
            continue
        alike = titled.setdefault(identity_key(hit.paper.title), [])
        if not any(is_one_work(hit.paper, other) for other in alike):
            first_hits.append(hit)
            alike.append(hit.paper)
        seen.update(paper_ids(hit.paper))
    return first_hits
