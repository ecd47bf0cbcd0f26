"""From keys, titles and names to rows, over all segments of a snapshot. Shadowed rows are never found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from litterm.core.json_fields import text, whole
from litterm.model.library import RowRef, Segment, Snapshot
from litterm.model.paper import SCHEMES
from litterm.text.references.identity import bare_key, make_id, scheme_of
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.library.segments.connections import View

_ALIASES = "SELECT row, id FROM {{segment}}.alias WHERE bare IN ({keys}) ORDER BY row, id"
_TITLES = "SELECT row, title_hash FROM {{segment}}.paper WHERE title_hash IN ({hashes}) ORDER BY row"
_NAMED = "SELECT row, word FROM {{segment}}.name WHERE word IN ({words}) ORDER BY row"
_NAMES = (
    "SELECT row, word, names FROM {{segment}}.name JOIN {{segment}}.paper USING (row) "
    "WHERE word IN ({words}) ORDER BY row"
)
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
    few = len(asked) <= _FEW
    sql = _TITLES.format(hashes=", ".join("?" * len(asked)) if few else "SELECT unnest(?::UBIGINT[])")
    for segment, row, told in _select(view, snapshot, sql, asked if few else [asked]):
        found.setdefault(whole(told), []).append(RowRef(segment.key, row))
    return found


def rows_by_author(view: View, snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
    """Per name, the rows with one author whose name holds every word of it; many names cost little more than one.

    A star behind a name makes its last word the beginning of one.
    """
    asked = [[] if name.endswith("*") else _rarest_first(name) for name in names]
    alone = _rows_by_word(view, snapshot, {wanted[0] for wanted in asked if len(wanted) == 1})
    together = _rows_and_names(view, snapshot, {wanted[0] for wanted in asked if len(wanted) > 1})

    def rows_of(name: str, wanted: Sequence[str]) -> Iterable[RowRef]:
        if name.endswith("*"):
            return _rows_by_beginning(view, snapshot, words(name))
        if len(wanted) < 2:
            return alone.get(wanted[0], ()) if wanted else ()
        return _holding(together.get(wanted[0], ()), wanted)

    return tuple(tuple(rows_of(name, wanted)) for name, wanted in zip(names, asked, strict=True))


def _rarest_first(name: str) -> list[str]:
    """The words of a name; long ones are in fewer names."""
    return sorted(set(words(name)), key=lambda word: (-len(word), word))


def _rows_by_word(view: View, snapshot: Snapshot, wanted: Collection[str]) -> dict[str, list[RowRef]]:
    found: dict[str, list[RowRef]] = {}
    for part in _portions(wanted):
        sql = _NAMED.format(words=", ".join("?" * len(part)))
        for segment, row, word in _select(view, snapshot, sql, part):
            found.setdefault(text(word), []).append(RowRef(segment.key, row))
    return found


def _rows_and_names(view: View, snapshot: Snapshot, wanted: Collection[str]) -> dict[str, list[tuple[RowRef, str]]]:
    """The same with all names of the paper, a line each."""
    found: dict[str, list[tuple[RowRef, str]]] = {}
    for part in _portions(wanted):
        sql = _NAMES.format(words=", ".join("?" * len(part)))
        for segment in snapshot.segments:
            shadowed = frozenset(segment.shadowed)
            for row, word, lines in view.select(segment, sql, part):
                if row not in shadowed:
                    found.setdefault(text(word), []).append((RowRef(segment.key, whole(row)), text(lines)))
    return found


def _portions(wanted: Collection[str]) -> Iterator[Sequence[str]]:
    """As many as a statement names one by one."""
    ordered = sorted(wanted)
    return (ordered[start : start + _FEW] for start in range(0, len(ordered), _FEW))


def _holding(rows: Sequence[tuple[RowRef, str]], wanted: Sequence[str]) -> Iterator[RowRef]:
    """Rows where all words stand in the name of one author."""
    framed = [f" {word} " for word in wanted]
    for ref, names in rows:
        if any(all(word in line for word in framed) for line in names.split("\n")):
            yield ref


def _rows_by_beginning(view: View, snapshot: Snapshot, wanted: Sequence[str]) -> tuple[RowRef, ...]:
    if not wanted:
        return ()
    framed = [*(f" {word} " for word in wanted[:-1]), f" {wanted[-1]}"]
    return tuple(
        RowRef(segment.key, row)
        for segment, row, lines in _select(view, snapshot, _BEGUN, [wanted[-1]])
        if any(all(part in line for part in framed) for line in text(lines).split("\n"))
    )


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
