"""The user's annotations, with undo: marks, decisions on papers and cells, tags, notes, and the session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from litterm.annotations.collections import CollectionParts, Collections, collections_of
from litterm.annotations.highlights import SentenceAnchors
from litterm.annotations.journal_codec import RegisterChange, Topic, Value
from litterm.annotations.matrix_decisions import MatrixDecisions
from litterm.annotations.projects import Projects
from litterm.annotations.session_codec import decode_session, encode_session
from litterm.annotations.undo_log import State, UndoLog
from litterm.library.state.sessions import SessionRow, last_project, project_session, search_options
from litterm.model.annotations import PaperList, PaperNotes, ReadStatus, Screening, Session
from litterm.model.paper import PaperId
from litterm.model.search import COLLECTION_PREFIX, NOTE_PREFIX, PROJECT_PREFIX, TO_READ_LIST
from litterm.text.plural import count_phrase
from litterm.text.queries.parser import append_filters

if TYPE_CHECKING:
    from litterm.library.journal import FileJournal
    from litterm.library.state.connection import StateDatabase

_BUILT_IN_LISTS: dict[str, Topic] = {
    "starred": "starred",
    "included": "screening",
    "excluded": "screening",
    TO_READ_LIST: "status",
    "reading": "status",
    "read": "status",
}
_NAMED_LISTS = (
    ("to read", "status:to-read", TO_READ_LIST),
    ("reading", "status:reading", "reading"),
    ("starred", "is:starred", "starred"),
    ("included", "is:included", "included"),
    ("excluded", "is:excluded", "excluded"),
    ("read", "status:read", "read"),
    ("with a note", "has:note", NOTE_PREFIX),
)
"""Name, query and key for `find_tagged` of every list that is no tag, in the order of home."""
_MAX_NOTE_CHARACTERS = 60
"""Maximum length of a note quoted in a message of undo."""
_REWRITING = "rewriting"
_PROJECT_TOPICS: tuple[Topic, ...] = ("screening", "starred")
_NOTE_TOPICS: tuple[Topic, ...] = (*_PROJECT_TOPICS, "tags", "note", "status", "filed")
"""The topics of `PaperNotes`."""


@dataclass(frozen=True, slots=True)
class Annotations(MatrixDecisions):
    """The annotations in one journal. Every change is durable when its method returns, and can be undone.

    Reads include what other processes have written. Thread-safe.
    """

    projects: Projects
    collections: Collections
    search_options: Callable[[str], SessionRow] | None = None
    """How queries are searched, by the key of a project; `None` where that is not stored."""

    @property
    def is_rewriting(self) -> bool:
        """Whether queries are rewritten in the current project, because the user once asked for it there."""
        return self.search_options is not None and self.search_options(self.project).load().get(_REWRITING) is True

    def set_rewriting(self, rewriting: bool) -> None:
        """From now on rewrites queries in the current project, or no longer.

        Raises:
            StateBusy: another process is writing.
            ReadOnly, DiskFull: it could not be written.
        """
        # Only if it differs, as every search that asks for it comes here.
        if self.search_options is not None and self.is_rewriting is not rewriting:
            self.search_options(self.project).save({_REWRITING: rewriting})

    @property
    def project(self) -> str:
        """The key of the current project; empty for the default project."""
        return self.projects.key

    def screen(self, paper_id: PaperId, decision: Screening | None) -> None:
        """Includes or excludes a paper in the current project; `None` leaves it undecided."""
        change = RegisterChange("screening", paper_id, decision, self.project)
        self.undo_log.write(f"{decision or 'undecided again:'} {paper_id}", [change])

    def star(self, paper_id: PaperId, starred: bool) -> None:
        """Stars a paper in the current project, or removes the star."""
        # `None` instead of `False`, so that removing a star equals never having set it.
        change = RegisterChange("starred", paper_id, starred or None, self.project)
        self.undo_log.write(f"{'starred' if starred else 'removed the star from'} {paper_id}", [change])

    def tag(self, paper_id: PaperId, tags: tuple[str, ...]) -> None:
        """Sets the tags of a paper; blank tags and repetitions in another case are dropped."""
        distinct: dict[str, str] = {}
        for tag in (" ".join(tag.split()) for tag in tags):
            # The first spelling wins: another case must not make a second tag.
            distinct.setdefault(tag.casefold(), tag)
        value = tuple(tag for tag in distinct.values() if tag)
        sentence = f"tagged {paper_id}: {', '.join(value)}" if value else f"removed all tags from {paper_id}"
        self.undo_log.write(sentence, [RegisterChange("tags", paper_id, value or None)])

    def note(self, paper_id: PaperId, text: str) -> None:
        """Replaces the note on a paper; an empty one removes it.

        The old note is not lost: undo restores it and quotes it, and `earlier_notes` lists it.
        """
        # The message of undo quotes the note that was replaced.
        before = self.notes(paper_id).note
        action = "changed the note on" if text and before else "wrote the note on" if text else "removed the note on"
        was = f", which was “{_shorten(before)}”" if before else ""
        self.undo_log.write(f"{action} {paper_id}{was}", [RegisterChange("note", paper_id, text or None)])

    def earlier_notes(self, paper_id: PaperId) -> tuple[tuple[str, str], ...]:
        """All notes ever written on a paper, newest first, each with its time (UTC, ISO 8601)."""
        history = self.undo_log.state().history("note", paper_id)
        return tuple((time, value) for time, value in reversed(history) if isinstance(value, str))

    def set_status(self, paper_id: PaperId, status: ReadStatus) -> None:
        """Sets the reading status of a paper; empty means unread."""
        self.undo_log.write(
            f"{status or 'unread again:'} {paper_id}", [RegisterChange("status", paper_id, status or None)]
        )

    def hide_name(self, paper_id: PaperId, key: str) -> bool:
        """Says that a paper is not known by the name with this key. Returns whether nobody had said so."""
        change = RegisterChange("wrong_name", paper_id, True, key)
        return self.undo_log.write(f"hid the name “{key}” of {paper_id}", [change])

    def hidden_names(self) -> frozenset[tuple[PaperId, str]]:
        """Papers with the keys of names by which they are not known."""
        state = self.undo_log.state()
        return frozenset(
            (paper_id, key)
            for paper_id in state.papers("wrong_name")
            for key, _ in state.places("wrong_name", paper_id)
        )

    def notes(self, paper_id: PaperId) -> PaperNotes:
        """The notes on a paper: screening, star, tags, note and reading status."""
        return self.notes_on((paper_id,))[paper_id]

    def notes_on(self, papers: Iterable[PaperId]) -> dict[PaperId, PaperNotes]:
        """As `notes`, for each of many papers."""
        # The journal is checked once for all: after every decision a thousand results are shown again.
        state, project = self.undo_log.state(), self.project
        touched = {paper_id for topic in _NOTE_TOPICS for paper_id in state.papers_ever_set(topic)}
        members, empty_notes = state.record_decisions().merged_ids, PaperNotes()
        names = self.collections.names_by_key()
        return {
            paper_id: (
                empty_notes if touched.isdisjoint(members(paper_id)) else _read_notes(state, paper_id, project, names)
            )
            for paper_id in papers
        }

    def group_changes(self, sentence: str = "", *, by_command: bool = False) -> AbstractContextManager[None]:
        """Groups the changes of a block: they are written, undone and redone together, and visible after its end.

        `sentence` describes them for undo, by default the first change and how many more there are. What a command
        changes can be undone in every window, as `by_command` says; what a window changes only there until it ends.

        Raises:
            DiskFull: at the end of the block, if it could not be written; nothing has changed.
        """
        return self.undo_log.group_changes(sentence, by_command=by_command)

    def track_changes(self) -> AbstractContextManager[None]:
        """Changes of a block are written as always; until `keep_tracked`, `take_back_tracked` takes them back."""
        return self.undo_log.track_changes()

    def keep_tracked(self) -> None:
        """What was tracked so far stays."""
        self.undo_log.keep_tracked()

    def take_back_tracked(self) -> None:
        """Takes back what was tracked so far; no list of changes shows it.

        Raises:
            DiskFull: that could not be written; all of it stays.
        """
        self.undo_log.take_back_tracked()

    def undo(self) -> str | None:
        """Undoes the last change, also of an earlier session. Returns a message, or `None` if there is none."""
        sentence = self.undo_log.undo()
        return None if sentence is None else f"Undone: {sentence}."

    def redo(self) -> str | None:
        """Repeats the change undone last, unless another was made since. Returns a message, or `None`."""
        sentence = self.undo_log.redo()
        return None if sentence is None else f"Redone: {sentence}."

    def undo_through(self, step_id: str) -> str | None:
        """Undoes all changes back to this step, with it. Returns a message, or `None` if it was undone before."""
        count = self.undo_log.undo_through(step_id)
        return f"Undone: {count_phrase(count, 'change')}." if count else None

    def redo_through(self, step_id: str) -> str | None:
        """Repeats undone changes up to this step, with it. Returns a message, or `None` if it cannot be repeated."""
        count = self.undo_log.redo_through(step_id)
        return f"Redone: {count_phrase(count, 'change')}." if count else None

    def included_papers(self) -> tuple[PaperId, ...]:
        """The papers included in the current project, in the order of their first decision."""
        return find_tagged(self, "included")

    def all_tags(self) -> tuple[str, ...]:
        """All tags in use, without repetitions."""
        state = self.undo_log.state()
        tag_lists = (cast("tuple[str, ...]", state.value("tags", paper_id) or ()) for paper_id in state.papers("tags"))
        return tuple(dict.fromkeys(tag for tags in tag_lists for tag in tags))

    def paper_lists(self) -> tuple[PaperList, ...]:
        """The user's lists of papers that are not empty: the built-in ones, papers with a note, collections and tags.

        The tags come last, those with most papers first; collections are sorted by name.
        """
        state, papers_by_tag = self.undo_log.state(), Counter[str]()
        for paper_id in state.papers("tags"):
            # Tags that differ in case only are one.
            papers_by_tag.update({tag.casefold() for tag in cast("tuple[str, ...]", state.value("tags", paper_id))})
        built_in = (PaperList(name, query, len(find_tagged(self, key))) for name, query, key in _NAMED_LISTS)
        filed = (
            PaperList(f"collection {item.name}", append_filters("", [("collection", item.name)]), item.papers)
            for item in self.collections.all()
        )
        tagged = (
            PaperList(f"#{tag}", append_filters("", [("tag", tag)]), count)
            for tag, count in sorted(papers_by_tag.items(), key=lambda item: (-item[1], item[0]))
        )
        return tuple(paper_list for paper_list in (*built_in, *filed, *tagged) if paper_list.papers)

    def papers_in_project(self, project: str) -> tuple[PaperId, ...]:
        """The papers included or starred in a project, in the order of their first decision.

        Raises:
            UsageError: there is no such project.
        """
        # One state for both lists, because another process may write in between.
        key, state = self.projects.key_of(project), self.undo_log.state()
        included = [
            paper_id for paper_id in state.papers("screening") if state.value("screening", paper_id, key) == "included"
        ]
        starred = [paper_id for paper_id in state.papers("starred") if state.value("starred", paper_id, key)]
        return tuple(dict.fromkeys((*included, *starred)))

    def session(self) -> Session:
        """The saved session; an empty one if there is none or it cannot be read."""
        return decode_session(self.projects.session_row.load())

    def save_session(self, session: Session, *, at_end: bool = False) -> None:
        """Saves `session` for the next start; the last of several windows to save wins.

        Raises:
            StateBusy: another process is writing. Not `at_end` of this process, when there is no later attempt.
            DiskFull: it could not be written.
        """
        row, body = self.projects.session_row, encode_session(session)
        if at_end:
            row.save_at_end(body)
        else:
            row.save(body)


def open_annotations(
    journal: FileJournal,
    session_row: SessionRow,
    *,
    writer: str = "",
    open_session: Callable[[str], SessionRow] | None = None,
    last: SessionRow | None = None,
    search_options: Callable[[str], SessionRow] | None = None,
) -> Annotations:
    """Opens the annotations in `journal`; `writer` identifies this process in it, by default at random.

    `session_row` is that of the default project, `open_session` returns others; `last` stores the last project,
    `search_options` returns how queries are searched in a project.
    """
    undo_log = UndoLog(journal, writer=writer)
    projects = Projects(undo_log, session_row, open_session, last)
    return Annotations(undo_log, SentenceAnchors(), projects, Collections(undo_log), search_options)


def open_library_annotations(state: StateDatabase) -> Annotations:
    """Opens the annotations of the library with this `state`, with its projects and the one that was open last."""
    from litterm.library.journal import FileJournal

    return open_annotations(
        FileJournal(state.root / "journal"),
        project_session(state, ""),
        open_session=lambda key: project_session(state, key),
        last=last_project(state),
        search_options=lambda key: search_options(state, key),
    )


def find_tagged(annotations: Annotations, tag: str) -> tuple[PaperId, ...]:
    """Papers with a tag (in any case), or on a built-in list, named by a key of `_BUILT_IN_LISTS`.

    Sorted by when they first got a value of that kind.
    """
    if tag.startswith(NOTE_PREFIX):
        return _find_noted(annotations, tag.removeprefix(NOTE_PREFIX))
    if tag.startswith(PROJECT_PREFIX):
        return _find_in_project(annotations, tag.removeprefix(PROJECT_PREFIX))
    if tag.startswith(COLLECTION_PREFIX):
        return annotations.collections.papers(tag.removeprefix(COLLECTION_PREFIX))
    folded_tag = tag.casefold()
    # Built-in lists win over tags of the same name.
    topic = _BUILT_IN_LISTS.get(folded_tag, "tags")
    state = annotations.undo_log.state()
    place = annotations.project if topic in _PROJECT_TOPICS else ""
    value = "to read" if tag == TO_READ_LIST else folded_tag
    return tuple(paper_id for paper_id in state.papers(topic) if _matches(state.value(topic, paper_id, place), value))


def _find_in_project(annotations: Annotations, name: str) -> tuple[PaperId, ...]:
    """Papers included or starred in the project `name`; a trailing star matches any ending."""
    state = annotations.undo_log.state()
    places = annotations.projects.keys_of(name)
    topics: tuple[Topic, ...] = _PROJECT_TOPICS
    return tuple(
        dict.fromkeys(
            paper_id
            for topic in topics
            for paper_id in state.papers(topic)
            if any(state.value(topic, paper_id, place) in ("included", True) for place in places)
        )
    )


def _find_noted(annotations: Annotations, words: str) -> tuple[PaperId, ...]:
    """Papers whose note contains `words` in any case; all papers with a note if `words` is empty."""
    state = annotations.undo_log.state()
    notes = ((paper_id, state.value("note", paper_id)) for paper_id in state.papers("note"))
    folded_words = words.casefold()
    return tuple(
        paper_id for paper_id, note in notes if isinstance(note, str) and note and folded_words in note.casefold()
    )


def _read_notes(
    state: State, paper_id: PaperId, project: str, collection_names: Mapping[str, CollectionParts]
) -> PaperNotes:
    return PaperNotes(
        screening=cast("Screening | None", state.value("screening", paper_id, project)),
        starred=bool(state.value("starred", paper_id, project)),
        tags=cast("tuple[str, ...]", state.value("tags", paper_id) or ()),
        note=cast("str", state.value("note", paper_id) or ""),
        status=cast("ReadStatus", state.value("status", paper_id) or ""),
        collections=collections_of(state, paper_id, collection_names),
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_NOTE_CHARACTERS else f"{line[:_MAX_NOTE_CHARACTERS].rstrip()}…"


def _matches(value: Value, folded_words: str) -> bool:
    if isinstance(value, tuple):
        beginning = folded_words.removesuffix("*")
        if beginning != folded_words:
            return any(tag.casefold().startswith(beginning) for tag in value)
        return folded_words in (tag.casefold() for tag in value)
    return value is True or value == folded_words
