"""The engine: the public API, which the command line, the workbench and the server call.

```python
from litterm import build_engine, load_settings, run

engine = build_engine(load_settings())
best, *rest = run(engine.search("label smoothing hurts knowledge distillation")).papers
```
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from litterm.engine.revise import check_own, revise
from litterm.model.answer import DEFAULT_ANSWER_PAPERS, DEFAULT_ANSWER_SENTENCES
from litterm.model.reading_list import DEFAULT_PAPERS
from litterm.model.search import DEFAULT_RESULTS, nested_filters

# For types only; what a method needs it imports itself: a light command must load nothing that it does not use.
if TYPE_CHECKING:
    from litterm.agreement.agreement import ModelAgreement
    from litterm.annotations.annotations import Annotations
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.known_names import KnownNames
    from litterm.annotations.paper_changes import PaperMarking
    from litterm.annotations.people_grades import PeopleGrades
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.annotations.unsaved_texts import UnsavedTexts
    from litterm.attribution.agent.runs import AgentAttribution
    from litterm.attribution.bibliographies.bibliographies import Bibliographies
    from litterm.attribution.drafts.drafts import Drafts
    from litterm.citations.citations import Citations
    from litterm.citations.counts import CitationCounts
    from litterm.core.tasks import Task
    from litterm.engine.attachments import Attachments
    from litterm.engine.file_exports import FileExports
    from litterm.engine.parts import Parts
    from litterm.engine.search_records import SearchRecords
    from litterm.evidence.answers.answers import Answers
    from litterm.evidence.answers.written_answers import WrittenAnswers
    from litterm.evidence.columns.column_tables import ColumnTables
    from litterm.evidence.llm.llm_evidence import LlmEvidence
    from litterm.evidence.matrix.matrices import Matrices
    from litterm.evidence.study.studies import Studies
    from litterm.interfaces import Records, WorkLookup
    from litterm.library.encoder.library_encoder import LibraryEncoder
    from litterm.library.imports import LibraryImports
    from litterm.library.watched_folders import WatchedFolders
    from litterm.llm.model import ChatModel
    from litterm.llm.registry import Models
    from litterm.model.answer import Answer
    from litterm.model.attribution.citation import Attribution, CandidateBounds, Excerpt
    from litterm.model.citations.graph import Direction, FirstPapers, ListedWork
    from litterm.model.document import Document, Span
    from litterm.model.evidence import Evidence, EvidenceScope
    from litterm.model.export import ExportFormat
    from litterm.model.imports import LibraryImport
    from litterm.model.library import Failure, ImportReport, LibraryStatus, TakenBack
    from litterm.model.llm import ModelCost
    from litterm.model.overview import HomeOverview, UndoStep
    from litterm.model.paper import LibraryName, Paper, PaperId
    from litterm.model.reading_list import ReadingList
    from litterm.model.search import Facet, HopOptions, Query, Ranking, SortOrder
    from litterm.model.services import RetryReport
    from litterm.model.sql import SqlResult
    from litterm.reading_lists.reading_lists import ReadingLists
    from litterm.render.bibliography.keys import CitationKeys
    from litterm.render.export.markdown import Quote
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.filters.filters import PapersByTag
    from litterm.search.rerank.rerank import ModelRanking
    from litterm.search.rewrites.rewrites import QueryRewriting
    from litterm.services.online import OnlineServices
    from litterm.test_sets.maker import SetMaker

T = TypeVar("T", "Answer", "Attribution", "Evidence", "FirstPapers", "ReadingList")


class Engine:
    """All features of litterm. Cheap to build and thread-safe; each part is built when it is first needed."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @property
    def services(self) -> OnlineServices:
        """Online services: synchronisation, downloads and live search."""
        return self._parts.services

    @property
    def citation_keys(self) -> CitationKeys:
        """The keys under which papers are cited everywhere: the user's own, else by the formula of the settings.

        Raises:
            SettingsError: the formula cannot be read.
        """
        return self._parts.citation_keys

    @property
    def encoder(self) -> LibraryEncoder | None:
        """The user's sentence encoder and its vectors of the library; `None` where none is set.

        Raises:
            ModelOffline: its folder holds no encoder that can be used.
        """
        return self._parts.encoder

    @property
    def watched_folders(self) -> WatchedFolders:
        """Folders whose new and changed files are imported."""
        return self._parts.watched_folders

    def parse(self, typed: str, *, finished: bool = True) -> Query:
        """Parses a query.

        Raises:
            QueryError: it cannot be parsed; the error has the position.
        """
        from litterm.text.queries.parser import parse_query

        return parse_query(typed, finished=finished)

    def search(
        self,
        typed: str | Query,
        *,
        k: int = DEFAULT_RESULTS,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        """Searches for the best `k` papers, of those `within` if given; the user's own before the starter library.

        Raises:
            QueryError: `typed` cannot be parsed.
            UnknownPaper: the paper of `like:` or `unlike:` does not exist.
        """
        ranking = yield from self._parts.searcher.search(typed, k=k, sort=sort, finished=finished, within=within)
        query = ranking.query
        named = [name for filters in nested_filters((query.filters, *query.conditions)) for name in filters.collections]
        notices = [notice for name in named if (notice := self.annotations.collections.unknown_notice(name))]
        return replace(ranking, notices=(*ranking.notices, *dict.fromkeys(notices))) if notices else ranking

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """Counts the papers that match `query` by year, venue, type and source."""
        # Counts over both libraries would not fit the list of results, which shows one behind the other.
        searched = self._parts.searched_libraries.choose(query.library_name)
        return (yield from searched.open_searcher().facets(query))

    def paper(self, key: str) -> Paper:
        """The paper with this id, alias or unambiguous key.

        Raises:
            UnknownPaper: there is none.
            AmbiguousPaper: there are several.
        """
        return self._parts.lookup.paper(key)

    def read(self, paper_id: PaperId) -> Task[Document]:
        """Reads the best full text, or a document of title and abstract (whose `origin` is `abstract`).

        Raises:
            UnknownPaper: the library does not hold it.
        """
        from litterm.library.full_text import read_full_text

        return (yield from read_full_text(self._parts.lookup, paper_id))

    def link_references(self, document: Document) -> Task[Document]:
        """Links the references in `document` to papers of the library."""
        from litterm.library.title_lookup import resolve_document

        return (yield from resolve_document(document, self._parts.works()))

    def listed_works(self, paper: Paper, direction: Direction) -> Task[tuple[ListedWork, ...]]:
        """What `paper` cites or what cites it, as far as the library knows; see `citations.references`."""
        from litterm.citations.references import find_listed_works

        graph = yield from self.citations.update()
        return (
            yield from find_listed_works(
                paper, direction, graph, self._parts.lookup, self._parts.works(), self.citations.shipped
            )
        )

    def evidence(
        self,
        paper_id: PaperId,
        hypothesis: str,
        *,
        k: int = 10,
        scope: EvidenceScope = "all",
        everything: bool = False,
    ) -> Task[Evidence]:
        """Extracts at most `k` sentences of a paper that are evidence on the hypothesis, and its key findings.

        There may be fewer, or none, if the paper says little; `everything` always returns `k`.

        Raises:
            UnknownPaper: the library does not hold it.
            UsageError: the hypothesis has no content word, or `k` is below 1.
        """
        document = yield from self.read(paper_id)
        return (yield from self.evidence_in(document, hypothesis, k=k, scope=scope, everything=everything))

    def evidence_in(
        self,
        document: Document,
        hypothesis: str,
        *,
        k: int = 10,
        scope: EvidenceScope = "all",
        everything: bool = False,
    ) -> Task[Evidence]:
        """Like `evidence`, for a document that was read before."""
        task = self._parts.extractor.extract(document, hypothesis, k=k, scope=scope, everything=everything)
        return (yield from self._with_damage_notice(task))

    def ask(
        self, question: str | Query, *, k: int = DEFAULT_ANSWER_SENTENCES, papers: int = DEFAULT_ANSWER_PAPERS
    ) -> Task[Answer]:
        """Answers a question by at most `k` sentences of the first `papers` papers that a search for it finds.

        The answer names why the library does not say anything, where it does not. `k` and `papers` are 1 to 100.

        Raises:
            UsageError: the question has no content word, or a number is out of range.
            QueryError: its filters cannot be parsed.
            BadInput: the fitted weights cannot be read.
        """
        return (yield from self._with_damage_notice(self._parts.answers.ask(question, k=k, papers=papers)))

    @property
    def answers(self) -> Answers:
        """Answers to questions, and the first sentence of each of several papers.

        Raises:
            BadInput: the fitted weights cannot be read.
        """
        return self._parts.answers

    @property
    def written_answers(self) -> WrittenAnswers:
        """Answers that a language model writes from quotes: what they would cost, what would be sent, and writing."""
        return self._parts.written_answers

    def excerpt(self, text: str, mark: int = 0, claim: Span | None = None) -> Excerpt:
        """Parses a text with citation marks. With `claim` only the words of that span are searched for.

        Raises:
            UsageError: the text is blank or has no such mark or stretch.
        """
        from litterm.attribution.excerpt import read_excerpt

        return read_excerpt(text, mark, claim)

    def cite(
        self,
        text: str | Excerpt,
        *,
        k: int = 5,
        before: int | str | None = None,
        mark: int = 0,
        source: str = "",
        library_name: LibraryName | None = None,
    ) -> Task[Attribution]:
        """Finds at most `k` candidates for one citation mark of `text`, none later than `before` (`2018`, `2018-07`).

        `source` is the citing paper, by id or title: neither it nor later papers are candidates. Candidates are of
        `library_name` or, without it, of the user's papers, and of the starter library only while there are none.

        Raises:
            UsageError: the text is blank, has no such mark, no word around it can be searched for, or `before` is
                no date.
        """
        from litterm.attribution.candidate_bounds import read_bounds

        parts = self._parts
        excerpt = self.excerpt(text, mark) if isinstance(text, str) else text
        bounds = read_bounds(before, source, parts.lookup, parts.works)
        return (yield from self.attribute(excerpt, k=k, bounds=bounds, library_name=library_name))

    def attribute(
        self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds, library_name: LibraryName | None = None
    ) -> Task[Attribution]:
        """Like `cite`, for a parsed excerpt and known bounds."""
        yield from self.citations.announce_unread()
        attributor = self._parts.attributor(library_name)
        attribution = yield from self._with_damage_notice(attributor.attribute(excerpt, k=k, bounds=bounds))
        if attribution.verdict == "absent" and self._parts.damage_notice():
            # Whether it is there cannot be told from a damaged index.
            return replace(attribution, verdict="unsure")
        return attribution

    def add(self, paths: Sequence[Path], *, retry: bool = False, attached: bool = True) -> Task[ImportReport]:
        """Imports files, folders and archives, recognised by content; safe to kill and to repeat.

        `retry` also reads inputs that failed before. With `attached` the PDFs that records of bibliographies name are
        read, wherever on this machine they lie.

        Raises:
            LibraryError: the library cannot be written at all; trouble with single inputs is in the report.
        """
        from litterm.annotations.zotero_collections import file_as_in_zotero
        from litterm.library.import_files import add
        from litterm.library.state.failures import mark_resolved

        parts = self._parts
        reader = parts.reader.with_attached_files() if attached else parts.reader
        report = yield from add(parts.writer(), reader, parts.failures, paths, retry=retry)
        # A failure is resolved if its paper has arrived by any import.
        mark_resolved(parts.failures, parts.library)
        filed = file_as_in_zotero(parts.annotations.collections, parts.works(), paths)
        return replace(report, remarks=(*report.remarks, *filed)) if filed else report

    def correct(self, paper_id: PaperId, correction: Paper) -> Task[Paper]:
        """Stores what the user corrected of a record: the fields of `correction` that have a value.

        It is a source of its own, shown whatever other sources say, now or later. Returns the corrected record.

        Raises:
            UnknownPaper: the paper is not in the user's library.
            UsageError: it belongs to the starter library.
        """
        from litterm.library.writer.revision import corrected

        check_own(paper_id)
        yield from revise(self._parts, corrected(paper_id, correction))
        return self.paper(paper_id)

    def undo_correction(self, paper_id: PaperId) -> Task[Paper]:
        """Takes back all that was corrected of a record by hand, and returns it as its sources state it.

        Raises:
            UnknownPaper: the paper is not in the user's library.
            UsageError: nothing was corrected, or it belongs to the starter library.
        """
        from litterm.library.writer.revision import correction_undone

        check_own(paper_id)
        yield from revise(self._parts, correction_undone(paper_id))
        return self.paper(paper_id)

    def separate(self, paper_id: PaperId, number: int) -> Task[tuple[Paper, Paper]]:
        """Takes source `number` (from 1, as in `Paper.sources`) out of a merged record.

        Each record gets back what its sources said, with its full texts, and they are not merged again. Returns the
        record that keeps the id, and the other one.

        Raises:
            UnknownPaper: the paper is not in the user's library.
            UsageError: it has one source only, none of that number, or belongs to the starter library.
        """
        from litterm.library.writer.revision import separation

        check_own(paper_id)
        taken: list[PaperId] = []
        yield from revise(self._parts, separation(paper_id, number, taken))
        return self.paper(paper_id), self.paper(taken[0])

    def take_back(self, source: Path | LibraryImport) -> Task[TakenBack]:
        """Takes back one of `imports`, or all of a file, archive or folder; `add` with `retry` brings it back.

        What it said is taken out of merged records, and papers that came from it alone are hidden.

        Raises:
            UnknownPaper: no paper came from it.
            UsageError: it is an import from services.
        """
        from litterm.core.errors import UnknownPaper
        from litterm.importers.byte_sources import printable
        from litterm.library.writer.revision import import_taken_back
        from litterm.model.library import TakenBack

        only_here: list[PaperId] = []
        changed: list[PaperId] = []
        if isinstance(source, Path):
            name = str(source)
            # As the import names it, from wherever it was started.
            path, is_stated = Path(printable(str(source.absolute()))), None
        else:
            name = source.name
            path, is_stated = self._parts.imports.place_of(source)
        yield from revise(self._parts, import_taken_back(path, only_here, changed, is_stated))
        if not only_here and not changed:
            raise UnknownPaper(f"No paper came from {name}; `litterm show PAPER` says where a paper is from.")
        hidden = self._parts.record_curation.remove_records(only_here)
        return TakenBack(hidden, tuple(changed))

    def imports(self) -> Task[tuple[LibraryImport, ...]]:
        """The sources of the user's papers: files, folders, Zotero, ids, services; the user's own first.

        `import:NAME` in a query finds the papers of one, and `is:mine` those of all that are the user's own.
        """
        return self._parts.imports.all()

    @property
    def import_index(self) -> LibraryImports:
        """Imports by name, the user's own, and the papers of these."""
        return self._parts.imports

    def after_import(self) -> Task[None]:
        """Adds the reference lists of new papers to the citation graph, after any kind of import.

        A task of its own, so that a report can be shown first. Many lists are read by a background process.

        Raises:
            LibraryError: the library, or the graph's folder, cannot be used.
        """
        return self.citations.catch_up()

    def failures(self) -> tuple[Failure, ...]:
        """Inputs that could not be imported, oldest first, until they are resolved or dismissed."""
        return self._parts.failures.all()

    def retry_failures(self, only: Collection[str] = ()) -> Task[RetryReport]:
        """Retries all failures, or those of the origins `only`: reads files, looks up ids, fetches full texts.

        Raises:
            Offline: there are only ids and texts to ask for, and the network is switched off.
        """
        return (yield from self.services.retry(only))

    def dismiss_failures(self, only: Collection[str] = ()) -> int:
        """Forgets all failures, or those of the origins `only`. Returns their number."""
        return self._parts.failures.dismiss(only)

    def status(self) -> LibraryStatus:
        """Counts of the user library, who is writing to it, and pending work."""
        library = self._parts.library
        status = library.status()
        notices = filter(None, (self._parts.verifier.notice(library.snapshot), self.citations.unread_notice()))
        return replace(status, notices=(*status.notices, *notices))

    @property
    def annotations(self) -> Annotations:
        """Marks, decisions, tags, notes and the session."""
        return self._parts.annotations

    @property
    def papers_under(self) -> PapersByTag:
        """Gives the papers of a tag, list, collection, note, project or import of the user's."""
        return self._parts.tagged

    @property
    def matrices(self) -> Matrices:
        """Evidence matrices: hypotheses over many papers, filled in the background."""
        return self._parts.matrices

    @property
    def column_tables(self) -> ColumnTables:
        """Tables of columns: what many papers state of the same things, filled in the background."""
        return self._parts.column_tables

    @property
    def drafts(self) -> Drafts:
        """Drafts: suggests missing citations and checks existing ones."""
        return self._parts.drafts

    @property
    def bibliographies(self) -> Bibliographies:
        """Bibliographies of files and drafts, each entry held against what is known."""
        return self._parts.bibliographies

    @property
    def marking(self) -> PaperMarking:
        """Marks many papers at once, as undo takes it back."""
        return self._parts.marking

    @property
    def record_curation(self) -> RecordCuration:
        """Merging duplicate records, and hiding papers."""
        return self._parts.record_curation

    @property
    def unsaved_texts(self) -> UnsavedTexts:
        """Texts about papers that were begun and neither saved nor discarded."""
        return self._parts.unsaved_texts

    @property
    def saved_searches(self) -> SavedSearches:
        """Saved searches and their new papers."""
        return self._parts.saved_searches

    @property
    def search_records(self) -> SearchRecords:
        """Searches that are recorded, with what they depend on, and made once more."""
        return self._parts.search_records

    @property
    def reading_lists(self) -> ReadingLists:
        """The reading lists of the current project."""
        return self._parts.reading_lists

    def reading_list(
        self, topic: str, *, n: int = DEFAULT_PAPERS, until: int | None = None, sections: bool = False
    ) -> Task[ReadingList]:
        """Builds a reading list of `n` papers (3 to 20), none newer than `until`, without saving it.

        Raises:
            UsageError: the topic has no word to search for.
        """
        from litterm.model.reading_list import ListRequest

        return (yield from self.reading_lists.build(ListRequest(topic, n, until, sections)))

    def home(self) -> Task[HomeOverview]:
        """The home screen: new papers of saved searches, unfinished reading and work, failures, recent decisions."""
        from litterm.engine.overview import build_home

        return (yield from build_home(self._parts))

    def undo_steps(self) -> Task[tuple[UndoStep, ...]]:
        """Changes that redo would repeat, then those that undo takes back, the newest first."""
        from litterm.engine.overview import list_undo_steps

        return (yield from list_undo_steps(self._parts))

    @property
    def set_maker(self) -> SetMaker:
        """Test sets made from the user's own library."""
        return self._parts.set_maker

    @property
    def citations(self) -> Citations:
        """The citation graph, and the task that updates it."""
        return self._parts.citations

    @property
    def counts(self) -> CitationCounts:
        """Citation counts, within the library and by service, and the task that updates them."""
        return self._parts.counts

    def first(self, query: Query, *, k: int = 10) -> Task[FirstPapers]:
        """Finds the `k` papers with which a topic began: by citing sentences, then the oldest relevant ones.

        Raises:
            UsageError: `query` has no word to search for.
        """
        from litterm.citations.first_papers import find_first_papers

        graph = self.citations.update()
        return (
            yield from self._with_damage_notice(
                find_first_papers(query, k=k, searcher=self._parts.searcher, graph=graph)
            )
        )

    def one_hop(self, query: Query, *, k: int = DEFAULT_RESULTS, hop: HopOptions | None = None) -> Task[Ranking]:
        """Searches, adds papers linked to the first results by citations, and ranks all together; offline.

        Yields the ranking of the search first. `hop` sets which neighbours are added and how many.
        """
        from litterm.model.search import HopOptions

        return (yield from self._parts.hops.search(query, k=k, hop=hop or HopOptions()))

    @property
    def model(self) -> ChatModel | None:
        """The configured language model; `None` if there is none, or if it may not be used offline."""
        models = self._parts.models
        return models.model() if models.is_available else None

    @property
    def models(self) -> Models:
        """The language models of the settings: whether one is set, and setting up one that runs on this machine."""
        return self._parts.models

    def spent(self) -> ModelCost:
        """What this process has spent on models so far."""
        return self._parts.models.total_cost()

    @property
    def known_names(self) -> KnownNames:
        """The names that stand for papers, and those that the user has hidden."""
        return self._parts.known_names

    @property
    def aspects(self) -> Aspects:
        """Queries in several aspects, scored and weighed separately, and graded by a model if there is one."""
        return self._parts.aspects

    @property
    def rewriting(self) -> QueryRewriting:
        """Searching with other queries for the same papers, written by a model or the user."""
        return self._parts.rewriting

    @property
    def model_ranking(self) -> ModelRanking:
        """Reranking by a model: cost, requests and results."""
        return self._parts.model_ranking

    @property
    def citing(self) -> AgentAttribution:
        """Attribution by an agent that searches and reads: start, resume, replay."""
        return self._parts.citing

    @property
    def model_evidence(self) -> LlmEvidence:
        """Evidence by a model: cost, requests, results and retries."""
        return self._parts.model_evidence

    @property
    def studies(self) -> Studies:
        """Study aspects of a hypothesis: split, edited, aligned with the sentences of a paper, kept."""
        return self._parts.studies

    @property
    def people_grades(self) -> PeopleGrades:
        """Grades by people of aspects and sentences that a model judges too."""
        return self._parts.people_grades

    @property
    def agreement(self) -> ModelAgreement:
        """Agreement of people with people and with the model: draws, freezes, compares."""
        return self._parts.agreement

    @property
    def records(self) -> Records:
        """The user's papers and the starter library, by what people write."""
        return self._parts.lookup

    def works(self) -> WorkLookup:
        """Looks up the user's papers by title, and by author and year; use a new object for each task."""
        return self._parts.works()

    def papers_by_key(self, keys: Sequence[str]) -> tuple[Paper, ...]:
        """Like `paper`, for several keys at once."""
        return self._parts.lookup.papers_by_key(keys)

    def export_papers(
        self,
        ids: Sequence[str] | None,
        form: ExportFormat,
        *,
        notes: bool = True,
        most: int | None = None,
        keys: Mapping[PaperId, str] | None = None,
    ) -> Task[str]:
        """Exports papers in order, or with `None` the whole user library, in the format `form`.

        Unless `notes` is false, tags and notes are included and, if the format allows, the sentences accepted in the
        current project. `most` limits the number of papers, for a preview. `keys` are citation keys to be written in
        place of the papers' own.

        Raises:
            UnknownPaper: one of them is not in the library.
            AmbiguousPaper: one of them may be any of several.
        """
        from litterm.engine.exports import export_papers

        return (yield from export_papers(self._parts, ids, form, notes=notes, most=most, keys=keys))

    @property
    def attachments(self) -> Attachments:
        """PDFs that are attached to papers by hand."""
        return self._parts.attachments

    @property
    def file_exports(self) -> FileExports:
        """Exports as references in a CSL style, into a folder with a file for each paper, and into Parquet."""
        return self._parts.file_exports

    def project_papers(self) -> tuple[PaperId, ...]:
        """Papers included in the current project, then those with sentences accepted there."""
        from litterm.engine.exports import find_project_papers

        return find_project_papers(self._parts)

    def project_quotes(self) -> Task[tuple[Quote, ...]]:
        """All sentences accepted or marked by hand in the current project."""
        from litterm.engine.exports import find_project_quotes

        return (yield from find_project_quotes(self._parts))

    def export_rows(self) -> Iterator[str]:
        """All papers of the user library with their full texts, sorted by id, as JSON Lines that `add` reads."""
        from litterm.engine.exports import export_rows

        return export_rows(self._parts)

    def sql(self, statement: str, *, limit: int | None = None) -> Task[SqlResult]:
        """Runs one SQL statement that reads the views of docs/reference/sql.md; at most `limit` rows, or a million.

        Raises:
            SqlError: it is not one statement that reads, or the database refuses it.
            UsageError: the library is on a server.
        """
        from litterm.engine.sql import run_sql

        return (yield from run_sql(self._parts, statement, limit=limit))

    def damage_notice(self) -> str:
        """A sentence that says which part of the library is damaged, as far as is known; else empty."""
        return self._parts.damage_notice()

    def verify_all_indexes(self) -> None:
        """From now on compares every file of each index with its checksum, in the background and once.

        For a process that goes on, before its first search; otherwise only the files that are opened are compared.
        """
        self._parts.verifier.verify_all()

    def _with_damage_notice(self, task: Task[T]) -> Task[T]:
        """Runs `task`, then adds a notice to its result if a part of the library is damaged.

        Afterwards, because damage is often noticed only while reading.
        """
        result: T = yield from task
        notice = self._parts.damage_notice()
        return replace(result, notices=(*result.notices, notice)) if notice else result
