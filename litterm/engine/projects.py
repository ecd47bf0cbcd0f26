"""Projects: each with its own query, hypothesis, screening decisions and watches; everything else is shared."""

from __future__ import annotations

import re
from collections.abc import Callable

from litterm.engine.changes import Change
from litterm.engine.ledger import Ledger
from litterm.errors import UsageError
from litterm.model.paper import PaperId
from litterm.protocols import SessionFile

DEFAULT = ""
_NAME = re.compile(r"[\w][\w .-]{0,39}")


class Projects:
    """Which projects there are and which one is in use; switching changes what is shown and writes nothing over."""

    def __init__(
        self, ledger: Ledger, session_file: SessionFile, session_of: Callable[[str], SessionFile] | None = None
    ) -> None:
        """`session_file` is that of the project there always is; `session_of` gives that of another."""
        self._ledger = ledger
        self._first = session_file
        self._session_of = session_of
        self._current = DEFAULT

    @property
    def current(self) -> str:
        """The name of the one in use; empty is the one there always is."""
        return self._current

    @property
    def session_file(self) -> SessionFile:
        """Where the session of the project in use is kept."""
        return self._first if not self.current or self._session_of is None else self._session_of(self.current)

    def all(self) -> tuple[str, ...]:
        """Every project, the one there always is first, the others as they were begun."""
        return (DEFAULT, *(each.removeprefix("project:") for each in self._ledger.state().papers("project")))

    def use(self, name: str) -> str:
        """Goes over to a project of this process, begun now if it is new; its name. Blank is the one there always is.

        Names that differ only in case are one.

        Raises:
            UsageError: the name cannot be one.
            DiskFull: a new one could not be written.
        """
        name = " ".join(name.split())
        if name and not _NAME.fullmatch(name):
            raise UsageError("A project is named by at most 40 letters, digits, blanks, dots and dashes.")
        known = next((each for each in self.all() if each.casefold() == name.casefold()), None)
        if known is None:
            self._ledger.write(f"began the project {name}", [Change("project", PaperId(f"project:{name}"), True)])
        self._current = name if known is None else known
        return self._current
