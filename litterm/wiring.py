"""Parts that are put together from several others: who is handed what. `assemble` calls each when a verb needs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from litterm.cite.contexts import Contexts
    from litterm.cite.linear import Written
    from litterm.engine.agent import Citing
    from litterm.engine.aspects import Aspects
    from litterm.engine.checking import Checker
    from litterm.engine.citations import Citations
    from litterm.engine.citing import Cited
    from litterm.engine.desk import Desk
    from litterm.engine.drafts import Drafts
    from litterm.engine.judged import ModelEvidence
    from litterm.engine.parts import Parts
    from litterm.engine.reading_lists import ReadingLists
    from litterm.engine.rerank import ModelRanking
    from litterm.engine.search import SearchPapers
    from litterm.engine.shelves import Shelves
    from litterm.engine.sources import Sources
    from litterm.llm.models import Models
    from litterm.model.agent import AgentUse
    from litterm.model.citation import Attribution
    from litterm.model.evidence import ModelUse
    from litterm.model.library import Parsed
    from litterm.model.paper import Paper, PaperId
    from litterm.model.rerank import RankUse
    from litterm.model.search import Ranking
    from litterm.protocols import (
        AspectGrader,
        AspectScorer,
        AspectSplitter,
        Attributor,
        EvidenceExtractor,
        EvidenceJudge,
        HopSearcher,
        IndexReader,
        Library,
        PaperReader,
        PaperWriter,
        RankJudge,
        ScopedSearcher,
        Searcher,
        WorkLookup,
    )
    from litterm.protocols.agent import CitationAgent
    from litterm.reading_lists.builder import ListBuilder
    from litterm.reading_lists.judged import ModelListBuilder
    from litterm.settings import Settings
    from litterm.store.library import DuckLibrary
    from litterm.store.memory import MemoryLibrary
    from litterm.store.shown import ShownLibrary
    from litterm.tasks import Task


def open_citations(library: ShownLibrary, index: IndexReader, starter: Callable[[], MemoryLibrary | None]) -> Citations:
    """The citation graph of `library`, in its folder, and of the starter library where that is shown.

    Resolved against what is stored, and read as it is shown: a decision needs no list to be resolved again.
    """
    from litterm.engine.citations import Citations
    from litterm.engine.works import LibraryWorks
    from litterm.store.citations import FileBook
    from litterm.store.heads import StoredLists

    folder = library.root / "citations"
    stored = library.stored
    return Citations(
        FileBook(folder),
        StoredLists(stored, folder),
        stored,
        lambda: LibraryWorks(stored, index),
        partial(_starter_lists, starter),
        library.decided,
    )


def open_sources(
    settings: Settings,
    version: str,
    library: DuckLibrary,
    writer: Callable[[], PaperWriter],
    reader: Callable[[], PaperReader],
) -> Sources:
    """Services of papers, and the library they fill."""
    from litterm.engine.sources import Sources
    from litterm.engine.sync import Stock
    from litterm.sources.open import Services, open_services
    from litterm.store.subscriptions import FileSubscriptions

    opened: list[Services] = []

    def services() -> Services:
        if not opened:
            opened.append(open_services(settings, os.environ, version))
        return opened[0]

    def stock() -> Stock:
        book = FileSubscriptions(library.root / "subscriptions")
        return Stock(writer, reader(), library.failures, book)

    return Sources(services, stock, lambda: library)


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


def open_attribution(
    library: ShownLibrary,
    index: IndexReader,
    starter: Callable[[], tuple[Library, IndexReader] | None],
    shelves: Shelves,
    works: Callable[[], WorkLookup],
) -> Callable[[], Attributor]:
    """The attributor of now: over the user's papers or, as long as there are none, those of the starter library."""

    def written(family: str, year: int) -> Sequence[Paper]:
        return works().written(family, year)

    @cache
    def own() -> Attributor:
        from litterm.cite.contexts import Contexts

        # Without the starter papers: reading them takes longer than an answer.
        contexts = Contexts(open_citations(library, index, lambda: None).graph)
        return _attributor(library, index, shelves, written, contexts)

    @cache
    def shipped() -> Attributor | None:
        found = starter()
        return _attributor(*found, shelves, lambda _family, _year: ()) if found else None

    def now() -> Attributor:
        # Asked anew each time: the first import moves attribution from the starter papers to the user's own.
        return own() if library.status().papers else shipped() or own()

    return now


def _attributor(
    library: Library, index: IndexReader, shelves: Shelves, written: Written, contexts: Contexts | None = None
) -> Attributor:
    from litterm.cite.shipped import open_attributor
    from litterm.index.static import open_static
    from litterm.retrieve.citable import CitableSearcher
    from litterm.retrieve.lexical import LexicalSearcher

    return open_attributor(
        CitableSearcher(library, index, embedder=open_static()),
        lambda: LexicalSearcher(library, index),
        document=shelves.document,
        written=written,
        contexts=contexts,
    )


def open_model_evidence(
    library: Callable[[], Shelves], extractor: Callable[[], EvidenceExtractor], models: Models
) -> ModelEvidence:
    """Evidence by the model of the settings, upon the offline answer."""
    from litterm.engine.judged import ModelEvidence

    def judge(use: ModelUse, *, rehearse: bool = False) -> EvidenceJudge:
        from litterm.evidence.judged import JudgedExtractor

        return JudgedExtractor(extractor(), models.model(rehearse=rehearse).begin(fresh=not use.cached), use)

    return ModelEvidence(library=library, judge=judge, rehearse=partial(judge, rehearse=True), offline=extractor)


def starter_papers() -> Iterator[Parsed]:
    """The papers of the starter library."""
    from pathlib import Path

    from litterm import data
    from litterm.formats.starter import read_starter

    return read_starter(Path(data.__file__).parent / "starter")


def with_tag(desk: Desk, tag: str) -> tuple[PaperId, ...]:
    """The papers that the user has tagged so."""
    from litterm.engine.desk import tagged

    return tagged(desk, tag)


def open_citing(parts: Parts, models: Models, settings: Settings) -> Citing:
    """Citations by the model of the settings; services are asked only where a use allows it and the network is on."""
    from litterm.engine.agent import Citing
    from litterm.store.trajectories import FileTrajectories

    def agent(use: AgentUse, *, rehearse: bool = False) -> CitationAgent:
        from litterm.cite.agent import CitingAgent
        from litterm.cite.agent_stacks import Stacks

        elsewhere = parts.sources if use.online and not settings.offline else None
        stacks = Stacks(parts.shelves, parts.searcher, parts.citations.graph, elsewhere)
        return CitingAgent(models.model(rehearse=rehearse).begin(fresh=not use.cached), stacks, use)

    return Citing(
        records=parts.shelves,
        titles=parts.works,
        read=parts.read_excerpt,
        attributor=lambda: parts.attributor,
        store=FileTrajectories(settings.library),
        agent=agent,
        rehearse=partial(agent, rehearse=True),
    )


def open_aspects(
    searchers: Callable[[], Sequence[ScopedSearcher]], models: Callable[[], Models], folder: Path
) -> Aspects:
    """Queries in several parts; grades are kept in `folder`."""
    from litterm.engine.aspects import Aspects
    from litterm.llm.grades import GradeFiles

    def splitter(*, rehearse: bool = False) -> AspectSplitter:
        from litterm.retrieve.decompose import ModelSplitter

        # What is only shown is shown also where its reply is kept.
        return ModelSplitter(models().model(rehearse=rehearse).begin(fresh=rehearse))

    def grader(*, rehearse: bool = False) -> AspectGrader:
        from litterm.retrieve.grading import ModelGrader

        # Grades are kept one by one; a whole reply kept beside them would only repeat what could not be read.
        return ModelGrader(models().model(rehearse=rehearse).begin(fresh=True), GradeFiles(folder))

    def scorer() -> AspectScorer:
        from litterm.retrieve.aspects import SearchedAspects

        return SearchedAspects(*searchers())

    return Aspects(scorer, splitter, grader, partial(grader, rehearse=True), partial(splitter, rehearse=True))


def open_drafts(parts: Parts, folder: Path) -> Drafts:
    """Drafts over the parts of the engine; what is decided about them is kept in `folder`."""
    from litterm.engine.cite import attribute, read_bounds
    from litterm.engine.drafted import Decisions
    from litterm.engine.drafts import Drafts
    from litterm.store.session import JsonSession

    def cite(text: str, *, k: int = 5, before: int | str | None = None, source: str = "") -> Task[Attribution]:
        bounds = read_bounds(before, source, parts.shelves, parts.works)
        return (yield from attribute(parts.read_excerpt(text), parts.attributor, k=k, bounds=bounds))

    def checker() -> Checker:
        from litterm.engine.checking import Checker
        from litterm.text.query import literal

        def search(title: str, k: int) -> Task[Ranking]:
            return (yield from parts.searcher.search(literal(title), k=k))

        return Checker(parts.shelves, parts.works(), search, parts.extractor, parts.read_excerpt)

    return Drafts(cite, checker, Decisions(JsonSession(folder / "drafts.json")))


def open_reading_lists(
    parts: Parts, grounds: Callable[[], tuple[Searcher, Library, IndexReader]], models: Callable[[], Models]
) -> ReadingLists:
    """Reading lists over the papers that `grounds` names at the time."""
    from litterm.engine.reading_lists import ReadingLists

    def builder() -> ListBuilder:
        from litterm.index.static import open_static
        from litterm.reading_lists.builder import ListBuilder
        from litterm.reading_lists.candidates import CandidateSearch
        from litterm.reading_lists.weights import read_weights
        from litterm.retrieve.citable import CitableSearcher

        searcher, library, index = grounds()
        describer = CitableSearcher(library, index, embedder=open_static())
        return ListBuilder(CandidateSearch(searcher, describer, parts.citations.graph), read_weights())

    def with_model(*, fresh: bool = False, rehearse: bool = False) -> ModelListBuilder:
        from litterm.reading_lists.judged import ModelListBuilder

        def titled(titles: Sequence[str]) -> Sequence[Sequence[Paper]]:
            works = parts.works()
            return [works.by_id(ids) for ids in works.titled(titles)]

        return ModelListBuilder(builder(), models().model(rehearse=rehearse).begin(fresh=fresh), titled)

    return ReadingLists(parts.desk, parts.shelves, builder, with_model)
