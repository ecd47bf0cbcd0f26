"""Finds rows by keys, titles and names, over all segments of a snapshot; shadowed rows are never found."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from litterm.core.json_fields import integer, text
from litterm.model.library import RowRef, Segment, Snapshot
from litterm.model.paper import SCHEMES
from litterm.text.queries.author_variants import name_parts
from litterm.text.references.identity import bare_key, make_id, older_spellings, scheme_of
from litterm.text.tokens import words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.library.segments.connections import LibraryView

_ALIASES_SQL = "SELECT row, id FROM {{segment}}.alias WHERE bare IN ({keys})"
# Escaped as in JSON. Also what each source of a merged record called it: the user's own key is often there.
_CITATION_KEYS = r"""'"bibkey":"((?:[^"\\]|\\.)*)"', 1"""
_CITATION_KEYS_SQL = (
    f"SELECT row, regexp_extract_all(record, {_CITATION_KEYS}) FROM {{segment}}.paper"
    f" WHERE list_has_any(regexp_extract_all(lower(record), {_CITATION_KEYS}), ?)"
)
_TITLES_SQL = "SELECT row, title_hash FROM {{segment}}.paper WHERE title_hash IN ({hashes})"
_WORDS_SQL = "SELECT row, word FROM {{segment}}.name WHERE word IN ({words})"
_NAMES_SQL = (
    "SELECT row, word, names FROM {{segment}}.name JOIN {{segment}}.paper USING (row) "
    "WHERE word IN ({words}) ORDER BY row"
)
_FIRST_AUTHORS_SQL = (
    "SELECT row, word, split_part(names, chr(10), 1) AS first_author FROM {{segment}}.name"
    " JOIN {{segment}}.paper USING (row) WHERE word IN ({words}) AND contains(first_author, ' ' || word || ' ')"
)
_PREFIX_SQL = (
    "SELECT DISTINCT row, names FROM {segment}.name JOIN {segment}.paper USING (row) WHERE starts_with(word, ?)"
)
_SegmentRow: TypeAlias = tuple[Segment, int, object]
_MAX_KEYS_INLINE = 100
"""Up to this number keys are written into the statement: only then does DuckDB skip row groups without them."""


def rows_by_key(view: LibraryView, snapshot: Snapshot, keys: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
    """Per key, the rows whose id or alias it is, with or without its scheme, case folded."""
    normal_keys = [_normalize_key(key) for key in keys]
    matches = rows_by_bare(view, snapshot, {bare for _, bare in normal_keys})
    return tuple(
        tuple(dict.fromkeys(ref for paper_id, ref in matches.get(bare, ()) if scheme in ("", scheme_of(paper_id))))
        for scheme, bare in normal_keys
    )


def rows_by_bare(
    view: LibraryView, snapshot: Snapshot, bare_keys: Collection[str]
) -> dict[str, list[tuple[str, RowRef]]]:
    """Folded bare key to the ids it is in and their rows, the oldest segment first."""
    matches: dict[str, list[tuple[str, RowRef]]] = {}
    ordered = sorted({spelling for bare in bare_keys for spelling in (bare, *older_spellings(bare))})
    if not ordered:
        return matches
    few = len(ordered) <= _MAX_KEYS_INLINE
    sql = _ALIASES_SQL.format(keys=", ".join("?" * len(ordered)) if few else "SELECT unnest(?)")
    for segment, row, value in _select(view, snapshot, sql, ordered if few else [ordered]):
        paper_id = text(value)
        matches.setdefault(bare_key(paper_id), []).append((paper_id, RowRef(segment.key, row)))
    return matches


def rows_by_citation_key(view: LibraryView, snapshot: Snapshot, keys: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
    """Per citation key, the rows that a source gave it to; with other capitals only where no row has it exactly.

    It reads the records of all papers, however many keys there are (0.3 s for 109,000 papers).
    """
    escaped = [json.dumps(key.strip(), ensure_ascii=False)[1:-1] for key in keys]
    exact: dict[str, list[RowRef]] = {}
    folded: dict[str, list[RowRef]] = {}
    wanted = sorted({key.lower() for key in escaped} - {""})
    for segment, row, found in _select(view, snapshot, _CITATION_KEYS_SQL, [wanted]) if wanted else ():
        for key in dict.fromkeys(cast("Sequence[str]", found)):
            exact.setdefault(key, []).append(RowRef(segment.key, row))
            folded.setdefault(key.lower(), []).append(RowRef(segment.key, row))
    return tuple(tuple(dict.fromkeys(exact.get(key) or folded.get(key.lower()) or [])) for key in escaped)


def rows_by_title(view: LibraryView, snapshot: Snapshot, hashes: Collection[int]) -> dict[int, list[RowRef]]:
    """Identity hash to rows, the oldest segment first."""
    matches: dict[int, list[RowRef]] = {}
    ordered = sorted(hashes)
    if not ordered:
        return matches
    few = len(ordered) <= _MAX_KEYS_INLINE
    sql = _TITLES_SQL.format(hashes=", ".join("?" * len(ordered)) if few else "SELECT unnest(?::UBIGINT[])")
    for segment, row, title_hash in _select(view, snapshot, sql, ordered if few else [ordered]):
        matches.setdefault(integer(title_hash), []).append(RowRef(segment.key, row))
    return matches


def rows_by_author(view: LibraryView, snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
    """Per name, the rows with one author whose name holds every word of it; many names cost little more than one.

    Words with an apostrophe between them stand side by side. A star behind a name makes its last word the beginning of
    one.
    """
    words_by_name = [[] if name.endswith("*") else _rarest_first(name) for name in names]
    rows_by_word = _rows_by_word(
        view, snapshot, {name_words[0] for name_words in words_by_name if len(name_words) == 1}
    )
    rows_by_first_word = _rows_and_names(
        view, snapshot, {name_words[0] for name_words in words_by_name if len(name_words) > 1}
    )

    def rows_of(name: str, name_words: Sequence[str]) -> Iterable[RowRef]:
        if name.endswith("*"):
            return _rows_by_prefix(view, snapshot, name)
        if len(name_words) < 2:
            return rows_by_word.get(name_words[0], ()) if name_words else ()
        return _rows_with_all(rows_by_first_word.get(name_words[0], ()), name_parts(name))

    return tuple(tuple(rows_of(name, name_words)) for name, name_words in zip(names, words_by_name, strict=True))


def rows_by_first_author(
    view: LibraryView, snapshot: Snapshot, pairs: Sequence[tuple[str, int]], years: Mapping[str, npt.NDArray[np.int16]]
) -> tuple[tuple[RowRef, ...], ...]:
    """Per family name and year, the rows of that year, give or take one, whose first author bears every word of it.

    `years` are those of all rows, by segment.
    """
    # By the rarest word of the name and the year of a paper: which pairs it is for, and the other words.
    wanted: dict[str, dict[int, list[tuple[int, list[str]]]]] = {}
    for index, (family, year) in enumerate(pairs):
        for word, *other_words in filter(None, [_rarest_first(family)]):
            framed = [f" {other} " for other in other_words]
            for near_year in (year - 1, year, year + 1):
                wanted.setdefault(word, {}).setdefault(near_year, []).append((index, framed))
    segments = snapshot.segments
    shadowed = [frozenset(segment.shadowed) for segment in segments]
    years_by_segment = [years[segment.key] for segment in segments]
    rows: list[list[RowRef]] = [[] for _ in pairs]
    words_in_order = sorted(wanted)
    few = len(words_in_order) <= _MAX_KEYS_INLINE
    # In one statement: each reads the names of all papers.
    sql = _FIRST_AUTHORS_SQL.format(words=", ".join("?" * len(words_in_order)) if few else "SELECT unnest(?)")
    matches = _select_numbered(view, segments, sql, words_in_order if few else [words_in_order]) if wanted else ()
    for place, row, word, first_author in cast("Sequence[tuple[int, int, str, str]]", matches):
        for index, framed in wanted[word].get(years_by_segment[place].item(row), ()):
            if row not in shadowed[place] and all(part in first_author for part in framed):
                rows[index].append(RowRef(segments[place].key, row))
    return tuple(map(tuple, rows))


def _rarest_first(name: str) -> list[str]:
    """The words of a name; long ones are in fewer names."""
    return sorted(set(words(name)), key=lambda word: (-len(word), word))


def _rows_by_word(view: LibraryView, snapshot: Snapshot, name_words: Collection[str]) -> dict[str, list[RowRef]]:
    rows: dict[str, list[RowRef]] = {}
    for batch in _batches(name_words):
        sql = _WORDS_SQL.format(words=", ".join("?" * len(batch)))
        for segment, row, word in _select(view, snapshot, sql, batch):
            rows.setdefault(text(word), []).append(RowRef(segment.key, row))
    return rows


def _rows_and_names(
    view: LibraryView, snapshot: Snapshot, name_words: Collection[str]
) -> dict[str, list[tuple[RowRef, str]]]:
    """As `_select`, with all names of the paper, one per line."""
    matches: dict[str, list[tuple[RowRef, str]]] = {}
    for batch in _batches(name_words):
        sql = _NAMES_SQL.format(words=", ".join("?" * len(batch)))
        for segment in snapshot.segments:
            shadowed = frozenset(segment.shadowed)
            for row, word, lines in view.select(segment, sql, batch):
                if row not in shadowed:
                    matches.setdefault(text(word), []).append((RowRef(segment.key, integer(row)), text(lines)))
    return matches


def _batches(name_words: Collection[str]) -> Iterator[Sequence[str]]:
    """Splits keys into as many as one statement lists."""
    ordered = sorted(name_words)
    return (ordered[start : start + _MAX_KEYS_INLINE] for start in range(0, len(ordered), _MAX_KEYS_INLINE))


def _rows_with_all(rows: Sequence[tuple[RowRef, str]], parts: Sequence[str]) -> Iterator[RowRef]:
    """Rows where all parts are in the name of one author."""
    # Blanks around each part, as words are stored: "li" must not be found in "oliver".
    for ref, names in rows:
        if any(all(part in line for part in parts) for line in names.split("\n")):
            yield ref


def _rows_by_prefix(view: LibraryView, snapshot: Snapshot, name: str) -> tuple[RowRef, ...]:
    name_words, framed = words(name), name_parts(name)
    if not name_words:
        return ()
    return tuple(
        RowRef(segment.key, row)
        for segment, row, lines in _select(view, snapshot, _PREFIX_SQL, [name_words[-1]])
        if any(all(part in line for part in framed) for line in text(lines).split("\n"))
    )


def _select(view: LibraryView, snapshot: Snapshot, sql: str, values: Sequence[object]) -> Iterator[_SegmentRow]:
    """Segment, row and the other column of every live row `sql` finds, in the order of segments and rows."""
    segments = snapshot.segments
    matches = _select_numbered(view, segments, sql, values)
    shadowed = [frozenset(segment.shadowed) for segment in segments]
    for index, row, value in sorted(matches):
        position = integer(index)
        if row not in shadowed[position]:
            yield segments[position], integer(row), value


def _select_numbered(
    view: LibraryView, segments: Sequence[Segment], sql: str, values: Sequence[object]
) -> list[tuple[object, ...]]:
    """All rows of `sql`, each after the index of its segment."""
    if len(values) == 1 and isinstance(values[0], list):
        # A list of thousands would be held once a segment.
        return [
            (index, *match) for index, segment in enumerate(segments) for match in view.select(segment, sql, values)
        ]
    numbered = (f"SELECT {index} AS segment, * FROM ({sql})" for index in range(len(segments)))
    return view.select_all(list(zip(segments, numbered, strict=True)), values)


def _normalize_key(key: str) -> tuple[str, str]:
    """Scheme (empty if none was given) and folded bare key."""
    scheme = scheme_of(key).casefold()
    if scheme in SCHEMES:
        # Libraries from before ids were checked may hold some that are none of their scheme.
        return scheme, bare_key(make_id(scheme, key.partition(":")[2]) or key.strip())
    # A colon in it that is no scheme of ours belongs to the key.
    return "", key.strip().casefold()
