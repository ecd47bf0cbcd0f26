"""The methods that retrieval benches compare: the commands of litterm over one library, and bm25s."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from litterm.build import build_engine
from litterm.core.errors import UsageError
from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.library.segments.library import DuckLibrary
from litterm.model.aspects import AspectQuery
from litterm.model.events import Notice
from litterm.model.paper import PaperId
from litterm.model.search import Filters, HopOptions, Query, Ranking, RerankOptions, Rewrite, YearRange
from litterm.text.queries.parser import literal_query
from litterm_benchmarks.search.bm25_baseline import DefaultBM25, default_bm25
from litterm_benchmarks.search.cases import QueryCase
from litterm_benchmarks.search.library_records import BenchLibrary, papers_by_key, read_holdings

DEPTH = 100
"""Results looked at; what comes further down counts as not found."""
CONTROL = "control: has full text"
REWRITES = "rewrites"
"""The method that also searches the other queries of `question_rewrites`, for the questions that have some."""
RERANK, ONE_HOP_RERANK = "rerank", "one-hop-rerank"
"""The methods that ask a language model."""
_MASK = re.compile(r"\[(?:CITATION|AUTHOR)\]")


@dataclass(frozen=True, slots=True)
class Subject:
    """One library with everything that ranks it."""

    engine: Engine
    library: DuckLibrary
    holdings: BenchLibrary
    bm25: DefaultBM25
    full_text: npt.NDArray[np.bool_]
    """Per row of the holdings whether the paper has a full text, though this library may be without it."""
    has_model: bool = False
    """Whether a language model is set up."""
    may_ask_model: bool = False
    """Whether the user agrees to what the model costs, though no method that asks it is named."""

    def at_once(self, *names: str) -> Mapping[str, int]:
        """Of the methods `names`, which ask a model, how many cases are asked about at the same time."""
        models = self.engine.models
        return dict.fromkeys(names, models.model().at_once) if models.is_available else {}

    def search(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm search` finds."""
        ranking = yield from self._search(case)
        return [ranked.paper.id for ranked in ranking.papers]

    def in_full_texts(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm search --in-full-text` finds."""
        query = replace(typed_query(case), in_full_texts=True)
        ranking = yield from self.engine.search(query, k=DEPTH, within=case.pool or None)
        return [ranked.paper.id for ranked in ranking.papers]

    def one_hop(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm search --one-hop` finds."""
        ranking = yield from self.engine.one_hop(typed_query(case), k=DEPTH)
        return [ranked.paper.id for ranked in ranking.papers]

    def one_hop_interleaved(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm search --one-hop --one-hop-order interleaved` finds: the published order, without scores."""
        ranking = yield from self.engine.one_hop(typed_query(case), k=DEPTH, hop=HopOptions(rescored=False))
        return [ranked.paper.id for ranked in ranking.papers]

    def one_hop_rerank(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm search --one-hop --rerank` finds: 200 papers, the best of them in the order of a model."""
        hop = HopOptions()
        options = RerankOptions(hop.cap)
        local = yield from self.engine.model_ranking.search_locally(typed_query(case), options, k=DEPTH, hop=hop)
        return (yield from self._reranked(case, local, options))

    def rewrites(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm search --rewrites` finds with the queries written down for the question."""
        rewrite = Rewrite(question_rewrites()[question_hash(case.query)])
        ranking = yield from self.engine.rewriting.search_with(typed_query(case), rewrite, k=DEPTH)
        return [ranked.paper.id for ranked in ranking.papers]

    def rerank(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm search --rerank` finds: the first papers in the order of a language model."""
        local = yield from self._search(case)
        return (yield from self._reranked(case, local, RerankOptions()))

    def _reranked(self, case: QueryCase, local: Ranking, options: RerankOptions) -> Task[Sequence[PaperId]]:
        ranking = yield from self.engine.model_ranking.rerank(local, options)
        if ranking.by == local.by:
            yield Notice(f"{case.key}: counted in the local order, for the model gave none.")
        return [ranked.paper.id for ranked in ranking.papers]

    def by_sentences(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """The papers of `search` in the order of `--sort sentences`."""
        local = yield from self._search(case)
        ranking = yield from self.engine.aspects.rank_by_sentences(local, count=len(local.papers))
        return [ranked.paper.id for ranked in ranking.papers]

    def each_aspect(self, case: QueryCase, aspects: AspectQuery | None = None) -> Task[Sequence[PaperId]]:
        """What `litterm search --each-aspect` finds, by the aspects of the query itself unless others are given."""
        split = aspects or self.engine.aspects.split(case.query, long=True)
        k = max(DEPTH, len(case.pool))
        ranking = yield from self.engine.aspects.search_each(typed_query(case), split, k=k, within=case.pool or None)
        return [ranked.paper.id for ranked in ranking.papers]

    def sum_of_aspects(self, case: QueryCase, aspects: AspectQuery | None = None) -> Task[Sequence[PaperId]]:
        """The same in the order of `--sort aspects`, by the mean of their scores."""
        split = aspects or self.engine.aspects.split(case.query, long=True)
        merged = yield from self.each_aspect(case, split)
        scores = yield from self.engine.aspects.score(split, merged)
        return [row.paper_id for row in self.engine.aspects.rank_by_coverage(split, scores, merged)]

    def plain(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What bm25s finds for every word of the query, or of the paper that is the query."""
        yield from ()
        return self.bm25.rank(case, k=max(DEPTH, len(case.pool)), text=self._words(case))

    def control(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """Papers with a full text, in the order of bm25s: a control for methods that detect who has a full text."""
        yield from ()
        rows = np.flatnonzero(self.holdings.allowed(case) & self.full_text)
        return self.bm25.best(rows, self.bm25.scores(self._words(case)), DEPTH)

    def _search(self, case: QueryCase) -> Task[Ranking]:
        k = max(DEPTH, len(case.pool)) + len(case.exclude)
        return (yield from self.engine.search(typed_query(case), k=k, within=case.pool or None))

    def _words(self, case: QueryCase) -> str:
        if case.about is not None:
            return " ".join(self.holdings.texts[self.holdings.row_of[case.about]])
        return _MASK.sub(" ", case.query)


def open_subject(settings: Settings, *, until: int | None = None, full_text: Collection[PaperId] = ()) -> Task[Subject]:
    """The library of `settings`, without the starter papers; bm25s knows its papers up to the year `until` only.

    `full_text` are papers, under any of their ids, whose full text was left out of this library.

    Raises:
        UsageError: it is empty.
    """
    library = DuckLibrary(settings.library)
    if not library.status().papers:
        raise UsageError("this bench searches your own library, which is empty: `litterm add PATH` first.")
    holdings = yield from read_holdings(library)
    bm25 = yield from default_bm25(holdings, until)
    known = holdings.full_text.copy()
    known[holdings.rows(paper for ids in papers_by_key(library, list(full_text)) for paper in ids)] = True
    engine = build_engine(replace(settings, server="", starter=False), facts="bench")
    return Subject(engine, library, holdings, bm25, known, settings.model.is_set)


@cache
def question_rewrites() -> Mapping[str, tuple[str, ...]]:
    """Other queries by the hash of a question: written from the question alone, before any rank was seen.

    The questions themselves belong to others, and are not in the file.
    """
    path = Path(__file__).with_name("query-rewrites.jsonl")
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return {row["question"]: tuple(row["queries"]) for row in rows}


def question_hash(text: str) -> str:
    """The SHA-1 of a question."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def leak_note(subject: Subject) -> str:
    """A note on the full texts that the control could use, and whether other methods could."""
    left_out = int(np.count_nonzero(subject.full_text & ~subject.holdings.full_text))
    return f"full texts: {int(subject.holdings.full_text.sum())} in this library, {left_out} left out of it"


def typed_query(case: QueryCase) -> Query:
    """`case` as a user would paste it, limited to its years; its kind is guessed as usual."""
    years = (YearRange(None, case.until),) if case.until is not None else ()
    examples = (case.about,) if case.about is not None else ()
    return replace(literal_query(case.query), filters=Filters(years=years), like=examples)
