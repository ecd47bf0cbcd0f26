"""The bench on attribution, over a library of four papers searched for real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.bench.cite import figures, measure, read_citances
from litterm.errors import BadInput
from litterm.formats.reader import FileReader
from litterm.index.memory import MemoryIndex
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.retrieve.lexical import LexicalSearcher
from litterm.store.memory import MemoryLibrary
from litterm.tasks import run

PAPERS = (
    Paper(PaperId("acl:P16-1162"), "Translation of rare words with subword units", year=2016),
    Paper(PaperId("acl:D15-1166"), "Attention in translation of long sentences", year=2015),
    Paper(PaperId("acl:D18-1001"), "Subword units revisited for rare words", year=2018),
    Paper(PaperId("doi:10.1/x"), "Subword units for rare words in speech", year=2017, aliases=(PaperId("acl:W17-1"),)),
)
LINE = {
    "excerpt": "Rare words are split into subword units [CITATION] before translation.",
    "target_id": "P16-1162",
    "citing_id": "W17-1",
    "citing_year": 2017,
}


def searcher() -> LexicalSearcher:
    library = MemoryLibrary(Parsed(paper) for paper in PAPERS)
    return LexicalSearcher(library, MemoryIndex(index_row(paper) for paper in library.all))


def file_with(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "citances.jsonl"
    path.write_text("\n".join(json.dumps(line) if isinstance(line, dict) else str(line) for line in lines))
    return path


def test_later_papers_and_the_citing_one_are_no_candidates(tmp_path: Path) -> None:
    report = run(measure(file_with(tmp_path, LINE, ""), searcher()))
    assert [row.method for row in report.rows] == ["litterm", "bm25"]
    assert {metric.name: metric.mean for metric in report.rows[0].metrics} == {
        "recall@1": 100,
        "recall@10": 100,
        "recall@20": 100,
        "mrr": 100,
    }
    assert report.n == 1


def test_words_far_from_the_mark_lead_plain_bm25_astray(tmp_path: Path) -> None:
    far = {
        **LINE,
        "excerpt": "Rare words and subword units [CITATION] " + "and so on " * 20 + "long sentences attention",
        "target_id": "X",
    }
    near = {**far, "target_id": "P16-1162"}
    ours, plain = run(measure(file_with(tmp_path, far, near), searcher())).rows
    assert ours.metrics[0].mean == 50
    assert plain.metrics[0].mean == 0


def test_a_target_is_known_by_any_of_its_ids(tmp_path: Path) -> None:
    line = {**LINE, "excerpt": "Speech has rare words [CITATION]", "target_id": "W17-1", "citing_id": "Z"}
    assert run(measure(file_with(tmp_path, line), searcher())).rows[0].metrics[0].mean == 100


def test_metrics_of_one_excerpt() -> None:
    assert figures(["a", "b", "c"], "c") == {"recall@1": 0, "recall@10": 1, "recall@20": 1, "mrr": 1 / 3}
    assert figures([], "c")["mrr"] == 0


@pytest.mark.parametrize("line", ["{", "[]", '{"excerpt": "x"}', json.dumps({**LINE, "citing_year": "soon"})])
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadInput, match=r"citances\.jsonl:2"):
        read_citances(file_with(tmp_path, LINE, line))


def test_a_year_that_is_not_known_sets_no_limit(tmp_path: Path) -> None:
    (citance,) = read_citances(file_with(tmp_path, {**LINE, "citing_year": None}))
    assert citance.citing_year is None


def test_the_shipped_attributor_stays_above_its_floor_and_plain_bm25(shared: Path) -> None:
    citances = shared / "data/bench/citance-attr/citances.jsonl"
    last = max(citance.citing_year or 0 for citance in read_citances(citances))
    read = FileReader().read(shared / "data/acl-anthology-xml.tar.gz", lambda _sha256: False)
    # Later papers are candidates for nobody; without them this takes half the time and memory.
    kept = [each for each in read if isinstance(each, Parsed) and (each.paper.year or last) <= last]
    library = MemoryLibrary(kept)
    searcher = LexicalSearcher(library, MemoryIndex(index_row(paper) for paper in library.all))
    ours, plain = ({m.name: m.mean for m in row.metrics} for row in run(measure(citances, searcher)).rows)
    for metric, floor in {"recall@1": 10.0, "recall@10": 24.5, "mrr": 15.0}.items():
        assert ours[metric] >= floor
        assert ours[metric] > plain[metric]
