"""The verb *cite*: which paper of the library a masked citation refers to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from litterm.model.citation import Attribution, Excerpt
from litterm.protocols import Attributor
from litterm.tasks import Task

ExcerptReader: TypeAlias = Callable[[str, int], Excerpt]
"""Text and mark (from 0, in order of preference) to excerpt; raises `UsageError` for text that is none."""


def attribute(
    read_excerpt: ExcerptReader,
    attributor: Attributor,
    text: str,
    *,
    k: int = 5,
    before: int | None = None,
    mark: int = 0,
) -> Task[Attribution]:
    """At most `k` candidates of the year `before` or earlier for one mark of `text`.

    Raises:
        UsageError: the text is blank, has no such mark, or no word around it can be searched for.
    """
    return (yield from attributor.attribute(read_excerpt(text, mark), k=k, before=before))
