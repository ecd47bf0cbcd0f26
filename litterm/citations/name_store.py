"""The names before marks in the user's texts, in the tables `citation_name*` of the library's `state.db`.

They are derived from the citing sentences of the stored lists, list by list, and counted as they are stored: a search
looks up a few rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from litterm.library.state.connection import later_tables
from litterm.model.citations.facts import NameFact, NameUsage
from litterm.model.paper import PaperId
from litterm.text.references.names_before_marks import name_form

if TYPE_CHECKING:
    from sqlite3 import Connection

    from litterm.text.references.names_before_marks import NameForm

NAMES_RULE: Final = "2"
"""Raised with every change of what counts as a name: all texts are then looked at again."""
_MIN_TEXTS: Final[dict[NameForm, int]] = {"mixed": 2, "capitals": 2, "words": 2, "word": 3}
"""Texts that must hold a name before a mark of the same paper. Of 18 such names that other sources know, 17 are the
same paper's there; of coined names of a single text 29 of 44."""
_MAX_SHORT_CHARS: Final = 3
_MIN_SHARE: Final = 2 / 3
"""The share of the texts with the name before a mark in which it is a mark of that paper."""
_USAGES: Final[dict[NameForm, NameUsage]] = {
    "mixed": "coined",
    "capitals": "coined",
    "words": "words",
    "word": "topic",
}
_HAS_TABLES: Final = "SELECT 1 FROM sqlite_schema WHERE name = 'citation_name_list'"
_ROWS_SQL: Final = (
    "SELECT key, name, id, texts, stated FROM citation_name JOIN citation_paper AS paper ON paper.number = cited"
)


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name that stands right before a mark of a paper."""

    cited: PaperId
    key: str
    """What it is looked up by, see `name_key`."""
    name: str
    is_introduced: bool
    """Whether the title or abstract of the paper introduces it."""


def has_names(connection: Connection) -> bool:
    """Whether the library has the tables."""
    return connection.execute(_HAS_TABLES).fetchone() is not None


def ensure_tables(connection: Connection) -> None:
    """Makes the tables in a library of an earlier version, in the transaction of the caller."""
    if not has_names(connection):
        for statement in later_tables():
            connection.execute(statement)


def lists_without_names(connection: Connection) -> list[int]:
    """The numbers of the lists from texts in which no names were looked for yet; ascending."""
    sql = "SELECT number FROM citation_list WHERE kind = 0"
    if has_names(connection):
        sql = f"{sql} AND number NOT IN (SELECT list FROM citation_name_list)"
    return [number for (number,) in connection.execute(f"{sql} ORDER BY number")]


def store_uses(connection: Connection, number: int, uses: Iterable[tuple[NameUse, int]]) -> None:
    """Stores the names of the text of the list `number`, each with the number of its paper."""
    remove_uses(connection, number)
    connection.execute("INSERT INTO citation_name_list VALUES (?)", (number,))
    for use, cited in uses:
        row = (use.key, use.name, cited)
        connection.execute(
            "INSERT INTO citation_name (key, name, cited, texts, stated) VALUES (?, ?, ?, 1, ?)"
            " ON CONFLICT (key, name, cited) DO UPDATE SET texts = texts + 1, stated = excluded.stated",
            (*row, use.is_introduced),
        )
        connection.execute(
            "INSERT INTO citation_name_use SELECT ?, number FROM citation_name"
            " WHERE key = ? AND name = ? AND cited = ?",
            (number, *row),
        )


def remove_uses(connection: Connection, number: int) -> None:
    """Removes what was stored of the text of the list `number`."""
    of_list = "SELECT name FROM citation_name_use WHERE list = ?"
    connection.execute(f"UPDATE citation_name SET texts = texts - 1 WHERE number IN ({of_list})", (number,))
    connection.execute(f"DELETE FROM citation_name WHERE texts <= 0 AND number IN ({of_list})", (number,))
    connection.execute("DELETE FROM citation_name_use WHERE list = ?", (number,))
    connection.execute("DELETE FROM citation_name_list WHERE list = ?", (number,))


def remove_all_uses(connection: Connection) -> None:
    """Removes all names, which are then made again."""
    for table in ("citation_name_use", "citation_name_list", "citation_name"):
        connection.execute(f"DELETE FROM {table}")


def names_by_key(connection: Connection, keys: Collection[str]) -> dict[str, tuple[NameFact, ...]]:
    """Per key of `keys` that is a name in the user's texts, the papers that it stands for, the most used first."""
    if not keys or not has_names(connection):
        return {}
    sql = f"{_ROWS_SQL} WHERE key IN ({', '.join('?' * len(keys))})"
    by_key: dict[str, list[_Row]] = defaultdict(list)
    for row in connection.execute(sql, tuple(keys)):
        by_key[row[0]].append(row)
    facts = {key: _facts_of(rows) for key, rows in by_key.items()}
    return {key: known for key, known in facts.items() if known}


def names_of_papers(connection: Connection, ids: Sequence[PaperId]) -> tuple[NameFact, ...]:
    """The names of a paper with these ids in the user's texts, the most used first."""
    if not ids or not has_names(connection):
        return ()
    marks = ", ".join("?" * len(ids))
    numbers = f"SELECT number FROM citation_paper WHERE id IN ({marks})"
    sql = f"SELECT DISTINCT key FROM citation_name WHERE cited IN ({numbers})"
    keys = [key for (key,) in connection.execute(sql, tuple(ids))]
    facts = (fact for known in names_by_key(connection, keys).values() for fact in known)
    return tuple(sorted((fact for fact in facts if fact.ids[0] in ids), key=lambda fact: (-fact.texts, fact.name)))


_Row = tuple[str, str, PaperId, int, int]
"""Key, name, paper, texts, and whether the paper states the name."""


def _facts_of(rows: Sequence[_Row]) -> tuple[NameFact, ...]:
    """What the rows of one key say with certainty."""
    by_paper: dict[PaperId, list[_Row]] = defaultdict(list)
    for row in rows:
        by_paper[row[2]].append(row)
    all_texts = sum(row[3] for row in rows)
    facts = []
    for paper, spellings in by_paper.items():
        # A text that spells a name in two ways counts twice, both here and in the whole.
        texts = sum(row[3] for row in spellings)
        _, name, _, most_texts, is_introduced = max(spellings, key=lambda row: (row[3], row[1]))
        form = name_form(name)
        least = 1 if form == "mixed" and is_introduced else _MIN_TEXTS[form]
        # Few capitals are more often a kind of thing or a company: HMM, IBM.
        is_short = form == "capitals" and len(name) <= _MAX_SHORT_CHARS and not is_introduced
        if not is_short and most_texts >= least and texts >= _MIN_SHARE * all_texts:
            facts.append(NameFact(name, "cited name", (paper,), "", None, "", (), usage=_USAGES[form], texts=texts))
    return tuple(sorted(facts, key=lambda fact: (-fact.texts, fact.ids)))
