"""A matrix in the form asked for; the name of a file tells which."""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePath
from typing import Literal, get_args

from litterm.model.matrix import Matrix

Form = Literal["md", "csv", "json", "html"]
FORMS: tuple[Form, ...] = get_args(Form)
_ENDINGS: dict[str, Form] = {"markdown": "md", "htm": "html"}


def form_of(name: str) -> Form | None:
    """The form a file name asks for by its ending; `None` if by none."""
    ending = PurePath(name).suffix.lower().removeprefix(".")
    return ending if ending in FORMS else _ENDINGS.get(ending)


def written(matrix: Matrix, form: Form, *, blind: bool = False, ascii_only: bool = False) -> str:
    """The whole matrix; `blind` and `ascii_only` are for CSV and JSON."""
    if form == "json":
        # Each form is loaded only when it is asked for.
        from litterm.render import json
        from litterm.render.matrix import json as matrix_json

        return json.dumps(matrix_json.matrix(matrix), ascii_only=ascii_only) + "\n"
    if form == "csv":
        from litterm.render.matrix import csv

        return csv.dumps(matrix, blind=blind)
    return str(import_module(f"litterm.render.matrix.{form}").dumps(matrix))


def encoded(matrix: Matrix, form: Form, *, blind: bool = False) -> bytes:
    """The content of a file."""
    # A spreadsheet takes a CSV without this mark for a text of the Western code page.
    encoding = "utf-8-sig" if form == "csv" else "utf-8"
    return written(matrix, form, blind=blind).encode(encoding, "replace")
