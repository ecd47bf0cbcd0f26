"""Small stand-ins for the engine: real nouns, made by hand, no disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scripted_aspects import ScriptedGraders

from litterm.attribution.excerpt import read_excerpt
from litterm.core.errors import AmbiguousPaper, UnknownPaper
from litterm.core.tasks import Task
from litterm.model.agreement import AgreementMark
from litterm.model.annotations import PaperNotes
from litterm.model.attribution.agent import Action, AgentStep
from litterm.model.attribution.citation import Attribution, Candidate, Excerpt, WeightedWord
from litterm.model.citations.citation_counts import CountsReport, PaperCounts
from litterm.model.citations.facts import NameFact
from litterm.model.document import Document, DocumentId, Section, Sentence, Span
from litterm.model.events import Event, Notice, PapersStored, Progress
from litterm.model.evidence import Evidence, EvidenceScope, EvidenceSentence
from litterm.model.export import ExportFormat
from litterm.model.library import Failure, ImportReport, LibraryStatus
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.model.search import Query, RankedPaper, Ranking, SortOrder
from litterm.model.services import RetryReport
from litterm.render.bibliography.keys import STANDARD_KEYS, CitationKeys
from litterm.render.export.papers import Export
from litterm.search.aspects.aspects import Aspects
from litterm.search.rewrites.model_rewriter import ModelRewriter
from litterm.search.rewrites.rewrites import QueryRewriting
from litterm.text.queries.parser import parse_query

ZEBRA = Paper(
    PaperId("acl:P18-1001"),
    "Zebra Crossings for Parsing",
    abstract="We cross zebras. It works.",
    authors=(Author("Müller", "Änne"), Author("Okafor", "Chidi")),
    year=2018,
    date="2018-07",
    venue="ACL",
    venue_keys=("acl",),
    type="inproceedings",
    aliases=(PaperId("doi:10.1/zebra"),),
    urls=("https://example.org/P18-1001",),
    full_text=True,
    imprint=PublicationDetails(booktitle="Proceedings of ACL", pages="1-9", bibkey="muller-okafor-2018-zebra"),
)
OWNED = Paper(
    PaperId("iclr:h1"),
    "\x1b]0;owned\x07\x1b[31mRed zebra\x1b[0m [bold]markup[/bold] \u202e evil",
    authors=(Author("B\x1b[2J", "A"),),
    year=2020,
    venue="ICLR",
    decision="reject",
)
PAPERS = (ZEBRA, OWNED)
TEXTS = ("Zebra Crossings for Parsing", "Results", "Zebras are ten times faster.", "\x1b[31mRed\x1b[0m zebras are not.")


def document() -> Document:
    """Four rows: title, heading and a paragraph of two sentences, the second on page 6."""
    spans, start = [], 0
    for text in TEXTS:
        spans.append(Span(start, start + len(text)))
        start += len(text) + 1
    kinds = ("title", "heading", "body", "body")
    places = ((0, 0, 0), (1, 0, 0), (1, 1, 1), (1, 1, 2))
    rows = tuple(
        Sentence(index, text, span, kind, *place, page=6 if index == 3 else None)  # type: ignore[arg-type]
        for index, (text, span, kind, place) in enumerate(zip(TEXTS, spans, kinds, places, strict=True))
    )
    sections = (Section(0, ""), Section(1, "Results", "4", kind="results"))
    return Document(DocumentId("d1"), ZEBRA.id, "\n".join(TEXTS), sections, rows, "jats")


@dataclass
class FakeAnnotations:
    """One note on every paper."""

    def notes(self, paper_id: PaperId) -> PaperNotes:
        return PaperNotes(tags=("stripes",), starred=paper_id == ZEBRA.id)


class NoNames:
    """No paper is known by a name."""

    def of_paper(self, paper: Paper) -> tuple[NameFact, ...]:
        return ()


class NoCounts:
    """Nobody counts citations here."""

    def with_counts(self, ranking: Ranking) -> Ranking:
        return ranking

    def counts_of(self, ids: Sequence[PaperId]) -> tuple[PaperCounts, ...]:
        return tuple(PaperCounts() for _ in ids)

    def sync(self, papers: Sequence[Paper] | None = None) -> Task[CountsReport]:
        yield from ()
        return CountsReport(len(papers or ()), len(papers or ()))


@dataclass
class FakeEngine:
    """Answers from `PAPERS`; remembers what it was asked."""

    papers: tuple[Paper, ...] = PAPERS
    failing: tuple[Failure, ...] = ()
    events: tuple[Event, ...] = ()
    during_add: Callable[[], None] = lambda: None
    asked: list[object] = field(default_factory=list)
    annotations: FakeAnnotations = field(default_factory=FakeAnnotations)
    graders: ScriptedGraders = field(default_factory=ScriptedGraders)
    counts: NoCounts = field(default_factory=NoCounts)
    known_names: NoNames = field(default_factory=NoNames)

    @property
    def citation_keys(self) -> CitationKeys:
        return STANDARD_KEYS

    @property
    def aspects(self) -> Aspects:
        return self.graders.aspects(lambda: self)  # type: ignore[arg-type, return-value]

    @property
    def agreement(self) -> FakeEngine:
        return self

    def mark(self, kind: str, by: str = "") -> AgreementMark:
        return AgreementMark()

    @property
    def rewriting(self) -> QueryRewriting:
        model = self.graders.model
        return QueryRewriting(lambda: self, lambda: ModelRewriter(model), lambda: ModelRewriter(model))  # type: ignore[arg-type, return-value]

    @property
    def citations(self) -> FakeEngine:
        return self

    def after_import(self) -> Task[None]:
        self.asked.append("citations")
        yield Progress("reading reference lists")

    def parse(self, typed: str, *, finished: bool = True) -> Query:
        return parse_query(typed, finished=finished)

    def search(
        self, typed: Query, *, k: int = 20, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        self.asked.append((typed, k, sort))
        yield Progress("searching")
        words = {word.lower() for word in typed.words}
        hits = [paper for paper in self.papers if any(word in paper.title.lower() for word in words)]
        ranked = tuple(
            RankedPaper(rank, paper, 2.5 / rank, "bm25", (("zebra", 1),)) for rank, paper in enumerate(hits[:k], 1)
        )
        return Ranking(typed, ranked, len(hits), "bm25", searched=len(self.papers))

    def paper(self, key: str) -> Paper:
        found = [paper for paper in self.papers if key in (paper.id, paper.id.partition(":")[2], *paper.aliases)]
        if not found:
            raise UnknownPaper(f"No paper {key!r} in the library.")
        if len(found) > 1:
            raise AmbiguousPaper(f"{key!r} fits several papers.")
        return found[0]

    def read(self, paper_id: PaperId) -> Task[Document]:
        yield Progress("reading")
        return replace(document(), paper_id=paper_id)

    def evidence(
        self,
        paper_id: PaperId,
        hypothesis: str,
        *,
        k: int = 10,
        scope: EvidenceScope = "all",
        everything: bool = False,
    ) -> Task[Evidence]:
        yield Progress("reading")
        rows = document().sentences[2:][:k]
        found = tuple(
            EvidenceSentence(rank, row, 1 / rank, "strong" if rank == 1 else "weak", ("zebras",))
            for rank, row in enumerate(rows, 1)
        )
        return Evidence(paper_id, DocumentId("d1"), hypothesis, scope, "h1", found, ("A notice.",))

    def excerpt(self, text: str, mark: int = 0, claim: Span | None = None) -> Excerpt:
        return read_excerpt(text, mark, claim)

    def cite(
        self, text: str | Excerpt, *, k: int = 5, before: int | str | None = None, mark: int = 0, source: str = ""
    ) -> Task[Attribution]:
        assert isinstance(text, str)
        self.asked.append((text, k, before, mark, source))
        yield Progress("ranking")
        excerpt = Excerpt(text, (Span(0, 1),), mark, (WeightedWord("zebra", 1.0),), "one mark")
        found = tuple(
            Candidate(rank, paper, 3.0 / rank, ("zebra",), paper.abstract, 0.6 / rank, ("near in meaning",))
            for rank, paper in enumerate(self.papers[:k], 1)
            if "zebra" in text.lower()
        )
        steps = (AgentStep(1, "", Action("search", "zebra"), "Paper ID: acl:P18-1001", "done"),)
        if not found:
            return Attribution(excerpt, "linear", (), steps, verdict="absent", online_query="okapi ranking")
        return Attribution(excerpt, "linear", found, steps, verdict="found", confidence=0.6)

    def add(self, paths: Sequence[Path], *, retry: bool = False) -> Task[ImportReport]:
        self.asked.append((tuple(paths), retry))
        for event in self.events or (
            Progress("importing", 1, 2),
            PapersStored(2),
            Notice("Waiting for another import."),
        ):
            yield event
            self.during_add()
        return ImportReport(added=2, failures=self.failing, first_ids=(ZEBRA.id,), elapsed_s=1.25)

    def failures(self) -> tuple[Failure, ...]:
        return self.failing

    def retry_failures(self) -> Task[RetryReport]:
        yield Progress("importing", 1, 1)
        return RetryReport(ImportReport(added=1))

    def dismiss_failures(self) -> int:
        return len(self.failing)

    def status(self) -> LibraryStatus:
        return LibraryStatus(3, 2, 1, (("acl", 1), ("iclr", 1)), segments=2, bytes_on_disk=2048)

    def damage_notice(self) -> str:
        return ""

    def export_papers(
        self,
        ids: Sequence[PaperId] | None,
        form: ExportFormat,
        *,
        notes: bool = True,
        most: int | None = None,
        keys: Mapping[PaperId, str] | None = None,
    ) -> Task[str]:
        self.asked.append(("export", ids, form, notes))
        yield Progress("exporting")
        papers = self.papers if ids is None else tuple(self.paper(paper_id) for paper_id in ids)
        export = Export(form)
        kept = {paper.id: self.annotations.notes(paper.id) for paper in papers} if notes else {}
        return export.render_batch(papers, kept, {}) + export.render_end()

    def project_papers(self) -> tuple[PaperId, ...]:
        return (ZEBRA.id,)
