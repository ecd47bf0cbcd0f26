"""Citing sentences with the cited paper masked, one JSON object a line, and the paper that was meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_SCHEME = "acl"


@dataclass(frozen=True, slots=True)
class MaskedCitance:
    """A citing sentence whose target is known. A method may read `excerpt` and `citing_year` only."""

    key: str
    excerpt: str
    """With `[CITATION]` for the citation and `[AUTHOR]` for names that would tell."""
    target: str
    """Key of the cited paper, with its scheme."""
    citing: str
    """Key of the paper it was taken from, which is no candidate."""
    citing_year: int | None


def citance(row: Mapping[str, object], number: int) -> MaskedCitance:
    """The citing sentence of a row.

    Raises:
        KeyError, ValueError: a field is missing or is not what it should be.
    """
    year = row["citing_year"]
    return MaskedCitance(
        key=str(row.get("id") or number),
        excerpt=str(row["excerpt"]),
        target=_with_scheme(row["target_id"]),
        citing=_with_scheme(row["citing_id"]),
        citing_year=int(str(year)) if year is not None else None,
    )


def _with_scheme(key: object) -> str:
    return str(key) if ":" in str(key) else f"{_SCHEME}:{key}"
