"""Projects: each with its own query, hypothesis, lists (included, excluded, starred), decisions and watches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from litterm.annotations.journal_codec import RegisterChange, Topic, Value
from litterm.annotations.project_scope import DEFAULT, is_shown, project_id
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.model.annotations import Mark, ProjectSize

if TYPE_CHECKING:
    from litterm.annotations.session_file import SessionFile

_NAME = re.compile(r"[\w][\w .-]{0,39}")
_LAST = "project"
"""Under which the key of the project that was used last is kept."""


class Projects:
    """Which projects there are and which one is in use; switching changes what is shown and writes nothing over.

    Everything of a project stands under its key, which never changes; its name may. The one there always is has the
    empty key, and an empty name until it is given one.
    """

    def __init__(
        self,
        undo_log: UndoLog,
        session_file: SessionFile,
        session_of: Callable[[str], SessionFile] | None = None,
        last: SessionFile | None = None,
    ) -> None:
        """`session_file` is that of the first, `session_of` gives that of another; `last` keeps where one was."""
        self._undo_log = undo_log
        self._first = session_file
        self._session_of = session_of
        self._last = last
        self.key = DEFAULT
        self._chosen = False
        """Whether this process was told in which one to work."""

    @property
    def current(self) -> str:
        """The name of the one in use."""
        return self._names().get(self.key, self.key)

    @property
    def session_file(self) -> SessionFile:
        """Where the session of the project in use is kept."""
        return self._first if not self.key or self._session_of is None else self._session_of(self.key)

    def all(self) -> tuple[str, ...]:
        """The name of every project, the one there always is first, the others as they were begun."""
        return tuple(self._names().values())

    def sizes(self) -> tuple[ProjectSize, ...]:
        """How much each project holds, in the order of `all`; every paper is looked at once."""
        state, counted = self._undo_log.state(), Counter[tuple[str, Value]]()
        topics: tuple[Topic, ...] = ("screening", "starred")
        for topic in topics:
            for paper_id in state.papers(topic):
                counted.update(state.places(topic, paper_id))
        quoted = Counter[str]()
        for paper_id in state.papers("mark"):
            marks = [(mark, order) for _, mark, order in state.ordered_places("mark", paper_id)]
            quoted.update(
                key
                for key in self._names()
                if any(is_shown(state, mark.project, order, key) for mark, order in marks if isinstance(mark, Mark))
            )
        return tuple(
            ProjectSize(
                len(state.places("watch", project_id(key))),
                counted[key, "included"],
                counted[key, "excluded"],
                counted[key, True],
                quoted[key],
            )
            for key in self._names()
        )

    def size(self, name: str) -> ProjectSize:
        """How much a project holds."""
        return dict(zip(self._names(), self.sizes(), strict=True))[self.key_of(name)]

    def use(self, name: str) -> str:
        """Goes over to a project of this process, begun now if it is new; its name. Blank is the one there always is.

        Names that differ only in case are one.

        Raises:
            UsageError: the name cannot be one.
            DiskFull: a new one could not be written.
        """
        name = " ".join(name.split())
        key = DEFAULT if not name else self._find(name)
        if key is None:
            key = self._begin(_checked(name))
        self.key, self._chosen = key, True
        return self.current

    def rename(self, name: str, new: str) -> str:
        """Gives a project another name; everything of it stays with it. The name as it is now.

        Raises:
            UsageError: the new name cannot be one, or is that of another project.
        """
        key, new = self.key_of(name), _checked(" ".join(new.split()))
        # Its own name may change in case.
        if self._find(new) not in (None, key):
            raise UsageError(f"There is already a project {new}.")
        self._undo_log.write(f"renamed the project {name or 'there always is'} to {new}", [_named(key, new)])
        return new

    def delete(self, name: str) -> None:
        """Takes a project off the list; whoever is in it is in the first one then. Undo brings it back as it was.

        Raises:
            UsageError: there is none, or it is the one there always is.
        """
        key = self.key_of(name)
        if key == DEFAULT:
            raise UsageError("The default project cannot be deleted.")
        self._undo_log.write(f"deleted the project {name}", [_named(key, None)])
        if self.key == key:
            self.key = DEFAULT

    def remember(self) -> None:
        """Notes that the one in use is where to begin the next time.

        Raises:
            DiskFull: it could not be written.
        """
        # Written only where it differs: every start would otherwise sync a file.
        if self._last is not None and self._last.load().get(_LAST, DEFAULT) != self.key:
            self._last.save({_LAST: self.key})

    def resume(self) -> None:
        """Goes to the one remembered last, if it is still there and this process has not been told where to work."""
        key = self._last.load().get(_LAST) if self._last is not None and not self._chosen else None
        if isinstance(key, str) and key in self._names():
            self.key = key

    def _begin(self, name: str) -> str:
        # What stood under the key of a deleted project of that name must not come back with it.
        state, key, number = self._undo_log.state(), name, 2
        while state.knows("project", project_id(key)):
            key, number = f"{name}~{number}", number + 1
        self._undo_log.write(f"started the project {name}", [_named(key, True if key == name else name)])
        return key

    def _names(self) -> Mapping[str, str]:
        """By key."""
        state = self._undo_log.state()
        names = {DEFAULT: DEFAULT}
        for project in state.papers("project"):
            key, value = project.removeprefix("project:"), state.value("project", project)
            names[key] = value if isinstance(value, str) else key
        return names

    def _find(self, name: str) -> str | None:
        return next(
            (key for key, known_name in self._names().items() if known_name.casefold() == name.casefold()), None
        )

    def keys_of(self, name: str) -> tuple[str, ...]:
        """The keys of the projects that `name` means, in any case; one with a star behind it begins their names."""
        folded = name.casefold()
        beginning = folded.removesuffix("*")
        names = self._names().items()
        if beginning != folded:
            return tuple(key for key, known_name in names if known_name.casefold().startswith(beginning))
        return tuple(key for key, known_name in names if known_name.casefold() == folded)

    def key_of(self, name: str) -> str:
        """The key of a project.

        Raises:
            UsageError: there is none of that name.
        """
        key = self._find(name)
        if key is None:
            raise UsageError(f"There is no project {name}.")
        return key


def _named(key: str, value: str | bool | None) -> RegisterChange:
    return RegisterChange("project", project_id(key), value)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError("A project name has at most 40 letters, digits, spaces, dots and dashes.")
    return name
