"""Citing sentences lie in folders by a hash; those of a library made when they all lay in one are found and moved."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from graphs import citations, citing, small_library, stored
from libraries import store

from litterm.core.tasks import run
from litterm.model.citations.graph import Citance
from litterm.model.paper import PaperId

A, B, C = (PaperId(f"acl:{key}") for key in "ABC")


def sentences(root: Path) -> list[Citance]:
    return [citance for papers in citations(root).graph().citances([A, B]) for citance in papers]


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    """A library as the releases before left it: a file a paper in one folder."""
    root = tmp_path / "library"
    run(stored(root, small_library()).update())
    folder = root / "citations" / "citances"
    for path in list(folder.glob("*/*.jsonl")):
        path.replace(folder / path.name)
        path.parent.rmdir()
    assert len(list(folder.glob("*.jsonl"))) == 2
    return root


def files(root: Path, pattern: str) -> set[str]:
    return {path.name for path in (root / "citations" / "citances").glob(pattern)}


def test_sentences_in_one_folder_are_read_and_moved_with_the_next_paper(flat: Path) -> None:
    before, names = sentences(flat), files(flat, "*.jsonl")
    assert len(before) == 4
    run(citations(flat).update())
    store(flat, [citing("D", ["See [1]."], "C")])
    run(citations(flat).update())
    assert sentences(flat) == before
    assert files(flat, "*.jsonl") == set()
    assert names < files(flat, "*/*.jsonl")
    assert all(path.parent.name == path.name[:2] for path in (flat / "citations" / "citances").glob("*/*.jsonl"))


def test_a_move_that_was_killed_halfway_loses_nothing_and_goes_on(flat: Path) -> None:
    before = sentences(flat)
    folder = flat / "citations" / "citances"
    first = min(folder.glob("*.jsonl"))
    (folder / first.name[:2]).mkdir()
    first.replace(folder / first.name[:2] / first.name)
    assert sentences(flat) == before
    run(citations(flat).book.sort_sentences())
    assert sentences(flat) == before
    assert files(flat, "*.jsonl") == set()


def test_a_newer_file_counts_before_one_in_the_old_place(flat: Path) -> None:
    store(flat, [citing("B", ["Only this is said of it [1]."], "A")])
    folder = flat / "citations" / "citances"
    aside = flat.parent / "aside"
    shutil.copytree(folder, aside)
    run(citations(flat).update())
    expected = sentences(flat)
    # As if a kill had come before the old file was removed.
    for path in aside.glob("*.jsonl"):
        shutil.copy(path, folder / path.name)
    assert sentences(flat) == expected
    run(citations(flat).book.sort_sentences())
    assert sentences(flat) == expected
    assert "Only this is said of it [1]." in [citance.text for citance in expected]


def test_a_list_that_goes_takes_its_sentences_along_from_either_place(flat: Path) -> None:
    graph = citations(flat)
    for resolved in graph.book.lists():
        graph.book.drop(resolved.head)
    assert files(flat, "*.jsonl") == set()
    assert files(flat, "*/*.jsonl") == set()
