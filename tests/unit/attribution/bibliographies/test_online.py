"""Services asked for what the library lacks: by id, then by title; only these entries, and nothing is stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes_web_server import WebServer, as_json
from libraries import by, record, store

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.attribution.bibliography import BibliographyReport

KNOWN = "@misc{known, title = {Owls of the Library Itself}, author = {Ann Bee}, year = 2019}\n"
BY_TITLE = """@inproceedings{titled, title = {Cats That Nobody Has Here}, author = {Carl Dee and Eve Eff},
  booktitle = {CatConf}, year = 2020, pages = {1--9}}
"""
BY_DOI = """@article{doi, title = {Dogs by Number}, author = {Em Ell}, journal = {Dog Letters}, year = 2014,
  doi = {10.1000/dog}}
"""
NOWHERE = "@misc{nowhere, title = {Zebras That Nobody Knows at All}, author = {Zed Zee}, year = 2021}\n"


def dblp(*infos: dict[str, object]) -> dict[str, object]:
    return {"result": {"hits": {"hit": [{"info": info} for info in infos]}}}


@pytest.fixture
def engine(home: Path, server: WebServer) -> Engine:
    settings = from_home(home)
    store(settings.library, [record("W19-1", "Owls of the Library Itself", authors=by("Bee, Ann"), year=2019)])
    server.on("/crossref/works", as_json({"message": {"items": []}}))
    server.on("/openalex/works", as_json({"meta": {"count": 0}, "results": []}))
    server.on("/s2/paper/search", as_json({"total": 0, "data": []}))
    server.on("/s2/paper/search/match", as_json({"error": "Title match not found"}, 404))
    server.on("/dblp/search/publ/api", as_json(dblp()))
    return build_engine(settings)


def complete(engine: Engine, path: Path, text: str) -> BibliographyReport:
    path.write_text(text, "utf-8")
    bibliographies = engine.bibliographies
    report = run(bibliographies.check(bibliographies.read(path)))
    return run(bibliographies.complete(report))


def test_a_title_is_held_against_what_a_service_says(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    info: dict[str, object] = {
        "title": "Cats that nobody has here.",
        "authors": {"author": [{"text": "Carl Dee"}, {"text": "Ned Nemo"}]},
        "venue": "CatConf",
        "year": "2020",
        "pages": "1-9",
        "type": "Conference and Workshop Papers",
    }
    server.on("/dblp/search/publ/api", as_json(dblp({**info, "title": "Another Title"}, info)))
    report = complete(engine, tmp_path / "refs.bib", KNOWN + BY_TITLE)
    known, titled = report.entries
    assert (known.status, known.source) == ("sound", "library")
    assert (titled.status, titled.source) == ("wrong field", "DBLP")
    assert [(one.field, one.known) for one in titled.differences] == [("authors", "Ned Nemo")]
    # Only what the library lacks was asked for, and the library is as it was.
    assert {asked.one("q") for asked in server.asked} == {"cats that nobody has here"}
    assert engine.status().papers == 1


def test_a_doi_is_looked_up_as_such_and_a_retraction_told(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    work = {
        "DOI": "10.1000/dog",
        "title": ["Dogs by Number"],
        "author": [{"given": "Em", "family": "Ell"}],
        "container-title": ["Dog Letters"],
        "issued": {"date-parts": [[2014]]},
        "type": "journal-article",
        "updated-by": [{"type": "retraction", "DOI": "10.1000/notice"}],
    }
    server.on("/crossref/works/10.1000%2Fdog", as_json({"message": work}))
    (found,) = complete(engine, tmp_path / "refs.bib", BY_DOI).entries
    assert (found.status, found.source) == ("retracted", "Crossref")


def test_what_no_service_knows_stays_as_it_was(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    report = complete(engine, tmp_path / "refs.bib", NOWHERE)
    assert [item.status for item in report.entries] == ["outside coverage"]
    asked = {each.path for each in server.asked}
    assert {"/dblp/search/publ/api", "/crossref/works", "/openalex/works"} <= asked
