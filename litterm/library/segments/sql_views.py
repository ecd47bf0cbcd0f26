"""The views that a statement of the user reads: papers, sentences, citations and marks, over all segments.

Values that a record lacks are empty text, as in the JSON of `litterm show`, and only numbers and times are null.
docs/reference/sql.md describes the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from litterm.library.segments.documents import ORIGINS_BEST_FIRST
from litterm.library.segments.papers import paper_line

if TYPE_CHECKING:
    from litterm.library.segments.connections import Cursor
    from litterm.model.library import Snapshot
    from litterm.model.paper import Paper

VIEWS: Final = ("papers", "sentences", "citations", "marks")
"""What a statement may name."""

_TEXTS = (
    *("venue", "date", "retraction", "decision", "status"),
    *(f"imprint.{name}" for name in ("booktitle", "journal", "volume", "issue", "pages", "publisher", "address")),
    *(f"imprint.{name}" for name in ("language", "bibkey")),
    *(f"details.{name}" for name in ("article_number", "edition", "series", "isbn", "issn", "thesis", "institution")),
    *(f"details.{name}" for name in ("note", "exported_on")),
)
"""Texts of a record, as paths of its JSON; the last word is the column."""
_LISTS = (
    *("keywords", "urls", "unverified_ids"),
    *(f"details.{name}" for name in ("files", "accession_numbers", "databases", "collections")),
)
_FLAGS = ("full_text", "has_more_authors", "details.has_more_editors")


def _text(path: str, default: str = "") -> str:
    return f"coalesce(record ->> '$.{path}', '{default}')"


def _list(path: str) -> str:
    return f"""coalesce(from_json(record -> '$.{path}', '["VARCHAR"]'), [])"""


def _names(people: str, parts: str) -> str:
    """Full names: the given name, the surname, and what stands behind them, which few names have."""
    few = f"""from_json(record -> '$.{parts}', '[["VARCHAR"]]')"""
    suffix = f"list_filter({few}, lambda part: part[1] = (n - 1)::VARCHAR)[1][3]"
    name = f"concat_ws(' ', nullif(name[2], ''), name[1], nullif({suffix}, ''))"
    people_list = f"""from_json(record -> '$.{people}', '[["VARCHAR"]]')"""
    return f"coalesce(list_transform({people_list}, lambda name, n: {name}), [])"


def _named(expressions: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f'{expression} AS "{name.rpartition(".")[2]}"' for name, expression in expressions)


_IDS = f"list_concat([id], {_list('aliases')})"
_PAPER_COLUMNS: Final = _named(
    (
        *(("id", "id"), ("title", "title"), ("authors", _names("authors", "author_parts"))),
        *(("year", "(record ->> '$.year')::INTEGER"), ("venue", _text("venue")), ("abstract", "abstract")),
        ("doi", f"coalesce(list_filter({_IDS}, lambda one: starts_with(one, 'doi:'))[1][5:], '')"),
        *(("type", _text("type", "other")), ("abstract_by", _text("abstract_by", "authors"))),
        ("aliases", _list("aliases")),
        *((path, _list(path)) for path in _LISTS),
        *((path, _text(path)) for path in _TEXTS if path != "venue"),
        ("editors", _names("editors", "editor_parts")),
        *((path, f"coalesce((record ->> '$.{path}')::BOOLEAN, false)") for path in _FLAGS),
        ("is_title_certain", "NOT coalesce((record ->> '$.title_uncertain')::BOOLEAN, false)"),
        *(("imported_format", _text("provenance[0]")), ("imported_from", _text("provenance[1]"))),
        ("imported_at", "try_cast(record ->> '$.provenance[2]' AS TIMESTAMP)"),
        (
            "sources",
            "list_sort(list_distinct(list_concat([imported_from], record ->> '$.sources[*].record.provenance[1]')))",
        ),
    )
)
_PAPERS = "SELECT {columns} FROM {part}.paper WHERE {shown}"
_ALIASES = (
    "SELECT alias.id, paper.id AS paper, paper.record FROM {part}.alias JOIN {part}.paper USING (row) WHERE {shown}"
)
_STORED_TEXTS = (
    "SELECT '{part}' AS part, doc, id, paper AS stored_as, origin, stored FROM {part}.document"
    " WHERE origin <> 'abstract'"
)
_BEST_TEXTS = """
CREATE TABLE internal.best_text AS
SELECT DISTINCT ON (known.paper) known.paper, part, doc, texts.id AS document, origin
FROM ({texts}) AS texts JOIN ({aliases}) AS known ON known.id = texts.stored_as
WHERE NOT list_contains(coalesce(from_json(known.record -> '$.left_documents', '["VARCHAR"]'), []), texts.id)
ORDER BY known.paper, list_position({origins}, origin), stored DESC
"""
"""One text for each paper: of the best origin, and of these the newest; as `litterm read` opens it."""
_SENTENCES = """
SELECT best.paper, best.document, best.origin, sentence.number_in_text AS "index", section.title AS section,
    section.kind AS section_kind, sentence.kind, sentence.paragraph, sentence.position, sentence.page,
    coalesce(sentence.text, substring(
        array_to_string(document.pieces[sentence.first // {length} + 1 : (sentence.past - 1) // {length} + 1], ''),
        sentence.first % {length} + 1,
        sentence.past - sentence.first
    )) AS "text"
FROM {part}.sentence AS sentence
JOIN internal.best_text AS best ON best.part = '{part}' AND best.doc = sentence.doc
JOIN (
    SELECT doc,
        list_transform(range(0, length(text), {length}), lambda start: substring(text, start + 1, {length})) AS pieces
    FROM {part}.document
) AS document ON document.doc = sentence.doc
LEFT JOIN {part}.section AS section ON section.doc = sentence.doc AND section.number_in_text = sentence.section
"""
_PIECE_CHARS = 2000
"""A sentence is cut out of a piece of its text: characters of UTF-8 are counted from where the counting begins, and
from the beginning of the text each sentence would take as long as all before it."""
_NO_SENTENCES = """
SELECT '' AS paper, '' AS document, '' AS origin, 0 AS "index", '' AS section, '' AS section_kind, '' AS kind,
    0 AS paragraph, 0 AS position, 0 AS page, '' AS "text" WHERE false
"""
_INTERNAL_TABLES = (
    "CREATE SCHEMA internal",
    "CREATE TABLE internal.hidden (part VARCHAR, row INTEGER)",
    "CREATE TABLE internal.citation (citing VARCHAR, cited VARCHAR, marks INTEGER, year INTEGER)",
    "CREATE TABLE internal.mark (paper VARCHAR, starred BOOLEAN, screening VARCHAR, status VARCHAR, tags VARCHAR[],"
    " note VARCHAR, collections VARCHAR[])",
    # Records that the user merged, in the tables of a segment.
    "CREATE SCHEMA merged",
    "CREATE TABLE merged.paper (row INTEGER, id VARCHAR, title VARCHAR, abstract VARCHAR, record VARCHAR)",
    "CREATE TABLE merged.alias (id VARCHAR, row INTEGER)",
)


@dataclass(frozen=True, slots=True)
class CitationColumns:
    """The citations between papers, as columns of equal length."""

    citing: Sequence[str] = ()
    cited: Sequence[str] = ()
    marks: Sequence[int] = ()
    """Places of the citing text; 0 where only its reference list is known."""
    year: Sequence[int | None] = ()
    """Of the citing paper."""


@dataclass(frozen=True, slots=True)
class MarkColumns:
    """What the user noted about papers, as columns of equal length."""

    paper: Sequence[str] = ()
    starred: Sequence[bool] = ()
    screening: Sequence[str] = ()
    status: Sequence[str] = ()
    tags: Sequence[Sequence[str]] = ()
    note: Sequence[str] = ()
    collections: Sequence[Sequence[str]] = ()
    """Names of the user's collections, each with those around it: `Thesis/Methods`."""


@dataclass(frozen=True, slots=True)
class ViewSources:
    """What the views show besides the segments."""

    snapshot: Snapshot
    """Rows that are not shown count as shadowed."""
    merged: Sequence[Paper] = ()
    """Papers that the user merged from several records, shown instead of those records."""
    citations: CitationColumns = CitationColumns()
    marks: MarkColumns = MarkColumns()
    with_sentences: bool = True
    """Whether `sentences` is made: which text of a paper is read takes time in proportion to all of them."""


def create_views(cursor: Cursor, sources: ViewSources, names: Mapping[str, str]) -> None:
    """Creates `VIEWS` in the database in memory; `names` are the attached databases, by the key of their segment."""
    for statement in _INTERNAL_TABLES:
        cursor.execute(statement)
    _fill(cursor, "internal.citation", sources.citations)
    _fill(cursor, "internal.mark", sources.marks)
    _add_merged(cursor, sources.merged)
    shown = {"merged": "true"} | {
        names[segment.key]: _shown_rows(cursor, names[segment.key], segment.shadowed, has_merged=bool(sources.merged))
        for segment in sources.snapshot.segments
    }
    papers = (_PAPERS.format(columns=_PAPER_COLUMNS, part=part, shown=rows) for part, rows in shown.items())
    cursor.execute(f"CREATE VIEW papers AS {_union(papers)}")
    if sources.with_sentences and names:
        _choose_texts(cursor, shown, tuple(names.values()))
        sentences = _union(_SENTENCES.format(part=name, length=_PIECE_CHARS) for name in names.values())
    else:
        sentences = _NO_SENTENCES
    cursor.execute(f"CREATE VIEW sentences AS {sentences}")
    cursor.execute("CREATE VIEW citations AS FROM internal.citation")
    cursor.execute("CREATE VIEW marks AS FROM internal.mark")


def _fill(cursor: Cursor, table: str, columns: CitationColumns | MarkColumns) -> None:
    values = [list(getattr(columns, field.name)) for field in fields(columns)]
    if values[0]:
        unnested = ", ".join(["unnest(?)"] * len(values))
        cursor.execute(f"INSERT INTO {table} SELECT {unnested}", values)


def _add_merged(cursor: Cursor, papers: Sequence[Paper]) -> None:
    import json

    for row, paper in enumerate(papers):
        line = paper_line(paper, row)
        record = json.dumps(line["record"])
        cursor.execute(
            "INSERT INTO merged.paper VALUES (?, ?, ?, ?, ?)", [row, paper.id, paper.title, paper.abstract, record]
        )
        cursor.execute("INSERT INTO merged.alias SELECT unnest(?), ?", [line["ids"], row])


def _shown_rows(cursor: Cursor, part: str, hidden: Sequence[int], *, has_merged: bool) -> str:
    """The condition on a row of `part` that it is shown."""
    conditions = ["true"]
    if hidden:
        cursor.execute("INSERT INTO internal.hidden SELECT ?, unnest(?)", [part, list(hidden)])
        conditions.append(f"row NOT IN (SELECT row FROM internal.hidden WHERE part = '{part}')")
    if has_merged:
        conditions.append("paper.id NOT IN (SELECT id FROM merged.paper)")
    return " AND ".join(conditions)


def _choose_texts(cursor: Cursor, shown: Mapping[str, str], parts: Sequence[str]) -> None:
    aliases = _union(_ALIASES.format(part=part, shown=rows) for part, rows in shown.items())
    texts = _union(_STORED_TEXTS.format(part=part) for part in parts)
    cursor.execute(_BEST_TEXTS.format(texts=texts, aliases=aliases, origins=list(ORIGINS_BEST_FIRST)))


def _union(selects: Iterable[str]) -> str:
    return " UNION ALL ".join(selects)
