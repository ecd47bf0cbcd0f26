"""Writes a table of columns in one of its formats, which the suffix of a file name can choose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal, get_args

from litterm.model.columns import ColumnTable
from litterm.render.bibliography.keys import CitationKeys

ColumnFormat = Literal["md", "csv", "json", "html", "parquet"]
COLUMN_FORMATS: tuple[ColumnFormat, ...] = get_args(ColumnFormat)
_OTHER_SUFFIXES: dict[str, ColumnFormat] = {"markdown": "md", "htm": "html"}


def format_of_name(name: str) -> ColumnFormat | None:
    """The format for the suffix of a file name; `None` if there is none."""
    ending = PurePath(name).suffix.lower().removeprefix(".")
    return ending if ending in COLUMN_FORMATS else _OTHER_SUFFIXES.get(ending)


def render_table(
    table: ColumnTable,
    form: ColumnFormat,
    citation_keys: CitationKeys,
    *,
    ascii_only: bool = False,
    notices: Sequence[str] = (),
) -> str:
    """The whole table as text; not for Parquet. `ascii_only` and `notices` are for JSON."""
    if form == "json":
        # Each form is loaded only when it is asked for.
        from litterm.render import json
        from litterm.render.columns import json as columns_json

        body = {"schema": json.schema_name("extract"), **columns_json.table(table, citation_keys, notices)}
        return json.dumps(body, ascii_only=ascii_only) + "\n"
    if form == "csv":
        from litterm.render.columns import csv

        return csv.dumps(table, citation_keys)
    if form == "html":
        from litterm.render.columns import html

        return html.dumps(table)
    from litterm.render.columns import markdown

    return markdown.dumps(table, citation_keys)


def encode_table(
    table: ColumnTable, form: ColumnFormat, citation_keys: CitationKeys, *, notices: Sequence[str] = ()
) -> bytes:
    """The content of a file; Parquet has a row for each value.

    Raises:
        DiskFull, LibraryError: Parquet could not be written.
    """
    if form == "parquet":
        return _parquet(table, citation_keys)
    # A spreadsheet takes a CSV without this mark for a text of the Western code page.
    encoding = "utf-8-sig" if form == "csv" else "utf-8"
    return render_table(table, form, citation_keys, notices=notices).encode(encoding, "replace")


def _parquet(table: ColumnTable, citation_keys: CitationKeys) -> bytes:
    from litterm.core.temporary_files import scratch_folder
    from litterm.library.parquet import write_parquet
    from litterm.render.columns.csv import PARQUET_TYPES, json_rows

    with scratch_folder() as scratch:
        rows, target = scratch / "values.jsonl", scratch / "values.parquet"
        with rows.open("wb") as file:
            file.writelines(f"{row}\n".encode("utf-8", "replace") for row in json_rows(table, citation_keys))
        write_parquet(rows, PARQUET_TYPES, target)
        return target.read_bytes()
