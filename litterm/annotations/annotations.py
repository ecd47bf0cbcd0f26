"""What the user writes: marks on sentences, decisions on papers, tags, notes, and the session; all with undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from litterm.annotations.anchors import SentenceAnchors
from litterm.annotations.journal_codec import RegisterChange, Topic, Value
from litterm.annotations.matrix_decisions import MatrixDecisions
from litterm.annotations.projects import Projects
from litterm.annotations.session import as_body, session_of
from litterm.annotations.undo_log import State, UndoLog
from litterm.model.annotations import PaperNotes, ReadStatus, Screening, Session
from litterm.model.paper import PaperId
from litterm.model.search import NOTE_PREFIX, PROJECT_PREFIX

if TYPE_CHECKING:
    from litterm.annotations.session_file import SessionFile
    from litterm.library.journal import FileJournal

_BUILT_IN: dict[str, Topic] = {
    "starred": "starred",
    "included": "screening",
    "excluded": "screening",
    "reading": "status",
    "read": "status",
}
_SHOWN = 60
"""Characters of a note that a sentence shows."""
_OF_THE_PROJECT: tuple[Topic, ...] = ("screening", "starred")
_OF_NOTES: tuple[Topic, ...] = (*_OF_THE_PROJECT, "tags", "note", "status")
"""What `PaperNotes` hold."""


@dataclass(frozen=True, slots=True)
class Annotations(MatrixDecisions):
    """What the user writes into one journal: every change is durable when its method returns, and can be undone.

    Reading includes what other processes have written meanwhile. Safe from any thread.
    """

    projects: Projects

    @property
    def project(self) -> str:
        """The key of the project in use, under which its own things stand; empty is the one there always is."""
        return self.projects.key

    def screen(self, paper_id: PaperId, decision: Screening | None) -> None:
        """Includes or excludes a paper, for the project in use; `None` leaves it undecided."""
        change = RegisterChange("screening", paper_id, decision, self.project)
        self.undo_log.write(f"{decision or 'undecided again:'} {paper_id}", [change])

    def star(self, paper_id: PaperId, starred: bool) -> None:
        """Puts a paper on the list of starred ones of the project in use, or takes it off."""
        # Nothing in place of `False`, so that a paper that was never starred and one that no longer is are the same.
        change = RegisterChange("starred", paper_id, starred or None, self.project)
        self.undo_log.write(f"{'starred' if starred else 'took the star off'} {paper_id}", [change])

    def tag(self, paper_id: PaperId, tags: tuple[str, ...]) -> None:
        """Gives a paper exactly these tags; blanks around them and repeats in another case are dropped."""
        distinct: dict[str, str] = {}
        for tag in (" ".join(tag.split()) for tag in tags):
            # As first typed: changing the case of a tag must not make a second one.
            distinct.setdefault(tag.casefold(), tag)
        value = tuple(tag for tag in distinct.values() if tag)
        sentence = f"tagged {paper_id}: {', '.join(value)}" if value else f"took all tags off {paper_id}"
        self.undo_log.write(sentence, [RegisterChange("tags", paper_id, value or None)])

    def note(self, paper_id: PaperId, text: str) -> None:
        """Replaces the note on a paper; an empty one removes it.

        What stood there is never lost: undoing brings it back and says what it was, and `earlier_notes` lists it.
        """
        # The undo log shows sentences: a note that was replaced is told in it.
        before = self.notes(paper_id).note
        action = "changed the note on" if text and before else "wrote the note on" if text else "removed the note on"
        was = f", which was “{_shortened(before)}”" if before else ""
        self.undo_log.write(f"{action} {paper_id}{was}", [RegisterChange("note", paper_id, text or None)])

    def earlier_notes(self, paper_id: PaperId) -> tuple[tuple[str, str], ...]:
        """Every note there ever was on a paper, with when it was written (UTC, ISO 8601), the newest first."""
        history = self.undo_log.state().history("note", paper_id)
        return tuple((time, value) for time, value in reversed(history) if isinstance(value, str))

    def set_status(self, paper_id: PaperId, status: ReadStatus) -> None:
        """Says how far a paper is read; empty is not begun."""
        self.undo_log.write(
            f"{status or 'unread again:'} {paper_id}", [RegisterChange("status", paper_id, status or None)]
        )

    def notes(self, paper_id: PaperId) -> PaperNotes:
        """What the user holds about a paper, marks apart."""
        return self.notes_on((paper_id,))[paper_id]

    def notes_on(self, papers: Iterable[PaperId]) -> dict[PaperId, PaperNotes]:
        """As `notes`, for each of many papers."""
        # One look at the files of the journal for all: a thousand results are shown after every decision.
        state, project = self.undo_log.state(), self.project
        touched = {paper_id for topic in _OF_NOTES for paper_id in state.known(topic)}
        members, nothing = state.decided().merged_ids, PaperNotes()
        return {
            paper_id: nothing if touched.isdisjoint(members(paper_id)) else _notes(state, paper_id, project)
            for paper_id in papers
        }

    def together(self) -> AbstractContextManager[None]:
        """A block whose verbs become one: written, undone and redone together, and seen after its end.

        Raises:
            DiskFull: at the end of the block, if it could not be written; nothing has changed.
        """
        return self.undo_log.together()

    def undo(self) -> str | None:
        """Takes back the last verb and says which; `None` if there is none. Survives restarts."""
        sentence = self.undo_log.undo()
        return None if sentence is None else f"Undone: {sentence}."

    def redo(self) -> str | None:
        """Repeats the verb undone last, unless another was done since; `None` if there is none."""
        sentence = self.undo_log.redo()
        return None if sentence is None else f"Done again: {sentence}."

    def included(self) -> tuple[PaperId, ...]:
        """Papers that were included, in the order in which they were first decided on."""
        return tagged(self, "included")

    def tags(self) -> tuple[str, ...]:
        """All tags that papers have, each once."""
        state = self.undo_log.state()
        tag_lists = (cast("tuple[str, ...]", state.value("tags", paper_id) or ()) for paper_id in state.papers("tags"))
        return tuple(dict.fromkeys(tag for tags in tag_lists for tag in tags))

    def listed_in(self, project: str) -> tuple[PaperId, ...]:
        """Papers that are included or starred in a project, in the order in which they were first decided on.

        Raises:
            UsageError: there is no such project.
        """
        # One state for both lists: another process may write between two looks.
        key, state = self.projects.key_of(project), self.undo_log.state()
        included = [
            paper_id for paper_id in state.papers("screening") if state.value("screening", paper_id, key) == "included"
        ]
        starred = [paper_id for paper_id in state.papers("starred") if state.value("starred", paper_id, key)]
        return tuple(dict.fromkeys((*included, *starred)))

    def session(self) -> Session:
        """What the last session left; an empty one if there was none or it cannot be read."""
        return session_of(self.projects.session_file.load())

    def save_session(self, session: Session) -> None:
        """Keeps `session` for the next start; of two windows the last to save wins.

        Raises:
            DiskFull: it could not be written.
        """
        self.projects.session_file.save(as_body(session))


def open_annotations(
    journal: FileJournal,
    session_file: SessionFile,
    *,
    writer: str = "",
    session_of: Callable[[str], SessionFile] | None = None,
    last: SessionFile | None = None,
) -> Annotations:
    """The annotations in `journal`; `writer` names this process in it, by default at random.

    `session_file` is that of the project there always is, `session_of` gives that of another, by its key; `last` keeps
    which one was used last.
    """
    undo_log = UndoLog(journal, writer=writer)
    return Annotations(undo_log, SentenceAnchors(), Projects(undo_log, session_file, session_of, last))


def tagged(annotations: Annotations, tag: str) -> tuple[PaperId, ...]:
    """Papers with a tag of the user's, in any case, or that are `starred`, `included`, `excluded`, `reading`, `read`.

    In the order in which the papers first got any value of that kind.
    """
    if tag.startswith(NOTE_PREFIX):
        return _noted(annotations, tag.removeprefix(NOTE_PREFIX))
    if tag.startswith(PROJECT_PREFIX):
        return _in_project(annotations, tag.removeprefix(PROJECT_PREFIX))
    folded = tag.casefold()
    # The built-in lists win: a tag of the user's own with one of their names is not found by it.
    topic = _BUILT_IN.get(folded, "tags")
    state = annotations.undo_log.state()
    place = annotations.project if topic in _OF_THE_PROJECT else ""
    return tuple(paper_id for paper_id in state.papers(topic) if _holds(state.value(topic, paper_id, place), folded))


def _in_project(annotations: Annotations, name: str) -> tuple[PaperId, ...]:
    """Papers that are included or starred in the project of that name; a star behind it stands for any ending."""
    state = annotations.undo_log.state()
    places = annotations.projects.keys_of(name)
    topics: tuple[Topic, ...] = _OF_THE_PROJECT
    return tuple(
        dict.fromkeys(
            paper_id
            for topic in topics
            for paper_id in state.papers(topic)
            if any(state.value(topic, paper_id, place) in ("included", True) for place in places)
        )
    )


def _noted(annotations: Annotations, words: str) -> tuple[PaperId, ...]:
    """Papers whose note holds `words`, in any case; of no words those that have a note."""
    state = annotations.undo_log.state()
    notes = ((paper_id, state.value("note", paper_id)) for paper_id in state.papers("note"))
    folded = words.casefold()
    return tuple(paper_id for paper_id, note in notes if isinstance(note, str) and note and folded in note.casefold())


def _notes(state: State, paper_id: PaperId, project: str) -> PaperNotes:
    return PaperNotes(
        screening=cast("Screening | None", state.value("screening", paper_id, project)),
        starred=bool(state.value("starred", paper_id, project)),
        tags=cast("tuple[str, ...]", state.value("tags", paper_id) or ()),
        note=cast("str", state.value("note", paper_id) or ""),
        status=cast("ReadStatus", state.value("status", paper_id) or ""),
    )


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN].rstrip()}…"


def _holds(value: Value, folded: str) -> bool:
    if isinstance(value, tuple):
        beginning = folded.removesuffix("*")
        if beginning != folded:
            return any(tag.casefold().startswith(beginning) for tag in value)
        return folded in (tag.casefold() for tag in value)
    return value is True or value == folded
