"""The engine: one method a command, and the one object that the command line and the workbench hold.

```python
from litterm import build_engine, load_settings, run

engine = build_engine(load_settings())
best, *rest = run(engine.search("label smoothing hurts knowledge distillation")).papers
```
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from litterm.engine.features import EngineCitations, EngineModels, UserState

# For types only; what a method needs it imports itself: a light command must load nothing that it does not use.
if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.engine.parts import Parts
    from litterm.interfaces import Records, WorkLookup
    from litterm.model.attribution.citation import Attribution, CandidateBounds, Excerpt
    from litterm.model.citations.graph import Direction, ListedWork
    from litterm.model.document import Document, Span
    from litterm.model.evidence import Evidence, EvidenceScope
    from litterm.model.export import ExportFormat
    from litterm.model.library import Failure, ImportReport, LibraryStatus
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import Facet, Query, Ranking, SortOrder
    from litterm.model.services import RetryReport
    from litterm.render.export.markdown import Quote
    from litterm.services.online import OnlineServices

T = TypeVar("T")
ExportStyle = Literal["bibtex", "ris", "csl"]


class EngineExports:
    """The part of the engine that gives many papers at once, to whoever asks and to other programs."""

    _parts: Parts

    @property
    def records(self) -> Records:
        """The user's papers and the starter library, by id."""
        return self._parts.both_libraries

    def works(self) -> WorkLookup:
        """The user's papers by title, and by author and year; a new one for each task."""
        return self._parts.works()

    def named(self, keys: Sequence[str]) -> tuple[Paper, ...]:
        """Several as `paper`, which cost little more than one."""
        return self._parts.both_libraries.named(keys)

    def exported(
        self, ids: Sequence[str] | None, form: ExportFormat, *, notes: bool = True, most: int | None = None
    ) -> Task[str]:
        """These papers, in order, or with `None` the user's whole library, in any format of an export.

        With their tags and notes and, where the format has room for them, the sentences accepted in the project in
        use; unless `notes` is false. With `most` only so many papers, as a sample.

        Raises:
            UnknownPaper: one of them is not in the library.
            AmbiguousPaper: one of them may be any of several.
        """
        from litterm.engine.exports import export_papers

        return (yield from export_papers(self._parts, ids, form, notes=notes, most=most))

    def project_papers(self) -> tuple[PaperId, ...]:
        """Papers included in the project in use, then those with sentences accepted there."""
        from litterm.engine.exports import find_project_papers

        return find_project_papers(self._parts)

    def project_quotes(self) -> Task[tuple[Quote, ...]]:
        """Every sentence accepted in the project in use or marked by hand, of all papers."""
        from litterm.engine.exports import find_project_quotes

        return (yield from find_project_quotes(self._parts))

    def export(self, ids: Sequence[str], style: ExportStyle) -> str:
        """Bare bibliography entries of the papers with these ids, aliases or unambiguous bare keys, in order.

        Raises:
            UnknownPaper: one of them is not in the library.
            AmbiguousPaper: one of them may be any of several.
        """
        from litterm.library.export import export

        return export(self._parts.both_libraries.named(ids), style)

    def export_rows(self) -> Iterator[str]:
        """Every paper of the user's library with its full text as a line of JSON that `add` reads, by id."""
        from litterm.library.export import export_rows

        return export_rows(self._parts.library, self._parts.index, self._parts.citations.sources)

    def left_out(self) -> str:
        """One sentence where reading has shown that a part of the library is damaged; else empty."""
        return self._parts.left_out()


class EngineServices:
    """The part of the engine that asks services of papers."""

    _parts: Parts

    @property
    def sources(self) -> OnlineServices:
        """Services of papers: kept in step with, fetched from, searched live."""
        return self._parts.sources


class Engine(UserState, EngineCitations, EngineModels, EngineServices, EngineExports):
    """Every verb; cheap to build, safe from any thread. Parts are built when a verb first needs them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def parse(self, typed: str, *, finished: bool = True) -> Query:
        """What was typed, read.

        Raises:
            QueryError: it cannot be read; the error tells where.
        """
        from litterm.text.queries.parser import parse_query

        return parse_query(typed, finished=finished)

    def search(
        self,
        typed: str | Query,
        *,
        k: int = 20,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given, the user's own before those of the starter library.

        Raises:
            QueryError: `typed` cannot be read.
            UnknownPaper: it names a paper whose like to seek or shun, and there is none.
        """
        return (yield from self._parts.searcher.search(typed, k=k, sort=sort, finished=finished, within=within))

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """The years, venues, types and sources of the papers that `query` finds, each with how many have it."""
        return (yield from self._parts.facet_searcher.facets(query))

    def paper(self, key: str) -> Paper:
        """The paper with this id, alias or unambiguous bare key.

        Raises:
            UnknownPaper: there is none.
            AmbiguousPaper: there are several.
        """
        return self._parts.both_libraries.paper(key)

    def read(self, paper_id: PaperId) -> Task[Document]:
        """The best full text, or a document of title and abstract (`origin` is then `abstract`).

        Raises:
            UnknownPaper: the library does not hold it.
        """
        from litterm.library.full_text import read_full_text

        return (yield from read_full_text(self._parts.both_libraries, paper_id))

    def with_targets(self, document: Document) -> Task[Document]:
        """`document` with each reference that the library holds pointing at its paper; text and sentences unchanged."""
        from litterm.library.title_lookup import resolve_document

        return (yield from resolve_document(document, self._parts.works()))

    def listed_here(self, paper: Paper, direction: Direction) -> Task[tuple[ListedWork, ...]]:
        """What `paper` cites, or what cites it, as far as the library itself knows; see `citations.references`."""
        from litterm.citations.references import reference_rows

        graph = yield from self.citations.update()
        return (yield from reference_rows(paper, direction, graph, self._parts.both_libraries, self._parts.works()))

    def evidence(
        self,
        paper_id: PaperId,
        hypothesis: str,
        *,
        k: int = 10,
        scope: EvidenceScope = "all",
        everything: bool = False,
    ) -> Task[Evidence]:
        """At most `k` sentences of the paper that bear on the hypothesis, and its key findings beside them.

        Fewer, or none, where the paper says less on it; with `everything` there are `k` regardless.

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
        """As `evidence`, in a text that was read before."""
        task = self._parts.extractor.extract(document, hypothesis, k=k, scope=scope, everything=everything)
        return (yield from self._announced(task))

    def excerpt(self, text: str, mark: int = 0, claim: Span | None = None) -> Excerpt:
        """The excerpt as the attributor reads it: marks, claim, words, lint; cheap. With `claim` only its words count.

        Raises:
            UsageError: the text is blank or has no such mark or stretch.
        """
        return self._parts.read_excerpt(text, mark, claim)

    def cite(
        self,
        text: str | Excerpt,
        *,
        k: int = 5,
        before: int | str | None = None,
        mark: int = 0,
        source: str = "",
        starter_only: bool = False,
    ) -> Task[Attribution]:
        """At most `k` candidates of `before` (`2018`, `2018-07`) or earlier for one citation mark of `text`.

        `source` is the citing paper, by id or title: it is left out, and so is what came after it.
        With `starter_only` candidates are papers of the starter library, where that is shown.

        Raises:
            UsageError: the text is blank, has no such mark, no word around it can be searched for, or `before` is
                no date.
        """
        from litterm.attribution.cite import read_bounds

        parts = self._parts
        excerpt = parts.read_excerpt(text, mark) if isinstance(text, str) else text
        bounds = read_bounds(before, source, parts.both_libraries, parts.works)
        return (yield from self.attribute(excerpt, k=k, bounds=bounds, starter_only=starter_only))

    def attribute(
        self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds, starter_only: bool = False
    ) -> Task[Attribution]:
        """As `cite`, for an excerpt that was read before and within bounds that are known."""
        yield from self.citations.announce_unread()
        attributor = self._parts.attributor(starter_only=starter_only)
        return (yield from self._announced(attributor.attribute(excerpt, k=k, bounds=bounds)))

    def add(self, paths: Sequence[Path], *, retry: bool = False) -> Task[ImportReport]:
        """Files, folders and archives into the library, recognised by content; safe to kill and to repeat.

        With `retry`, inputs that failed before are read again too.

        Raises:
            LibraryError: the library cannot be written at all; trouble with single inputs is in the report.
        """
        from litterm.library.failure_list import mark_resolved
        from litterm.library.import_files import add

        parts = self._parts
        report = yield from add(parts.writer(), parts.reader, parts.failures, paths, retry=retry)
        # Also what other imports have mended: a failure whose paper is there now is none any more.
        mark_resolved(parts.failures, parts.library)
        return report

    def after_import(self) -> Task[None]:
        """What has to happen once papers have come in, by whatever way: their reference lists join the citation graph.

        A task of its own, so that a report can be shown before. Of many lists the most are read by another process.

        Raises:
            LibraryError: the library, or the graph's folder, cannot be used.
        """
        return self.citations.catch_up()

    def failures(self) -> tuple[Failure, ...]:
        """Inputs that could not be imported, oldest first, kept until mended or dismissed."""
        return self._parts.failures.all()

    def retry_failures(self, only: Collection[str] = ()) -> Task[RetryReport]:
        """Another try at everything that failed, or with `only` at the failures of these origins.

        Files are read again, ids looked up, full texts fetched.

        Raises:
            Offline: there are only ids and texts to ask for, and the network is switched off.
        """
        return (yield from self.sources.retry(only))

    def dismiss_failures(self, only: Collection[str] = ()) -> int:
        """Forgets all failures, or with `only` those of these origins; how many there were."""
        return self._parts.failures.dismiss(only)

    def status(self) -> LibraryStatus:
        """Counts of the user's library, who is writing to it, and what is not done yet."""
        status, notice = self._parts.library.status(), self.citations.unread_notice()
        return replace(status, notices=(*status.notices, notice)) if notice else status
