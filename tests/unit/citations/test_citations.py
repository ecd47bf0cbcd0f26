"""The citation graph over libraries on disk: what it says, and how it keeps up with what comes in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from graphs import TITLES, YEARS, citations, citing, entry, read, small_library, stored, written
from libraries import by, record, store

from litterm.citations import citations as module
from litterm.citations.citations import Citations
from litterm.citations.reference_resolution import from_starter
from litterm.core.tasks import run
from litterm.model.citations.graph import CitedCount, ExternalList, ListedWork
from litterm.model.document import Reference
from litterm.model.events import Event, Notice, Progress
from litterm.model.paper import PaperId

A, B, C, D = (PaperId(f"acl:{key}") for key in "ABCD")


def edges(graph_of: Citations) -> set[tuple[str, str, int]]:
    graph = graph_of.graph()
    return {(edge.citing, edge.cited, edge.count) for each in graph.references([A, B, C, D]) for edge in each}


def test_the_graph_says_who_cites_whom_how_often_and_when(tmp_path: Path) -> None:
    found = stored(tmp_path, small_library())
    assert edges(found) == set()
    graph = run(found.update())
    assert edges(found) == {(B, A, 1), (C, A, 2), (C, B, 1)}
    assert [edge.cited for edge in graph.references([C])[0]] == [A, B]
    assert [edge.citing for edge in graph.citations([A])[0]] == [C, B]
    assert [edge.citing for edge in graph.citations([A], until=2005)[0]] == [B]
    assert graph.counts([A, B, C]) == (CitedCount(2, 3), CitedCount(1, 1), CitedCount())
    assert graph.counts([A], until=2009) == (CitedCount(1, 1),)
    assert graph.counts([A], exclude=[C]) == (CitedCount(1, 1),)
    assert graph.has_references([A, B]) == (False, True)


def test_citing_sentences_are_kept_with_their_marks(tmp_path: Path) -> None:
    graph = run(stored(tmp_path, small_library()).update())
    first, second = graph.contexts(C, A)
    assert (first.text, second.text) == ("Sentences were aligned by length [1].", "As before [1].")
    assert first.mark is not None
    assert first.text[first.mark.start : first.mark.end] == "[1]"
    assert (first.sentence, second.sentence) == (0, 2)
    assert [one.citing for one in graph.citances([A])[0]] == [C, C, B]
    assert [one.citing for one in graph.citances([A], until=2009, exclude=[B])[0]] == []
    assert graph.contexts(A, C) == ()


def test_another_process_reads_the_graph_without_making_it(tmp_path: Path) -> None:
    run(stored(tmp_path, small_library()).update())
    assert edges(citations(tmp_path)) == {(B, A, 1), (C, A, 2), (C, B, 1)}


def test_only_what_came_in_is_read_and_what_it_may_change(tmp_path: Path) -> None:
    found = stored(tmp_path, small_library())
    assert sorted(read(found)) == [B, C]
    assert read(found) == []
    store(tmp_path, [citing("D", ["See [1]."], "C")])
    assert read(citations(tmp_path)) == [D]
    store(tmp_path, [written("unrelated", title="Zebras of the savanna and their stripes", year=1980)])
    assert read(citations(tmp_path)) == []
    assert (D, C, 1) in edges(citations(tmp_path))


def test_a_paper_that_comes_in_later_is_found_by_the_lists_that_name_it(tmp_path: Path) -> None:
    _first, second, third = small_library()
    found = stored(tmp_path, [second, third])
    run(found.update())
    assert edges(found) == {(C, B, 1)}
    store(tmp_path, [written("A")])
    later = citations(tmp_path)
    assert sorted(read(later)) == [B, C]
    assert edges(later) == {(B, A, 1), (C, A, 2), (C, B, 1)}


def test_a_new_text_of_a_paper_takes_the_place_of_the_old(tmp_path: Path) -> None:
    found = stored(tmp_path, small_library())
    run(found.update())
    store(tmp_path, [citing("B", ["Another version, which cites nobody."])])
    later = citations(tmp_path)
    run(later.update())
    assert edges(later) == {(C, A, 2), (C, B, 1)}


def test_reading_lists_is_one_count(tmp_path: Path) -> None:
    told = [event for event in stored(tmp_path, small_library()).update() if isinstance(event, Progress)]
    assert {event.what for event in told} == {"reading reference lists"}
    assert [event.done for event in told] == sorted(event.done for event in told)


def test_what_was_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BATCH_LISTS", 1)
    found = stored(tmp_path, small_library())
    task = found.update()
    for event in task:
        if isinstance(event, Progress) and event.done == 1:
            break
    task.close()
    (kept,) = found.store.lists()
    again = citations(tmp_path)
    assert read(again) == [each for each in (B, C) if each != kept.head.paper]
    assert edges(again) == {(B, A, 1), (C, A, 2), (C, B, 1)}


def test_while_another_process_is_at_it_nobody_waits(tmp_path: Path) -> None:
    found = stored(tmp_path, small_library())
    lease = citations(tmp_path).store.lease()
    assert lease is not None
    events: list[Event] = []
    graph = run(found.update(), events.append)
    assert graph.references([C]) == ((),)
    assert any(isinstance(event, Notice) and "the citation graph is unchanged" in event.text for event in events)
    lease.release()
    assert run(found.update()).references([C])[0][0].cited == A


def test_a_services_list_joins_the_graph_and_what_is_missing_resolves_later(tmp_path: Path) -> None:
    found = stored(tmp_path, [written("A"), written("B"), written("D")])
    works = (
        ListedWork(
            Reference(0, "", title=TITLES["A"], families=("Writer",), year=YEARS["A"]), ("As A showed.", "See A.")
        ),
        ListedWork(Reference(1, "", title=TITLES["C"], families=("Writer",), year=YEARS["C"])),
    )
    found.store_list(ExternalList(D, "openalex", "references", works))
    citing_a = (ListedWork(Reference(0, "", title=TITLES["B"], families=("Writer",), year=YEARS["B"])),)
    found.store_list(ExternalList(A, "semantic-scholar", "citations", citing_a))
    graph = run(found.update())
    assert edges(found) == {(D, A, 2), (B, A, 0)}
    assert [one.text for one in graph.contexts(D, A)] == ["As A showed.", "See A."]
    assert graph.counts([A]) == (CitedCount(2, 3),)
    assert (graph.has_references([D]), graph.has_references([B])) == ((True,), (False,))
    later = citations(tmp_path)
    (head,) = (head for head in later.service_lists.heads(later.texts.current_papers) if head.paper == D)
    kept = later.service_lists.load(head)
    assert kept is not None
    assert [work.reference.title for work in kept.works] == [TITLES["A"], TITLES["C"]]
    store(tmp_path, [written("C")])
    assert edges_after_update(citations(tmp_path)) == {(D, A, 2), (B, A, 0), (D, C, 0)}


def edges_after_update(found: Citations) -> set[tuple[str, str, int]]:
    run(found.update())
    return edges(found)


def test_a_services_newer_list_takes_the_place_of_its_older(tmp_path: Path) -> None:
    found = stored(tmp_path, [written("A"), written("D")])
    cites_a = (ListedWork(entry(0, "A")),)
    found.store_list(ExternalList(D, "openalex", "references", cites_a))
    assert edges_after_update(found) == {(D, A, 0)}
    found.store_list(ExternalList(D, "openalex", "references", ()))
    assert edges_after_update(citations(tmp_path)) == set()


def test_lists_that_an_earlier_version_left_in_one_folder_are_read_and_moved(tmp_path: Path) -> None:
    found = stored(tmp_path, [written("A"), written("B"), written("C"), written("D")])
    cites_a, cites_b = (ListedWork(entry(0, "A")),), (ListedWork(entry(0, "B")),)
    found.store_list(ExternalList(D, "openalex", "references", cites_a))
    (path,) = tmp_path.glob("citations/external/??/*.json")
    flat = path.rename(path.parents[1] / path.name)
    assert edges_after_update(citations(tmp_path)) == {(D, A, 0)}
    before = citations(tmp_path)
    before.store_list(ExternalList(C, "openalex", "references", cites_b))
    assert path.exists() and not flat.exists()
    assert edges_after_update(before) == {(D, A, 0), (C, B, 0)}
    # One that was left in the old place is replaced there, too.
    path.rename(flat)
    citations(tmp_path).store_list(ExternalList(D, "openalex", "references", ()))
    assert edges_after_update(citations(tmp_path)) == {(C, B, 0)}
    assert len(list(tmp_path.glob("citations/external/**/*.json"))) == 2


def test_a_text_counts_before_a_service(tmp_path: Path) -> None:
    found = stored(tmp_path, small_library())
    found.store_list(ExternalList(C, "openalex", "references", (ListedWork(entry(0, "A"), ("Said elsewhere.",)),)))
    graph = run(found.update())
    assert graph.counts([A]) == (CitedCount(2, 3),)
    assert [one.text for one in graph.contexts(C, A)] == ["Sentences were aligned by length [1].", "As before [1]."]


def test_a_record_that_joins_a_known_paper_keeps_its_edges(tmp_path: Path) -> None:
    found = stored(tmp_path, small_library())
    run(found.update())
    store(tmp_path, [record("doi:10.1/a", TITLES["A"], authors=by("Writer, A"), year=YEARS["A"])])
    later = citations(tmp_path)
    assert later.library.by_id([PaperId("doi:10.1/a")])[0].id == A
    assert edges_after_update(later) == {(B, A, 1), (C, A, 2), (C, B, 1)}


def test_the_starter_librarys_own_lists_need_no_update(tmp_path: Path) -> None:
    one, two = written("starter:a", title=TITLES["A"], year=2001), citing("starter:b", ["As shown [1]."], "A")
    assert two.document is not None
    document = replace(two.document, references=(replace(entry(0, "A"), target=one.paper.id),))
    found = citations(tmp_path)
    found.starter = lambda: from_starter([(one.paper, None), (two.paper, document)])
    graph = found.graph()
    assert [edge.cited for edge in graph.references([two.paper.id])[0]] == ["starter:a"]
    assert [one.text for one in graph.contexts(two.paper.id, PaperId("starter:a"))] == ["As shown [1]."]
