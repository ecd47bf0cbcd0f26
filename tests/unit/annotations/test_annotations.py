"""Annotations: every verb, undo and redo, restarts, and two processes on one journal."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.annotations.annotations import Annotations, find_tagged, open_annotations
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import DiskFull, UsageError
from litterm.library.journal import FileJournal
from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import project_session
from litterm.model.annotations import MarkKind, PaperNotes, ReadStatus, Screening, Session, UnfinishedJob
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.model.search import NOTE_PREFIX, TO_READ_LIST
from litterm.text.documents.builder import Block, build_document
from tests.unit.annotations.journals import ListJournal, MemorySession

A, B = PaperId("acl:P18-1001"), PaperId("iclr:xyz")
SENTENCES = ("Dropout lowers error.", "Deep networks overfit small corpora.", "We thank everybody.")


def paper(paper_id: PaperId = A, *, parser: str = "test-1", sentences: tuple[str, ...] = SENTENCES) -> Document:
    return build_document(paper_id, [Block("body", sentences=sentences)], origin="jats", parser=parser)


def annotations_over(journal: FileJournal, writer: str = "one") -> Annotations:
    return open_annotations(journal, MemorySession(), writer=writer)


@pytest.fixture
def journal() -> ListJournal:
    return ListJournal()


@pytest.fixture
def annotations(journal: ListJournal) -> Annotations:
    return annotations_over(journal)


def standing(annotations: Annotations, document: Document) -> list[tuple[int | None, str]]:
    return [(located.index, located.mark.kind) for located in annotations.marks(document)]


def test_what_was_said_about_a_paper_is_there_after_a_restart(journal: ListJournal, annotations: Annotations) -> None:
    annotations.screen(A, "included")
    annotations.star(A, True)
    annotations.tag(A, ("Parsing ", "to  read", "parsing", ""))
    annotations.note(A, "compare with [[xyz]]")
    annotations.set_status(A, "reading")
    again = annotations_over(journal, "two")
    assert again.notes(A) == PaperNotes("included", True, ("Parsing", "to read"), "compare with [[xyz]]", "reading")
    assert again.notes(B) == PaperNotes()
    assert again.included_papers() == (A,)


def test_a_decision_can_be_changed_and_taken_away(annotations: Annotations) -> None:
    annotations.screen(A, "included")
    annotations.screen(B, "included")
    annotations.screen(A, "excluded")
    assert annotations.included_papers() == (B,)
    annotations.screen(B, None)
    assert annotations.included_papers() == ()
    assert annotations.notes(A).screening == "excluded"


def test_papers_are_found_by_tag_and_by_what_was_decided(annotations: Annotations) -> None:
    annotations.tag(B, ("Parsing",))
    annotations.star(A, True)
    annotations.screen(A, "excluded")
    annotations.set_status(B, "read")
    assert find_tagged(annotations, "parsing") == (B,)
    assert find_tagged(annotations, "STARRED") == (A,)
    assert find_tagged(annotations, "excluded") == (A,)
    assert find_tagged(annotations, "read") == (B,)
    annotations.note(A, "To Replicate")
    assert find_tagged(annotations, f"{NOTE_PREFIX}replicate") == find_tagged(annotations, NOTE_PREFIX) == (A,)
    assert find_tagged(annotations, f"{NOTE_PREFIX}nothing") == ()
    assert annotations.all_tags() == ("Parsing",)
    # A tag of the same name is another list.
    annotations.tag(B, ("Parsing", "to read"))
    annotations.set_status(A, "to read")
    assert (find_tagged(annotations, TO_READ_LIST), find_tagged(annotations, "to read")) == ((A,), (B,))
    annotations.set_status(A, "")
    assert find_tagged(annotations, TO_READ_LIST) == ()
    assert (
        find_tagged(annotations, "included")
        == find_tagged(annotations, "reading")
        == find_tagged(annotations, "pars")
        == ()
    )


def test_marks_stand_in_reading_order_with_their_anchor(annotations: Annotations) -> None:
    document = paper()
    annotations.mark(document, 1, "accepted", "dropout helps")
    annotations.mark(document, 0, "hand")
    assert standing(annotations, document) == [(0, "hand"), (1, "accepted")]
    anchor = annotations.marks(document)[1].mark.anchor
    assert (anchor.quote, anchor.before, anchor.after) == (SENTENCES[1], SENTENCES[0], SENTENCES[2])
    assert annotations.quoted_papers() == (A,)


def test_a_sentence_has_one_decision_for_one_hypothesis_and_may_have_others_for_others(
    annotations: Annotations,
) -> None:
    document = paper()
    annotations.mark(document, 1, "accepted", "one")
    annotations.mark(document, 1, "rejected", "two")
    annotations.mark(document, 1, "rejected", "one")
    assert [(m.mark.hypothesis, m.mark.kind) for m in annotations.marks(document)] == [
        ("two", "rejected"),
        ("one", "rejected"),
    ]
    annotations.unmark(document, 1)
    assert annotations.marks(document) == ()
    assert annotations.quoted_papers() == ()
    assert annotations.undo() == "Undone: removed the mark on “Deep networks overfit small corpora.” in acl:P18-1001."
    assert len(annotations.marks(document)) == 2


def test_a_sentence_that_is_not_there_cannot_be_marked(annotations: Annotations) -> None:
    for index in (-1, 3):
        with pytest.raises(UsageError, match="no sentence"):
            annotations.mark(paper(), index, "hand")


def test_a_mark_follows_its_sentence_into_another_parse(annotations: Annotations) -> None:
    annotations.mark(paper(), 1, "accepted")
    moved = paper(parser="test-2", sentences=("A new first sentence.", *SENTENCES))
    assert standing(annotations, moved) == [(2, "accepted")]
    annotations.mark(moved, 2, "rejected")
    assert standing(annotations, moved) == [(2, "rejected")]
    assert standing(annotations, paper()) == [(1, "rejected")]


def test_a_mark_whose_sentence_is_gone_is_listed_as_not_located_and_can_be_dropped(annotations: Annotations) -> None:
    annotations.mark(paper(), 1, "accepted")
    other = paper(parser="test-2", sentences=("Something else stands here now.", SENTENCES[2]))
    annotations.mark(other, 1, "hand")
    assert standing(annotations, other) == [(1, "hand"), (None, "accepted")]
    annotations.unmark(other, annotations.marks(other)[1])
    assert standing(annotations, other) == [(1, "hand")]


def test_a_wrong_name_is_hidden_until_that_is_undone(annotations: Annotations) -> None:
    assert annotations.hide_name(A, "snli") and not annotations.hide_name(A, "snli")
    assert annotations.hidden_names() == {(A, "snli")}
    assert annotations.undo() == "Undone: hid the name “snli” of acl:P18-1001."
    assert annotations.hidden_names() == frozenset()


def test_undo_and_redo_walk_through_all_verbs_with_a_sentence_each(annotations: Annotations) -> None:
    annotations.screen(A, "included")
    annotations.mark(paper(), 0, "accepted")
    assert annotations.undo() == "Undone: accepted “Dropout lowers error.” in acl:P18-1001."
    assert annotations.undo() == "Undone: included acl:P18-1001."
    assert annotations.undo() is None
    assert annotations.notes(A) == PaperNotes()
    assert annotations.redo() == "Redone: included acl:P18-1001."
    assert annotations.redo() == "Redone: accepted “Dropout lowers error.” in acl:P18-1001."
    assert annotations.redo() is None
    assert standing(annotations, paper()) == [(0, "accepted")]


def test_a_new_verb_ends_redo(annotations: Annotations) -> None:
    annotations.star(A, True)
    annotations.undo()
    annotations.star(B, True)
    assert annotations.redo() is None
    assert annotations.notes(A).starred is False


def test_what_changes_nothing_is_not_written_and_not_undone(journal: ListJournal, annotations: Annotations) -> None:
    annotations.star(A, True)
    annotations.star(A, True)
    annotations.screen(B, None)
    annotations.note(B, "")
    annotations.tag(B, ())
    annotations.mark(paper(), 0, "hand")
    annotations.mark(paper(), 0, "hand")
    annotations.unmark(paper(), 2)
    assert len(journal.lines) == 2


def test_verbs_done_together_are_one_line_and_undone_as_one(journal: ListJournal, annotations: Annotations) -> None:
    with annotations.group_changes():
        for number in range(5):
            annotations.screen(PaperId(f"acl:{number}"), "included")
        annotations.star(A, False)
        annotations.mark(paper(), 0, "hand")
    assert len(journal.lines) == 1
    assert len(annotations.included_papers()) == 5
    assert annotations.undo() == "Undone: included acl:0 and 5 more."
    assert annotations.included_papers() == annotations.marks(paper()) == ()
    assert annotations.undo() is None


def test_a_failure_among_verbs_done_together_writes_none_of_them(
    journal: ListJournal, annotations: Annotations
) -> None:
    with pytest.raises(UsageError), annotations.group_changes():
        annotations.star(A, True)
        annotations.mark(paper(), 99, "hand")
    annotations.star(B, True)
    assert find_tagged(annotations, "starred") == (B,)
    with annotations.group_changes():
        pass
    assert len(journal.lines) == 1


def test_undo_reaches_back_over_a_restart(journal: ListJournal, annotations: Annotations) -> None:
    annotations.star(A, True)
    annotations.star(B, True)
    again = annotations_over(journal, "two")
    assert again.undo() == "Undone: starred iclr:xyz."
    later = annotations_over(journal, "three")
    assert later.redo() == "Redone: starred iclr:xyz."


def test_a_window_does_not_undo_what_another_did_meanwhile(journal: ListJournal, annotations: Annotations) -> None:
    other = annotations_over(journal, "two")
    assert other.undo() is None
    annotations.star(A, True)
    other.star(B, True)
    annotations.note(A, "late")
    assert other.undo() == "Undone: starred iclr:xyz."
    assert other.undo() is None
    assert other.notes(A) == PaperNotes(starred=True, note="late")


def test_a_full_disk_changes_nothing(journal: ListJournal, annotations: Annotations) -> None:
    journal.full = True
    with pytest.raises(DiskFull):
        annotations.star(A, True)
    assert annotations.notes(A).starred is False


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
    journal: ListJournal, annotations: Annotations, body: dict[str, object]
) -> None:
    for kind in ("desk", "desk-undo", "desk-redo", "merge"):
        journal.append(kind, body)
    assert annotations.notes(A) == PaperNotes()
    assert annotations.marks(paper()) == ()
    annotations.star(A, True)
    assert annotations.notes(A).starred


def test_the_session_comes_back(tmp_path: Path) -> None:
    left = (UnfinishedJob("add", "adding papers", ("/papers",)), UnfinishedJob("fetch", "full texts", ("a:1", "a:2")))
    session = Session("dropout venue:acl", A, "dropout helps", ((B, 3), (A, 40)), ("older", "dropout"), unfinished=left)
    open_annotations(ListJournal(), project_session(StateDatabase(tmp_path), "")).save_session(session)
    assert open_annotations(ListJournal(), project_session(StateDatabase(tmp_path), "")).session() == session


def test_the_session_keeps_the_newest_two_hundred_of_a_list() -> None:
    annotations = annotations_over(ListJournal())
    annotations.save_session(Session(scroll=tuple((PaperId(f"acl:{n}"), n) for n in range(300)), history=("q",) * 300))
    assert len(annotations.session().scroll) == len(annotations.session().history) == 200
    assert annotations.session().scroll[-1] == ("acl:299", 299)
    annotations.save_session(Session(commands=tuple(f"add {n}" for n in range(60))))
    assert annotations.session().commands == tuple(f"add {n}" for n in range(10, 60))


def test_a_session_of_broken_fields_is_an_empty_session(tmp_path: Path) -> None:
    broken = {"scroll": [[1, "x"], ["a", -1], 3], "query": 7, "paper": ""}
    project_session(StateDatabase(tmp_path), "").save(broken)
    assert open_annotations(ListJournal(), project_session(StateDatabase(tmp_path), "")).session() == Session()


Verb = Callable[[Annotations], object]
PAPERS = st.sampled_from([A, B])
DECISIONS: st.SearchStrategy[Screening | None] = st.sampled_from(["included", "excluded", None])
STATUSES: st.SearchStrategy[ReadStatus] = st.sampled_from(["", "reading", "read"])
KINDS: st.SearchStrategy[MarkKind] = st.sampled_from(["accepted", "rejected", "hand"])
VERBS: st.SearchStrategy[Verb] = st.one_of(
    st.builds(lambda p, d: lambda annotations: annotations.screen(p, d), PAPERS, DECISIONS),
    st.builds(lambda p, s: lambda annotations: annotations.star(p, s), PAPERS, st.booleans()),
    st.builds(
        lambda p, t: lambda annotations: annotations.tag(p, tuple(t)), PAPERS, st.lists(st.text(max_size=3), max_size=3)
    ),
    st.builds(lambda p, t: lambda annotations: annotations.note(p, t), PAPERS, st.text(max_size=5)),
    st.builds(lambda p, s: lambda annotations: annotations.set_status(p, s), PAPERS, STATUSES),
    st.builds(
        lambda p, i, k, h: lambda annotations: annotations.mark(paper(p), i, k, h),
        PAPERS, st.integers(0, 2), KINDS, st.sampled_from(["", "h"]),
    ),
    st.builds(lambda p, i: lambda annotations: annotations.unmark(paper(p), i), PAPERS, st.integers(0, 2)),
)  # fmt: skip
STEPS = st.lists(VERBS | st.sampled_from(["undo", "redo"]), max_size=25)


def everything(annotations: Annotations) -> tuple[object, ...]:
    marks = [[(m.index, m.mark.kind, m.mark.hypothesis) for m in annotations.marks(paper(p))] for p in (A, B)]
    return annotations.notes(A), annotations.notes(B), marks, annotations.included_papers(), annotations.quoted_papers()


@settings(max_examples=50, deadline=None)
@given(STEPS)
def test_any_walk_through_verbs_undo_and_redo_is_the_same_after_a_restart(steps: list[Verb | str]) -> None:
    journal = ListJournal()
    annotations = annotations_over(journal)
    past, future = [everything(annotations)], []
    for step in steps:
        if isinstance(step, str):
            said = annotations.undo() if step == "undo" else annotations.redo()
            if said and step == "undo":
                future.append(past.pop())
            elif said:
                past.append(future.pop())
        else:
            lines = len(journal.lines)
            step(annotations)
            if len(journal.lines) > lines:
                past.append(everything(annotations))
                future.clear()
        # Order of first decision may outlive an undo: it is what a list shows, not what holds.
        assert everything(annotations)[:3] == past[-1][:3]
    assert everything(annotations_over(journal, "later")) == everything(annotations)


def do(annotations: Annotations, steps: list[Verb | str]) -> None:
    for step in steps:
        if isinstance(step, str):
            annotations.undo() if step == "undo" else annotations.redo()
        else:
            step(annotations)


def listed(annotations: Annotations) -> list[list[str]]:
    return [[event.id for event in stack] for stack in annotations.undo_log.steps()]


@settings(max_examples=50, deadline=None)
@given(STEPS, STEPS, STEPS)
def test_what_is_taken_back_leaves_no_trace(
    earlier: list[Verb | str], tracked: list[Verb | str], later: list[Verb | str]
) -> None:
    journal = ListJournal()
    annotations = annotations_over(journal, "one")
    do(annotations, earlier)
    before = everything(annotations)[:3], listed(annotations)
    with annotations.track_changes():
        do(annotations, tracked)
    annotations.take_back_tracked()
    assert (everything(annotations)[:3], listed(annotations)) == before
    again = annotations_over(journal, "one")
    assert (everything(again)[:3], listed(again)) == before
    do(annotations, later)
    annotations.take_back_tracked()
    again = annotations_over(journal, "one")
    assert (everything(again), listed(again)) == (everything(annotations), listed(annotations))


def test_only_what_is_tracked_and_not_kept_is_taken_back(journal: ListJournal, annotations: Annotations) -> None:
    with annotations.track_changes():
        annotations.star(A, True)
    annotations.keep_tracked()
    annotations.note(A, "between")
    with annotations.track_changes():
        annotations.screen(A, "included")
    journal.full = True
    with pytest.raises(DiskFull):
        annotations.take_back_tracked()
    assert annotations.notes(A).screening == "included"
    journal.full = False
    annotations.undo()
    with annotations.track_changes():
        annotations.tag(A, ("new",))
    annotations_over(journal, "two").note(B, "of another window")
    annotations.take_back_tracked()
    assert annotations.notes(A) == PaperNotes(starred=True, note="between")
    assert annotations.notes(B).note == "of another window"
    assert annotations.redo() is None, "the other window has decided since"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), VERBS | st.sampled_from(["undo", "redo"])), max_size=25))
def test_two_processes_that_take_turns_see_the_same(steps: list[tuple[bool, Verb | str]]) -> None:
    journal = ListJournal()
    both = annotations_over(journal, "one"), annotations_over(journal, "two")
    for second, step in steps:
        annotations = both[second]
        if isinstance(step, str):
            annotations.undo() if step == "undo" else annotations.redo()
        else:
            step(annotations)
    assert everything(both[0]) == everything(both[1]) == everything(annotations_over(journal, "three"))


def test_two_processes_write_to_one_file_and_nothing_is_lost(tmp_path: Path) -> None:
    one, two = (annotations_over(FileJournal(tmp_path), name) for name in ("one", "two"))
    for number in range(40):
        (one if number % 2 else two).star(PaperId(f"acl:{number}"), True)
    assert len(find_tagged(one, "starred")) == len(find_tagged(two, "starred")) == 40
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b'{"at": "2026", "kind": "desk", "bo')
    one.star(A, True)
    assert find_tagged(two, "starred")[-1] == A


@pytest.mark.parametrize("cut", [1, 40, 99, 70_000])
def test_a_line_seen_half_written_is_read_whole_the_next_time(tmp_path: Path, cut: int) -> None:
    journal = FileJournal(tmp_path)
    annotations_over(journal).note(B, "before")
    first = (tmp_path / "journal.jsonl").stat().st_size
    annotations_over(journal).note(A, "long " * 20_000)
    whole = (tmp_path / "journal.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(whole[: first + cut])
    reader = annotations_over(journal)
    assert reader.notes(A).note == ""
    (tmp_path / "journal.jsonl").write_bytes(whole)
    assert reader.notes(A).note == "long " * 20_000
    assert reader.notes(B).note == "before"


def test_a_hundred_thousand_lines_are_folded_once_and_not_again(journal: ListJournal) -> None:
    annotations = annotations_over(journal)
    for number in range(200):
        annotations.star(PaperId(f"acl:{number}"), True)
    whole = [
        (at, kind, {**body, "id": f"{copy}-{body['id']}"})
        for copy in range(500)
        for at, kind, body in list(journal.entries())
    ]

    class Long(ListJournal):
        def entries(self, since: object = None):  # type: ignore[no-untyped-def]
            return iter(whole if since is None else ())

    undo_log = UndoLog(Long())
    started = time.process_time()
    state = undo_log.state()
    assert time.process_time() - started < 10
    assert state.lines == len(whole) >= 100_000
    started = time.process_time()
    for _ in range(100):
        undo_log.state()
    assert time.process_time() - started < 1


def test_no_note_is_ever_lost_and_undo_says_what_came_back(annotations: Annotations, journal: ListJournal) -> None:
    annotations.note(A, "Check the\nsecond table.")
    annotations.note(A, "x")
    assert annotations.undo() == f"Undone: changed the note on {A}, which was “Check the second table.”."
    assert annotations.notes(A).note == "Check the\nsecond table."
    annotations.note(A, "")
    again = annotations_over(journal, "two")
    assert [text for _, text in again.earlier_notes(A)] == ["x", "Check the\nsecond table."]
    assert again.undo() == f"Undone: removed the note on {A}, which was “Check the second table.”."
    assert again.earlier_notes(B) == ()


def test_a_note_changes_nothing_else_about_the_paper(annotations: Annotations) -> None:
    document = paper()
    annotations.screen(A, "included")
    annotations.star(A, True)
    annotations.tag(A, ("later",))
    annotations.set_status(A, "reading")
    annotations.mark(document, 0, "hand")
    before, marks = annotations.notes(A), standing(annotations, document)
    assert marks
    for note in ("one", "two", ""):
        annotations.note(A, note)
        assert annotations.notes(A) == PaperNotes(before.screening, before.starred, before.tags, note, before.status)
        assert standing(annotations, document) == marks


def test_undo_through_a_step_takes_back_all_that_followed_and_redo_through_one_repeats_it(
    annotations: Annotations,
) -> None:
    annotations.star(A, True)
    annotations.screen(A, "included")
    annotations.tag(B, ("old",))
    undone, done = annotations.undo_log.steps()
    assert undone == ()
    assert [event.sentence for event in done] == [f"tagged {B}: old", f"included {A}", f"starred {A}"]
    assert annotations.undo_through(done[1].id) == "Undone: 2 changes."
    assert annotations.notes(A) == PaperNotes(starred=True)
    undone, done = annotations.undo_log.steps()
    assert [event.sentence for event in undone] == [f"tagged {B}: old", f"included {A}"]
    assert annotations.redo_through(undone[1].id) == "Redone: 1 change."
    assert annotations.notes(A) == PaperNotes("included", True)
    assert annotations.notes(B) == PaperNotes()


def test_a_step_that_is_gone_undoes_nothing(annotations: Annotations) -> None:
    annotations.star(A, True)
    annotations.screen(A, "included")
    (_, done) = annotations.undo_log.steps()
    assert annotations.undo() is not None
    assert annotations.undo_through(done[0].id) is None
    assert annotations.redo_through(done[1].id) is None
    assert annotations.notes(A) == PaperNotes(starred=True)


def test_changes_of_another_window_are_neither_listed_nor_undone(
    journal: ListJournal, annotations: Annotations
) -> None:
    annotations.star(A, True)
    other = annotations_over(journal, "two")
    other.notes(A)
    annotations.star(B, True)
    other.screen(A, "included")
    assert [event.sentence for event in other.undo_log.steps()[1]] == [f"included {A}", f"starred {A}"]
    other.undo_through(other.undo_log.steps()[1][1].id)
    assert annotations.notes(B).starred and not annotations.notes(A).starred
