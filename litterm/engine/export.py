"""The verb *export*: bibliography entries of papers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Literal

from litterm.model.paper import PaperId
from litterm.protocols import Records


def export(records: Records, ids: Sequence[PaperId], style: Literal["bibtex", "ris", "csl"]) -> str:
    """The papers' entries in order, ready for a file.

    Raises:
        UnknownPaper: one of them is not in the library.
    """
    papers = records.by_id(ids)
    entries: str = import_module(f"litterm.render.{style}").entries(papers)
    return entries
