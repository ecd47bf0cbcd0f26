"""The packed graph answers as one in memory does, to the last edge, whatever was written since it was packed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from litterm.citations.citations import Citations
from litterm.citations.graph import Graph, apply_decisions
from litterm.citations.storage import graph_files
from litterm.citations.storage.graph_files import GraphFiles
from litterm.citations.storage.log_state import LISTS_FILE, PACK_FILE
from litterm.citations.storage.pack_job import pack_lists
from litterm.citations.storage.packed_lists import open_packed
from litterm.citations.storage.stored_graph import StoredGraph
from litterm.core.tasks import run
from litterm.interfaces import CitationGraph
from litterm.model.annotations import NO_DECISIONS, RecordVisibility
from litterm.model.citations.graph import Citance, Direction, Edge, EdgeSource, ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

PAPERS = [PaperId(f"acl:{name}") for name in "ABCDEFGHIJKLMNOPQRST"] + [PaperId("doi:10.1/é"), PaperId("local:漢")]
SOURCES: tuple[EdgeSource, ...] = ("text", "openalex", "semantic-scholar")
DECIDED = RecordVisibility(
    shown={PAPERS[0]: PAPERS[1], PAPERS[5]: PAPERS[1], PAPERS[7]: PAPERS[3]}, removed=frozenset({PAPERS[9], PAPERS[1]})
)


def some_list(dice: random.Random) -> tuple[ResolvedList, list[Citance]]:
    paper, source = dice.choice(PAPERS), dice.choice(SOURCES)
    directions: tuple[Direction, ...] = ("references",) if source == "text" else ("references", "citations")
    direction = dice.choice(directions)
    year = dice.choice([None, 1999, 2010, 2020])
    head = ReferenceListHead(paper, f"{source}-{dice.randrange(1000)}", year, source, direction)
    edges, sentences = [], []
    # A service may say that a paper cites itself.
    for place, other in enumerate(dice.sample(PAPERS, dice.randrange(8))):
        citing, cited = (paper, other) if direction == "references" else (other, paper)
        own = year if direction == "references" else dice.choice([None, 2001, 2015])
        edges.append(
            Edge(citing, cited, dice.randrange(4), own, source, tuple(range(place, place + dice.randrange(3))))
        )
        sentences += [
            Citance(citing, cited, f"Said of {cited} {n}.", None, own, source) for n in range(edges[-1].count)
        ]
    unresolved_hashes = frozenset(dice.randrange(2**32) for _ in range(5))
    return ResolvedList(head, dice.random() < 0.8, tuple(edges), unresolved_hashes), sentences


def write(book: GraphFiles, seed: int, count: int) -> None:
    dice = random.Random(seed)
    lease = book.lease()
    assert lease is not None
    book.begin(frozenset({f"segment-{seed}", "first"}))
    for _ in range(count):
        resolved, sentences = some_list(dice)
        book.put(resolved, sentences)
        if dice.random() < 0.1:
            book.drop(some_list(dice)[0].head)
    lease.release()


def answers(graph: CitationGraph) -> list[object]:
    pairs = [(citing, cited) for citing in PAPERS for cited in PAPERS]
    return [
        graph.references(PAPERS),
        graph.citations(PAPERS),
        graph.citations(PAPERS, until=2010),
        graph.counts(PAPERS, until=2015, exclude=PAPERS[:3]),
        graph.citances(PAPERS),
        [graph.contexts(*pair) for pair in pairs],
        graph.has_references([*PAPERS, PaperId("acl:unknown")]),
        dict(graph.citing_paper_counts()),
    ]


def in_memory(book: GraphFiles, decided: RecordVisibility) -> Graph:
    """The graph of all lines."""
    if decided == NO_DECISIONS:
        return Graph(book.lists(), book.citances)
    return Graph(*apply_decisions(book.lists(), book.citances, decided))


def graph_of(book: GraphFiles, decided: RecordVisibility) -> CitationGraph:
    nothing = cast("Callable[..., object]", None)
    return Citations(book, nothing, nothing, nothing, decided=lambda: decided).graph()  # type: ignore[arg-type]


@pytest.mark.parametrize("decided", [NO_DECISIONS, DECIDED])
@pytest.mark.parametrize("later", [0, 15])
def test_the_packed_graph_answers_as_the_lines_do(tmp_path: Path, decided: RecordVisibility, later: int) -> None:
    write(GraphFiles(tmp_path), 1, 60)
    before = in_memory(GraphFiles(tmp_path), decided)
    assert pack_lists(tmp_path) == len(GraphFiles(tmp_path).lists())
    packed = graph_of(GraphFiles(tmp_path), decided)
    assert isinstance(packed, StoredGraph)
    assert answers(packed) == answers(before)
    if later:
        write(GraphFiles(tmp_path), 2, later)
        (tmp_path / PACK_FILE).rename(tmp_path / "aside")
        after = answers(in_memory(GraphFiles(tmp_path), decided))
        lists = GraphFiles(tmp_path).lists()
        (tmp_path / "aside").rename(tmp_path / PACK_FILE)
        assert answers(graph_of(GraphFiles(tmp_path), decided)) == after != answers(before)
        assert GraphFiles(tmp_path).lists() == lists


@pytest.mark.parametrize("hurt", ["cut", "format", "other lines", "gone"])
def test_a_pack_that_does_not_fit_is_left_aside(tmp_path: Path, hurt: str) -> None:
    write(GraphFiles(tmp_path), 3, 30)
    expected = answers(in_memory(GraphFiles(tmp_path), NO_DECISIONS))
    pack_lists(tmp_path)
    path, log = tmp_path / PACK_FILE, tmp_path / LISTS_FILE
    content = path.read_bytes()
    if hurt == "cut":
        path.write_bytes(content[: len(content) // 3])
    elif hurt == "format":
        path.write_bytes(content.replace(b'"format": 1', b'"format": 9'))
    elif hurt == "gone":
        path.unlink()
    else:
        log.write_bytes(log.read_bytes().replace(b"segment-3", b"segment-9", 1))
    with log.open("rb") as opened:
        assert open_packed(tmp_path, opened) is None
    assert answers(graph_of(GraphFiles(tmp_path), NO_DECISIONS)) == expected


def test_a_file_that_has_grown_much_is_packed_by_a_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = GraphFiles(tmp_path)
    write(book, 4, 20)
    run(book.pack())
    assert not (tmp_path / PACK_FILE).exists()
    monkeypatch.setattr(graph_files, "SMALL_FILE_BYTES", 1000)
    run(book.pack())
    assert (tmp_path / PACK_FILE).exists()
    assert GraphFiles(tmp_path).read_kept().base is not None
    assert not list(tmp_path.glob(f"{PACK_FILE}.*"))


def test_while_lists_are_read_packing_waits_for_more_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = GraphFiles(tmp_path)
    write(book, 4, 20)
    size = (tmp_path / LISTS_FILE).stat().st_size
    monkeypatch.setattr(graph_files, "SMALL_FILE_BYTES", size // 2)
    monkeypatch.setattr(graph_files, "_MIN_GROWTH_WHILE_READING", 2 * size)
    assert book.is_pack_due() and not book.is_pack_due(meanwhile=True)
    write(book, 5, 60)
    assert book.is_pack_due(meanwhile=True)
    pack_lists(tmp_path)
    # However large the file is: no more than a share of it is left to be read.
    write(book, 6, 4)
    assert not book.is_pack_due()
    monkeypatch.setattr(graph_files, "SMALL_FILE_BYTES", 1)
    monkeypatch.setattr(graph_files, "_MIN_GROWTH_WHILE_READING", 1)
    assert book.is_pack_due() and book.is_pack_due(meanwhile=True)


def test_a_file_with_a_torn_line_is_not_packed(tmp_path: Path) -> None:
    write(GraphFiles(tmp_path), 5, 10)
    with (tmp_path / LISTS_FILE).open("ab") as log:
        log.write(b'{"list": {"paper": \n')
    assert pack_lists(tmp_path) == 0
    assert not (tmp_path / PACK_FILE).exists()
    assert GraphFiles(tmp_path).read_kept().damaged


def test_who_has_read_the_lines_goes_on_from_there_when_they_are_packed(tmp_path: Path) -> None:
    reader = GraphFiles(tmp_path)
    write(GraphFiles(tmp_path), 6, 20)
    first = reader.lists()
    pack_lists(tmp_path)
    write(GraphFiles(tmp_path), 7, 5)
    assert reader.lists() == GraphFiles(tmp_path).lists() != first
