"""The graph in the database answers as one in memory does, to the last edge, whatever was written or decided."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from graphs import citations, run_read_only, small_library, stored

from litterm.citations.citations import Citations
from litterm.citations.graph import Graph, apply_decisions
from litterm.citations.store import CitationStore
from litterm.core.tasks import run
from litterm.interfaces import CitationGraph
from litterm.library.state.connection import STATE_FILE
from litterm.model.annotations import NO_DECISIONS, RecordVisibility
from litterm.model.citations.graph import (
    Citance,
    Direction,
    Edge,
    EdgeSource,
    ListSlot,
    ReferenceListHead,
    ResolvedList,
)
from litterm.model.document import DocumentId
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


Lists = dict[ListSlot, tuple[ResolvedList, list[Citance]]]


def write(store: CitationStore, seed: int, count: int, lists: Lists) -> None:
    """Puts and drops lists in the store, and notes in `lists` what has to be in it."""
    dice = random.Random(seed)
    segments = frozenset({f"segment-{seed}", "first"})
    for _ in range(count):
        resolved, sentences = some_list(dice)
        resolved = replace(resolved, segments=segments)
        store.put([(resolved, sentences)])
        lists[resolved.head.slot] = (resolved, sentences)
        if dice.random() < 0.1:
            head = some_list(dice)[0].head
            store.drop([head])
            lists.pop(head.slot, None)


def answers(graph: CitationGraph) -> list[object]:
    pairs = [(citing, cited) for citing in PAPERS for cited in PAPERS if citing != cited]
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


def in_memory(lists: Lists, decided: RecordVisibility) -> Graph:
    """The graph of all lists, none of them in the database."""
    resolved = [lists[slot][0] for slot in sorted(lists)]

    def sentences(resolved: ResolvedList) -> tuple[Citance, ...]:
        head = resolved.head
        document = DocumentId(head.key) if head.source == "text" else None
        return tuple(replace(citance, document=document) for citance in lists[head.slot][1])

    if decided == NO_DECISIONS:
        return Graph(resolved, sentences)
    return Graph(*apply_decisions(resolved, sentences, decided))


def graph_of(root: Path, decided: RecordVisibility) -> CitationGraph:
    nothing = cast("Callable[..., object]", None)
    store = CitationStore(root)
    return Citations(store, nothing, nothing, nothing, nothing, decided=lambda: decided).graph()  # type: ignore[arg-type]


def without_own(lists: Iterable[ResolvedList]) -> list[ResolvedList]:
    """The lists without edges from a paper to itself, which are not stored."""
    return [
        replace(resolved, edges=tuple(edge for edge in resolved.edges if edge.citing != edge.cited))
        for resolved in lists
    ]


@pytest.mark.parametrize("decided", [NO_DECISIONS, DECIDED])
def test_the_graph_in_the_database_answers_as_one_in_memory(tmp_path: Path, decided: RecordVisibility) -> None:
    lists: Lists = {}
    store = CitationStore(tmp_path)
    write(store, 1, 60, lists)
    before = answers(in_memory(lists, decided))
    assert answers(graph_of(tmp_path, decided)) == before
    assert store.lists() == without_own(lists[slot][0] for slot in sorted(lists))
    write(store, 2, 15, lists)
    after = answers(in_memory(lists, decided))
    assert answers(graph_of(tmp_path, decided)) == after != before
    assert CitationStore(tmp_path).lists() == without_own(lists[slot][0] for slot in sorted(lists))


def test_a_graph_made_before_a_write_answers_with_what_was_written(tmp_path: Path) -> None:
    lists: Lists = {}
    store = CitationStore(tmp_path)
    write(store, 3, 20, lists)
    graph, version = graph_of(tmp_path, NO_DECISIONS), store.version()
    write(CitationStore(tmp_path), 4, 20, lists)
    assert store.version() != version
    assert answers(graph) == answers(in_memory(lists, NO_DECISIONS))


def test_nothing_stored_is_an_empty_graph_without_a_file(tmp_path: Path) -> None:
    assert answers(graph_of(tmp_path, NO_DECISIONS)) == answers(Graph(()))
    assert (CitationStore(tmp_path).lists(), CitationStore(tmp_path).unread()) == ([], 0)
    assert not (tmp_path / STATE_FILE).exists()


def test_settling_says_of_every_list_what_it_was_resolved_against(tmp_path: Path) -> None:
    lists: Lists = {}
    store = CitationStore(tmp_path)
    write(store, 5, 10, lists)
    write(store, 6, 10, lists)
    with store.read() as reader:
        assert (reader.settled(), len(reader.segment_sets())) == (None, 2)
    everything = frozenset({"first", "segment-5", "segment-6"})
    store.settle(everything)
    with CitationStore(tmp_path).read() as reader:
        assert (reader.settled(), reader.segment_sets()) == (everything, {everything})
        assert len(reader.heads_resolved_against(everything)) == reader.count_lists()
    write(store, 7, 3, lists)
    store.settle(everything | {"segment-7"})
    with CitationStore(tmp_path).read() as reader:
        assert reader.segment_sets() == {everything | {"segment-7"}}


def test_lists_are_looked_up_by_what_they_want_and_whom_they_name(tmp_path: Path) -> None:
    lists: Lists = {}
    store = CitationStore(tmp_path)
    write(store, 8, 40, lists)
    known = frozenset({"segment-8", "first"})
    wanted = {hash_ for resolved, _ in list(lists.values())[::3] for hash_ in sorted(resolved.unresolved_hashes)[:1]}
    papers = PAPERS[:3]
    with store.read() as reader:
        assert {head.slot for head in reader.heads_wanting(wanted, known)} == {
            slot for slot, (resolved, _) in lists.items() if wanted & resolved.unresolved_hashes
        }
        assert reader.heads_wanting(wanted, frozenset({"other"})) == []
        assert reader.slots_with(papers) == {
            slot
            for slot, (resolved, _) in lists.items()
            if slot[0] in papers or {end for edge in resolved.edges for end in (edge.citing, edge.cited)} & {*papers}
        }
        heads = [resolved.head for resolved, _ in lists.values()]
        other = replace(heads[0], key="another")
        # Few are looked up one by one, many by reading all.
        assert list(reader.missing([heads[1], other])) == [other]
        assert list(reader.missing([*heads[1:], other])) == [other]
        assert sorted(head.slot for head in reader.heads_of(papers)) == sorted(s for s in lists if s[0] in papers)


def test_a_read_only_library_is_changed_in_a_copy_of_the_process(tmp_path: Path) -> None:
    root = tmp_path / "library"
    run(stored(root, small_library()).update())
    expected = answers(citations(root).graph())
    printed = run_read_only(
        root,
        """
        graph = run(library.update())
        dropped = [resolved.head for resolved in library.store.lists() if resolved.head.paper == "acl:C"]
        library.store.drop(dropped)
        print(library.store.is_private, [edge.citing for edge in library.graph().citations(["acl:A"])[0]])
        print([citance.text for citance in library.graph().contexts("acl:B", "acl:A")])
        """,
    )
    assert printed == "True ['acl:B']\n['We start from sentence pairs [1].']\n"
    assert answers(citations(root).graph()) == expected
