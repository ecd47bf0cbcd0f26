"""An engine over a dozen papers written here, and annotations in memory."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from fakes import NoCounts
from scripted_aspects import ScriptedGraders
from scripted_models import ScriptedModel

from litterm.annotations.unsaved_texts import UnsavedTexts
from litterm.core.errors import LittermError, UnknownPaper, UsageError
from litterm.core.tasks import Task
from litterm.engine.exports import export_papers, find_project_papers, find_project_quotes
from litterm.library.state.connection import StateDatabase
from litterm.model.annotations import Anchor, LocatedMark, Mark, MarkKind, PaperNotes, ReadStatus, Screening, Session
from litterm.model.attribution.citation import Attribution, Candidate, Excerpt, WeightedWord
from litterm.model.document import Document, Span
from litterm.model.events import EvidenceFound, Progress
from litterm.model.evidence import Evidence, EvidenceScope, EvidenceSentence, Strength, Verdict
from litterm.model.export import ExportFormat
from litterm.model.library import Failure, ImportReport, LibraryStatus
from litterm.model.matrix import CellDecision
from litterm.model.paper import CollectionName, Paper, PaperId
from litterm.model.search import Facet, HopOptions, Query, RankedPaper, Ranking, SortOrder
from litterm.model.services import RetryReport
from litterm.render.export.markdown import Quote
from litterm.text.documents.builder import abstract_document
from litterm.text.queries.parser import parse_query
from tui.drafts import drafts_of
from tui.engines import HOSTILE, PRUNING, RTL, WIDE, full_text, paper
from tui.matrices import matrices_of
from tui.rerankers import FakeHops, NoLists, ranked_by, shortest_first
from tui.saved_searches import FakeHome, no_collections, no_projects
from tui.scripted_evidence import first_shown, llm_evidence_of
from tui.services import NoServices

if TYPE_CHECKING:
    from litterm.engine.parts import Parts


SHEARED = paper(
    "S24-1",
    "Sheared Llamas: Accelerating Language Model Pre-training by Structured Pruning",
    abstract="We cut a large language model to a small one and go on training it.",
    year=2024,
    venue="ICLR",
)
BARE = paper("B1-1", "A pruning paper without an abstract", year=2005, abstract="")
OTHERS = tuple(
    paper(f"O{at}-1", f"Pruning study number {at} on sparse language models", abstract="We prune.", year=2000 + at)
    for at in range(1, 31)
)
PAPERS = (PRUNING, SHEARED, HOSTILE, WIDE, RTL, BARE, *OTHERS)


Kept = tuple[
    dict[PaperId, PaperNotes],
    dict[PaperId, dict[tuple[int, str], LocatedMark]],
    dict[tuple[PaperId, str], CellDecision | None],
]


class FakeAnnotations:
    """Decisions in memory, with undo."""

    def __init__(self) -> None:
        self._notes: dict[PaperId, PaperNotes] = {}
        self._marks: dict[PaperId, dict[tuple[int, str], LocatedMark]] = {}
        self._cells: dict[tuple[PaperId, str], CellDecision | None] = {}
        self._past: list[Kept] = []
        self._future: list[Kept] = []
        self.projects = no_projects()
        self.collections = no_collections()
        self.saved = Session()

    @property
    def project(self) -> str:
        return self.projects.current

    def _now(self) -> Kept:
        return dict(self._notes), {key: dict(marks) for key, marks in self._marks.items()}, dict(self._cells)

    def _before(self) -> None:
        self._past.append(self._now())
        self._future.clear()

    def marks(self, document: Document) -> tuple[LocatedMark, ...]:
        return tuple(self._marks.get(document.paper_id, {}).values())

    def mark(self, document: Document, index: int, kind: MarkKind, hypothesis: str = "") -> None:
        self._before()
        anchor = Anchor(document.id, index, document.sentences[index].text)
        mark = LocatedMark(Mark(document.paper_id, anchor, kind, hypothesis), index)
        self._marks.setdefault(document.paper_id, {})[index, hypothesis] = mark

    def lose(self, document: Document, quote: str) -> None:
        mark = LocatedMark(Mark(document.paper_id, Anchor(document.id, 9, quote), "hand"), None)
        self._marks.setdefault(document.paper_id, {})[-1, ""] = mark

    def unmark(self, document: Document, index: int, hypothesis: str | None = None) -> None:
        self._before()
        marks = self._marks.get(document.paper_id, {})
        for place in [each for each in marks if each[0] == index and hypothesis in (None, each[1])]:
            del marks[place]

    def _change(self, paper_id: PaperId, **changes: object) -> None:
        self._before()
        self._notes[paper_id] = replace(self.notes(paper_id), **changes)  # type: ignore[arg-type]

    def screen(self, paper_id: PaperId, decision: Screening | None) -> None:
        self._change(paper_id, screening=decision)

    def star(self, paper_id: PaperId, starred: bool) -> None:
        self._change(paper_id, starred=starred)

    def tag(self, paper_id: PaperId, tags: tuple[str, ...]) -> None:
        self._change(paper_id, tags=tags)

    def note(self, paper_id: PaperId, text: str) -> None:
        self._change(paper_id, note=text)

    def set_status(self, paper_id: PaperId, status: ReadStatus) -> None:
        self._change(paper_id, status=status)

    def notes(self, paper_id: PaperId) -> PaperNotes:
        return self._notes.get(paper_id, PaperNotes())

    def notes_on(self, papers: Iterable[PaperId]) -> dict[PaperId, PaperNotes]:
        return {paper_id: self.notes(paper_id) for paper_id in papers}

    def decide(self, paper_id: PaperId, hypothesis: str, decision: CellDecision | None) -> None:
        self._before()
        self._cells[paper_id, hypothesis] = decision

    def decisions(
        self, papers: Sequence[PaperId], hypotheses: Sequence[str]
    ) -> tuple[tuple[CellDecision | None, ...], ...]:
        return tuple(tuple(self._cells.get((each, hypothesis)) for hypothesis in hypotheses) for each in papers)

    def quoted_papers(self) -> tuple[PaperId, ...]:
        return tuple(
            each
            for each, marks in self._marks.items()
            if any(located.mark.kind != "rejected" for located in marks.values())
        )

    def all_tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tag for notes in self._notes.values() for tag in notes.tags))

    def included_papers(self) -> tuple[PaperId, ...]:
        return tuple(key for key, notes in self._notes.items() if notes.screening == "included")

    @contextmanager
    def group_changes(self) -> Iterator[None]:
        done, now = len(self._past), self._now()
        yield
        self._past[done:] = [now] if len(self._past) > done else []

    def undo(self) -> str | None:
        if not self._past:
            return None
        self._future.append(self._now())
        self._notes, self._marks, self._cells = self._past.pop()
        return "Undone."

    def redo(self) -> str | None:
        if not self._future:
            return None
        self._past.append(self._now())
        self._notes, self._marks, self._cells = self._future.pop()
        return "Done again."

    def session(self) -> Session:
        return self.saved

    def save_session(self, session: Session, *, at_end: bool = False) -> None:
        self.saved = session


class NoReadingLists:
    """Nobody has made a list yet."""

    def all(self) -> tuple[object, ...]:
        return ()


@dataclass
class FakeEngine(FakeHome):
    """Fits `Engine`; gates hold a method back until a test lets it go."""

    papers: Sequence[Paper] = PAPERS
    annotations: FakeAnnotations = field(default_factory=FakeAnnotations)
    gates: dict[str, threading.Event] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    bug: BaseException | None = None
    trouble: LittermError | None = None
    kept: tuple[Failure, ...] = ()
    own: bool = True
    starter: frozenset[PaperId] = frozenset()
    """Those of the papers that are the starter library's; empty: all of them."""
    verdicts: dict[PaperId, Verdict] = field(default_factory=dict)
    """With `nothing` a paper has key findings and no evidence."""
    caveats: tuple[str, ...] = ()
    """The notices of its evidence."""
    cited: list[tuple[Excerpt, str]] = field(default_factory=list)
    """What `cite` was asked, with the paper the passage is from."""
    spellings: dict[str, str] = field(default_factory=dict)
    """By query, the spelling that is offered."""
    read_for: list[tuple[PaperId, str]] = field(default_factory=list)
    """What `evidence` was asked, in order."""

    def __post_init__(self) -> None:
        self.matrices = matrices_of(self)
        self.evidence_model = ScriptedModel(first_shown)
        self.model_evidence = llm_evidence_of(self, self.evidence_model)
        self.ranking_model, self.hops, self.citations = shortest_first(), FakeHops(self), NoLists()
        self.model_ranking = ranked_by(self, self.hops, self.ranking_model)
        self.graders = ScriptedGraders()
        self.aspects = self.graders.aspects()
        self.drafts = drafts_of(self)
        self.reading_lists = NoReadingLists()
        self.services = NoServices(self)
        self.counts = NoCounts()
        folder = tempfile.mkdtemp(prefix="litterm-tests-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.unsaved_texts = UnsavedTexts(StateDatabase(Path(folder)))
        self.import_index = SimpleNamespace(mine=frozenset)
        self.prepare_home()

    def one_hop(self, query: Query, *, k: int = 20, hop: HopOptions | None = None) -> Task[Ranking]:
        return self.hops.search(query, k=k, hop=hop or HopOptions())

    def gate(self, text: str) -> threading.Event:
        return self.gates.setdefault(text, threading.Event())

    def _pass(self, text: str) -> Iterable[Progress]:
        gate = self.gates.get(text)
        while gate is not None and not gate.wait(0.01):
            yield Progress("waiting", 1, 2)

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        yield Progress("counting")
        found = [paper for paper in self._searched(query) if _matches(paper, query)]
        years = Counter(f"{paper.year}..{paper.year}" for paper in found if paper.year)
        venues = Counter(key for paper in found for key in paper.venue_keys)
        types = Counter(paper.type for paper in found)
        return (
            *(Facet("year", value, count) for value, count in years.most_common()),
            *(Facet("venue", value, count) for value, count in venues.most_common()),
            *(Facet("type", value, count) for value, count in types.most_common()),
        )

    def parse(self, typed: str, *, finished: bool = True) -> Query:
        return parse_query(typed, finished=finished)

    def search(
        self, typed: str | Query, *, k: int = 20, sort: SortOrder = "relevance", finished: bool = True
    ) -> Task[Ranking]:
        query = parse_query(typed) if isinstance(typed, str) else typed
        self.asked.append(query.text)
        yield Progress("searching")
        yield from self._pass(query.text)
        self._stumble()
        found = [paper for paper in self._searched(query) if _matches(paper, query)]
        if sort == "newest":
            found.sort(key=lambda paper: (-(paper.year or 0), paper.id))
        ranked = tuple(
            RankedPaper(at, item, 10.0 / at, "bm25", matched=tuple((word, 1 + at % 3) for word in query.words))
            for at, item in enumerate(found[:k], 1)
        )
        hidden = 0 if ranked or not query.chips else 12
        by, suggestion = "bm25" if query.text.strip() else "added", self.spellings.get(query.text, "")
        told = {"hidden": hidden, "searched": len(self.papers), "suggestion": suggestion}
        return Ranking(query, ranked, len(found), by, **told)  # type: ignore[arg-type]

    def _searched(self, query: Query) -> list[Paper]:
        everywhere = query.collection is None or not self.starter
        return [paper for paper in self.papers if everywhere or paper.id in self.starter]

    def _stumble(self) -> None:
        if self.bug:
            raise self.bug
        if self.trouble:
            raise self.trouble

    def paper(self, key: str) -> Paper:
        for item in self.papers:
            if key in (item.id, item.id.partition(":")[2]):
                return item
        raise UnknownPaper(f"No paper {key!r}.")

    def papers_by_key(self, keys: Sequence[str]) -> tuple[Paper, ...]:
        return tuple(map(self.paper, keys))

    def read(self, paper_id: PaperId) -> Task[Document]:
        yield Progress("opening")
        yield from self._pass(paper_id)
        self._stumble()
        item = self.paper(paper_id)
        return full_text(item) if item.full_text else abstract_document(item)

    def link_references(self, document: Document) -> Task[Document]:
        yield Progress("looking up references")
        return document

    def evidence(
        self, paper_id: PaperId, hypothesis: str, *, k: int = 10, scope: EvidenceScope = "all"
    ) -> Task[Evidence]:
        self.read_for.append((paper_id, hypothesis))
        document = yield from self.read(paper_id)
        yield Progress("Results", 1, 2)
        yield from self._pass(hypothesis)
        self._stumble()
        words = {word.lower() for word in hypothesis.split()}
        scored = [
            (sum(word in sentence.text.lower() for word in words), sentence)
            for sentence in document.sentences
            if sentence.kind in ("body", "abstract")
        ]
        best = sorted((item for item in scored if item[0]), key=lambda item: (-item[0], item[1].index))[:k]
        strengths: tuple[Strength, ...] = ("strong", "medium", "weak")
        found = tuple(
            EvidenceSentence(rank, sentence, float(score), strengths[min(2, rank // 2)], tuple(sorted(words)))
            for rank, (score, sentence) in enumerate(best, 1)
        )
        verdict = self.verdicts.get(paper_id)
        key, found = found[:3], () if verdict == "nothing" else found
        yield EvidenceFound(found[:2], "Results")
        return Evidence(
            paper_id,
            document.id,
            hypothesis,
            scope,
            "h1",
            found,
            notices=self.caveats,
            verdict=verdict,
            key_findings=key,
        )

    def excerpt(self, text: str, mark: int = 0, claim: Span | None = None) -> Excerpt:
        if not text.strip():
            raise UsageError("The excerpt is empty.")
        marks: list[Span] = []
        at = text.find("[CITATION]")
        while at >= 0:
            marks.append(Span(at, at + 10))
            at = text.find("[CITATION]", at + 1)
        words = tuple(WeightedWord(word, 1.0) for word in text.split()[:5])
        return Excerpt(
            text,
            tuple(marks),
            min(mark, len(marks) - 1),
            words,
            lint=f"{len(marks)} marks",
            claim=claim or Span(0, len(text)),
        )

    def cite(
        self, text: Excerpt, *, k: int = 5, source: str = "", collection: CollectionName | None = None
    ) -> Task[Attribution]:
        self.cited.append((text, source))
        yield Progress("attributing")
        yield from self._pass("cite")
        self._stumble()
        papers = [paper for paper in self.papers if collection is None or paper.id in self.starter]
        found = tuple(
            Candidate(rank, item, 1.0 / rank, ("pruning",), "We prune.", 0.7 / rank, ("main venue",))
            for rank, item in enumerate(papers[:k], 1)
        )
        return Attribution(text, "linear", found, verdict="found", confidence=0.7)

    def add(self, paths: Sequence[Path], *, retry: bool = False) -> Task[ImportReport]:
        yield Progress("adding", 1, 2)
        yield from self._pass("add")
        self._stumble()
        return ImportReport(added=2, elapsed_s=0.1)

    def failures(self) -> tuple[Failure, ...]:
        return self.kept

    def retry_failures(self, only: Collection[str] = ()) -> Task[RetryReport]:
        yield Progress("retrying")
        self.dismiss_failures(only)
        return RetryReport(ImportReport(unchanged=1))

    def dismiss_failures(self, only: Collection[str] = ()) -> int:
        before = len(self.kept)
        self.kept = tuple(each for each in self.kept if only and each.origin not in only)
        return before - len(self.kept)

    def damage_notice(self) -> str:
        return ""

    def status(self) -> LibraryStatus:
        count = len(self.papers) if self.own else 0
        return LibraryStatus(1, count, 1, by_source=(("acl", count),), failures=len(self.kept))

    def export_papers(
        self,
        ids: Sequence[str] | None,
        form: ExportFormat,
        *,
        notes: bool = True,
        most: int | None = None,
        keys: Mapping[PaperId, str] | None = None,
    ) -> Task[str]:
        return export_papers(
            self._parts,
            [each.id for each in self.papers] if ids is None else ids,
            form,
            notes=notes,
            most=most,
            keys=keys,
        )

    def project_papers(self) -> tuple[PaperId, ...]:
        return find_project_papers(self._parts)

    def project_quotes(self) -> Task[tuple[Quote, ...]]:
        return find_project_quotes(self._parts)

    @property
    def _parts(self) -> Parts:
        """As far as exports need them."""
        by_id = {each.id: each for each in self.papers}
        texts = {PRUNING.id: full_text(PRUNING)}
        lookup = SimpleNamespace(
            papers_by_key=self.papers_by_key,
            paper=self.paper,
            by_id=lambda ids: tuple(by_id[each] for each in ids),
            document=texts.get,
        )
        return cast("Parts", SimpleNamespace(annotations=self.annotations, lookup=lookup, library=self))


def _matches(item: Paper, query: Query) -> bool:
    text = f"{item.title} {item.abstract}".lower()
    venues, years = query.filters.venues, query.filters.years
    if venues and not set(venues) & set(item.venue_keys):
        return False
    if years and not any((y.first or 0) <= (item.year or 0) <= (y.last or 9999) for y in years):
        return False
    return all(word.lower() in text for word in query.words) if query.words else True


Make = Callable[[], FakeEngine]
