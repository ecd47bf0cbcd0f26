"""The errors for what cannot be done over the library of a server."""

from __future__ import annotations

from typing import NoReturn

from litterm.core.errors import UsageError


def refuse_remote(what: str) -> NoReturn:
    """Never returns.

    Raises:
        UsageError: always; `what` begins its sentence, and is said of several things.
    """
    raise UsageError(
        f"{what} on the server itself; ask whoever runs it, or leave out --server to use your own library."
    )
