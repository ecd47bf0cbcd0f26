"""Names of authors that are typed in other spellings than they are stored in."""

from __future__ import annotations

import pytest

from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId
from litterm.text.queries.author_variants import author_variants
from litterm_benchmarks.memory_library import MemoryLibrary

AUTHORS = {
    "hanzi": Author("王", "小明"),
    "whole": Author("李小龙"),
    "hangul": Author("김", "민수"),
    "kanji": Author("山田", "太郎"),
    "obrien": Author("O’Brien", "Seán"),
    "damico": Author("D'Amico", "Eva"),
    "berg": Author("Berg", "Jan", "van den"),
    "joined": Author("Vandenberg", "Rosa"),
    "mueller": Author("Müller", "Ida"),
    "anna": Author("Smith", "Anna D."),
}
LIBRARY = MemoryLibrary(Parsed(Paper(PaperId(f"acl:{key}"), key, authors=(author,))) for key, author in AUTHORS.items())


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("王小明", {"hanzi"}),
        ("小明王", {"hanzi"}),
        ("王 小明", {"hanzi"}),
        ("王", {"hanzi"}),
        ("小明", {"hanzi"}),
        ("李小龙", {"whole"}),
        ("李 小龙", {"whole"}),
        ("小龙 李", {"whole"}),
        ("李", {"whole"}),
        ("小龙", {"whole"}),
        ("김민수", {"hangul"}),
        ("민수 김", {"hangul"}),
        ("山田太郎", {"kanji"}),
        ("山田, 太郎", {"kanji"}),
        ("obrien", {"obrien"}),
        ("O'Brien", {"obrien"}),
        ("o’brien", {"obrien"}),
        ("sean obrien", {"obrien"}),
        ("obri*", {"obrien"}),
        ("damico", {"damico"}),
        ("vandenberg", {"berg", "joined"}),
        ("van den berg", {"berg", "joined"}),
        ("mueller", {"mueller"}),
        ("danna", set()),
        ("smith", {"anna"}),
        ("berg", {"berg"}),
        (" ", set()),
    ],
)
def test_names_are_found_in_other_spellings(typed: str, found: set[str]) -> None:
    rows = LIBRARY.author_rows(LIBRARY.snapshot(), author_variants(typed))
    assert {paper.title for each in rows for paper in LIBRARY.papers(LIBRARY.snapshot(), each)} == found


def test_the_typed_spelling_is_the_first_and_their_number_is_limited() -> None:
    assert author_variants("obrien")[0] == "obrien"
    assert len(author_variants(" ".join(["vandenberg"] * 8))) < 40
