"""A cache of aspect grades: a file of lines for each aspect, appended to as grades come, shared by all processes."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path

from litterm.core.filesystem import open_private
from litterm.model.aspects import AspectCell, Grade

_log = logging.getLogger(__name__)
_GRADES: Mapping[object, Grade] = {0: 0, 1: 1, 2: 2, "?": "?"}


class GradeCache:
    """Grades on disk, safe from any thread and process; columns and keys are plain words of letters and digits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, column: str) -> Mapping[str, AspectCell]:
        """What was kept under `column`, by key; the last one of a key counts, a torn line for nothing."""
        try:
            lines = self._path(column).read_bytes().splitlines()
        except FileNotFoundError:
            return {}
        except OSError as error:
            _log.warning("kept grades cannot be read: %s", error.strerror)
            return {}
        return dict(entry for line in lines if (entry := _read(line)) is not None)

    def store(self, column: str, key: str, cell: AspectCell) -> None:
        """Keeps one more; simply not kept where there is no room."""
        body = {"paper": key, "grade": cell.grade, "reason": cell.reason, "sentence": cell.sentence}
        # One write, a line break before it: what a crash has torn swallows nothing.
        line = f"\n{json.dumps(body)}\n".encode()
        path = self._path(column)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = open_private(path, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(file, line)
            finally:
                os.close(file)
        except OSError as error:
            _log.warning("a grade cannot be kept: %s", error.strerror)

    def _path(self, column: str) -> Path:
        return self._folder / column[:2] / f"{column}.json"


def _read(line: bytes) -> tuple[str, AspectCell] | None:
    try:
        body = json.loads(line)
        # A grade that is none of these raises `KeyError`: the line counts as not kept, and the paper is asked about
        # again.
        cell = AspectCell(None, _GRADES[body["grade"]], str(body["reason"]), str(body["sentence"]))
        return str(body["paper"]), cell
    except (ValueError, KeyError, TypeError):
        return None
