"""The file of a test set: written item by item, so that a run that was stopped is continued by the next."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from litterm.core.durable_files import replace_file
from litterm.core.errors import BadInput
from litterm.core.user_files import refusal, resolve_target
from litterm.model.paper import PaperId


@dataclass(slots=True)
class SetFile:
    """A test set on disk, one item a line."""

    path: Path
    heading: str = ""
    """The first line of a table; empty for lines of JSON."""

    def read_keys(self, *, repair: bool = True) -> frozenset[str]:
        """Keys of the items that are there. With `repair` what a kill left half written is removed.

        Raises:
            BadInput: it cannot be read, or is a file of another kind.
        """
        try:
            content = self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be read ({error.strerror}).") from error
        lines = content[: content.rfind(b"\n") + 1].decode("utf-8", "replace").splitlines(keepends=True)
        first = content.partition(b"\n")[0].decode("utf-8", "replace") + "\n"
        if content and not (first == self.heading if self.heading else self._key(first)):
            raise BadInput(f"{self.path}: holds something else, and is not continued; name another file.")
        items = lines[bool(self.heading) :]
        whole = "".join([self.heading, *items]).encode()
        if repair and content and whole != content:
            replace_file(resolve_target(self.path), whole)
        return frozenset(map(self._key, items))

    def append(self, line: str) -> None:
        """Adds an item; it is on disk when this returns.

        Raises:
            BadInput, DiskFull: it cannot be written.
        """
        real = resolve_target(self.path)
        try:
            # Opened for each item, so that a kill loses none that was written.
            with real.open("a", encoding="utf-8", errors="replace", newline="") as file:
                if not file.tell():
                    file.write(self.heading)
                file.write(line)
        except OSError as error:
            raise refusal(self.path, error) from error

    def _key(self, line: str) -> str:
        if self.heading:
            return next(csv.reader(io.StringIO(line)), [""])[0]
        row = _read_object(line)
        return str(row.get("id", "")) if "by" in row else ""


def _read_object(line: str) -> Mapping[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


_CORPUS, _QUERIES, _GRADES = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
_GRADES_HEADING = "query_id\tdoc_id\tavg_score\n"


@dataclass(slots=True)
class SetFolder:
    """A test set of queries with graded pools: a folder with queries, papers and grades."""

    path: Path
    _papers: set[str] = field(default_factory=set)
    """Ids of the papers that are in the folder."""

    def read_keys(self, *, repair: bool = True) -> frozenset[str]:
        """Keys of the queries that are there. With `repair` the folder is made, and its files as by `SetFile`.

        Raises:
            BadInput: a file cannot be read, or is of another kind.
        """
        try:
            if repair:
                self.path.mkdir(parents=True, exist_ok=True)
            corpus = self.path / _CORPUS
            lines = corpus.read_text("utf-8", "replace").splitlines() if corpus.exists() else []
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be used as a folder ({error.strerror}).") from error
        self._papers = {str(_read_object(line).get("id", "")) for line in lines}
        return SetFile(self.path / _QUERIES).read_keys(repair=repair)

    def append(self, query: str, papers: Mapping[PaperId, str], grades: Sequence[str]) -> None:
        """Adds a query. It is written last: without it, what a kill leaves of its pool is not read.

        Raises:
            BadInput, DiskFull: it cannot be written.
        """
        new = [key for key in papers if key not in self._papers]
        SetFile(self.path / _CORPUS).append("".join(papers[key] for key in new))
        SetFile(self.path / _GRADES, _GRADES_HEADING).append("".join(grades))
        SetFile(self.path / _QUERIES).append(query)
        self._papers.update(new)
