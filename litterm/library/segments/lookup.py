"""Finds rows by keys, titles and names, over all segments of a snapshot, and reads the papers at given rows.

Shadowed rows are never found.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast

from litterm.core.errors import OutOfMemory
from litterm.core.json_fields import integer, text
from litterm.library.segments.papers import (
    BYLINE_COLUMNS,
    PAPER_COLUMNS,
    byline_from_row,
    paper_from_line,
    paper_from_row,
)
from litterm.model.library import RowRef, Segment, Snapshot
from litterm.model.paper import SCHEMES, PaperId
from litterm.text.queries.author_variants import name_parts
from litterm.text.references.identity import bare_key, identity_hash, make_id, older_spellings, scheme_of
from litterm.text.tokens import words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.library.segments.library_view import LibraryView
    from litterm.model.paper import Byline, Paper

T = TypeVar("T")
LinkKind: TypeAlias = Literal["version", "doubtful"]
"""Why two papers are linked: they are versions of one work, or may be one paper."""
Pair: TypeAlias = tuple[PaperId, PaperId]
_SegmentRow: TypeAlias = tuple[Segment, int, object]

_log = logging.getLogger(__name__)

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
_MAX_KEYS_INLINE = 100
"""Up to this number keys are written into the statement: only then does DuckDB skip row groups without them."""
_SCAN_FROM_ROWS = 1000
"""From this number of rows of one segment a scan of its table is faster than lookups by key."""
_MAX_ROWS_TOGETHER = 100
"""Up to this number of rows one statement reads from all segments."""
_BATCH_ROWS = 8192
"""Rows fetched at once: what a statement answers counts against DuckDB's memory limit."""
_ROWS_SQL = "SELECT row, {columns} FROM {{segment}}.paper WHERE row IN ({rows})"
_ROWS_OF_SEGMENT_SQL = "SELECT {at} AS segment, row, {columns} FROM {{segment}}.paper WHERE row IN ({rows})"
_MANY_ROWS_SQL = "SELECT row, {columns} FROM {{segment}}.paper WHERE row IN (SELECT unnest(?::INTEGER[]))"
_LINKS_SQL = "SELECT one, other FROM {segment}.link WHERE kind = ? ORDER BY one, other"


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


def fetch_papers(view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Paper, ...]:
    """The papers at `rows`, in that order; from the database only those that are not packed."""
    segments = {segment.key: segment for segment in snapshot.segments}
    papers = [_packed_paper(view, segments[ref.segment], ref.row) for ref in rows]
    unpacked = [ref for ref, paper in zip(rows, papers, strict=True) if paper is None]
    read = iter(_fetch(view, snapshot, unpacked, PAPER_COLUMNS, paper_from_row, _placeholder_paper))
    return tuple(next(read) if paper is None else paper for paper in papers)


def _packed_paper(view: LibraryView, segment: Segment, row: int) -> Paper | None:
    """The paper at `row`; `None` where its record is not packed, or is damaged."""
    records = view.records(segment)
    if records is None:
        return None
    try:
        line = records.line(row)
        return paper_from_line(line) if line else None
    except ValueError as error:
        view.leave_records(segment, str(error))
        return None


def fetch_bylines(view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Byline, ...]:
    """The bylines of the papers at `rows`, in that order."""
    return _fetch(
        view, snapshot, rows, BYLINE_COLUMNS, byline_from_row, lambda paper_id: _placeholder_paper(paper_id).byline
    )


def fetch_texts(view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[tuple[str, str], ...]:
    """Title and abstract at `rows`, in that order."""
    return _fetch(view, snapshot, rows, "title, abstract", lambda row: (text(row[0]), text(row[1])), lambda _: ("", ""))


def fetch_ids(view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[PaperId, ...]:
    """The ids of the papers at `rows`, in that order."""
    return _fetch(view, snapshot, rows, "id", _id_of_row, lambda paper_id: paper_id)


def papers_by_key(view: LibraryView, snapshot: Snapshot, keys: Sequence[str]) -> tuple[tuple[Paper, ...], ...]:
    """Per key, the papers whose id or alias it is, with or without its scheme."""
    refs = rows_by_key(view, snapshot, keys)
    papers = iter(fetch_papers(view, snapshot, [ref for key_refs in refs for ref in key_refs]))
    return tuple(tuple(next(papers) for _ in key_refs) for key_refs in refs)


def ids_by_key(view: LibraryView, snapshot: Snapshot, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
    """Per key, the papers whose id or alias it is, with or without its scheme, ascending; no record is read."""
    refs = rows_by_key(view, snapshot, keys)
    rows = list(dict.fromkeys(ref for key_refs in refs for ref in key_refs))
    id_at = dict(zip(rows, fetch_ids(view, snapshot, rows), strict=True))
    return tuple(tuple(sorted(id_at[ref] for ref in key_refs)) for key_refs in refs)


def ids_by_citation_key(view: LibraryView, snapshot: Snapshot, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
    """Per citation key, the papers that a source gave it to, ascending."""
    refs = rows_by_citation_key(view, snapshot, keys)
    ids = iter(fetch_ids(view, snapshot, [ref for key_refs in refs for ref in key_refs]))
    return tuple(tuple(sorted(next(ids) for _ in key_refs)) for key_refs in refs)


def ids_by_title(view: LibraryView, snapshot: Snapshot, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
    """Per title, the papers with an equal identity key, ascending."""
    hashes = [identity_hash(title) for title in titles]
    refs = rows_by_title(view, snapshot, set(hashes) - {0})
    # Of all titles at once: what a statement costs is mostly its planning.
    rows = list(dict.fromkeys(ref for key_refs in refs.values() for ref in key_refs))
    id_at = dict(zip(rows, fetch_ids(view, snapshot, rows), strict=True))
    return tuple(tuple(sorted(id_at[ref] for ref in refs.get(key, ()))) for key in hashes)


def papers_by_title(view: LibraryView, snapshot: Snapshot, title: str) -> tuple[Paper, ...]:
    """The papers with an equal identity key, ascending; without the database where all records are packed."""
    title_hash = identity_hash(title)
    if not title_hash:
        return ()
    refs: list[RowRef] = []
    for segment in snapshot.segments:
        records = view.records(segment)
        if records is None:
            refs = rows_by_title(view, snapshot, {title_hash}).get(title_hash, [])
            break
        rows = records.rows_with_title(title_hash)
        refs += (RowRef(segment.key, row) for row in rows if row not in segment.shadowed)
    papers = fetch_papers(view, snapshot, refs)
    return tuple(sorted(papers, key=lambda paper: paper.id))


def _fetch(
    view: LibraryView,
    snapshot: Snapshot,
    rows: Sequence[RowRef],
    columns: str,
    decode: Callable[[Sequence[object]], T],
    placeholder: Callable[[PaperId], T],
) -> tuple[T, ...]:
    """What `decode` makes of `columns` at `rows`; one that takes more memory than there is has a `placeholder`."""
    try:
        return _fetch_together(view, snapshot, rows, columns, decode)
    except OutOfMemory:
        # One by one: a single huge record must not take the others with it.
        papers_one_by_one = (_fetch_one(view, snapshot, ref, columns, decode) for ref in rows)
        return tuple(
            placeholder(_id_at(view, snapshot, ref)) if value is None else value
            for ref, value in zip(rows, papers_one_by_one, strict=True)
        )


def _fetch_one(
    view: LibraryView, snapshot: Snapshot, ref: RowRef, columns: str, decode: Callable[[Sequence[object]], T]
) -> T | None:
    try:
        return _fetch_together(view, snapshot, [ref], columns, decode)[0]
    except OutOfMemory:
        return None


def _id_at(view: LibraryView, snapshot: Snapshot, ref: RowRef) -> PaperId:
    (paper_id,) = _fetch_together(view, snapshot, [ref], "id", _id_of_row)
    _log.warning("the record %s is too large to be read", paper_id)
    return paper_id


def _id_of_row(row: Sequence[object]) -> PaperId:
    return cast("PaperId", text(row[0]))


def _placeholder_paper(paper_id: PaperId) -> Paper:
    """The paper shown instead of a record that cannot be read."""
    from litterm.model.paper import Paper

    return Paper(paper_id, f"(the record {paper_id} is too large to be read; import it again or remove it)")


def _fetch_together(
    view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef], columns: str, decode: Callable[[Sequence[object]], T]
) -> tuple[T, ...]:
    numbers_by_segment: dict[str, list[int]] = {}
    for ref in rows:
        numbers_by_segment.setdefault(ref.segment, []).append(ref.row)
    segments = [segment for segment in snapshot.segments if segment.key in numbers_by_segment]
    values_by_ref: dict[RowRef, T] = {}
    # A page of results comes from many segments: one statement each would be mostly planning.
    if len(rows) < _MAX_ROWS_TOGETHER:
        for segment_index, number, *values in _select_few(view, segments, columns, numbers_by_segment):
            values_by_ref[RowRef(segments[integer(segment_index)].key, integer(number))] = decode(values)
        return tuple(values_by_ref[ref] for ref in rows)
    for segment in segments:
        numbers = numbers_by_segment[segment.key]
        for start in range(0, len(numbers), _BATCH_ROWS):
            for number, *values in _select_rows(view, segment, columns, numbers[start : start + _BATCH_ROWS]):
                values_by_ref[RowRef(segment.key, integer(number))] = decode(values)
    return tuple(values_by_ref[ref] for ref in rows)


def _select_few(
    view: LibraryView, segments: Sequence[Segment], columns: str, numbers_by_segment: Mapping[str, Sequence[int]]
) -> list[tuple[object, ...]]:
    """Rows of all `segments` by one statement: what a statement costs is mostly its planning."""
    return view.select_all(
        [
            (
                segment,
                _ROWS_OF_SEGMENT_SQL.format(
                    at=index, columns=columns, rows=_comma_separated(numbers_by_segment[segment.key])
                ),
            )
            for index, segment in enumerate(segments)
        ]
    )


def _select_rows(view: LibraryView, segment: Segment, columns: str, numbers: Sequence[int]) -> list[tuple[object, ...]]:
    if len(numbers) < _SCAN_FROM_ROWS:
        return view.select(segment, _ROWS_SQL.format(columns=columns, rows=_comma_separated(numbers)))
    return view.select(segment, _MANY_ROWS_SQL.format(columns=columns), [numbers])


def _comma_separated(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def find_links(view: LibraryView, snapshot: Snapshot, kind: LinkKind) -> tuple[Pair, ...]:
    """Pairs of papers with a link of this kind, ascending."""
    pairs = [
        (text(one), text(other))
        for segment in snapshot.segments
        for one, other in view.select(segment, _LINKS_SQL, (kind,))
    ]
    keys = sorted({key for pair in pairs for key in pair})
    papers = dict(zip(keys, papers_by_key(view, snapshot, keys), strict=True))
    # By what they are called now: one of a pair may have been joined to another paper since.
    current_ids = {key: matches[0].id for key, matches in papers.items() if matches}
    known = {
        (current_ids[one], current_ids[other]) for one, other in pairs if one in current_ids and other in current_ids
    }
    return tuple(sorted((one, other) for one, other in known if one != other))
