"""The library of synthetic full texts: always the same, cited by each other, and imported by the command itself."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from graphs import citations

from litterm.citations.citations import FIRST_LISTS, FOREGROUND_LISTS
from litterm.core.errors import BadInput
from litterm.core.tasks import run
from litterm.library.segments.library import DuckLibrary
from litterm.model.paper import PaperId
from litterm_benchmarks.speed import citation_graph
from litterm_benchmarks.speed.full_text_library import SOURCES, TextMaker, import_texts, open_maker

COUNT = FOREGROUND_LISTS + 20
"""Some of the lists are read by another process."""
NAMES = ("Abney", "Baldwin", "Church", "Daelemans", "Eisner", "Fellbaum", "Gildea", "Hirst", "Ide", "Joshi")


@pytest.fixture
def maker(tmp_path: Path) -> TextMaker:
    sentences = [f"Sentence {number} tells of parsers and of treebanks." for number in range(80)]
    rows = [
        {
            "title": f"A study of {subject}",
            "authors": [f"Jane {name}" for name in NAMES],
            "sections": [{"title": "Introduction", "sentences": sentences}, {"title": "Results", "text": "It. Works."}],
        }
        for subject in ("dependency parsing", "machine translation")
    ]
    path = tmp_path / "data" / SOURCES[0]
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress("".join(json.dumps(each) + "\n" for each in rows).encode()))
    return open_maker(tmp_path / "data")


def test_a_number_is_always_the_same_paper_and_no_two_are_alike(maker: TextMaker) -> None:
    lines = [maker.line(number, COUNT) for number in range(COUNT)]
    assert lines == [maker.line(number, COUNT) for number in range(COUNT)]
    assert len({json.loads(line)["title"] for line in lines}) == COUNT
    assert maker.question(3)
    assert "[CITATION]" in maker.excerpt(3)


def test_the_library_holds_all_texts_and_knows_who_cites_whom(maker: TextMaker, tmp_path: Path) -> None:
    home = tmp_path / "made" / "home"
    home.parent.mkdir()
    imported, lists = run(import_texts(maker, COUNT, home))
    assert imported.method == f"import of {COUNT} full texts"
    assert [metric.mean for metric in lists.metrics if metric.name == "lists"] == [COUNT - FIRST_LISTS]
    library = DuckLibrary(home / "library")
    assert (library.status().papers, library.status().documents) == (COUNT, COUNT)
    graph = citations(home / "library", library).graph()
    ids = [PaperId(f"local:text-{number}") for number in range(COUNT)]
    assert all(graph.has_references(ids))
    found = graph.references(ids)
    assert sum(map(len, found)) > COUNT
    assert any(edge.count for each in found for edge in each)
    assert list(home.parent.iterdir()) == [home]


def test_a_folder_without_full_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has none of"):
        open_maker(tmp_path)


def test_a_made_graph_is_stored_and_asked(capfd: pytest.CaptureFixture[str]) -> None:
    assert citation_graph.main(["200"]) == 0
    told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    asked = "opened and asked who cites 50 papers", "opened and asked how often each is cited"
    assert [each["what"] for each in told] == ["stored", *asked]
    assert all(each["MB"] > 0 for each in told)
