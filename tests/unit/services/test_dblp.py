"""DBLP and Crossref asked for a title."""

from __future__ import annotations

import pytest
from fakes_web_server import WebServer, as_json

from litterm.core import errors
from litterm.core.tasks import run
from litterm.services.crossref import Crossref
from litterm.services.dblp import Dblp
from litterm.services.http.client import HttpClient

INFO = {
    "authors": {"author": [{"@pid": "1/1", "text": "Wei Wang 0012"}, {"@pid": "2/2", "text": "J&ouml;rg Bee"}]},
    "title": "Owls &amp; Corpora.",
    "venue": "EMNLP",
    "pages": "12-19",
    "year": "2019",
    "type": "Conference and Workshop Papers",
    "doi": "10.18653/V1/D19-1001",
    "url": "https://dblp.org/rec/conf/emnlp/WangB19",
}


def hits(*infos: object) -> dict[str, object]:
    found: dict[str, object] = {"@total": str(len(infos))}
    return {"result": {"hits": found | ({"hit": [{"info": info} for info in infos]} if infos else {})}}


@pytest.fixture
def dblp(client: HttpClient, server: WebServer) -> Dblp:
    return Dblp(client, base=server.url)


def test_a_publication_is_read_with_its_people_and_place(dblp: Dblp, server: WebServer) -> None:
    server.on("/search/publ/api", as_json(hits(INFO)))
    (found,) = run(dblp.find("Owls & corpora: a study", limit=5))
    paper = found.paper
    assert (paper.id, paper.title, paper.year, paper.type) == (
        "doi:10.18653/v1/d19-1001",
        "Owls & Corpora",
        2019,
        "inproceedings",
    )
    assert [(one.given, one.family) for one in paper.authors] == [("Wei", "Wang"), ("Jörg", "Bee")]
    assert (paper.imprint.booktitle, paper.imprint.pages) == ("EMNLP", "12–19")
    assert server.asked[-1].one("q") == "owls corpora a study"


def test_a_lone_author_is_no_list_and_corr_is_a_preprint(dblp: Dblp, server: WebServer) -> None:
    lone = {
        **INFO,
        "authors": {"author": {"text": "Ann Bee"}},
        "venue": "CoRR",
        "type": "Informal and Other Publications",
    }
    server.on("/search/publ/api", as_json(hits({**lone, "doi": ""})))
    (found,) = run(dblp.find("owls", limit=5))
    assert found.paper.type == "preprint" and found.paper.authors[0].family == "Bee"


def test_nothing_found_is_an_answer_and_something_else_is_none(dblp: Dblp, server: WebServer) -> None:
    server.on("/search/publ/api", as_json(hits()))
    assert run(dblp.find("owls", limit=5)) == ()
    assert run(dblp.find("…", limit=5)) == ()
    server.on("/search/publ/api", as_json({"result": {"status": "tired"}}))
    with pytest.raises(errors.Malformed):
        run(dblp.find("cats", limit=5))


def test_crossref_finds_works_by_a_part_of_a_reference(client: HttpClient, server: WebServer) -> None:
    work = {"DOI": "10.1000/OWL", "title": ["Owls"], "type": "journal-article", "issued": {"date-parts": [[2019]]}}
    server.on("/works", as_json({"message": {"items": [work, {"DOI": "10.1000/untitled"}]}}))
    (found,) = run(Crossref(client, base=server.url).find("Owls", limit=5))
    assert (found.paper.id, found.paper.year) == ("doi:10.1000/owl", 2019)
