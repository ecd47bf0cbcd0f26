"""Searches that are recorded and made once more: what they depend on, and what has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from litterm.core.errors import ModelError
from litterm.core.version import __version__
from litterm.model.aspects import MAX_SCORED_PAPERS
from litterm.model.events import Progress
from litterm.model.search_record import (
    EncoderState,
    ListChange,
    PapersChange,
    PapersState,
    RankChange,
    Rerun,
    SearchRecord,
    SearchRequest,
    SearchState,
)

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.engine import Engine
    from litterm.engine.parts import Parts
    from litterm.model.paper import PaperId
    from litterm.model.search import Ranking


def candidates(engine: Engine, request: SearchRequest) -> Task[Ranking]:
    """The papers that `request` finds without a model, before they are put in the order of its aspects.

    There are more than its limit where aspects or a model may lift a paper from far down.
    """
    query = request.query
    if request.rerank is not None:
        return (
            yield from engine.model_ranking.search_locally(
                query, request.rerank, k=request.limit, hop=request.hop, rewrite=request.rewrite
            )
        )
    if request.hop is not None:
        return (yield from engine.one_hop(query, k=request.limit, hop=request.hop))
    count = max(request.limit, MAX_SCORED_PAPERS) if request.aspects else request.limit
    if request.aspects is not None and request.each_aspect:
        return (yield from engine.aspects.search_each(query, request.aspects, k=count))
    if request.rewrite is not None:
        return (yield from engine.rewriting.search_with(query, request.rewrite, k=count))
    if request.order == "sentences":
        ranking = yield from engine.search(query, k=max(count, MAX_SCORED_PAPERS))
        return (yield from engine.aspects.rank_by_sentences(ranking))
    sort = "relevance" if request.order == "aspects" else request.order
    return (yield from engine.search(query, k=count, sort=sort))


@dataclass(frozen=True, slots=True)
class SearchRecords:
    """Records searches of the library on this machine, and makes recorded ones once more."""

    parts: Parts

    def record(
        self,
        request: SearchRequest,
        typed: str,
        ranking: Ranking,
        *,
        ordered_by: str = "",
        local_ids: Sequence[PaperId] = (),
    ) -> Task[SearchRecord]:
        """The record of a search that was `typed` and has just given `ranking`.

        Where a model ordered it (`ordered_by`), `local_ids` are the order before. Takes about a second of 110,000
        papers.

        Raises:
            LibraryError: the library cannot be read.
        """
        yield Progress("recording the search")
        return SearchRecord(
            request=request,
            typed=typed,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            state=self.state(),
            found=ranking.found,
            ids=tuple(ranked.paper.id for ranked in ranking.papers),
            ordered_by=ordered_by,
            local_ids=tuple(local_ids),
        )

    def rerun(self, record: SearchRecord, engine: Engine) -> Task[Rerun]:
        """Makes a recorded search once more, without a model, and compares; changes nothing.

        Raises:
            LibraryError: the library cannot be read.
            UsageError: a paper that the query names is not in the library any more, or a project or list.
        """
        request = record.request
        ranking = yield from candidates(engine, request)
        ids = [ranked.paper.id for ranked in ranking.papers]
        if request.aspects is not None and request.order == "aspects":
            scores = yield from engine.aspects.score(request.aspects, ids)
            ids = [row.paper_id for row in engine.aspects.rank_by_coverage(request.aspects, scores, ids)]
        # Of what a model ordered the whole list before is recorded, however few papers of it were shown.
        shown_to_model = request.rerank.max_papers if request.rerank is not None and record.ordered_by else 0
        count = max(request.limit, shown_to_model)
        yield Progress("comparing the library")
        state = self.state()
        then, now = record.repeatable_ids, tuple(ids[:count])
        library = self._library_change(record.state.library, state.library, record.date)
        return Rerun(
            record=record,
            state=state,
            found=ranking.found,
            ids=now,
            entered=tuple(self._entered(then, now, record.date if library and library.added else "")),
            left=tuple(self._left(then, now)),
            moved=tuple(_moved(then, now)),
            library=library,
        )

    def state(self) -> SearchState:
        """What a search depends on besides its request."""
        from litterm.library.citation_facts.shipped import FACTS_FILE
        from litterm.library.index.static_embeddings import shipped_name
        from litterm.library.segments.fingerprint import read_papers_state

        library, starter, citations = self.parts.library, self.parts.starter, self.parts.own_citations.store
        lists = 0
        if citations.has_lists():
            with citations.read() as stored:
                lists = stored.count_lists()
        return SearchState(
            litterm=__version__,
            # Through the shown snapshot: removed papers are not searched.
            library=library.stored.with_newest_snapshot(
                lambda _: read_papers_state(library.stored.view, library.snapshot())
            ),
            full_texts=library.status().documents,
            reference_lists=lists,
            facts=sha256(FACTS_FILE.read_bytes()).hexdigest()[:16],
            semantic_model=shipped_name(),
            starter="" if starter is None else starter.root.name,
            encoder=self._encoder(),
            project=self.parts.annotations.projects.current,
        )

    def _encoder(self) -> EncoderState | None:
        try:
            encoder = self.parts.encoder
        except ModelError:
            # Its folder is gone: searches go without it, and say so.
            return None
        if encoder is None:
            return None
        return EncoderState(encoder.files.name, encoder.files.fingerprint, encoder.status().encoded)

    def _entered(self, then: Sequence[PaperId], now: Sequence[PaperId], since: str) -> Iterator[ListChange]:
        """What is listed now only; papers were added from the date `since` on, or none if it is empty."""
        places = {paper: rank for rank, paper in enumerate(now, 1) if paper not in set(then)}
        for paper in self.parts.lookup.by_id(tuple(places)):
            is_new = _seconds(paper.provenance.imported_at) >= _seconds(since) > 0
            yield ListChange(paper.id, places[paper.id], "added" if is_new else "rank", paper.title)

    def _left(self, then: Sequence[PaperId], now: Sequence[PaperId]) -> Iterator[ListChange]:
        places = {paper: rank for rank, paper in enumerate(then, 1) if paper not in set(now)}
        lookup = self.parts.lookup
        for (paper, rank), found in zip(places.items(), lookup.find(tuple(places)), strict=True):
            if not found:
                yield ListChange(paper, rank, "gone")
                continue
            shown = paper if paper in found else found[0]
            (record,) = lookup.by_id([shown])
            if shown == paper:
                yield ListChange(paper, rank, "rank", record.title)
            else:
                yield ListChange(paper, rank, "merged", record.title, shown)

    def _library_change(self, then: PapersState, now: PapersState, date: str) -> PapersChange | None:
        """How many papers differ: by the stored rows that are new, and the time at which their papers came."""
        from litterm.library.segments.lineage import Lineage

        if (then.ids, then.records) == (now.ids, now.records):
            return None
        library, since = self.parts.library, _seconds(date)
        snapshot, added, changed = library.snapshot(), 0, 0
        fresh = Lineage(library.root).fresh_rows(then.segments, snapshot.segments)
        for segment in snapshot.segments:
            times, shadowed = library.added_times(segment), set(segment.shadowed)
            for rows in fresh.get(segment.key, ()):
                for row in rows:
                    if row not in shadowed:
                        added += times[row] >= since
                        changed += times[row] < since
        if then.ids == now.ids:
            # The times are exact to a second, and what was changed may have come just before the record.
            return PapersChange(0, added + changed, 0)
        return PapersChange(added, changed, max(0, then.papers + added - now.papers))


def _moved(then: Sequence[PaperId], now: Sequence[PaperId]) -> Iterator[RankChange]:
    ranks = {paper: rank for rank, paper in enumerate(then, 1)}
    for rank, paper in enumerate(now, 1):
        if ranks.get(paper, rank) != rank:
            yield RankChange(paper, ranks[paper], rank)


def _seconds(date: str) -> float:
    """Seconds since 1970 of a date in ISO 8601, in UTC if it names no zone; 0 where it is none."""
    try:
        parsed = datetime.fromisoformat(date)
    except ValueError:
        return 0.0
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
