"""`litterm cite --batch`: excerpts from JSON Lines or CSV, answers as JSON Lines; a second run continues the file."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.attribution.excerpt_files import ExcerptRow, read_excerpts
from litterm.cli.context import Context
from litterm.core.durable_files import replace_file
from litterm.core.errors import BadInput, UsageError
from litterm.core.user_files import refusal, refuse_input, resolve_target
from litterm.render.attribution.candidates import cite_data

if TYPE_CHECKING:
    from litterm.engine import Engine

EXIT_FAILED = 1
_WRITTEN_BY, _COMMAND = "written_by", "litterm cite --batch"
"""Part of every answer; a file whose first line lacks it was not written by this command."""
_FIRST_BYTES = f'{{"{_WRITTEN_BY}": "{_COMMAND}"'.encode()


def run_batch(path: Path, out: Path | None, args: argparse.Namespace, context: Context) -> int:
    """Writes the answer to every row of `path` to `out` or to stdout; 1 if some could not be answered.

    Raises:
        UsageError: `out` is the input.
        BadInput: another file is at `out`, which is neither continued nor, without `--force`, replaced.
    """
    failed_before: dict[str, bool] = {}
    if out is not None:
        refuse_input(out, path)
        out = resolve_target(out, force=args.force)
    # What a row leaves open, the options say.
    rows = [
        replace(row, before=row.before or args.before or "", source=row.source or args.source)
        for row in read_excerpts(path)
    ]
    if out is not None:
        failed_before = _read_answers(out, rows, force=args.force)
    # A row that failed counts as answered, too: its error is in the file, and the same text would fail again.
    remaining = [row for row in rows if _digest(row) not in failed_before]
    if len(remaining) < len(rows):
        context.output.say(f"{len(rows) - len(remaining):,} of {len(rows):,} were answered before.")
    failed = sum(failed_before.get(_digest(row), False) for row in rows)
    engine = context.engine()
    for number, row in enumerate(remaining, 1):
        body = {"row": _digest(row), **_answer(row, engine, args.k, context)}
        failed += "error" in body
        _write(body, out, context)
        if number % 100 == 0:
            context.output.say(f"{number:,} of {len(remaining):,}")
    if failed:
        context.output.say(f"{failed:,} could not be answered; the field `error` says why.")
    return EXIT_FAILED if failed else 0


def _answer(row: ExcerptRow, engine: Engine, k: int, context: Context) -> Mapping[str, object]:
    if row.fault:
        return {"id": row.key, "error": row.fault}
    try:
        task = engine.cite(row.text, k=k, before=row.before or None, mark=row.mark - 1, source=row.source)
        return {"id": row.key, **cite_data(context.run(task))}
    except UsageError as error:
        # A row that is no excerpt must not cost the answers of the others.
        return {"id": row.key, "error": str(error)}


def _write(body: Mapping[str, object], out: Path | None, context: Context) -> None:
    line = json.dumps({_WRITTEN_BY: _COMMAND, **body}, ensure_ascii=True) + "\n"
    if out is None:
        context.output.write(line)
        return
    try:
        # Opened for each answer, so that a kill loses none that was written.
        with out.open("a", encoding="utf-8", newline="") as file:
            file.write(line)
    except OSError as error:
        raise refusal(out, error) from error


def _digest(row: ExcerptRow) -> str:
    """A short name for a row and all that it asks: with another one its old answer no longer counts."""
    asked = json.dumps([row.key, row.text, row.mark, row.before, row.source, row.fault])
    return hashlib.sha256(asked.encode()).hexdigest()[:16]


def _read_answers(out: Path, rows: Sequence[ExcerptRow], *, force: bool) -> dict[str, bool]:
    """The rows that `out` answers, by digest: whether the answer is an error. Only a file of this command is touched.

    A last line without an end is removed, and so are answers to rows that have changed since.

    Raises:
        BadInput: it is another file, or cannot be read.
    """
    try:
        if out.exists() and not out.is_file():
            # A device or a pipe holds no answers.
            return {}
        content = out.read_bytes() if out.exists() else b""
        if content and not _is_ours(content):
            if not force:
                raise BadInput(f"{out} was not written by `{_COMMAND}`; name another file, or replace it with --force.")
            out.unlink()
            return {}
        complete_lines = content[: content.rfind(b"\n") + 1]
        if len(complete_lines) < len(content):
            os.truncate(out, len(complete_lines))
    except OSError as error:
        raise BadInput(f"{out}: cannot be read ({error.strerror}).") from error
    return _keep_current(out, complete_lines.splitlines(keepends=True), rows)


def _keep_current(out: Path, lines: Sequence[bytes], rows: Sequence[ExcerptRow]) -> dict[str, bool]:
    """As `_read_answers`, from the `lines` of `out`; answers to rows that have changed are removed from it."""
    digests_by_id: dict[str, list[str]] = {}
    for row in rows:
        digests_by_id.setdefault(row.key, []).append(_digest(row))
    failed: dict[str, bool] = {}
    kept: list[bytes] = []
    for line in lines:
        body = _parse_object(line)
        digests = digests_by_id.get(str(body.get("id", "")), [])
        # An answer of an older litterm does not say what it answers.
        answered = [digest for digest in digests if body.get("row", digest) == digest]
        if answered or not digests:
            kept.append(line)
        failed |= dict.fromkeys(answered, "error" in body)
    if len(kept) < len(lines):
        replace_file(out, b"".join(kept))
    return failed


def _is_ours(content: bytes) -> bool:
    """Whether the first line says who wrote it; a first line without an end was cut off by a kill."""
    first, end, _ = content.partition(b"\n")
    return _parse_object(first).get(_WRITTEN_BY) == _COMMAND if end else first.startswith(_FIRST_BYTES)


def _parse_object(line: bytes) -> Mapping[str, object]:
    try:
        parsed = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
