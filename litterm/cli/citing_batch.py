"""Many excerpts at once: JSON Lines or CSV in, JSON Lines out; what was answered before is not asked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.errors import BadInput, UsageError
from litterm.formats.excerpts import ExcerptRow, read_excerpts
from litterm.render.json import cite

if TYPE_CHECKING:
    from litterm.engine import Engine

FAILED = 1


def run_batch(path: Path, out: Path | None, *, k: int, context: Context) -> int:
    """Answers every row of `path` into `out`, or onto stdout; 1 if some could not be answered."""
    rows = read_excerpts(path)
    done = _answered(out) if out is not None else set()
    left = [row for row in rows if row.key not in done]
    if len(left) < len(rows):
        context.output.say(f"{len(rows) - len(left):,} of {len(rows):,} were answered before.")
    failed = 0
    engine = context.engine()
    for number, row in enumerate(left, 1):
        body = _answer(row, engine, k, context)
        failed += "error" in body
        _write(body, out, context)
        if number % 100 == 0:
            context.output.say(f"{number:,} of {len(left):,}")
    if failed:
        context.output.say(f"{failed:,} could not be answered; each says why in `error`.")
    return FAILED if failed else 0


def _answer(row: ExcerptRow, engine: Engine, k: int, context: Context) -> Mapping[str, object]:
    if row.fault:
        return {"id": row.key, "error": row.fault}
    try:
        task = engine.cite(row.text, k=k, before=row.before or None, mark=row.mark - 1, source=row.source)
        return {"id": row.key, **cite(context.drive(task))}
    except UsageError as error:
        # One row that is no excerpt must not cost the others.
        return {"id": row.key, "error": str(error)}


def _write(body: Mapping[str, object], out: Path | None, context: Context) -> None:
    line = json.dumps(body, ensure_ascii=True) + "\n"
    if out is None:
        context.output.data(line)
        return
    try:
        # Opened anew for each, so that a kill loses no answer that was told.
        with out.open("a", encoding="utf-8", newline="") as file:
            file.write(line)
    except OSError as error:
        raise BadInput(f"{out}: cannot be written ({error.strerror}).") from error


def _answered(out: Path) -> set[str]:
    """The ids that `out` answers; a last line that was cut off is taken away."""
    try:
        kept = out.read_bytes()
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise BadInput(f"{out}: cannot be read ({error.strerror}).") from error
    whole = kept[: kept.rfind(b"\n") + 1]
    if len(whole) < len(kept):
        out.write_bytes(whole)
    found = set()
    for line in whole.decode("utf-8", "replace").split("\n"):
        try:
            found.add(str(json.loads(line)["id"]))
        except (ValueError, KeyError, TypeError):
            continue
    return found
