"""The starter library as a user meets it: read by the importer, searched in memory, and true to what its tour says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import litterm.data
from litterm import build_engine, load_settings, run
from litterm.engine import Engine
from litterm.importers.reader import FileReader
from litterm.model.document import Document
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId
from litterm.tui.input.keymap import TABLE
from litterm.tui.session import SAMPLE_QUERY

FOLDER = Path(litterm.data.__file__).parent / "starter"
TOUR = PaperId("starter:tour")
_QUOTED = re.compile(r"“([^”\s]{1,2})”")
_NAMED = re.compile(r"\b(ctrl\+[a-z]|[Ee]sc|F1|[Tt]ab|enter)\b")
_MARKS = set("?!*+x")
"""The ASCII forms of the marks, quoted in the tour like keys."""


@pytest.fixture
def engine(home: Path) -> Engine:
    """An engine over an empty library: all there is to search is the starter library."""
    assert not list(home.iterdir())
    return build_engine(load_settings())


@pytest.fixture
def tour(engine: Engine) -> Document:
    return run(engine.read(TOUR))


@pytest.fixture(scope="module")
def parsed() -> dict[str, Parsed]:
    # Beside them, an installed litterm has the segment that was made of them.
    files = sorted(FOLDER.glob("*.jsonl"))
    found = [item for file in files for item in FileReader().read(file, lambda _sha256: False)]
    assert not [item for item in found if isinstance(item, Failure)]
    return {item.paper.id: item for item in found if isinstance(item, Parsed)}


def test_the_importer_reads_every_row_as_it_is_written(parsed: dict[str, Parsed]) -> None:
    import json

    rows = [json.loads(line) for path in FOLDER.glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    assert len(parsed) == len(rows)
    for row in rows:
        paper = parsed[row["id"]].paper
        assert (paper.title, paper.abstract, paper.year) == (row["title"], row["abstract"], row["year"])
        assert [(each.family, each.given) for each in paper.authors] == [
            (each["family"], each["given"]) for each in row["authors"]
        ], row["id"]
        assert set(row.get("aliases", ())) <= set(paper.aliases), row["id"]
        assert (paper.type, paper.venue, paper.abstract_by) == (row["type"], row["venue"], "litterm"), row["id"]
        assert (paper.imprint.pages, paper.imprint.volume) == (row.get("pages", ""), row.get("volume", "")), row["id"]


def test_three_have_full_text_and_know_their_references(parsed: dict[str, Parsed]) -> None:
    documents = {key: item.document for key, item in parsed.items() if item.document and item.document.sections}
    for key in ("starter:tour", "starter:ranking-note", "starter:evidence-note"):
        document = documents[key]
        assert len(document.sections) >= 8
        assert all(section.title for section in document.sections if section.index), key
        for sentence in document.sentences:
            assert not sentence.text[0].islower() or sentence.text.startswith("litterm"), sentence.text


def test_the_sample_question_leads_to_the_tour(engine: Engine) -> None:
    best = run(engine.search(SAMPLE_QUERY)).papers
    assert best[0].paper.id == TOUR
    assert len(best) >= 5


@pytest.mark.parametrize(
    ("typed", "first"),
    [("smoking and lung cancer", "starter:dollhill1950"), ("guided tour", "starter:tour")],
)
def test_searches_of_the_tour_find_what_they_should(engine: Engine, typed: str, first: str) -> None:
    assert run(engine.search(typed)).papers[0].paper.id == first


def test_filters_of_the_tour_work(engine: Engine, tour: Document) -> None:
    query = "embeddings year:2013..2015 -translation"
    assert query in tour.text
    found = run(engine.search(query))
    assert found.papers
    assert all(2013 <= (ranked.paper.year or 0) <= 2015 for ranked in found.papers)
    for typed in ("venue:acl", "venue:acl,emnlp", 'author:"Manning"', "type:article", "has:fulltext", "year:..2010"):
        assert typed in tour.text
        assert run(engine.search(typed)).papers, typed


def test_the_hypothesis_of_the_tour_finds_its_evidence(engine: Engine, tour: Document) -> None:
    hypothesis = "Marks survive a restart."
    assert hypothesis in tour.text
    found = run(engine.evidence(TOUR, hypothesis)).sentences
    assert 3 <= len(found) <= 10
    strong = [each for each in found if each.strength == "strong"]
    assert len({each.sentence.section for each in strong}) >= 3
    assert sum("surviv" in each.sentence.text or "restart" in each.sentence.text for each in found) >= 4
    # The suggestion itself, a line of four words, must not answer its own question.
    assert hypothesis not in [each.sentence.text for each in found]


@pytest.mark.parametrize(
    ("passage", "cited"),
    [
        (
            "We report the geometric mean of modified n-gram precisions with a brevity penalty [CITATION].",
            "starter:papineni2002",
        ),
        (
            "A model that relies on self-attention with several heads and dispenses with recurrence [CITATION]"
            " is now standard.",
            "starter:vaswani2017",
        ),
    ],
)
def test_passages_of_the_tour_lead_to_their_papers(engine: Engine, tour: Document, passage: str, cited: str) -> None:
    assert passage in tour.text
    assert run(engine.cite(passage)).candidates[0].paper.id == cited


def test_every_key_the_tour_names_exists(tour: Document) -> None:
    keys = {name.lower() if len(name) > 1 else name for row in TABLE for name in row.keys} | {"esc"}
    named = {*_QUOTED.findall(tour.text), *(name.lower() for name in _NAMED.findall(tour.text))} - {"or", *_MARKS}
    assert {"e", "n", "N", "a", "v", "y", "Y", "w", "c", "/", ":", "z", "q", "ctrl+q"} <= named
    assert not named - keys
    assert _MARKS - {"+"} - set(_QUOTED.findall(tour.text)) == set()
