"""Builds the parts that are made of several others; `container` calls each function when its part is needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from litterm.annotations.annotations import Annotations
    from litterm.attribution.agent.agent import CitationAgent
    from litterm.attribution.agent.runs import AgentAttribution
    from litterm.attribution.drafts.citation_check import CitationChecker
    from litterm.attribution.drafts.drafts import Drafts
    from litterm.attribution.features.citation_contexts import CitationContexts
    from litterm.attribution.learned import FindByAuthorYear, FindByName
    from litterm.citations.citations import Citations
    from litterm.citations.reference_resolution import CitedList
    from litterm.cluster.shards import Shards
    from litterm.core.settings import Settings
    from litterm.core.tasks import Task
    from litterm.engine.parts import Parts
    from litterm.evidence.llm.extractor import LlmExtractor
    from litterm.evidence.llm.llm_evidence import LlmEvidence
    from litterm.interfaces import (
        AspectScorer,
        Attributor,
        AttributorChoice,
        CitationGraph,
        EvidenceExtractor,
        HopSearcher,
        Library,
        PaperReader,
        PaperSearcher,
        Reranker,
        ScoredSearcher,
        Searcher,
        WorkLookup,
    )
    from litterm.library.combined_library import CombinedLibrary
    from litterm.library.index.reader import IndexReader
    from litterm.library.memory_library import MemoryLibrary
    from litterm.library.segments.library import DuckLibrary
    from litterm.library.title_lookup import LibraryWorks
    from litterm.library.visible_library import ShownLibrary
    from litterm.library.writer.library_writer import LibraryWriter
    from litterm.llm.registry import Models
    from litterm.model.attribution.agent import AgentOptions
    from litterm.model.attribution.citation import Attribution
    from litterm.model.evidence import EvidenceLlmOptions
    from litterm.model.library import Parsed
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import Ranking, RerankOptions
    from litterm.reading_lists.builder import ListBuilder
    from litterm.reading_lists.llm_builder import ModelListBuilder
    from litterm.reading_lists.reading_lists import BuilderChoice, ReadingLists
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.aspects.decompose import ModelSplitter
    from litterm.search.aspects.grades import ModelGrader
    from litterm.search.citation_candidates import CitationCandidateSearcher
    from litterm.search.rerank.rerank import ModelRanking
    from litterm.services.online import OnlineServices


def open_citations(library: ShownLibrary, index: IndexReader, starter: Callable[[], MemoryLibrary | None]) -> Citations:
    """Opens the citation graph of `library` and of the starter library, if that is enabled.

    References are resolved against the stored records, so that decisions on records need no new resolution.
    """
    from litterm.citations.citations import Citations
    from litterm.citations.reference_lists import StoredLists
    from litterm.citations.storage.graph_files import GraphFiles

    folder = library.root / "citations"
    stored = library.stored
    return Citations(
        GraphFiles(folder),
        StoredLists(stored, folder),
        stored,
        partial(_library_works, stored, index),
        partial(_starter_lists, starter),
        library.decided,
        partial(_read_in_background, library.root),
    )


def _library_works(library: DuckLibrary, index: IndexReader) -> LibraryWorks:
    # Imported where a list is resolved: what reads references is a tenth of what a search imports.
    from litterm.library.title_lookup import LibraryWorks

    return LibraryWorks(library, index)


def _read_in_background(root: Path) -> None:
    # Imported when needed, which is seldom.
    from litterm.citations.background import start_background

    start_background(root)


def open_online_services(
    settings: Settings,
    version: str,
    library: DuckLibrary,
    writer: Callable[[], LibraryWriter],
    reader: Callable[[], PaperReader],
) -> OnlineServices:
    """Opens the online services, and the library that they fill."""
    from litterm.services.online import OnlineServices
    from litterm.services.registry import open_services
    from litterm.services.subscriptions import FileSubscriptions
    from litterm.services.sync import PaperSink

    def open_sink() -> PaperSink:
        book = FileSubscriptions(library.root / "subscriptions")
        return PaperSink(writer, reader(), library.failures, book)

    return OnlineServices(lambda: open_services(settings, os.environ, version), open_sink, lambda: library)


def open_ranking(searcher: PaperSearcher, hops: HopSearcher, models: Models) -> ModelRanking:
    """Opens reranking by the configured model."""
    from litterm.search.rerank.rerank import ModelRanking

    def build_reranker(options: RerankOptions, *, dry_run: bool = False) -> Reranker:
        from litterm.search.rerank.embedding_rerank import EmbeddingReranker
        from litterm.search.rerank.llm_rerank import LlmReranker

        # Imported when needed: a local embedding model needs onnxruntime.
        if options.by == "embeddings":
            from pathlib import Path

            from litterm.library.index.sentence_encoder import ONNX_PREFIX, OnnxEncoder

            if models.embedding.startswith(ONNX_PREFIX):
                return EmbeddingReranker(OnnxEncoder(Path(models.embedding.removeprefix(ONNX_PREFIX))), options)
            return EmbeddingReranker(models.embedder(dry_run=dry_run, fresh=not options.cached), options)
        return LlmReranker(models.model(dry_run=dry_run).start_run(fresh=not options.cached), options)

    return ModelRanking(lambda: searcher, lambda: hops, build_reranker, partial(build_reranker, dry_run=True))


def _starter_lists(starter: Callable[[], MemoryLibrary | None]) -> tuple[CitedList, ...]:
    library = starter()
    if library is None:
        return ()
    from litterm.citations.reference_resolution import from_starter

    return from_starter((paper, library.document(paper.id)) for paper in library.all)


def open_attribution(
    own_library: tuple[ShownLibrary, IndexReader],
    starter: Callable[[], tuple[MemoryLibrary, IndexReader] | None],
    both_libraries: CombinedLibrary,
    works: Callable[[], WorkLookup],
    graph: Callable[[], CitationGraph],
    shards: Callable[[], Shards | None],
) -> AttributorChoice:
    """Returns a function that gives the attributor, over the user's papers or, if there are none, the starter library.

    `shards` hold the user's papers on a cluster, where there is one.
    """

    def papers_by_author_year(family: str, year: int | None) -> Sequence[Paper]:
        return works().find_by_author_years([(family, year or 0)])[0]

    def works_by_name(name: str) -> Sequence[PaperId]:
        library_and_index = starter()
        return find_named_works(name, library_and_index[0], works()) if library_and_index is not None else ()

    @cache
    def own() -> Attributor:
        from litterm.attribution.features.citation_contexts import CitationContexts

        candidates = citation_candidates(*own_library, shards())
        contexts = CitationContexts(graph)
        return _attributor(
            candidates, *own_library, both_libraries, papers_by_author_year, contexts, find_by_name=works_by_name
        )

    @cache
    def open_shipped() -> Attributor | None:
        library_and_index = starter()
        if library_and_index is None:
            return None
        candidates = citation_candidates(*library_and_index)
        return _attributor(candidates, *library_and_index, both_libraries, library_and_index[0].find_by_author_year)

    def now(*, starter_only: bool = False) -> Attributor:
        # Checked each time, because the first import switches from the starter library to the user's papers.
        return own() if not starter_only and own_library[0].status().papers else open_shipped() or own()

    return now


def find_named_works(name: str, starter: MemoryLibrary, works: WorkLookup) -> tuple[PaperId, ...]:
    """The papers of `works` that `starter` explains `name` by: an archive's record may lack the name."""
    from litterm.attribution.features.name_match import find_introducing

    explained = find_introducing(name, starter.all)
    if explained is None:
        return ()
    by_id = [paper_id for ids in works.find(explained.aliases) for paper_id in ids]
    return tuple(dict.fromkeys(by_id)) or works.find_by_title([explained.title])[0]


def citation_candidates(
    library: Library, index: IndexReader, shards: Shards | None = None
) -> CitationCandidateSearcher:
    """What finds the papers of `library` that may be cited; on `shards` that hold it, where there are any."""
    from litterm.library.index.static_embeddings import open_static

    if shards is not None:
        from litterm.cluster.citations import ShardCitationSearcher

        return ShardCitationSearcher(library, index, embedder=open_static(), shards=shards)
    from litterm.search.citation_candidates import CitationCandidateSearcher

    return CitationCandidateSearcher(library, index, embedder=open_static())


def _attributor(
    candidates: CitationCandidateSearcher,
    library: Library,
    index: IndexReader,
    both_libraries: CombinedLibrary,
    find_by_author_year: FindByAuthorYear,
    contexts: CitationContexts | None = None,
    *,
    find_by_name: FindByName = lambda _name: (),
) -> Attributor:
    from litterm.attribution.learned import open_attributor
    from litterm.search.lexical import LexicalSearcher

    return open_attributor(
        candidates,
        lambda: LexicalSearcher(library, index),
        document=both_libraries.document,
        find_by_author_year=find_by_author_year,
        find_by_name=find_by_name,
        contexts=contexts,
    )


def open_model_evidence(
    library: Callable[[], CombinedLibrary], extractor: Callable[[], EvidenceExtractor], models: Models
) -> LlmEvidence:
    """Opens evidence by the configured model, based on the offline answer."""
    from litterm.evidence.llm.llm_evidence import LlmEvidence

    def build_extractor(options: EvidenceLlmOptions, *, dry_run: bool = False) -> LlmExtractor:
        from litterm.evidence.llm.extractor import LlmExtractor

        return LlmExtractor(extractor(), models.model(dry_run=dry_run).start_run(fresh=not options.cached), options)

    return LlmEvidence(
        library=library,
        build_extractor=build_extractor,
        build_dry_run=partial(build_extractor, dry_run=True),
        offline_extractor=extractor,
    )


def starter_papers() -> Iterator[Parsed]:
    """Reads the papers of the starter library."""
    from pathlib import Path

    from litterm import data
    from litterm.importers.starter import read_starter

    return read_starter(Path(data.__file__).parent / "starter")


def find_tagged_papers(annotations: Annotations, tag: str) -> tuple[PaperId, ...]:
    """The papers with a tag or on a list of the user."""
    from litterm.annotations.annotations import find_tagged

    return find_tagged(annotations, tag)


def open_citing(parts: Parts, models: Models, settings: Settings) -> AgentAttribution:
    """Opens attribution by an agent with the configured model; services are used only if allowed and online."""
    from litterm.attribution.agent.runs import AgentAttribution
    from litterm.attribution.agent.storage import FileTrajectories

    def agent(options: AgentOptions, *, dry_run: bool = False) -> CitationAgent:
        from litterm.attribution.agent.agent import CitationAgent
        from litterm.attribution.agent.search import AgentSearch

        services = parts.services if options.online and not settings.offline else None
        lookup = AgentSearch(parts.both_libraries, parts.searcher, parts.citations.graph, services, parts.counts.until)
        return CitationAgent(models.model(dry_run=dry_run).start_run(fresh=not options.cached), lookup, options)

    return AgentAttribution(
        records=parts.both_libraries,
        titles=parts.works,
        read=parts.read_excerpt,
        attributor=parts.attributor,
        store=FileTrajectories(settings.library),
        agent=agent,
        build_dry_run=partial(agent, dry_run=True),
    )


def open_aspects(searchers: Callable[[], Sequence[Searcher]], models: Callable[[], Models], folder: Path) -> Aspects:
    """Opens queries in several aspects; grades are cached in `folder`."""
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.aspects.grade_cache import GradeCache

    def splitter(*, dry_run: bool = False) -> ModelSplitter:
        from litterm.search.aspects.decompose import ModelSplitter

        # A dry run shows the request even if its reply is cached.
        return ModelSplitter(models().model(dry_run=dry_run).start_run(fresh=dry_run))

    def grader(*, dry_run: bool = False) -> ModelGrader:
        from litterm.search.aspects.grades import ModelGrader

        # Grades are cached one by one. A cached reply would only repeat grades that could not be parsed.
        return ModelGrader(models().model(dry_run=dry_run).start_run(fresh=True), GradeCache(folder))

    def scorer() -> AspectScorer:
        from litterm.search.aspects.scores import SearchAspectScorer

        return SearchAspectScorer(*searchers())

    return Aspects(scorer, splitter, grader, partial(grader, dry_run=True), partial(splitter, dry_run=True))


def open_drafts(parts: Parts, folder: Path) -> Drafts:
    """Opens drafts; decisions on them are stored in `folder`."""
    from litterm.annotations.session_file import SessionFile
    from litterm.attribution.candidate_bounds import read_bounds
    from litterm.attribution.drafts.decisions import DraftDecisions
    from litterm.attribution.drafts.drafts import Drafts

    def cite(
        text: str, *, k: int = 5, before: int | str | None = None, source: str = "", starter_only: bool = False
    ) -> Task[Attribution]:
        bounds = read_bounds(before, source, parts.both_libraries, parts.works)
        attributor = parts.attributor(starter_only=starter_only)
        return (yield from attributor.attribute(parts.read_excerpt(text), k=k, bounds=bounds))

    def checker() -> CitationChecker:
        from litterm.attribution.drafts.citation_check import CitationChecker
        from litterm.text.queries.parser import literal_query

        def search(title: str, k: int) -> Task[Ranking]:
            return (yield from parts.searcher.search(literal_query(title), k=k))

        return CitationChecker(parts.both_libraries, parts.works(), search, parts.extractor, parts.read_excerpt)

    return Drafts(cite, checker, DraftDecisions(SessionFile(folder / "drafts.json")))


def open_list_builder(parts: Parts, searcher: ScoredSearcher, library: Library, index: IndexReader) -> ListBuilder:
    """Opens the list builder with fitted weights over `library`."""
    from litterm.library.index.static_embeddings import open_static
    from litterm.reading_lists.builder import ListBuilder
    from litterm.reading_lists.candidates import CandidateSearch
    from litterm.reading_lists.weights import read_weights
    from litterm.search.citation_candidates import CitationCandidateSearcher

    describer = CitationCandidateSearcher(library, index, embedder=open_static())
    return ListBuilder(CandidateSearch(searcher, describer, parts.citations.graph, parts.counts.until), read_weights())


def open_reading_lists(parts: Parts, builder: BuilderChoice, models: Callable[[], Models]) -> ReadingLists:
    """Opens reading lists; `builder` returns the current list builder."""
    from litterm.reading_lists.reading_lists import ReadingLists

    def with_model(
        *, fresh: bool = False, dry_run: bool = False, online: bool = False, starter_only: bool = False
    ) -> ModelListBuilder:
        from litterm.reading_lists.llm_builder import ModelListBuilder
        from litterm.services.online import TitleLookupOnline

        def titled(titles: Sequence[str]) -> Sequence[Sequence[Paper]]:
            works = parts.works()
            return [works.by_id(ids) for ids in works.find_by_title(titles)]

        look_up_online = (
            TitleLookupOnline(lambda: parts.services, parts.both_libraries).find if online and not dry_run else None
        )

        conversation = models().model(dry_run=dry_run).start_run(fresh=fresh)
        return ModelListBuilder(builder(starter_only=starter_only), conversation, titled, look_up_online)

    return ReadingLists(parts.annotations, parts.both_libraries, builder, with_model, parts.damage_notice)


def open_annotations(root: Path) -> Annotations:
    """Opens the annotations of the library in `root`."""
    from litterm.annotations.annotations import open_annotations
    from litterm.annotations.session_file import last_project_file, project_session_file
    from litterm.library.journal import FileJournal

    return open_annotations(
        FileJournal(root / "journal"),
        project_session_file(root, ""),
        open_session_file=lambda key: project_session_file(root, key),
        last=last_project_file(root),
    )
