"""The desk: every verb, undo and redo, restarts, and two processes on one journal."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.annotations.annotations import Annotations, open_desk, tagged
from litterm.annotations.session_file import JsonSession
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import DiskFull, UsageError
from litterm.interfaces import Journal
from litterm.library.journal import FileJournal
from litterm.model.annotations import MarkKind, PaperNotes, ReadStatus, Screening, Session, UnfinishedJob
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.model.search import NOTED
from litterm.text.document import Block, build_document
from tests.unit.annotations.journals import ListJournal, MemorySession

A, B = PaperId("acl:P18-1001"), PaperId("iclr:xyz")
SENTENCES = ("Dropout lowers error.", "Deep networks overfit small corpora.", "We thank everybody.")


def paper(paper_id: PaperId = A, *, parser: str = "test-1", sentences: tuple[str, ...] = SENTENCES) -> Document:
    return build_document(paper_id, [Block("body", sentences=sentences)], origin="jats", parser=parser)


def desk_over(journal: Journal, writer: str = "one") -> Annotations:
    return open_desk(journal, MemorySession(), writer=writer)


@pytest.fixture
def journal() -> ListJournal:
    return ListJournal()


@pytest.fixture
def desk(journal: ListJournal) -> Annotations:
    return desk_over(journal)


def standing(desk: Annotations, document: Document) -> list[tuple[int | None, str]]:
    return [(located.index, located.mark.kind) for located in desk.marks(document)]


def test_what_was_said_about_a_paper_is_there_after_a_restart(journal: ListJournal, desk: Annotations) -> None:
    desk.screen(A, "included")
    desk.star(A, True)
    desk.tag(A, ("Parsing ", "to  read", "parsing", ""))
    desk.note(A, "compare with [[xyz]]")
    desk.set_status(A, "reading")
    again = desk_over(journal, "two")
    assert again.notes(A) == PaperNotes("included", True, ("Parsing", "to read"), "compare with [[xyz]]", "reading")
    assert again.notes(B) == PaperNotes()
    assert again.included() == (A,)


def test_a_decision_can_be_changed_and_taken_away(desk: Annotations) -> None:
    desk.screen(A, "included")
    desk.screen(B, "included")
    desk.screen(A, "excluded")
    assert desk.included() == (B,)
    desk.screen(B, None)
    assert desk.included() == ()
    assert desk.notes(A).screening == "excluded"


def test_papers_are_found_by_tag_and_by_what_was_decided(desk: Annotations) -> None:
    desk.tag(B, ("Parsing",))
    desk.star(A, True)
    desk.screen(A, "excluded")
    desk.set_status(B, "read")
    assert tagged(desk, "parsing") == (B,)
    assert tagged(desk, "STARRED") == (A,)
    assert tagged(desk, "excluded") == (A,)
    assert tagged(desk, "read") == (B,)
    desk.note(A, "To Replicate")
    assert tagged(desk, f"{NOTED}replicate") == tagged(desk, NOTED) == (A,)
    assert tagged(desk, f"{NOTED}nothing") == ()
    assert desk.tags() == ("Parsing",)
    assert tagged(desk, "included") == tagged(desk, "reading") == tagged(desk, "pars") == ()


def test_marks_stand_in_reading_order_with_their_anchor(desk: Annotations) -> None:
    document = paper()
    desk.mark(document, 1, "accepted", "dropout helps")
    desk.mark(document, 0, "hand")
    assert standing(desk, document) == [(0, "hand"), (1, "accepted")]
    anchor = desk.marks(document)[1].mark.anchor
    assert (anchor.quote, anchor.before, anchor.after) == (SENTENCES[1], SENTENCES[0], SENTENCES[2])
    assert desk.marked_papers() == (A,)


def test_a_sentence_has_one_decision_for_one_hypothesis_and_may_have_others_for_others(desk: Annotations) -> None:
    document = paper()
    desk.mark(document, 1, "accepted", "one")
    desk.mark(document, 1, "rejected", "two")
    desk.mark(document, 1, "rejected", "one")
    assert [(m.mark.hypothesis, m.mark.kind) for m in desk.marks(document)] == [
        ("two", "rejected"),
        ("one", "rejected"),
    ]
    desk.unmark(document, 1)
    assert desk.marks(document) == ()
    assert desk.marked_papers() == ()
    assert desk.undo() == "Undone: removed the mark on “Deep networks overfit small corpora.” in acl:P18-1001."
    assert len(desk.marks(document)) == 2


def test_a_sentence_that_is_not_there_cannot_be_marked(desk: Annotations) -> None:
    for index in (-1, 3):
        with pytest.raises(UsageError, match="no sentence"):
            desk.mark(paper(), index, "hand")


def test_a_mark_follows_its_sentence_into_another_parse(desk: Annotations) -> None:
    desk.mark(paper(), 1, "accepted")
    moved = paper(parser="test-2", sentences=("A new first sentence.", *SENTENCES))
    assert standing(desk, moved) == [(2, "accepted")]
    desk.mark(moved, 2, "rejected")
    assert standing(desk, moved) == [(2, "rejected")]
    assert standing(desk, paper()) == [(1, "rejected")]


def test_a_mark_whose_sentence_is_gone_is_listed_as_not_located_and_can_be_dropped(desk: Annotations) -> None:
    desk.mark(paper(), 1, "accepted")
    other = paper(parser="test-2", sentences=("Something else stands here now.", SENTENCES[2]))
    desk.mark(other, 1, "hand")
    assert standing(desk, other) == [(1, "hand"), (None, "accepted")]
    desk.unmark(other, desk.marks(other)[1])
    assert standing(desk, other) == [(1, "hand")]


def test_undo_and_redo_walk_through_all_verbs_with_a_sentence_each(desk: Annotations) -> None:
    desk.screen(A, "included")
    desk.mark(paper(), 0, "accepted")
    assert desk.undo() == "Undone: accepted “Dropout lowers error.” in acl:P18-1001."
    assert desk.undo() == "Undone: included acl:P18-1001."
    assert desk.undo() is None
    assert desk.notes(A) == PaperNotes()
    assert desk.redo() == "Done again: included acl:P18-1001."
    assert desk.redo() == "Done again: accepted “Dropout lowers error.” in acl:P18-1001."
    assert desk.redo() is None
    assert standing(desk, paper()) == [(0, "accepted")]


def test_a_new_verb_ends_redo(desk: Annotations) -> None:
    desk.star(A, True)
    desk.undo()
    desk.star(B, True)
    assert desk.redo() is None
    assert desk.notes(A).starred is False


def test_what_changes_nothing_is_not_written_and_not_undone(journal: ListJournal, desk: Annotations) -> None:
    desk.star(A, True)
    desk.star(A, True)
    desk.screen(B, None)
    desk.note(B, "")
    desk.tag(B, ())
    desk.mark(paper(), 0, "hand")
    desk.mark(paper(), 0, "hand")
    desk.unmark(paper(), 2)
    assert len(journal.lines) == 2


def test_verbs_done_together_are_one_line_and_undone_as_one(journal: ListJournal, desk: Annotations) -> None:
    with desk.together():
        for number in range(5):
            desk.screen(PaperId(f"acl:{number}"), "included")
        desk.star(A, False)
        desk.mark(paper(), 0, "hand")
    assert len(journal.lines) == 1
    assert len(desk.included()) == 5
    assert desk.undo() == "Undone: included acl:0 and 5 more."
    assert desk.included() == desk.marks(paper()) == ()
    assert desk.undo() is None


def test_a_failure_among_verbs_done_together_writes_none_of_them(journal: ListJournal, desk: Annotations) -> None:
    with pytest.raises(UsageError), desk.together():
        desk.star(A, True)
        desk.mark(paper(), 99, "hand")
    desk.star(B, True)
    assert tagged(desk, "starred") == (B,)
    with desk.together():
        pass
    assert len(journal.lines) == 1


def test_undo_reaches_back_over_a_restart(journal: ListJournal, desk: Annotations) -> None:
    desk.star(A, True)
    desk.star(B, True)
    again = desk_over(journal, "two")
    assert again.undo() == "Undone: starred iclr:xyz."
    later = desk_over(journal, "three")
    assert later.redo() == "Done again: starred iclr:xyz."


def test_a_window_does_not_undo_what_another_did_meanwhile(journal: ListJournal, desk: Annotations) -> None:
    other = desk_over(journal, "two")
    assert other.undo() is None
    desk.star(A, True)
    other.star(B, True)
    desk.note(A, "late")
    assert other.undo() == "Undone: starred iclr:xyz."
    assert other.undo() is None
    assert other.notes(A) == PaperNotes(starred=True, note="late")


def test_a_full_disk_changes_nothing(journal: ListJournal, desk: Annotations) -> None:
    journal.full = True
    with pytest.raises(DiskFull):
        desk.star(A, True)
    assert desk.notes(A).starred is False


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"id": "x", "set": None},
        {"id": "x", "set": [["weather", A, "", "rain"]]},
        {"id": "x", "set": [["starred", A, "", "yes"], ["screening", A, "", "maybe"], ["tags", A, "", 3]]},
        {"id": "x", "set": [["mark", A, "p", {"index": "one"}], ["mark", A, "p", 1], [1, 2], 7]},
        {"id": "x", "target": "nothing"},
    ],
)
def test_lines_of_another_version_or_of_nobody_are_passed_over(
    journal: ListJournal, desk: Annotations, body: dict[str, object]
) -> None:
    for kind in ("desk", "desk-undo", "desk-redo", "merge"):
        journal.append(kind, body)
    assert desk.notes(A) == PaperNotes()
    assert desk.marks(paper()) == ()
    desk.star(A, True)
    assert desk.notes(A).starred


def test_the_session_comes_back(tmp_path: Path) -> None:
    left = (UnfinishedJob("add", "adding papers", ("/papers",)), UnfinishedJob("fetch", "full texts", ("a:1", "a:2")))
    session = Session("dropout venue:acl", A, "dropout helps", ((B, 3), (A, 40)), ("older", "dropout"), unfinished=left)
    open_desk(ListJournal(), JsonSession(tmp_path / "session.json")).save_session(session)
    assert open_desk(ListJournal(), JsonSession(tmp_path / "session.json")).session() == session


def test_the_session_keeps_the_newest_two_hundred_of_a_list() -> None:
    desk = desk_over(ListJournal())
    desk.save_session(Session(scroll=tuple((PaperId(f"acl:{n}"), n) for n in range(300)), history=("q",) * 300))
    assert len(desk.session().scroll) == len(desk.session().history) == 200
    assert desk.session().scroll[-1] == ("acl:299", 299)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"scroll": [[1, "x"], ["a", -1], 3], "query": 7, "paper": ""}']
)
def test_a_broken_session_file_is_an_empty_session(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "session.json").write_bytes(content)
    assert open_desk(ListJournal(), JsonSession(tmp_path / "session.json")).session() == Session()


Verb = Callable[[Annotations], object]
PAPERS = st.sampled_from([A, B])
DECISIONS: st.SearchStrategy[Screening | None] = st.sampled_from(["included", "excluded", None])
STATUSES: st.SearchStrategy[ReadStatus] = st.sampled_from(["", "reading", "read"])
KINDS: st.SearchStrategy[MarkKind] = st.sampled_from(["accepted", "rejected", "hand"])
VERBS: st.SearchStrategy[Verb] = st.one_of(
    st.builds(lambda p, d: lambda desk: desk.screen(p, d), PAPERS, DECISIONS),
    st.builds(lambda p, s: lambda desk: desk.star(p, s), PAPERS, st.booleans()),
    st.builds(lambda p, t: lambda desk: desk.tag(p, tuple(t)), PAPERS, st.lists(st.text(max_size=3), max_size=3)),
    st.builds(lambda p, t: lambda desk: desk.note(p, t), PAPERS, st.text(max_size=5)),
    st.builds(lambda p, s: lambda desk: desk.set_status(p, s), PAPERS, STATUSES),
    st.builds(
        lambda p, i, k, h: lambda desk: desk.mark(paper(p), i, k, h),
        PAPERS, st.integers(0, 2), KINDS, st.sampled_from(["", "h"]),
    ),
    st.builds(lambda p, i: lambda desk: desk.unmark(paper(p), i), PAPERS, st.integers(0, 2)),
)  # fmt: skip
STEPS = st.lists(VERBS | st.sampled_from(["undo", "redo"]), max_size=25)


def everything(desk: Annotations) -> tuple[object, ...]:
    marks = [[(m.index, m.mark.kind, m.mark.hypothesis) for m in desk.marks(paper(p))] for p in (A, B)]
    return desk.notes(A), desk.notes(B), marks, desk.included(), desk.marked_papers()


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_any_walk_through_verbs_undo_and_redo_is_the_same_after_a_restart(steps: list[Verb | str]) -> None:
    journal = ListJournal()
    desk = desk_over(journal)
    past, future = [everything(desk)], []
    for step in steps:
        if isinstance(step, str):
            said = desk.undo() if step == "undo" else desk.redo()
            if said and step == "undo":
                future.append(past.pop())
            elif said:
                past.append(future.pop())
        else:
            lines = len(journal.lines)
            step(desk)
            if len(journal.lines) > lines:
                past.append(everything(desk))
                future.clear()
        # Order of first decision may outlive an undo: it is what a list shows, not what holds.
        assert everything(desk)[:3] == past[-1][:3]
    assert everything(desk_over(journal, "later")) == everything(desk)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), VERBS | st.sampled_from(["undo", "redo"])), max_size=25))
def test_two_processes_that_take_turns_see_the_same(steps: list[tuple[bool, Verb | str]]) -> None:
    journal = ListJournal()
    desks = desk_over(journal, "one"), desk_over(journal, "two")
    for second, step in steps:
        desk = desks[second]
        if isinstance(step, str):
            desk.undo() if step == "undo" else desk.redo()
        else:
            step(desk)
    assert everything(desks[0]) == everything(desks[1]) == everything(desk_over(journal, "three"))


def test_two_processes_write_to_one_file_and_nothing_is_lost(tmp_path: Path) -> None:
    one, two = (desk_over(FileJournal(tmp_path), name) for name in ("one", "two"))
    for number in range(40):
        (one if number % 2 else two).star(PaperId(f"acl:{number}"), True)
    assert len(tagged(one, "starred")) == len(tagged(two, "starred")) == 40
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b'{"at": "2026", "kind": "desk", "bo')
    one.star(A, True)
    assert tagged(two, "starred")[-1] == A


@pytest.mark.parametrize("cut", [1, 40, 99, 70_000])
def test_a_line_seen_half_written_is_read_whole_the_next_time(tmp_path: Path, cut: int) -> None:
    journal = FileJournal(tmp_path)
    desk_over(journal).note(B, "before")
    first = (tmp_path / "journal.jsonl").stat().st_size
    desk_over(journal).note(A, "long " * 20_000)
    whole = (tmp_path / "journal.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(whole[: first + cut])
    reader = desk_over(journal)
    assert reader.notes(A).note == ""
    (tmp_path / "journal.jsonl").write_bytes(whole)
    assert reader.notes(A).note == "long " * 20_000
    assert reader.notes(B).note == "before"


def test_a_hundred_thousand_lines_are_folded_once_and_not_again(journal: ListJournal) -> None:
    desk = desk_over(journal)
    for number in range(200):
        desk.star(PaperId(f"acl:{number}"), True)
    whole = [
        (at, kind, {**body, "id": f"{copy}-{body['id']}"})
        for copy in range(500)
        for at, kind, body in list(journal.entries())
    ]

    class Long(ListJournal):
        def entries(self, since: object = None):  # type: ignore[no-untyped-def]
            return iter(whole if since is None else ())

    ledger = UndoLog(Long())
    started = time.process_time()
    state = ledger.state()
    assert time.process_time() - started < 10
    assert state.lines == len(whole) >= 100_000
    started = time.process_time()
    for _ in range(100):
        ledger.state()
    assert time.process_time() - started < 1


def test_no_note_is_ever_lost_and_undo_says_what_came_back(desk: Annotations, journal: ListJournal) -> None:
    desk.note(A, "Check the\nsecond table.")
    desk.note(A, "x")
    assert desk.undo() == f"Undone: changed the note on {A}, which was “Check the second table.”."
    assert desk.notes(A).note == "Check the\nsecond table."
    desk.note(A, "")
    again = desk_over(journal, "two")
    assert [text for _, text in again.earlier_notes(A)] == ["x", "Check the\nsecond table."]
    assert again.undo() == f"Undone: removed the note on {A}, which was “Check the second table.”."
    assert again.earlier_notes(B) == ()


def test_a_note_changes_nothing_else_about_the_paper(desk: Annotations) -> None:
    document = paper()
    desk.screen(A, "included")
    desk.star(A, True)
    desk.tag(A, ("later",))
    desk.set_status(A, "reading")
    desk.mark(document, 0, "hand")
    before, marks = desk.notes(A), standing(desk, document)
    assert marks
    for note in ("one", "two", ""):
        desk.note(A, note)
        assert desk.notes(A) == PaperNotes(before.screening, before.starred, before.tags, note, before.status)
        assert standing(desk, document) == marks
