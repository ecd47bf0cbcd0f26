"""Keeping up with what comes in gives the graph that reading every list again would give, and reads few lists."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from graphs import TITLES, citations, citing, read, written
from libraries import by, record, store

from litterm.core.tasks import run
from litterm.library.segments.citing_texts import CitingTexts
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.lineage import LINEAGE
from litterm.library.segments.manifest import read_manifest
from litterm.library.state.connection import STATE_FILE
from litterm.library.workers.compaction import publish_waiting
from litterm.library.workers.segments import compact
from litterm.library.writer.compaction import merge_segments
from litterm.model.citations.graph import Edge
from litterm.model.library import Parsed, Segment
from litterm.model.paper import PaperId

IDS = [PaperId(f"acl:{name}") for name in ("A", "B", "C", "D", *(f"Z{number}" for number in range(12)))]


def filler(number: int) -> Parsed:
    """A paper that nothing cites."""
    return written(f"Z{number}", title=f"Zebras of the savanna, herd {'xyz' * (number + 1)}", year=1950)


def merge_all(root: Path) -> None:
    """Makes one segment of all, as the process behind an import does."""
    manifest = read_manifest(root)
    merge_segments(root, manifest, manifest.segments, compact)
    publish_waiting(root)


def edges(root: Path) -> list[tuple[Edge, ...]]:
    graph = citations(root).graph()
    return [*graph.references(IDS), *graph.citations(IDS)]


def edges_from_scratch(root: Path, aside: Path) -> list[tuple[Edge, ...]]:
    shutil.copytree(root, aside, ignore=shutil.ignore_patterns("citations", f"{STATE_FILE}*"))
    run(citations(aside).update())
    found = edges(aside)
    shutil.rmtree(aside)
    return found


STEPS: list[tuple[str, list[Parsed], set[str]]] = [
    ("texts", [citing("B", ["See [1]."], "A"), citing("C", ["By [2]."], "A", "B")], {"B", "C"}),
    ("what they cite", [written("A")], {"B", "C"}),
    ("an unrelated paper", [filler(0)], set()),
    ("a newer text", [citing("B", ["Nobody is cited here."])], {"B"}),
    ("the same paper by another id", [record("doi:10.1/a", TITLES["A"], authors=by("Writer, A"), year=2001)], {"C"}),
    ("a text for a paper that had none", [citing("A", ["Much later [1]."], "D")], {"A"}),
    ("one more", [written("D")], {"A"}),
]


def test_every_step_gives_the_graph_of_all_lists_read_anew(tmp_path: Path) -> None:
    root = tmp_path / "library"
    for what, records, expected in STEPS:
        store(root, records)
        assert {name.removeprefix("acl:") for name in read(citations(root))} == expected, what
        assert edges(root) == edges_from_scratch(root, tmp_path / "aside"), what
        assert read(citations(root)) == [], what


def test_a_record_that_is_told_otherwise_is_looked_up_again(tmp_path: Path) -> None:
    root = tmp_path / "library"
    store(root, [citing("B", ["See [1]."], "A"), written("A")])
    run(citations(root).update())
    told = written("A", title="Something else altogether, of another length")
    store(root, [replace(told, paper=replace(told.paper, provenance=replace(told.paper.provenance, format="jats")))])
    titles = [paper.title for paper in DuckLibrary(root).by_id([PaperId("acl:A")])]
    assert read(citations(root)) == (["acl:B"] if titles != [TITLES["A"]] else [])
    assert edges(root) == edges_from_scratch(root, tmp_path / "aside")


@pytest.mark.parametrize("remembered", [True, False])
def test_a_compaction_reads_no_list_again_while_it_is_remembered(tmp_path: Path, *, remembered: bool) -> None:
    root = tmp_path / "library"
    store(root, [citing("B", ["See [1]."], "A")])
    store(root, [written("A")])
    for number in range(6):
        store(root, [filler(number)])
    run(citations(root).update())
    before = DuckLibrary(root).snapshot()
    store(root, [citing("C", ["By [1]."], "A")])
    after = DuckLibrary(root).snapshot()
    assert len(after.segments) < len(before.segments)
    if not remembered:
        (root / LINEAGE).write_text("{not json\n")
    assert sorted(read(citations(root))) == (["acl:C"] if remembered else ["acl:B", "acl:C"])
    assert edges(root) == edges_from_scratch(root, tmp_path / "aside")


def test_a_segment_made_of_known_ones_is_not_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "library"
    store(root, [citing("B", ["See [1]."], "A")])
    store(root, [written("A")])
    run(citations(root).update())
    merge_all(root)
    assert len(DuckLibrary(root).snapshot().segments) == 1
    looked_at: list[tuple[str, ...]] = []
    select = CitingTexts._select

    def noted(texts: CitingTexts, segments: Iterable[Segment], sql: str, values: Sequence[object] = ()) -> object:
        chosen = list(segments)
        looked_at.append(tuple(segment.key for segment in chosen))
        return select(texts, chosen, sql, values)

    monkeypatch.setattr(CitingTexts, "_select", noted)
    assert read(citations(root)) == []
    assert looked_at[0] == (), "the texts of no segment"
    assert edges(root) == edges_from_scratch(root, tmp_path / "aside")


def test_a_list_that_was_lost_is_resolved_again(tmp_path: Path) -> None:
    root = tmp_path / "library"
    store(root, [citing("B", ["See [1]."], "A"), written("A")])
    run(citations(root).update())
    whole = edges(root)
    lost = citations(root)
    lost.store.drop([resolved.head for resolved in lost.store.lists()])
    assert edges(root) != whole
    # Derived, it may be removed with the whole file.
    for path in root.glob(f"{STATE_FILE}*"):
        path.unlink()
    assert read(citations(root)) == ["acl:B"]
    assert edges(root) == whole
    assert read(citations(root)) == []


def test_a_library_without_full_texts_keeps_no_lists(tmp_path: Path) -> None:
    store(tmp_path, [written("A")])
    run(citations(tmp_path).update())
    assert citations(tmp_path).store.lists() == []
    assert not (tmp_path / STATE_FILE).exists()


def by_others(key: str, *families: str, title: str = "") -> Parsed:
    """A paper of the year that lists give the paper A."""
    return record(f"acl:{key}", title or f"Nothing of the kind, {'abc' * len(key)}", authors=by(*families), year=2001)


def test_an_authors_name_reaches_only_lists_whose_entry_it_may_be(tmp_path: Path) -> None:
    root = tmp_path / "library"
    store(root, [citing("B", ["See [1]."], "A"), written("A"), citing("C", ["By [1]."], "D", title="Yet another")])
    run(citations(root).update())
    # B's entry has its paper, and this one has neither its title nor an id of it; C's is of another year.
    store(root, [by_others("X", "Writer, Q")])
    assert read(citations(root)) == []
    # C's entry has none, and may be misread; but not of a paper that somebody else wrote first.
    store(root, [replace_year(by_others("XY", "Painter, P", "Writer, Q"), 2012)])
    assert read(citations(root)) == []
    store(root, [replace_year(by_others("XYZ", "Writer, Q", "Painter, P"), 2012)])
    assert read(citations(root)) == ["acl:C"]
    assert edges(root) == edges_from_scratch(root, tmp_path / "aside")


def test_a_paper_with_the_title_of_an_entry_is_looked_at_though_it_has_its_paper(tmp_path: Path) -> None:
    root = tmp_path / "library"
    store(root, [citing("B", ["See [1]."], "A"), written("A")])
    run(citations(root).update())
    store(root, [record("doi:10.1/other", TITLES["A"], authors=by("Writer, A"), year=2002)])
    assert read(citations(root)) == ["acl:B"]
    assert edges(root) == edges_from_scratch(root, tmp_path / "aside")


def replace_year(parsed: Parsed, year: int) -> Parsed:
    return replace(parsed, paper=replace(parsed.paper, year=year))


def test_every_list_is_named_by_the_id_and_year_that_its_paper_has_now(tmp_path: Path) -> None:
    # Texts beside their paper, one of them without a year, one whose record came again with another year, and one
    # whose paper turned out to be another that was there before.
    store(tmp_path, [written("C")])
    texts = [citing("A", ["See [1]."], "B"), citing("B", ["As [1]."], "A"), citing("E", ["By [1]."], "A", title="E")]
    store(tmp_path, [*texts, citing("doi:10.1/c", ["Like [1]."], "A", title=TITLES["C"], year=2009)])
    store(tmp_path, [record("B", TITLES["B"], authors=by("Writer, B"), year=2004)])
    store(tmp_path, [record("C", TITLES["C"], authors=by("Writer, C"), year=2010, aliases=("doi:10.1/c",))])
    library = DuckLibrary(tmp_path)
    heads = CitingTexts(library).heads()
    papers = library.by_id([head.paper for head in heads])
    assert [paper.id for paper in papers] == ["acl:A", "acl:B", "acl:C", "acl:E"]
    assert [(head.paper, head.year) for head in heads] == [(paper.id, paper.year) for paper in papers]
    documents = [library.document(paper.id) for paper in papers]
    assert [head.key for head in heads] == [document.id for document in documents if document is not None]
