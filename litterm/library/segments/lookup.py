"""From keys, titles and names to rows, over all segments of a snapshot. Shadowed rows are never found."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from litterm.core.json_fields import text, whole
from litterm.model.library import RowRef, Segment, Snapshot
from litterm.model.paper import SCHEMES
from litterm.text.references.identity import bare_key, make_id, scheme_of
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.library.segments.connections import View

_ALIASES = "SELECT row, id FROM {{segment}}.alias WHERE bare IN ({keys}) ORDER BY row, id"
_TITLES = "SELECT row, title_hash FROM {segment}.paper WHERE title_hash IN (SELECT unnest(?::UBIGINT[])) ORDER BY row"
_NAMED = "SELECT row, word FROM {segment}.name WHERE word = ? ORDER BY row"
_NAMES = "SELECT row, names FROM {segment}.name JOIN {segment}.paper USING (row) WHERE word = ? ORDER BY row"
_BEGUN = (
    "SELECT DISTINCT row, names FROM {segment}.name JOIN {segment}.paper USING (row) WHERE starts_with(word, ?)"
    " ORDER BY row"
)
_Found: TypeAlias = tuple[Segment, int, object]
_FEW = 100
"""Keys up to which they are written into the statement: only then are row groups without them left out."""


def rows_by_key(view: View, snapshot: Snapshot, keys: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
    """Per key, the rows whose id or alias it is, with or without its scheme, case folded."""
    wanted = [_normal(key) for key in keys]
    found = rows_by_bare(view, snapshot, {bare for _, bare in wanted})
    return tuple(
        tuple(dict.fromkeys(ref for told, ref in found.get(bare, ()) if scheme in ("", scheme_of(told))))
        for scheme, bare in wanted
    )


def rows_by_bare(view: View, snapshot: Snapshot, bare_keys: Collection[str]) -> dict[str, list[tuple[str, RowRef]]]:
    """Folded bare key to the ids it stands in and their rows, the oldest segment first."""
    found: dict[str, list[tuple[str, RowRef]]] = {}
    asked = sorted(bare_keys)
    if not asked:
        return found
    few = len(asked) <= _FEW
    sql = _ALIASES.format(keys=", ".join("?" * len(asked)) if few else "SELECT unnest(?)")
    for segment, row, told in _select(view, snapshot, sql, asked if few else [asked]):
        paper_id = text(told)
        found.setdefault(bare_key(paper_id), []).append((paper_id, RowRef(segment.key, row)))
    return found


def rows_by_title(view: View, snapshot: Snapshot, hashes: Collection[int]) -> dict[int, list[RowRef]]:
    """Identity hash to rows, the oldest segment first."""
    found: dict[int, list[RowRef]] = {}
    asked = sorted(hashes)
    if not asked:
        return found
    for segment, row, told in _select(view, snapshot, _TITLES, [asked]):
        found.setdefault(whole(told), []).append(RowRef(segment.key, row))
    return found


def rows_by_author(view: View, snapshot: Snapshot, name: str) -> tuple[RowRef, ...]:
    """Rows with one author whose name holds every word of `name`; a star makes its last word the beginning of one."""
    if name.endswith("*"):
        return _rows_by_beginning(view, snapshot, words(name))
    wanted = sorted(set(words(name)), key=lambda word: (-len(word), word))
    if not wanted:
        return ()
    found = _select(view, snapshot, _NAMED if len(wanted) == 1 else _NAMES, [wanted[0]])
    framed = [f" {word} " for word in wanted[1:]]
    return tuple(
        RowRef(segment.key, row)
        for segment, row, lines in found
        if not framed or any(all(word in line for word in framed) for line in _lines_with(text(lines), wanted[0]))
    )


def _rows_by_beginning(view: View, snapshot: Snapshot, wanted: Sequence[str]) -> tuple[RowRef, ...]:
    if not wanted:
        return ()
    framed = [*(f" {word} " for word in wanted[:-1]), f" {wanted[-1]}"]
    return tuple(
        RowRef(segment.key, row)
        for segment, row, lines in _select(view, snapshot, _BEGUN, [wanted[-1]])
        if any(all(part in line for part in framed) for line in text(lines).split("\n"))
    )


def _lines_with(names: str, word: str) -> list[str]:
    return [line for line in names.split("\n") if f" {word} " in line]


def _select(view: View, snapshot: Snapshot, sql: str, values: Sequence[object]) -> Iterator[_Found]:
    """Segment, row and the other column of every live row `sql` finds."""
    for segment in snapshot.segments:
        shadowed = frozenset(segment.shadowed)
        for row, told in view.select(segment, sql, values):
            if row not in shadowed:
                yield segment, whole(row), told


def _normal(key: str) -> tuple[str, str]:
    """Scheme (empty if none was given) and folded bare key."""
    scheme = scheme_of(key).casefold()
    if scheme in SCHEMES:
        # Libraries from before ids were checked may hold some that are none of their scheme.
        return scheme, bare_key(make_id(scheme, key.partition(":")[2]) or key.strip())
    return "", key.strip().casefold()
