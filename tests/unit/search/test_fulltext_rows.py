"""Each full text counts for the row of its paper that is alive, wherever that row is."""

from __future__ import annotations

from pathlib import Path

from graphs import citing, written
from libraries import store

from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.search.open_index import LiveRows, open_live_rows
from litterm.search.signals.bm25 import Term
from litterm.search.signals.fulltext_field import FullTextCache, FullTexts, SegmentRows


def rows_one_by_one(live: LiveRows, index: IndexFolder) -> list[list[int]]:
    """Per segment with full texts, the newest living row of each text's paper."""
    opened = [index.bodies(segment) for segment in live.snapshot.segments]
    alive = [[live.alive_rows_of(paper) for paper in each.papers] for each in opened if each is not None]
    return [[int(rows[-1]) if len(rows) else -1 for rows in each] for each in alive]


def rows_together(live: LiveRows, index: IndexFolder, own_rows: SegmentRows) -> list[list[int]]:
    return [rows.tolist() for _, rows in FullTexts(live, index, own_rows)._bodies]


STEPS = [
    [citing("A", ["Zebras have stripes."]), written("Y", title="A paper without a text")],
    [citing("B", ["Quokkas have none."])],
    [written("A", title="The first paper under a longer title")],
    [citing("A", ["Zebras have black stripes."]), citing("C", ["Okapis have some stripes."])],
    *([written(f"Z{number}", title=f"Filler of the number {'xyz' * (number + 1)}")] for number in range(6)),
]


def test_rows_are_those_of_one_look_up_a_text(tmp_path: Path) -> None:
    index, held = IndexFolder(), SegmentRows()
    seen = 0
    for records in STEPS:
        store(tmp_path, records)
        live = open_live_rows(DuckLibrary(tmp_path).snapshot(), index)
        expected = rows_one_by_one(live, index)
        # With what was held before, and from nothing.
        assert rows_together(live, index, held) == rows_together(live, index, SegmentRows()) == expected
        held.forget_others(live)
        seen += sum(map(len, expected))
    assert seen > len(STEPS)


def test_a_word_of_a_text_finds_its_paper_after_each_publication(tmp_path: Path) -> None:
    index = IndexFolder()
    held = FullTextCache(index)
    for records in STEPS:
        store(tmp_path, records)
        live = open_live_rows(DuckLibrary(tmp_path).snapshot(), index)
        scores = held.get(live).scores([Term(("zebra",), 1.0)])
        assert live.ids([row for row in range(live.size) if scores[row] > 0]) == ("acl:A",)
