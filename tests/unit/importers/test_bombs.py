"""Small files that would cost hours: entries over one another, archives in archives, and one row again and again.

The numbers are a tenth or less of what `just attack` runs.
"""

from __future__ import annotations

import gzip
import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from attack import bombs

from litterm.core.errors import BadInput
from litterm.importers import unpack_budget
from litterm.importers.byte_sources import memory_content
from litterm.importers.import_context import ImportContext
from litterm.importers.reader import FileReader
from litterm.importers.registry import parse
from litterm.model.library import Failure, Parsed, ReadEvent

MAX_CPU_S = 10.0
KB, MB = 2**10, 2**20


def read(path: Path) -> list[ReadEvent]:
    return list(FileReader().read(path, lambda _: False))


def titles(found: list[ReadEvent]) -> list[str]:
    return [event.paper.title for event in found if isinstance(event, Parsed)]


def causes(found: list[ReadEvent]) -> list[str]:
    return [event.cause for event in found if isinstance(event, Failure)]


@pytest.mark.parametrize("make", [bombs.rows_in_zip, bombs.rows_in_gzip])
def test_a_row_that_is_repeated_is_read_once(tmp_path: Path, make: Callable[[Path, int], Path]) -> None:
    path, begun = make(tmp_path, 200_000), time.process_time()
    assert titles(read(path)) == ["a"]
    assert time.process_time() - begun < MAX_CPU_S


def test_rows_that_take_turns_are_read_once_each_and_other_rows_all(tmp_path: Path) -> None:
    rows = [f'{{"title": "number {number % 3}"}}\n' for number in range(3_000)]
    (tmp_path / "a.jsonl").write_text("".join([*rows, '{"title": "the last"}\n']))
    assert titles(read(tmp_path / "a.jsonl")) == ["number 0", "number 1", "number 2", "the last"]


def test_a_record_that_is_repeated_too_often_ends_its_file() -> None:
    # Each line is another one, and says the same.
    lines = "".join(f'{{"title": "a"{" " * number}}}\n' for number in range(250))
    records = parse(
        "csv",
        memory_content("a.csv", b"Title,Authors,Year,DOI\n" + b"A title,Ada Lee,2001,\n" * 2_100),
        ImportContext(),
    )
    assert isinstance(next(records), Parsed)
    with pytest.raises(BadInput, match="the same record 2,000 times in a row"):
        next(records)
    assert len(list(parse("jsonl", memory_content("a.jsonl", lines.encode()), ImportContext()))) == 1


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    found = read(bombs.overlapping_zip(tmp_path, 60, 600_000))
    assert titles(found) == []
    assert causes(found) == ["Entries of the archive share their bytes: taken for a decompression bomb."]


def archive(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_the_members_of_nested_archives_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(unpack_budget, "FREE_BYTES", MB)
    row = b'{"title": "a title"}\n'
    inner = archive({f"{number}.jsonl": pack(row + b" " * (100 * KB) + b"\n") for number in range(40)})
    (tmp_path / "a.zip").write_bytes(archive({"in.zip": inner}))
    found = read(tmp_path / "a.zip")
    assert 5 <= len(titles(found)) <= 10
    assert len(causes(found)) == 40 - len(titles(found))
    assert "decompression bomb" in causes(found)[-1]


def test_an_honest_archive_in_an_archive_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack_budget, "FREE_BYTES", 0)
    rows = {f"{number}.jsonl.gz": gzip.compress(b'{"title": "title %d"}\n' % number) for number in range(20)}
    (tmp_path / "a.zip").write_bytes(archive({"in.zip": archive(rows)}))
    found = read(tmp_path / "a.zip")
    assert causes(found) == []
    assert len(set(titles(found))) == 20
