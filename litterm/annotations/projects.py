"""Projects, each with its own session, included, excluded and starred papers, decisions and watches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from litterm.annotations.journal_codec import RegisterChange, Topic, Value
from litterm.annotations.undo_log import State, UndoLog
from litterm.core.errors import UsageError
from litterm.model.annotations import Mark, ProjectSize
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.library.state.sessions import SessionRow

DEFAULT_PROJECT = ""
"""The key of the default project."""
_TOPIC: Final = "project"
_PROJECT_NAME = re.compile(r"[\w][\w .-]{0,39}")
_LAST_PROJECT_FIELD = "project"
"""Field of the file that stores the key of the project used last."""


def project_id(key: str) -> PaperId:
    """The id of a project in the journal."""
    return PaperId(f"{_TOPIC}:{key}")


def is_visible(state: State, made_in: str | None, order: int, key: str) -> bool:
    """Whether project `key` shows a decision of the event `order`; `made_in` is its project, `None` for an old one."""
    return made_in == key if made_in is not None else state.first_order(_TOPIC, project_id(key)) < order


def find_other_projects(state: State, order: int, key: str) -> Iterator[str]:
    """The projects other than `key` that show an old decision, of the event `order`."""
    keys = (DEFAULT_PROJECT, *(known_id.removeprefix(f"{_TOPIC}:") for known_id in state.papers_ever_set(_TOPIC)))
    return (other for other in keys if other != key and is_visible(state, None, order, other))


class Projects:
    """The projects of a library, and the current one.

    A project is identified by its key, which never changes, while its name may. The default project has the empty key,
    and an empty name until it is renamed.
    """

    def __init__(
        self,
        undo_log: UndoLog,
        session_row: SessionRow,
        session_of: Callable[[str], SessionRow] | None = None,
        last: SessionRow | None = None,
    ) -> None:
        """`session_row` is that of the default project, `session_of` returns others, `last` stores the last one."""
        self._undo_log = undo_log
        self._first = session_row
        self._session_of = session_of
        self._last = last
        self.key = DEFAULT_PROJECT
        self._was_selected = False
        """Whether a project was selected explicitly in this process."""

    @property
    def current(self) -> str:
        """The name of the current project."""
        return self._names_by_key().get(self.key, self.key)

    @property
    def session_row(self) -> SessionRow:
        """The file with the session of the current project."""
        return self._first if not self.key or self._session_of is None else self._session_of(self.key)

    def all(self) -> tuple[str, ...]:
        """The names of all projects: the default project, then the others as they were created."""
        return tuple(self._names_by_key().values())

    def sizes(self) -> tuple[ProjectSize, ...]:
        """How much each project contains, in the order of `all`."""
        state, counts = self._undo_log.state(), Counter[tuple[str, Value]]()
        topics: tuple[Topic, ...] = ("screening", "starred")
        for topic in topics:
            for paper_id in state.papers(topic):
                counts.update(state.places(topic, paper_id))
        quoted = Counter[str]()
        for paper_id in state.papers("mark"):
            marks = [(mark, order) for _, mark, order in state.ordered_places("mark", paper_id)]
            quoted.update(
                key
                for key in self._names_by_key()
                if any(is_visible(state, mark.project, order, key) for mark, order in marks if isinstance(mark, Mark))
            )
        return tuple(
            ProjectSize(
                len(state.places("watch", project_id(key))),
                counts[key, "included"],
                counts[key, "excluded"],
                counts[key, True],
                quoted[key],
            )
            for key in self._names_by_key()
        )

    def size(self, name: str) -> ProjectSize:
        """How much a project contains."""
        return dict(zip(self._names_by_key(), self.sizes(), strict=True))[self.key_of(name)]

    def use(self, name: str) -> str:
        """Switches this process to a project, which is created if it is new; a blank name is the default project.

        Names that differ only in case are the same. Returns the name.

        Raises:
            UsageError: the name cannot be one.
            DiskFull: a new one could not be written.
        """
        name = " ".join(name.split())
        key = DEFAULT_PROJECT if not name else self._find_key(name)
        if key is None:
            key = self._create(_check_name(name))
        self.key, self._was_selected = key, True
        return self.current

    def rename(self, name: str, new: str) -> str:
        """Renames a project and returns its new name.

        Raises:
            UsageError: the new name cannot be one, or is that of another project.
        """
        key, new = self.key_of(name), _check_name(" ".join(new.split()))
        # A project may change the case of its own name.
        if self._find_key(new) not in (None, key):
            raise UsageError(f"There is already a project {new}.")
        self._undo_log.write(f"renamed the project {name or 'there always is'} to {new}", [_name_change(key, new)])
        return new

    def delete(self, name: str) -> None:
        """Deletes a project, and switches to the default one if it is the current one; undo restores it.

        Raises:
            UsageError: there is none, or it is the one there always is.
        """
        key = self.key_of(name)
        if key == DEFAULT_PROJECT:
            raise UsageError("The default project cannot be deleted.")
        self._undo_log.write(f"deleted the project {name}", [_name_change(key, None)])
        if self.key == key:
            self.key = DEFAULT_PROJECT

    def save_current(self) -> None:
        """Saves the current project for the next start.

        Raises:
            DiskFull: it could not be written.
        """
        # Only if it differs, to avoid syncing a file at every start.
        if self._last is not None and self._last.load().get(_LAST_PROJECT_FIELD, DEFAULT_PROJECT) != self.key:
            self._last.save({_LAST_PROJECT_FIELD: self.key})

    def restore_last(self) -> None:
        """Switches to the project saved last, if it exists and none was selected in this process."""
        key = self._last.load().get(_LAST_PROJECT_FIELD) if self._last is not None and not self._was_selected else None
        if isinstance(key, str) and key in self._names_by_key():
            self.key = key

    def _create(self, name: str) -> str:
        # The data of a deleted project with that name must not come back.
        state, key, number = self._undo_log.state(), name, 2
        while state.was_ever_set("project", project_id(key)):
            key, number = f"{name}~{number}", number + 1
        self._undo_log.write(f"started the project {name}", [_name_change(key, True if key == name else name)])
        return key

    def _names_by_key(self) -> Mapping[str, str]:
        """The names of all projects by key."""
        state = self._undo_log.state()
        names = {DEFAULT_PROJECT: DEFAULT_PROJECT}
        for project in state.papers("project"):
            key, value = project.removeprefix("project:"), state.value("project", project)
            names[key] = value if isinstance(value, str) else key
        return names

    def _find_key(self, name: str) -> str | None:
        return next(
            (key for key, known_name in self._names_by_key().items() if known_name.casefold() == name.casefold()), None
        )

    def keys_of(self, name: str) -> tuple[str, ...]:
        """The keys of the projects called `name`, in any case; a trailing star matches any ending."""
        folded_name = name.casefold()
        beginning = folded_name.removesuffix("*")
        names = self._names_by_key().items()
        if beginning != folded_name:
            return tuple(key for key, known_name in names if known_name.casefold().startswith(beginning))
        return tuple(key for key, known_name in names if known_name.casefold() == folded_name)

    def key_of(self, name: str) -> str:
        """The key of a project.

        Raises:
            UsageError: there is none of that name.
        """
        key = self._find_key(name)
        if key is None:
            raise UsageError(f"There is no project {name}.")
        return key


def _name_change(key: str, value: str | bool | None) -> RegisterChange:
    return RegisterChange("project", project_id(key), value)


def _check_name(name: str) -> str:
    if not _PROJECT_NAME.fullmatch(name):
        raise UsageError("A project name has at most 40 letters, digits, spaces, dots and dashes.")
    return name
