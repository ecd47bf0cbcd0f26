"""The parts of the engine: how each is built from the settings and from other parts."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from litterm.core.lazy import once
from litterm.model.search import ANNOTATED_LIST, IMPORT_PREFIX, MINE_LIST, NOTE_PREFIX

# For types only: a part imports what it is made of when it is built, so that a light command loads nothing else.
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from litterm.agreement.agreement import ModelAgreement
    from litterm.annotations.annotations import Annotations
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.known_names import KnownNames
    from litterm.annotations.paper_changes import PaperMarking
    from litterm.annotations.people_grades import PeopleGrades
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.annotations.unsaved_texts import UnsavedTexts
    from litterm.attribution.agent.agent import CitationAgent
    from litterm.attribution.agent.runs import AgentAttribution
    from litterm.attribution.bibliographies.bibliographies import Bibliographies
    from litterm.attribution.bibliographies.online import OnlineRecords
    from litterm.attribution.drafts.citation_check import CitationChecker
    from litterm.attribution.drafts.drafts import Drafts
    from litterm.attribution.fact_features import FactFeatures
    from litterm.citations.citations import Citations
    from litterm.citations.counts import CitationCounts
    from litterm.citations.reference_resolution import CitedList
    from litterm.citations.shipped import NetworkCounts, ShippedEdges
    from litterm.core.settings import Settings
    from litterm.engine.attachments import Attachments
    from litterm.engine.file_exports import FileExports
    from litterm.engine.search_records import SearchRecords
    from litterm.evidence.answers.answers import Answers
    from litterm.evidence.answers.written_answers import WrittenAnswers
    from litterm.evidence.columns.column_tables import ColumnTables
    from litterm.evidence.llm.extractor import LlmExtractor
    from litterm.evidence.llm.llm_evidence import LlmEvidence
    from litterm.evidence.matrix.matrices import Matrices
    from litterm.evidence.study.studies import Studies
    from litterm.importers.reader import FileReader
    from litterm.interfaces import (
        AspectScorer,
        Attributor,
        EvidenceExtractor,
        HopSearcher,
        Library,
        PaperSearcher,
        WorkLookup,
    )
    from litterm.library.annotated_papers import AnnotatedPapers
    from litterm.library.citation_facts.names import NameTable, PapersOfNames
    from litterm.library.citation_facts.shipped import ShippedFacts
    from litterm.library.encoder.library_encoder import LibraryEncoder
    from litterm.library.encoder.paper_encoder import PaperEncoder
    from litterm.library.imports import LibraryImports
    from litterm.library.index.reader import IndexFolder, IndexReader
    from litterm.library.index.verification import IndexVerifier
    from litterm.library.paper_lookup import PaperLookup
    from litterm.library.shown_library import ShownLibrary
    from litterm.library.starter import StarterLibrary
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.failures import FailureList
    from litterm.library.title_lookup import LibraryWorks
    from litterm.library.watched_folders import WatchedFolders
    from litterm.library.writer.library_writer import LibraryWriter
    from litterm.llm.registry import Models
    from litterm.model.attribution.agent import AgentOptions
    from litterm.model.attribution.citation import Excerpt
    from litterm.model.citations.facts import FactsBuild, NameFact
    from litterm.model.evidence import EvidenceLlmOptions
    from litterm.model.paper import LibraryName, Paper, PaperId
    from litterm.model.reading_list import ListLlmOptions
    from litterm.model.test_sets import SetRequest
    from litterm.reading_lists.builder import ListBuilder
    from litterm.reading_lists.expert_lists import ExpertLists
    from litterm.reading_lists.llm_builder import ModelListBuilder
    from litterm.reading_lists.reading_lists import ReadingLists
    from litterm.render.bibliography.keys import CitationKeys
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.aspects.decompose import ModelSplitter
    from litterm.search.aspects.grades import ModelGrader
    from litterm.search.aspects.sentence_similarity import SentenceEmbedder
    from litterm.search.citation_candidates import CitationCandidateSearcher
    from litterm.search.hybrid import HybridSearcher
    from litterm.search.rerank.rerank import ModelRanking
    from litterm.search.rewrites.model_rewriter import ModelRewriter
    from litterm.search.rewrites.rewrites import QueryRewriting
    from litterm.search.row_source import RowSource
    from litterm.search.searched_libraries import SearchedLibraries, SearchedLibrary
    from litterm.search.signals.citing_words import CitingWords
    from litterm.services.online import OnlineServices
    from litterm.services.registry import ServiceRegistry
    from litterm.services.sync import PaperSink
    from litterm.test_sets.llm_writers import ModelWriter
    from litterm.test_sets.maker import SetMaker


class Parts:
    """The parts of the engine, each built when it is first needed, and then kept; thread-safe.

    `once` and not `functools.cached_property`, because two tasks of the workbench may need a part at the same time,
    and a second library or graph would be opened. Parts that may not be needed are passed on as functions, so that
    nothing is opened or imported for them. Where a part has the type of an interface, a server's library has another
    one (`litterm.server.client.engine.RemoteParts`); on a cluster, `litterm.cluster.engine.ClusterParts` has others.
    """

    def __init__(self, settings: Settings, facts: FactsBuild = "full") -> None:
        """`facts` says which citation facts are used: those of the bench build while something is measured."""
        self._settings = settings
        self.facts_build: FactsBuild = facts

    # What is stored: papers, indexes and the user's notes.

    @once
    def library(self) -> ShownLibrary:
        """The user's own papers."""
        from litterm.annotations.merged_records import RecordDecisions
        from litterm.library.journal import FileJournal
        from litterm.library.segments.library import DuckLibrary
        from litterm.library.shown_library import ShownLibrary

        root = self._settings.library
        journal = FileJournal(root / "journal")
        decisions = RecordDecisions(lambda: self.annotations.undo_log, journal, journal.holds)
        return ShownLibrary(DuckLibrary(root, lambda segment: self.index.records(segment)), decisions.current)

    @once
    def state(self) -> StateDatabase:
        """The small state of the user's library, which is opened when it is used."""
        from litterm.library.state.connection import StateDatabase

        return StateDatabase(self._settings.library)

    @once
    def lookup(self) -> PaperLookup:
        """The user's papers and the starter library, by what people write."""
        from litterm.library.paper_lookup import PaperLookup

        return PaperLookup(self.library, lambda: self.starter, self._find_made_keys)

    def _find_made_keys(self, keys: Sequence[str]) -> Mapping[str, tuple[PaperId, ...]]:
        """The user's own papers to which the formula of the settings gives one of `keys`."""
        if not self._settings.citation_key:
            return {}
        # Of an archive every paper would have to be read.
        return self.citation_keys.find(keys, self.library.by_id(sorted(self.imports.mine())))

    @once
    def starter(self) -> StarterLibrary | None:
        """The starter library; `None` where it is not shown."""
        if not self._settings.starter:
            return None
        from litterm.library.starter import open_starter

        return open_starter(self._settings.cache)

    @once
    def index(self) -> IndexFolder:
        """The index of the user's library."""
        from litterm.library.index.reader import IndexFolder

        return IndexFolder(verifier=self.verifier)

    @once
    def verifier(self) -> IndexVerifier:
        """Compares the files of opened indexes with their checksums, in the background."""
        from litterm.library.index.verification import MEMORY_FILE, IndexVerifier

        return IndexVerifier(self._settings.library, self._settings.cache / MEMORY_FILE)

    def damage_notice(self) -> str:
        """A sentence that says which part of the library is damaged, as far as is known; else empty."""
        return " ".join(
            filter(None, (self.library.stored.damage_notice(), self.verifier.notice(self.library.snapshot)))
        )

    @once
    def failures(self) -> FailureList:
        """Inputs that could not be imported."""
        return self.library.stored.failures

    @once
    def annotations(self) -> Annotations:
        """The user's annotations."""
        from litterm.annotations.annotations import open_library_annotations

        return open_library_annotations(self.state)

    def tagged(self, name: str) -> Collection[PaperId]:
        """The papers of a tag, list, note, project or import of the user."""
        if name == MINE_LIST or name.startswith(IMPORT_PREFIX):
            return self.imports.papers(name)
        if name == ANNOTATED_LIST:
            return self.annotated_papers.holding("")
        from litterm.annotations.annotations import find_tagged

        found = find_tagged(self.annotations, name)
        words = name.removeprefix(NOTE_PREFIX)
        if words and words != name:
            return tuple(dict.fromkeys((*found, *self.annotated_papers.holding(words))))
        return found

    @once
    def imports(self) -> LibraryImports:
        """Which source brought which papers."""
        from litterm.library.imports import LibraryImports

        return LibraryImports(self.library)

    @once
    def annotated_papers(self) -> AnnotatedPapers:
        """Which papers have highlights and notes in their files."""
        from litterm.library.annotated_papers import AnnotatedPapers

        return AnnotatedPapers(self.library)

    @once
    def attachments(self) -> Attachments:
        """PDFs that are attached to papers by hand."""
        from litterm.engine.attachments import Attachments

        return Attachments(self)

    @once
    def file_exports(self) -> FileExports:
        """Exports into a folder with a file for each paper, and into Parquet."""
        from litterm.engine.file_exports import FileExports

        return FileExports(self)

    @once
    def search_records(self) -> SearchRecords:
        """Searches that are recorded and made once more."""
        from litterm.engine.search_records import SearchRecords

        return SearchRecords(self)

    @once
    def citation_keys(self) -> CitationKeys:
        """The keys under which papers are cited, by the formula of the settings.

        Raises:
            SettingsError: the formula cannot be read.
        """
        from litterm.render.bibliography.keys import open_citation_keys

        return open_citation_keys(self._settings.citation_key)

    @property
    def paper_template(self) -> Path:
        """The user's template of the Markdown file of a paper, which need not exist."""
        return self._settings.config.with_name("paper-template.md")

    @property
    def styles_folder(self) -> Path:
        """The folder of the user's CSL styles, which need not exist."""
        return self._settings.config.with_name("styles")

    def works(self) -> WorkLookup:
        """Looks up the user's papers by title, and by author and year; a new object for each task."""
        from litterm.library.title_lookup import LibraryWorks

        return LibraryWorks(self.library, self.index)

    @once
    def marking(self) -> PaperMarking:
        """Marks many papers at once."""
        from litterm.annotations.paper_changes import PaperMarking

        return PaperMarking(self.annotations, self.lookup)

    @once
    def record_curation(self) -> RecordCuration:
        """Merging duplicate records, and hiding papers."""
        from litterm.annotations.duplicates import RecordCuration

        return RecordCuration(
            self.annotations.undo_log, lambda: self.lookup, lambda: self.library.stored.linked_pairs("doubtful")
        )

    # What is imported.

    @once
    def reader(self) -> FileReader:
        """Reads papers from files."""
        from litterm.importers.reader import FileReader
        from litterm.library.workers.pdf_pool import PdfPool
        from litterm.library.workers.record_parser import ChildParser

        return FileReader(PdfPool(self._settings.pdf), ChildParser)

    def writer(self) -> LibraryWriter:
        """A new writer for the user's library, not started."""
        from litterm.library.workers.segment_builder import ChildSegmentBuilder
        from litterm.library.writer.library_writer import LibraryWriter

        return LibraryWriter(self._settings.library, ChildSegmentBuilder(), library=self.library.stored)

    @once
    def watched_folders(self) -> WatchedFolders:
        """Folders whose new and changed files are imported."""
        from litterm.library.watched_folders import WatchedFolders

        return WatchedFolders(self.state, lambda: self.reader, self.writer, lambda: self.library)

    @once
    def services(self) -> OnlineServices:
        """Online services, and the library that they fill."""
        from litterm.services.online import OnlineServices

        return OnlineServices(self._open_registry, self._open_sink, lambda: self.library)

    def _open_registry(self) -> ServiceRegistry:
        from litterm.core.version import __version__
        from litterm.services.registry import open_services

        return open_services(self._settings, os.environ, __version__)

    def _open_sink(self) -> PaperSink:
        from litterm.library.state.subscriptions import Subscriptions
        from litterm.services.sync import PaperSink

        return PaperSink(self.writer, self.reader, self.library.stored.failures, Subscriptions(self.state))

    # What is searched.

    @once
    def searcher(self) -> PaperSearcher:
        """Ranks papers for a query."""
        from litterm.search.search import SearchPapers

        return SearchPapers(
            self.searched_libraries,
            named=self.lookup.paper_by_id,
            titled=lambda title: self.library.titled(title),
            damage_notice=self.damage_notice,
        )

    @once
    def own_searcher(self) -> HybridSearcher:
        """Ranks the user's papers."""
        return self._build_searcher(self.library, self.index, encoder=self.paper_encoder)

    @once
    def searched_libraries(self) -> SearchedLibraries:
        """What is searched: the user's papers, and the starter library behind them."""
        from litterm.search.searched_libraries import SearchedLibraries, SearchedLibrary

        own = SearchedLibrary("own", self.library, self.index, lambda: self.own_searcher)
        return SearchedLibraries(own, lambda: self._searched_starter)

    @once
    def _searched_starter(self) -> SearchedLibrary | None:
        starter = self.starter
        if starter is None:
            return None
        from litterm.search.searched_libraries import SearchedLibrary

        return SearchedLibrary("starter", starter, starter.index, lambda: self._starter_searcher)

    @once
    def _starter_searcher(self) -> HybridSearcher:
        starter = self.starter
        assert starter is not None
        return self._build_searcher(starter, starter.index)

    @once
    def paper_encoder(self) -> PaperEncoder | None:
        """The encoder that takes part in searches; `None` where none is set."""
        if not self._settings.encoder.folder:
            return None
        from litterm.library.encoder.paper_encoder import PaperEncoder

        return PaperEncoder(self._settings.library, self._settings.encoder)

    @once
    def encoder(self) -> LibraryEncoder | None:
        """The encoder with the vectors of the user's library; `None` where none is set.

        Raises:
            ModelOffline: its folder holds no encoder that can be used.
        """
        if not self._settings.encoder.folder:
            return None
        from litterm.library.encoder.library_encoder import LibraryEncoder

        return LibraryEncoder(self._settings.library, self.library.stored, self._settings.encoder)

    def _build_searcher(
        self,
        library: ShownLibrary | StarterLibrary,
        index: IndexReader,
        source: RowSource | None = None,
        encoder: PaperEncoder | None = None,
    ) -> HybridSearcher:
        from litterm.library.index.static_embeddings import open_static
        from litterm.search.hybrid import HybridSearcher
        from litterm.search.signals.paper_names import PaperNames

        return HybridSearcher(
            library,
            index,
            embedder=open_static(),
            excerpt=_read_excerpt,
            paper=lambda key: self.lookup.paper(key),
            tagged=self.tagged,
            cited=self.counts,
            source=source,
            encoder=encoder,
            citing_words=self.citing_words,
            names=PaperNames(
                self.names,
                library,
                lambda title: library.find_by_title([title])[0],
                lambda: self.annotations.hidden_names(),
            ),
        )

    @once
    def citing_words(self) -> CitingWords:
        """What is said of papers where others cite them."""
        from litterm.search.signals.citing_words import CitingWords

        return CitingWords(lambda: self.facts().profiles())

    @once
    def names(self) -> NameTable:
        """The names of papers."""
        from litterm.library.citation_facts.names import NameTable

        return NameTable(self.facts, self._own_names)

    @once
    def known_names(self) -> KnownNames:
        """The names of single papers, and those that the user has hidden."""
        from litterm.annotations.known_names import KnownNames

        return KnownNames(self.annotations, self.facts, self._own_names_of)

    def _own_names(self, keys: Collection[str]) -> Mapping[str, Sequence[NameFact]]:
        """The names in the user's own texts, by their keys; none where the database cannot be read."""
        from litterm.core.errors import LibraryError

        try:
            return self.own_citations.store.names_by_key(keys)
        except LibraryError:
            # Searches work without citations; what is wrong with them is said where they are shown.
            return {}

    def _own_names_of(self, ids: Sequence[PaperId]) -> Sequence[NameFact]:
        """The names that the user's own texts use for the paper with any of `ids`."""
        store = self.own_citations.store
        if not store.has_lists():
            return ()
        with store.read() as stored:
            return stored.names_of(ids)

    def facts(self) -> ShippedFacts:
        """The citation facts that ship; opened when they are first needed."""
        from litterm.library.citation_facts.shipped import open_facts

        return open_facts(self.facts_build)

    @once
    def unsaved_texts(self) -> UnsavedTexts:
        """Texts about papers that were begun and not saved."""
        from litterm.annotations.unsaved_texts import UnsavedTexts

        return UnsavedTexts(self.state)

    @once
    def saved_searches(self) -> SavedSearches:
        """Saved searches."""
        from litterm.annotations.saved_searches import SavedSearches

        return SavedSearches(
            self.annotations.undo_log,
            lambda: self.annotations.project,
            lambda query, k: self.searcher.search(query, k=k),
        )

    @once
    def hops(self) -> HopSearcher:
        """Search that adds papers linked to the best results by citations."""
        from litterm.search.citation_expansion import OneHopSearcher

        return OneHopSearcher(self.searcher, self.citations.update)

    @once
    def model_ranking(self) -> ModelRanking:
        """Reranking by a language model, if one is set."""
        from litterm.search.rerank.rerank import ModelRanking, build_reranker

        build = partial(build_reranker, self.models)
        return ModelRanking(lambda: self.searcher, lambda: self.hops, build, partial(build, dry_run=True))

    @once
    def rewriting(self) -> QueryRewriting:
        """Searching with other queries that a model writes, if one is set."""
        from litterm.search.rewrites.rewrites import QueryRewriting

        return QueryRewriting(lambda: self.searcher, self._build_rewriter, partial(self._build_rewriter, dry_run=True))

    def _build_rewriter(self, *, dry_run: bool = False) -> ModelRewriter:
        from litterm.search.rewrites.model_rewriter import ModelRewriter

        # A dry run shows the request even if its reply is cached.
        return ModelRewriter(self.models.model(dry_run=dry_run).start_run(fresh=dry_run))

    @once
    def aspects(self) -> Aspects:
        """Queries in several aspects; their grades are cached."""
        from litterm.search.aspects.aspects import Aspects

        return Aspects(
            lambda: self.aspect_scorer,
            self._build_splitter,
            self._build_grader,
            partial(self._build_grader, dry_run=True),
            partial(self._build_splitter, dry_run=True),
            lambda: self.searcher,
            lambda: self.sentence_embedder,
            lambda: self.built_in_sentences,
        )

    @once
    def sentence_embedder(self) -> SentenceEmbedder:
        """The user's encoder, or the built-in vectors where none is set.

        Raises:
            ModelOffline: the folder of the encoder holds none that can be used.
        """
        settings = self._settings.encoder
        if not settings.folder:
            return self.built_in_sentences
        from pathlib import Path

        from litterm.library.encoder.model_folder import read_folder
        from litterm.library.encoder.sentence_encoder import SentenceEncoder

        return SentenceEncoder(read_folder(Path(settings.folder), query=settings.query, passage=settings.passage))

    @once
    def built_in_sentences(self) -> SentenceEmbedder:
        """Sentences by the built-in vectors."""
        from litterm.library.index.static_embeddings import open_static
        from litterm.search.aspects.sentence_similarity import BuiltInSentences

        return BuiltInSentences(open_static())

    @once
    def aspect_scorer(self) -> AspectScorer:
        """Scores papers by aspects, offline."""
        from litterm.search.aspects.scores import SearchAspectScorer

        return SearchAspectScorer(*(library.open_searcher() for library in self.searched_libraries.in_order()))

    def _build_splitter(self, *, dry_run: bool = False) -> ModelSplitter:
        from litterm.search.aspects.decompose import ModelSplitter

        # A dry run shows the request even if its reply is cached.
        return ModelSplitter(self.models.model(dry_run=dry_run).start_run(fresh=dry_run))

    def _build_grader(self, *, dry_run: bool = False) -> ModelGrader:
        from litterm.search.aspects.grade_cache import GradeCache
        from litterm.search.aspects.grades import ModelGrader

        # Grades are cached one by one. A cached reply would only repeat grades that could not be parsed.
        model = self.models.model(dry_run=dry_run).start_run(fresh=True)
        return ModelGrader(model, GradeCache(self._settings.cache / "grades"))

    @once
    def models(self) -> Models:
        """The language models of the settings, and what they have cost so far."""
        from litterm.llm.registry import Models

        return Models(self._settings)

    # Who cites whom, and how often.

    @once
    def citations(self) -> Citations:
        """The citation graph of the user's library and the starter library, and behind it what ships."""
        return self._open_citations(self._starter_lists, self._shipped_edges())

    @once
    def own_citations(self) -> Citations:
        """The citation graph without the starter library, which takes longer to read than an answer takes."""
        return self._open_citations(tuple)

    def _open_citations(
        self, starter_lists: Callable[[], tuple[CitedList, ...]], shipped: ShippedEdges | None = None
    ) -> Citations:
        from litterm.citations.citations import Citations
        from litterm.citations.service_lists import ServiceLists
        from litterm.citations.store import CitationStore
        from litterm.library.segments.citing_texts import CitingTexts

        library = self.library
        return Citations(
            CitationStore(library.root),
            CitingTexts(library.stored),
            ServiceLists(library.root),
            # References are resolved against the stored records, so that decisions on records need no new resolution.
            library.stored,
            self._stored_works,
            starter_lists,
            library.decided,
            shipped,
            partial(_read_in_background, library.root),
        )

    def _shipped_edges(self) -> ShippedEdges:
        from litterm.citations.shipped import ShippedEdges

        return ShippedEdges(self.facts, self.lookup)

    def _stored_works(self) -> LibraryWorks:
        # Imported where a list is resolved: what reads references is a tenth of what a search imports.
        from litterm.library.title_lookup import LibraryWorks

        return LibraryWorks(self.library.stored, self.index)

    def _starter_lists(self) -> tuple[CitedList, ...]:
        if self.starter is None:
            return ()
        from litterm.citations.reference_resolution import from_starter

        return from_starter(self.starter.all_documents())

    @once
    def counts(self) -> CitationCounts:
        """Citation counts, within the user's library, by service, and those that ship."""
        from litterm.citations.count_store import CountStore
        from litterm.citations.counts import CitationCounts

        store = CountStore(self.library.root)
        return CitationCounts(
            store,
            self.library,
            self.own_citations.graph,
            lambda: self.services.open_registry(),
            network=lambda: self._network_counts,
        )

    @once
    def _network_counts(self) -> NetworkCounts:
        from litterm.citations.shipped import NetworkCounts

        return NetworkCounts(self.facts, self.library, self.library.decided)

    # Which paper a mark stands for.

    def attributor(self, library_name: LibraryName | None = None) -> Attributor:
        """Finds candidates for an excerpt among the papers of the library.

        Without it, among the user's papers or, while there are none, in the starter library.
        """
        chosen = self.searched_libraries.choose(library_name)
        return self._own_attributor if chosen.name == "own" else self._starter_attributor

    @once
    def _own_attributor(self) -> Attributor:
        from litterm.attribution.features import CitationContexts
        from litterm.attribution.learned import open_attributor
        from litterm.search.lexical import LexicalSearcher

        return open_attributor(
            self.own_candidates,
            lambda: LexicalSearcher(self.library, self.index),
            document=self.lookup.document,
            find_by_author_year=partial(_find_by_author_year, self.works),
            find_by_name=self._works_by_name,
            find_named=self._papers_of_names(self.library).at_end,
            contexts=CitationContexts(self.own_citations.graph),
            facts=self._fact_features,
        )

    @once
    def _starter_attributor(self) -> Attributor:
        from litterm.attribution.learned import open_attributor
        from litterm.library.title_lookup import LibraryWorks
        from litterm.search.lexical import LexicalSearcher

        starter = self.starter
        assert starter is not None
        return open_attributor(
            _open_candidates(starter, starter.index),
            lambda: LexicalSearcher(starter, starter.index),
            document=self.lookup.document,
            find_by_author_year=partial(_find_by_author_year, lambda: LibraryWorks(starter, starter.index)),
            find_named=self._papers_of_names(starter).at_end,
            facts=self._fact_features,
        )

    @once
    def _fact_features(self) -> FactFeatures:
        from litterm.attribution.fact_features import FactFeatures
        from litterm.citations.count_ranks import CountRanks

        return FactFeatures(CountRanks(self.facts), lambda: self.facts().profiles())

    @once
    def own_candidates(self) -> CitationCandidateSearcher:
        """Finds papers of the user that may be cited at a mark."""
        return _open_candidates(self.library, self.index)

    def _papers_of_names(self, library: ShownLibrary | StarterLibrary) -> PapersOfNames:
        from litterm.library.citation_facts.names import PapersOfNames

        return PapersOfNames(
            self.names,
            library,
            lambda title: library.find_by_title([title])[0],
            lambda: self.annotations.hidden_names(),
        )

    def _works_by_name(self, name: str) -> Sequence[PaperId]:
        """The user's papers that the starter library explains `name` by: an archive's record may lack the name."""
        if self.starter is None:
            return ()
        from litterm.attribution.features import find_introduced_works

        return find_introduced_works(name, self.starter.all_papers(), self.works())

    @once
    def citing(self) -> AgentAttribution:
        """Attribution by an agent, if a language model is set."""
        from litterm.attribution.agent.runs import AgentAttribution
        from litterm.attribution.agent.storage import TrajectoryStore

        return AgentAttribution(
            records=self.lookup,
            titles=self.works,
            attributor=self.attributor,
            store=TrajectoryStore(self.state),
            build_agent=self._build_agent,
            build_dry_run=partial(self._build_agent, dry_run=True),
        )

    def _build_agent(self, options: AgentOptions, *, dry_run: bool = False) -> CitationAgent:
        from litterm.attribution.agent.agent import CitationAgent, choose_temperature
        from litterm.attribution.agent.search import AgentSearch

        options = choose_temperature(options, self._settings.model.agent_temperature)
        services = self.services if options.online and not self._settings.offline else None
        search = AgentSearch(self.lookup, self.searcher, self.citations.resolved_graph, services, self.counts.until)
        model = self.models.model(dry_run=dry_run).start_run(fresh=not options.cached)
        return CitationAgent(model, search, options)

    @once
    def drafts(self) -> Drafts:
        """Drafts with missing or existing citations."""
        from litterm.attribution.drafts.decisions import DraftDecisions
        from litterm.attribution.drafts.drafts import Drafts
        from litterm.library.state.sessions import draft_decisions

        decisions = DraftDecisions(draft_decisions(self.state))
        return Drafts(self.lookup, self.works, self.attributor, self._open_checker, decisions, self.citation_keys)

    def _open_checker(self) -> CitationChecker:
        from litterm.attribution.drafts.citation_check import CitationChecker

        return CitationChecker(self.lookup, self.works(), self.searcher, self.extractor)

    @once
    def bibliographies(self) -> Bibliographies:
        """Bibliographies held against what is known of their entries."""
        from litterm.attribution.bibliographies.bibliographies import Bibliographies
        from litterm.engine.sql import run_sql

        return Bibliographies(
            self.works,
            self._starter_works,
            lambda statement: run_sql(self, statement, limit=None),
            lambda: self.reader,
            lambda: self.searcher,
            lambda: self.drafts,
            self._open_online_records,
        )

    def _starter_works(self) -> WorkLookup | None:
        from litterm.library.title_lookup import LibraryWorks

        return None if self.starter is None else LibraryWorks(self.starter, self.starter.index)

    def _open_online_records(self) -> OnlineRecords:
        from litterm.attribution.bibliographies.online import OnlineRecords

        return OnlineRecords(self.services.open_registry)

    # What speaks for or against a hypothesis.

    @once
    def extractor(self) -> EvidenceExtractor:
        """Extracts evidence on a hypothesis from a document."""
        from litterm.evidence.learned import open_extractor

        return open_extractor()

    @once
    def answers(self) -> Answers:
        """Answers questions by sentences of the papers.

        Raises:
            BadInput: the fitted weights cannot be read.
        """
        from litterm.evidence.answers.answers import Answers
        from litterm.evidence.answers.weights import read_answer_weights
        from litterm.evidence.learned import LinearExtractor
        from litterm.evidence.weights import read_weights
        from litterm.library.full_text import read_full_text

        return Answers(
            self.searcher,
            lambda paper_id: read_full_text(self.lookup, paper_id),
            lambda papers: self.citation_keys.keys_of(papers),
            LinearExtractor(read_weights().shipped),
            read_answer_weights().shipped,
        )

    @once
    def written_answers(self) -> WrittenAnswers:
        """Answers that a language model writes from quotes, and that are checked sentence by sentence."""
        from litterm.evidence.answers.answers import QuoteLimits
        from litterm.evidence.answers.storage import WrittenAnswerStore
        from litterm.evidence.answers.written_answers import WrittenAnswers

        store = WrittenAnswerStore(lambda: self.state, lambda: self.annotations.project, lambda: self.lookup)
        return WrittenAnswers(
            lambda: self.answers,
            lambda fresh: self.models.model().start_run(fresh=fresh),
            # A dry run shows the request even if its reply is cached.
            lambda: self.models.model(dry_run=True).start_run(fresh=True),
            QuoteLimits(),
            lambda: store,
        )

    @once
    def model_evidence(self) -> LlmEvidence:
        """Evidence with a language model, if one is set, based on the offline answer."""
        from litterm.evidence.llm.llm_evidence import LlmEvidence

        return LlmEvidence(
            library=lambda: self.lookup,
            build_extractor=self._build_llm_extractor,
            build_dry_run=partial(self._build_llm_extractor, dry_run=True),
            offline_extractor=lambda: self.extractor,
        )

    def _build_llm_extractor(self, options: EvidenceLlmOptions, *, dry_run: bool = False) -> LlmExtractor:
        from litterm.evidence.llm.extractor import LlmExtractor

        model = self.models.model(dry_run=dry_run).start_run(fresh=not options.cached)
        return LlmExtractor(self.extractor, model, options, marks=self.annotations.all_marks)

    @once
    def studies(self) -> Studies:
        """The study aspects of hypotheses, kept by project."""
        from litterm.evidence.study.storage import StudyAspectStore
        from litterm.evidence.study.studies import Studies

        return Studies(
            lambda: StudyAspectStore(lambda: self.state, lambda: self.annotations.project),
            lambda: self.models.model().start_run(),
            # A dry run shows the request even if its reply is cached.
            lambda: self.models.model(dry_run=True).start_run(fresh=True),
        )

    @once
    def matrices(self) -> Matrices:
        """The evidence matrices of the library."""
        from litterm.core.version import __version__
        from litterm.evidence.matrix.matrices import Matrices
        from litterm.evidence.matrix.run import MatrixFill
        from litterm.evidence.matrix.storage import MatrixStore

        filling = MatrixFill(
            store=MatrixStore(self.state),
            library=self.lookup,
            extractor=lambda: self.extractor,
            failures=lambda: self.failures.all(),
            version=__version__,
            # Shared with the evidence pane.
            build_extractor=self.model_evidence.build_extractor,
            build_dry_run=self.model_evidence.build_dry_run,
        )
        return Matrices(filling, self.annotations)

    @once
    def column_tables(self) -> ColumnTables:
        """The tables of columns of the library."""
        from litterm.annotations.column_edits import ColumnEdits
        from litterm.core.version import __version__
        from litterm.evidence.columns.column_tables import ColumnTables
        from litterm.evidence.columns.run import ColumnFill
        from litterm.evidence.columns.storage import ColumnStore

        filling = ColumnFill(
            store=ColumnStore(self.state),
            library=self.lookup,
            names=lambda: self.names,
            failures=lambda: self.failures.all(),
            version=__version__,
            build_model=lambda fresh: self.models.model().start_run(fresh=fresh),
            # A dry run shows the requests even if their replies are cached.
            build_dry_run=lambda: self.models.model(dry_run=True).start_run(fresh=True),
        )
        return ColumnTables(filling, ColumnEdits(self.annotations.undo_log))

    # How far people and the model agree.

    @once
    def people_grades(self) -> PeopleGrades:
        """Grades by people of what a model judges too."""
        from litterm.annotations.people_grades import PeopleGrades

        return PeopleGrades(self.annotations.undo_log)

    @once
    def agreement(self) -> ModelAgreement:
        """Tests whether the model grades as people do."""
        from litterm.agreement.agreement import ModelAgreement

        model = self._settings.model
        return ModelAgreement(
            lambda: self.people_grades,
            lambda: self.lookup,
            lambda: self.extractor,
            # A new run each, because caps count over one.
            lambda: self.aspects.grader(),
            lambda: self.model_evidence,
            model.model,
            model.temperature,
        )

    # What to read first.

    @once
    def reading_lists(self) -> ReadingLists:
        """Reading lists."""
        from litterm.reading_lists.reading_lists import ReadingLists

        return ReadingLists(
            self.annotations,
            self.lookup,
            self.list_builder,
            self._model_list_builder,
            self.expert_lists,
            self.damage_notice,
        )

    @once
    def expert_lists(self) -> ExpertLists:
        """The reading lists that tutorials and surveys of the user's library print."""
        from litterm.library.segments.section_titles import papers_with_section
        from litterm.reading_lists.expert_lists import ExpertLists

        return ExpertLists(partial(papers_with_section, self.library.stored), self.lookup, self.works)

    def list_builder(self, library_name: LibraryName | None = None) -> ListBuilder:
        """The list builder with fitted weights, over the papers of the library.

        Without it, over the user's papers or, while there are none, the starter library.
        """
        from litterm.reading_lists.builder import ListBuilder
        from litterm.reading_lists.candidates import CandidateSearch
        from litterm.reading_lists.weights import read_weights

        chosen = self.searched_libraries.choose(library_name)
        describer = _open_candidates(chosen.library, chosen.index)
        named_in = self.library if chosen.name == "own" or self.starter is None else self.starter
        search = CandidateSearch(
            chosen.open_searcher(),
            describer,
            self.citations.resolved_graph,
            self.counts.until,
            self._papers_of_names(named_in).within,
        )
        return ListBuilder(search, read_weights())

    def _model_list_builder(self, options: ListLlmOptions) -> ModelListBuilder:
        from litterm.reading_lists.llm_builder import ModelListBuilder
        from litterm.services.online import TitleLookupOnline

        may_look_up = options.online and not options.dry_run
        look_up_online = TitleLookupOnline(lambda: self.services, self.lookup).find if may_look_up else None
        conversation = self.models.model(dry_run=options.dry_run).start_run(fresh=options.fresh)
        builder = self.list_builder(options.library_name)
        return ModelListBuilder(builder, conversation, self._papers_by_title, look_up_online)

    def _papers_by_title(self, titles: Sequence[str]) -> Sequence[Sequence[Paper]]:
        works = self.works()
        return [works.by_id(ids) for ids in works.find_by_title(titles)]

    # Test sets.

    @once
    def set_maker(self) -> SetMaker:
        """Makes test sets from the citing sentences of the user's library."""
        from litterm.library.segments.citing_texts import CitingTexts
        from litterm.test_sets.maker import SetMaker
        from litterm.test_sets.passages import CitingPassages
        from litterm.test_sets.sub_queries import PoolSearch

        passages = CitingPassages(CitingTexts(self.library.stored), self.works)
        return SetMaker(
            passages,
            self.expert_lists,
            PoolSearch(lambda: self.searcher, self.lookup.by_id),
            self._open_set_writer,
            partial(self._open_set_writer, dry_run=True),
        )

    def _open_set_writer(self, request: SetRequest, *, dry_run: bool = False) -> ModelWriter:
        from litterm.test_sets.llm_writers import open_writer

        return open_writer(request, self.models.model(dry_run=dry_run).start_run())


def _find_by_author_year(works: Callable[[], WorkLookup], family: str, year: int | None) -> Sequence[Paper]:
    return works().find_by_author_years([(family, year or 0)])[0]


def _open_candidates(library: Library, index: IndexReader) -> CitationCandidateSearcher:
    from litterm.library.index.static_embeddings import open_static
    from litterm.search.citation_candidates import CitationCandidateSearcher

    return CitationCandidateSearcher(library, index, embedder=open_static())


def _read_in_background(root: Path) -> None:
    # Imported when needed, which is seldom.
    from litterm.citations.background import start_background

    start_background(root)


def _read_excerpt(text: str) -> Excerpt:
    # Imported when needed, because most queries are no excerpts.
    from litterm.attribution.excerpt import read_excerpt

    return read_excerpt(text)
