"""Writes a matrix in one of its formats, which the suffix of a file name can choose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal, get_args

from litterm.model.matrix import Matrix
from litterm.render.bibliography.keys import CitationKeys

MatrixFormat = Literal["md", "csv", "json", "html"]
MATRIX_FORMATS: tuple[MatrixFormat, ...] = get_args(MatrixFormat)
_OTHER_SUFFIXES: dict[str, MatrixFormat] = {"markdown": "md", "htm": "html"}


def format_of_name(name: str) -> MatrixFormat | None:
    """The format for the suffix of a file name; `None` if there is none."""
    ending = PurePath(name).suffix.lower().removeprefix(".")
    return ending if ending in MATRIX_FORMATS else _OTHER_SUFFIXES.get(ending)


def render_matrix(
    matrix: Matrix,
    form: MatrixFormat,
    citation_keys: CitationKeys,
    *,
    blind: bool = False,
    ascii_only: bool = False,
    notices: Sequence[str] = (),
) -> str:
    """The whole matrix; `blind` is for CSV, `ascii_only` and `notices` are for JSON."""
    if form == "json":
        # Each form is loaded only when it is asked for.
        from litterm.render import json
        from litterm.render.matrix import json as matrix_json

        body = {"schema": json.schema_name("evidence"), **matrix_json.matrix(matrix, citation_keys, notices)}
        return json.dumps(body, ascii_only=ascii_only) + "\n"
    if form == "csv":
        from litterm.render.matrix import csv

        return csv.dumps(matrix, citation_keys, blind=blind)
    if form == "html":
        from litterm.render.matrix import html

        return html.dumps(matrix)
    from litterm.render.matrix import markdown

    return markdown.dumps(matrix, citation_keys)


def encode_matrix(
    matrix: Matrix,
    form: MatrixFormat,
    citation_keys: CitationKeys,
    *,
    blind: bool = False,
    notices: Sequence[str] = (),
) -> bytes:
    """The content of a file."""
    # A spreadsheet takes a CSV without this mark for a text of the Western code page.
    encoding = "utf-8-sig" if form == "csv" else "utf-8"
    return render_matrix(matrix, form, citation_keys, blind=blind, notices=notices).encode(encoding, "replace")
