"""Parts that are put together from several others: who is handed what. `assemble` calls each when a verb needs it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from litterm.engine.aspects import Aspects
    from litterm.engine.citations import Citations
    from litterm.engine.citing import Cited
    from litterm.engine.rerank import ModelRanking
    from litterm.engine.search import SearchPapers
    from litterm.llm.models import Models
    from litterm.model.rerank import RankUse
    from litterm.protocols import (
        AspectGrader,
        AspectScorer,
        AspectSplitter,
        HopSearcher,
        RankJudge,
        ScopedSearcher,
        WorkLookup,
    )
    from litterm.store.library import DuckLibrary
    from litterm.store.memory import MemoryLibrary


def open_citations(
    library: DuckLibrary, works: Callable[[], WorkLookup], starter: Callable[[], MemoryLibrary | None]
) -> Citations:
    """The citation graph of `library`, in its folder, and of the starter library where that is shown."""
    from litterm.engine.citations import Citations
    from litterm.store.citations import FileBook
    from litterm.store.heads import StoredLists

    folder = library.root / "citations"
    return Citations(FileBook(folder), StoredLists(library, folder), library, works, partial(_starter_lists, starter))


def open_hops(searcher: SearchPapers, citations: Citations) -> HopSearcher:
    """Search through the citation graph."""
    from litterm.retrieve.onehop import OneHopSearcher

    return OneHopSearcher(searcher, citations.update)


def open_ranking(searcher: SearchPapers, hops: HopSearcher, models: Models) -> ModelRanking:
    """Rankings by the model of the settings."""
    from litterm.engine.rerank import ModelRanking

    def judge(use: RankUse, *, rehearse: bool = False) -> RankJudge:
        from litterm.retrieve.judged import JudgedRanker
        from litterm.retrieve.nearest import NearestRanker

        if use.by == "embeddings":
            from pathlib import Path

            from litterm.index.encoder import PREFIX, OnnxEncoder

            if models.embedding.startswith(PREFIX):
                return NearestRanker(OnnxEncoder(Path(models.embedding.removeprefix(PREFIX))), use)
            return NearestRanker(models.embedder(rehearse=rehearse, fresh=not use.cached), use)
        return JudgedRanker(models.model(rehearse=rehearse).begin(fresh=not use.cached), use)

    return ModelRanking(lambda: searcher, lambda: hops, judge, partial(judge, rehearse=True))


def _starter_lists(starter: Callable[[], MemoryLibrary | None]) -> tuple[Cited, ...]:
    from litterm.engine.citing import from_starter

    library = starter()
    if library is None:
        return ()
    return from_starter((paper, library.document(paper.id)) for paper in library.all)


def open_aspects(searchers: Callable[[], Sequence[ScopedSearcher]], models: Models, folder: Path) -> Aspects:
    """Queries in several parts; grades are kept in `folder`."""
    from litterm.engine.aspects import Aspects
    from litterm.llm.grades import GradeFiles

    def splitter() -> AspectSplitter:
        from litterm.retrieve.decompose import ModelSplitter

        return ModelSplitter(models.model().begin())

    def grader(*, rehearse: bool = False) -> AspectGrader:
        from litterm.retrieve.grading import ModelGrader

        # Grades are kept one by one; a whole reply kept beside them would only repeat what could not be read.
        return ModelGrader(models.model(rehearse=rehearse).begin(fresh=True), GradeFiles(folder))

    def scorer() -> AspectScorer:
        from litterm.retrieve.aspects import SearchedAspects

        return SearchedAspects(*searchers())

    return Aspects(scorer, splitter, grader, partial(grader, rehearse=True))
