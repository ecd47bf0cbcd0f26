"""Libraries whose citations are in the files of earlier versions: answered as they are, moved once, killed or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphs import citations, citing, read, run_read_only, small_library
from libraries import store

from litterm.citations.citations import Citations
from litterm.citations.store import CitationStore
from litterm.core.tasks import run
from litterm.library.segments.library import DuckLibrary
from litterm.library.state.connection import STATE_FILE
from litterm.model.annotations import RecordVisibility
from litterm.model.citations.graph import Citance, Edge
from litterm.model.document import DocumentId, Span
from litterm.model.events import Event, Progress
from litterm.model.paper import PaperId

A, B, C = (PaperId(f"acl:{key}") for key in "ABC")
LISTS = """\
{"against":["SEGMENT"]}
{"list":{"paper":"acl:C","key":"older","year":2010,"source":"text","direction":"references","known":true,"edges":[],"wants":[]}}
{"list":{"paper":"acl:B","key":"bd573146e5ceb7caf51a","year":2005,"source":"text","direction":"references","known":true,"edges":[["acl:A",1,[0],2005]],"wants":[1442073675]}}
{"list":{"paper":"acl:C","key":"e6e7d92650b2ae5cfa23","year":2010,"source":"text","direction":"references","known":true,"edges":[["acl:A",2,[0,2],2010],["acl:B",1,[1],2010]],"wants":[1442073675,1520223593]}}
{"list":{"paper":"acl:Z","key":"gone","year":null,"source":"text","direction":"references","known":true,"edges":[["acl:A",1,[0],null]],"wants":[]}}
{"drop":["acl:Z","text","references"]}
{"settled":["SEGMENT"]}
{"against":["SEGMENT"]}
{"list":{"paper":"acl:A","key":"SERVICE","year":2001,"source":"semantic-scholar","direction":"citations","known":true,"edges":[["acl:C",1,[0],2010],["acl:B",1,[1],null]],"wants":[679527981]}}
{"settled":["SEGMENT"]}
"""
"""`lists.jsonl` of version 1.0."""
SENTENCES = {
    "1d19674aa429a0727322c66c": """\
{"citing": "acl:B", "cited": "acl:A", "text": "We start from sentence pairs [1].", "mark": [29, 32], "sentence": 0}""",
    "48b5fbeb66268c0cb13faee0": """\
{"citing": "acl:C", "cited": "acl:A", "text": "Sentences were aligned by length [1].", "mark": [33, 36], "sentence": 0}
{"citing": "acl:C", "cited": "acl:B", "text": "Phrases came later [2].", "mark": [19, 22], "sentence": 1}
{"citing": "acl:C", "cited": "acl:A", "text": "As before [1].", "mark": [10, 13], "sentence": 2}""",
    "d713e04b54794944843f07b4": """\
{"citing": "acl:B", "cited": "acl:A", "text": "As B says of A.", "mark": null, "sentence": null}""",
}
"""The files of `citances/` by name; in the newest versions in a folder named by the first two letters."""
SERVICE_KEY = "d713e04b54794944843f07b4-463e10203a49.json"
SERVICE_LIST = """\
{"paper": "acl:A", "source": "semantic-scholar", "direction": "citations", "fetched_at": "2026-11-20T10:00:00Z",
"works": []}"""
REFERENCES = [
    (),
    (Edge(B, A, 1, 2005, "text", (0,)),),
    (Edge(C, A, 2, 2010, "text", (0, 2)), Edge(C, B, 1, 2010, "text", (1,))),
]


def earlier_library(root: Path, *, sharded: bool = True, lists: str = LISTS) -> Path:
    """A library as version 1.0 left it."""
    store(root, small_library())
    (segment,) = DuckLibrary(root).snapshot().segments
    folder = root / "citations"
    (folder / "external" / "d7").mkdir(parents=True)
    (folder / "external" / "d7" / SERVICE_KEY).write_text(SERVICE_LIST)
    (folder / "lists.jsonl").write_text(lists.replace("SEGMENT", segment.key).replace("SERVICE", SERVICE_KEY))
    (folder / "graph.pack").write_bytes(b"arrays of another version")
    for name, lines in SENTENCES.items():
        path = folder / "citances" / (name[:2] if sharded else "") / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(lines)
    return root


def assert_answers(library: Citations) -> None:
    graph = library.graph()
    assert [list(edges) for edges in graph.references([A, B, C])] == [list(edges) for edges in REFERENCES]
    assert [edge.citing for edge in graph.citations([A])[0]] == [C, B]
    assert graph.contexts(B, A) == (
        Citance(
            B, A, "We start from sentence pairs [1].", Span(29, 32), 2005, "text", DocumentId("bd573146e5ceb7caf51a"), 0
        ),
    )
    assert [citance.text for citance in graph.citances([A])[0]] == [
        "Sentences were aligned by length [1].",
        "As before [1].",
        "We start from sentence pairs [1].",
    ]
    assert {paper: graph.citing_paper_counts()[paper] for paper in (A, B)} == {A: 2, B: 1}
    assert graph.has_references([A, B, C]) == (False, True, True)


def names(root: Path) -> set[str]:
    return {path.name for path in (root / "citations").iterdir()} - {"graph.lock"}


@pytest.mark.parametrize("sharded", [True, False])
def test_lists_are_answered_from_the_files_until_a_write_moves_them(tmp_path: Path, *, sharded: bool) -> None:
    root = earlier_library(tmp_path / "library", sharded=sharded)
    assert_answers(citations(root))
    assert not (root / STATE_FILE).exists()
    reader = citations(root)
    assert_answers(reader)
    # Up to date: nothing is resolved again.
    assert read(citations(root)) == []
    assert names(root) == {"external"}
    assert_answers(citations(root))
    assert_answers(reader)
    store(root, [citing("D", ["See [1]."], "C")])
    assert read(citations(root)) == ["acl:D"]


def test_a_command_that_only_reads_moves_them_too(tmp_path: Path) -> None:
    root = earlier_library(tmp_path / "library")
    events: list[Event] = []
    run(citations(root).announce_unread(), events.append)
    assert [event.what for event in events if isinstance(event, Progress)] == ["moving citations into the database"]
    assert names(root) == {"external"}
    assert_answers(citations(root))


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_move_that_was_killed_halfway_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr("litterm.citations.store._BATCH_LISTS", 1)
    root = earlier_library(tmp_path / "library")
    interrupted = citations(root)
    lease = interrupted.store.lease()
    assert lease is not None
    task = interrupted.store.move_earlier_files()
    for _ in range(steps):
        next(task)
    task.close()
    lease.release()
    with_lists = CitationStore(root)
    assert with_lists.has_earlier_files
    # Some lists are in the database already; the files have all of them.
    assert_answers(citations(root))
    run(citations(root).update())
    assert names(root) == {"external"}
    assert_answers(citations(root))


def test_files_that_a_kill_left_after_the_lists_are_removed(tmp_path: Path) -> None:
    root = earlier_library(tmp_path / "library")
    run(citations(root).update())
    (root / "citations" / "citances" / "1d").mkdir(parents=True)
    (root / "citations" / "citances" / "1d" / "1d19674aa429a0727322c66c.jsonl").write_text("")
    (root / "citations" / "graph.pack").write_bytes(b"")
    store(root, [citing("D", ["See [1]."], "C")])
    run(citations(root).update())
    assert names(root) == {"external"}
    assert_answers(citations(root))


@pytest.mark.parametrize("damage", ["head", "edges"])
def test_a_list_whose_line_is_damaged_is_resolved_again(tmp_path: Path, damage: str) -> None:
    torn = LISTS.replace('{"list":{"paper":"acl:B"', '{"list":{"pap') if damage == "head" else LISTS
    torn = torn.replace('[["acl:A",1,[0],2005]]', '[["acl:A",1,') if damage == "edges" else torn
    root = earlier_library(tmp_path / "library", lists=torn)
    library = citations(root)
    assert [edge.source for edge in library.graph().references([B])[0]] == ["semantic-scholar"]
    assert read(library) == ["acl:B"]
    assert [edge.source for edge in library.graph().references([B])[0]] == ["text"]


def test_how_many_lists_were_unread_is_taken_over(tmp_path: Path) -> None:
    root = earlier_library(tmp_path / "library")
    (root / "citations" / "unread").write_text("7")
    library = citations(root)
    assert library.store.unread() == 7
    run(library.announce_unread())
    assert citations(root).store.unread() == 7
    assert "unread" not in names(root)


def test_decisions_apply_to_lists_in_files(tmp_path: Path) -> None:
    root = earlier_library(tmp_path / "library")
    library = citations(root)
    library.decided = lambda: RecordVisibility(shown={}, removed=frozenset({C}))
    assert [edge.citing for edge in library.graph().citations([A])[0]] == [B]


def test_a_read_only_library_keeps_its_files_and_is_answered(tmp_path: Path) -> None:
    root = earlier_library(tmp_path / "library")
    before = names(root)
    printed = run_read_only(
        root,
        """
        print([edge.citing for edge in library.graph().citations(["acl:A"])[0]])
        graph = run(library.update())
        print([edge.citing for edge in graph.citations(["acl:A"])[0]])
        print([citance.text for citance in graph.contexts("acl:B", "acl:A")])
        """,
    )
    assert printed == "['acl:C', 'acl:B']\n" * 2 + "['We start from sentence pairs [1].']\n"
    assert names(root) == before
    assert not (root / STATE_FILE).exists()
