from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from litterm.library.index.array_file import SortedStrings, pack_strings, read_pack, write_pack


def test_a_pack_gives_back_what_was_put_in(tmp_path: Path) -> None:
    arrays = {
        "some": np.array([3, 1, 2], np.int16),
        "none": np.empty(0, np.float32),
        "flags": np.array([True, False]),
        "many": np.arange(1000, dtype=np.int64),
    }
    write_pack(tmp_path / "pack", arrays)
    found = read_pack(tmp_path / "pack")
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].tolist() == array.tolist()


def test_what_is_no_pack_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pack").write_bytes(b"something else altogether")
    with pytest.raises(ValueError, match="not an index file"):
        read_pack(tmp_path / "pack")


@given(st.sets(st.text(max_size=8)), st.text(max_size=3))
def test_sorted_strings_find_and_expand_like_a_list(texts: set[str], sought: str) -> None:
    ordered = sorted(texts)
    strings = SortedStrings(*pack_strings(ordered))
    assert len(strings) == len(ordered)
    assert strings.slice(range(len(strings))) == ordered
    assert [strings.find(text) for text in ordered] == list(range(len(ordered)))
    assert (strings.find(sought) >= 0) is (sought in texts)
    assert strings.find_all([*reversed(ordered), sought]).tolist() == [
        *reversed(range(len(ordered))),
        strings.find(sought),
    ]
    assert strings.slice(strings.with_prefix(sought)) == [text for text in ordered if text.startswith(sought)]


@pytest.mark.parametrize("count", [1, 31, 32, 33, 64, 1000])
def test_strings_are_found_the_same_however_often_one_looks(count: int) -> None:
    ordered = sorted(f"paper {number * 7919 % 100003}" for number in range(count))
    strings = SortedStrings(*pack_strings(ordered))
    for _ in range(3):
        assert [strings.with_prefix(text).start for text in ordered] == list(range(count))
        assert [strings.find(f"{text}!") for text in ordered] == [-1] * count
        assert strings.with_prefix("") == range(count)
        assert strings.with_prefix("q") == range(count, count)


@given(
    st.sets(st.text("abcdé😀Zz", min_size=1, max_size=8)),
    st.text("abcdé😀Zz", min_size=1, max_size=8),
    st.integers(1, 2),
)
def test_no_string_within_reach_of_a_slip_is_left_out(texts: set[str], sought: str, slips: int) -> None:
    strings = SortedStrings(*pack_strings(sorted(texts)))
    places = strings.with_prefix(sought[:1])
    near = [strings.at(place) for place in strings.similar(sought, places, slips).tolist()]
    assert set(near) <= set(strings.slice(places))
    assert {text for text in strings.slice(places) if OSA.distance(text, sought) <= slips} <= set(near)


def test_strings_of_other_letters_or_lengths_are_left_out() -> None:
    strings = SortedStrings(*pack_strings(["parse", "parser", "parsimonious", "pelvis", "people"]))
    assert [strings.at(place) for place in strings.similar("parsre", range(5), 1).tolist()] == ["parse", "parser"]
