"""Packed records are read back to the byte, and damage to them is found when they are read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.library.index.array_file import read_pack, write_pack
from litterm.library.index.records import _GROUP_ROWS, _MAX_RECORD_BYTES, PackedRecords, RecordPacker


def packed(lines: Sequence[bytes], hashes: Sequence[int] | None = None) -> PackedRecords:
    packer = RecordPacker()
    for line, title_hash in zip(lines, hashes or [0] * len(lines), strict=True):
        packer.add(line, title_hash)
    return PackedRecords(packer.arrays())


@given(st.lists(st.binary(max_size=300), max_size=40))
def test_every_line_is_read_as_it_was_added(lines: list[bytes]) -> None:
    records = packed(lines)
    assert [records.line(row) for row in range(records.count)] == lines


def test_records_that_share_a_dictionary_and_those_of_the_next_are_read(tmp_path: Path) -> None:
    volume = b'{"booktitle":"Proceedings of the 3rd Workshop on Zebras","publisher":"Society for Zebras","n":%d}'
    lines = [volume % number for number in range(2 * _GROUP_ROWS + 5)]
    packer = RecordPacker()
    for line in lines:
        packer.add(line, 0)
    write_pack(tmp_path / "records", packer.arrays())
    records = PackedRecords(read_pack(tmp_path / "records"))
    assert [records.line(row) for row in range(records.count)] == lines
    # Most of a record is in the dictionary.
    assert (tmp_path / "records").stat().st_size < sum(map(len, lines)) / 2


def test_a_record_that_is_too_long_is_left_to_the_database() -> None:
    long = random.Random(1).randbytes(_MAX_RECORD_BYTES + 1)
    records = packed([b"one", long, b"three"])
    assert [records.line(row) for row in range(3)] == [b"one", b"", b"three"]


def test_titles_are_found_by_their_hash() -> None:
    records = packed([b"line"] * 6, [7, 2**64 - 1, 0, 7, 3, 7])
    assert [list(records.rows_with_title(each)) for each in (7, 2**64 - 1, 3, 4)] == [[0, 3, 5], [1], [4], []]


@pytest.mark.parametrize("row", [-1, 2])
def test_a_row_that_is_not_there_is_an_error(row: int) -> None:
    with pytest.raises(ValueError, match="no record"):
        packed([b"one", b"two"]).line(row)


@pytest.mark.parametrize("name", ["record", "record_starts", "record_sums", "dictionary", "dictionary_starts"])
def test_damage_is_found_when_a_record_is_read(name: str) -> None:
    line = b"Zebras differ from horses by their stripes, which no two zebras share. %d"
    packer = RecordPacker()
    lines = [line % (number % 7) for number in range(200)]
    for each in lines:
        packer.add(each, 0)
    arrays = dict(packer.arrays())
    harmed = bytes(each ^ 0x5A for each in arrays[name].tobytes())
    records = PackedRecords(arrays | {name: np.frombuffer(harmed, arrays[name].dtype)})
    for row in range(records.count):
        with pytest.raises(ValueError, match=f"record {row} "):
            records.line(row)


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    packer = RecordPacker()
    packer.add(b"one", 0)
    arrays = dict(packer.arrays())
    with pytest.raises(ValueError, match="differ in number"):
        PackedRecords(arrays | {"record_sums": arrays["record_sums"][:0]})
