"""What a user does, one durable act after another, and whether each act stands: for kills between any two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.model.paper import Paper, PaperId

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.core.tasks import Task
    from litterm.model.reading_list import ReadingList

ACTS = 18
"""Of each job."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing done, durable when `do` returns."""

    do: Callable[[], object]
    stands: Callable[[], bool]


def perform(root: Path, job: str, tell: Callable[[int], object]) -> None:
    """The acts of `job` that do not stand yet, in order; `tell` hears how many are done."""
    acts = JOBS[job](root)
    begun = standing(root, job)[0]
    for number in range(begun, len(acts)):
        acts[number].do()
        tell(number + 1 - begun)


def standing(root: Path, job: str) -> tuple[int, list[str]]:
    """How many acts in a row stand in `root`, and those behind a hole."""
    acts = JOBS[job](root)
    held = [number for number, act in enumerate(acts) if act.stands()]
    whole = next((number for number in range(len(acts)) if number not in held), len(acts))
    return whole, [f"act {whole} is gone, {number} behind it is there" for number in held if number > whole]


def _annotations(root: Path) -> Annotations:
    from litterm.annotations.annotations import open_annotations
    from litterm.library.journal import FileJournal
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.sessions import project_session

    return open_annotations(FileJournal(root / "journal"), project_session(StateDatabase(root), ""))


def _annotation_acts(root: Path) -> Sequence[Act]:
    from litterm.text.documents.builder import Block, build_document

    annotations = _annotations(root)

    def acts(number: int) -> Act:
        key = PaperId(f"acl:D{number}")
        blocks = [Block("body", sentences=("One sentence of it.", f"Another, number {number}."))]
        document = build_document(key, blocks, origin="jats", parser="t")
        long = "long " * number + "note"

        def note_and_undo() -> None:
            annotations.note(key, long)
            annotations.note(key, "another")
            annotations.undo()

        return (
            Act(
                lambda: annotations.tag(key, (f"tag {number}",)),
                lambda: annotations.notes(key).tags == (f"tag {number}",),
            ),
            Act(lambda: annotations.note(key, long), lambda: annotations.notes(key).note == long),
            Act(lambda: annotations.star(key, True), lambda: annotations.notes(key).starred),
            Act(lambda: annotations.screen(key, "included"), lambda: annotations.notes(key).screening == "included"),
            Act(
                lambda: annotations.mark(document, 1, "accepted", "It is so"),
                lambda: [(each.index, each.mark.kind) for each in annotations.marks(document)] == [(1, "accepted")],
            ),
            Act(note_and_undo, lambda: annotations.notes(key).note == long),
        )[number % 6]

    return [acts(number) for number in range(ACTS)]


def _record_acts(root: Path) -> Sequence[Act]:
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.merged_records import APART

    annotations = _annotations(root)
    record_curation = RecordCuration(annotations.undo_log, lambda: None, lambda: ())  # type: ignore[arg-type, return-value]

    def acts(number: int) -> Act:
        one, other = (Paper(PaperId(f"acl:{name}{number}"), "A title") for name in "PQ")
        return (
            Act(
                lambda: record_curation.merge(one, other),
                lambda: annotations.undo_log.state().record_decisions().shown_id(other.id) == one.id,
            ),
            Act(
                lambda: record_curation.apart(one.id, other.id),
                lambda: annotations.undo_log.state().own_value("twin", one.id, other.id) == APART,
            ),
            Act(lambda: record_curation.remove([one]), lambda: one.id in record_curation.removed_papers()),
        )[number % 3]

    return [acts(number) for number in range(ACTS)]


def _draft_acts(root: Path) -> Sequence[Act]:
    from litterm.attribution.drafts.decisions import REFUSED, DraftDecisions
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.sessions import draft_decisions
    from litterm.text.drafts.parser import read_draft

    path, decisions = root / "draft.tex", DraftDecisions(draft_decisions(StateDatabase(root)))
    text = "\n\n".join(f"Sentence {number} of the draft says something [CITATION]." for number in range(ACTS))
    draft = read_draft(text, "tex")

    def act(number: int) -> Act:
        chosen = REFUSED if number % 4 == 3 else PaperId(f"acl:C{number}")
        return Act(
            lambda: decisions.set(path, draft.marks, number, chosen),
            lambda: decisions.decisions_of(path, draft.marks).get(number) == chosen,
        )

    return [act(number) for number in range(ACTS)]


def _watch_acts(root: Path) -> Sequence[Act]:
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.core.tasks import run
    from litterm.model.search import Ranking
    from litterm.text.queries.parser import parse_query

    def nothing(query: str, most: int) -> Task[Ranking]:
        yield from ()
        return Ranking(parse_query(query), (), 0, "bm25")

    saved_searches = SavedSearches(_annotations(root).undo_log, lambda: "", nothing)

    def act(number: int) -> Act:
        query = f"query number {number}"
        return Act(lambda: run(saved_searches.add(query)), lambda: query in saved_searches.all())

    return [act(number) for number in range(ACTS)]


def _list_acts(root: Path) -> Sequence[Act]:
    """A list made, then a note on each of its papers, pins, drops, and a move taken back."""
    from litterm.core.tasks import run
    from litterm.model.reading_list import ListEntry, ListRequest, ListSection, ReadingList
    from litterm.reading_lists.reading_lists import ReadingLists

    papers = tuple(Paper(PaperId(f"acl:L{number}"), f"Paper {number}") for number in range(ACTS))
    made = ReadingList(
        "", ListRequest("kills"), (ListSection("", tuple(ListEntry(paper, "method") for paper in papers)),), "linear"
    )
    lists = ReadingLists(_annotations(root), _Papers(papers), lambda _collection: _Maker(made), None)  # type: ignore[arg-type]

    def now() -> ReadingList | None:
        return lists.open("last") if lists.all() else None

    def kept() -> ReadingList:
        found = now()
        assert found is not None
        return found

    def entry(number: int) -> ListEntry | None:
        found = now()
        return None if found is None else next(each for each in found.entries if each.paper.id == papers[number].id)

    def act(number: int) -> Act:
        key, note = papers[number].id, f"note {number}"
        if not number:
            return Act(lambda: run(lists.make(ListRequest("kills"))), lambda: now() is not None)
        if number % 3 == 1:
            return Act(lambda: lists.pin(kept(), key), lambda: (found := entry(number)) is not None and found.pinned)

        def write() -> None:
            lists.write_note(kept(), key, note)
            if number % 3 == 2:
                lists.move(kept(), key, -1)
                lists.undo()

        return Act(write, lambda: (found := entry(number)) is not None and found.note == note)

    return [act(number) for number in range(ACTS)]


@dataclass(frozen=True, slots=True)
class _Papers:
    """The papers of a list, as a library gives them."""

    papers: Sequence[Paper]

    def find(self, keys: Sequence[str]) -> list[tuple[PaperId, ...]]:
        return [tuple(paper.id for paper in self.papers if paper.id == key) for key in keys]

    def by_id(self, ids: Sequence[PaperId]) -> list[Paper]:
        return [paper for each in ids for paper in self.papers if paper.id == each]


@dataclass(frozen=True, slots=True)
class _Maker:
    """Always makes the same list."""

    made: ReadingList

    def build(self, request: object) -> Iterator[object]:
        yield from ()
        return self.made


def _failure_acts(root: Path) -> Sequence[Act]:
    """Failures written down, every third of them forgotten again once its file was read."""
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.failures import FailureList
    from litterm.model.library import Failure

    book = FailureList(StateDatabase(root))

    def origins() -> set[str]:
        return {each.origin for each in book.all()}

    def act(number: int) -> Act:
        # A file that was read: the one before it has failed.
        origin, before = f"/papers/{number}.pdf", f"/papers/{number - 1}.pdf"
        if number % 3 == 2:
            return Act(
                lambda: (book.record([Failure(origin, "It is a picture.")]), book.forget_read([before])),
                lambda: origin in origins() and before not in origins(),
            )
        gone = f"/papers/{number + 1}.pdf" if number % 3 == 1 else ""
        return Act(
            lambda: book.record([Failure(origin, "It is a picture.")]),
            lambda: origin in origins() or gone in origins(),
        )

    return [act(number) for number in range(ACTS)]


def _setting_acts(root: Path) -> Sequence[Act]:
    from litterm.core.settings.config_file import read_file, write_settings

    path = root / "config.toml"
    if not path.exists():
        path.write_text("# kept by hand\n[pdf]\npages = 1 # few\n")

    def pages() -> int:
        return int(str(read_file(path)[0]["pdf.pages"]))

    def act(number: int) -> Act:
        return Act(
            lambda: write_settings(path, {"pdf.pages": number + 2}),
            lambda: pages() >= number + 2 and path.read_text().startswith("# kept by hand\n"),
        )

    return [act(number) for number in range(ACTS)]


def _file_acts(root: Path) -> Sequence[Act]:
    """Files of the user's: one that grows by a line, one that is replaced whole with what stood there kept."""
    from litterm.core.user_files import append_to_file, write_file

    grown, replaced = root / "grown.tsv", root / "out.bib"

    def lines(path: Path) -> list[bytes]:
        return path.read_bytes().split(b"\n") if path.exists() else []

    def act(number: int) -> Act:
        line = b"line %d " % number + b"x" * 5000
        if number % 2:
            return Act(lambda: append_to_file(grown, line + b"\n"), lambda: line in lines(grown))
        content = b"".join(b"entry %d\n" % n for n in range(number + 1)) + b"% end\n"
        return Act(
            lambda: write_file(replaced, content, force=number % 4 == 0),
            lambda: b"entry %d" % number in lines(replaced) and lines(replaced)[-2:] == [b"% end", b""],
        )

    return [act(number) for number in range(ACTS)]


def _step_acts(root: Path) -> Sequence[Act]:
    """Steps of an agent, and the end of it."""
    from litterm.attribution.agent.storage import TrajectoryStore
    from litterm.library.state.connection import StateDatabase
    from litterm.model.attribution.agent import Action, AgentChoice, AgentStep, TrajectoryRequest
    from litterm.model.attribution.citation import CandidateBounds
    from litterm.model.document import Span

    kept = TrajectoryStore(StateDatabase(root))
    request = TrajectoryRequest("A text", -1, Span(0, 6), CandidateBounds(), "m", "127.0.0.1", 15, False)

    def act(number: int) -> Act:
        if not number:
            return Act(lambda: kept.begin(request), lambda: bool(kept.all()))
        if number == ACTS - 1:
            return Act(
                lambda: kept.end(kept.all()[0].id, AgentChoice("none", why="None fits.")),
                lambda: bool(kept.all()) and kept.all()[0].choice.ended == "none",
            )
        step = AgentStep(number, "It may be this.", Action("search", f"query {number}"), "nothing", "nothing")
        return Act(
            lambda: kept.put(kept.all()[0].id, step),
            lambda: bool(kept.all()) and number in [each.number for each in kept.all()[0].steps],
        )

    return [act(number) for number in range(ACTS)]


def _citation_acts(root: Path) -> Sequence[Act]:
    from litterm.citations.store import CitationStore
    from litterm.model.citations.graph import Citance, Edge, ReferenceListHead, ResolvedList

    folder = root / "graph"
    folder.mkdir(exist_ok=True)
    store = CitationStore(folder)

    @contextmanager
    def leased() -> Iterator[None]:
        lease = store.lease()
        assert lease is not None
        try:
            yield
        finally:
            lease.release()

    def act(number: int) -> Act:
        citing, cited = PaperId(f"acl:G{number}"), PaperId("acl:root")
        head = ReferenceListHead(citing, f"d{number}", 2020)
        made = ResolvedList(head, True, (Edge(citing, cited, 1, 2020),), frozenset({number}))
        sentence = Citance(citing, cited, f"As {number} says.", None, 2020)

        def put() -> None:
            with leased():
                store.put([(made, [sentence])])

        def stands() -> bool:
            lists = [resolved for resolved in store.lists() if resolved.head == head]
            return [[citance.text for citance in store.citances(one)] for one in lists] == [[sentence.text]]

        return Act(put, stands)

    return [act(number) for number in range(ACTS)]


JOBS: dict[str, Callable[[Path], Sequence[Act]]] = {
    "desk": _annotation_acts,
    "records": _record_acts,
    "drafts": _draft_acts,
    "watches": _watch_acts,
    "lists": _list_acts,
    "failures": _failure_acts,
    "settings": _setting_acts,
    "files": _file_acts,
    "steps": _step_acts,
    "citations": _citation_acts,
}
