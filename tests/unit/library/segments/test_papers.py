"""A record as a line of a segment, and back: nothing is lost, whatever is in it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from libraries import by, from_format, paper

from litterm.library.segments.papers import paper_from_line, paper_line
from litterm.model.paper import Paper, PaperId, PublicationDetails

FULL = paper(
    "P18-1",
    "A title",
    abstract="An abstract.",
    abstract_by="tldr",
    authors=by("Lee, Ann", "Plato"),
    year=2018,
    date="2018-07-15",
    venue="ACL",
    venue_keys=("acl", "ws"),
    type="article",
    keywords=("parsing",),
    aliases=(PaperId("doi:10.1/a"),),
    urls=("https://a.example/1",),
    retraction="corrected: Table 2",
    decision="accept",
    status="Poster",
    full_text=True,
    imprint=PublicationDetails(booktitle="Proceedings", pages="1-9", bibkey="lee-2018", editors=by("Doe, Ed")),
    provenance=from_format("anthology"),
)
PLAIN = paper("P18-2", "Nothing but a title")


@pytest.mark.parametrize(
    "given",
    [
        FULL,
        PLAIN,
        replace(PLAIN, year=0),
        replace(PLAIN, year=2020),
        replace(PLAIN, type="preprint"),
        replace(FULL, type="other", abstract_by="authors", authors=()),
        replace(FULL, imprint=PublicationDetails(editors=by("Doe, Ed"))),
        replace(FULL, imprint=PublicationDetails(journal="A journal")),
    ],
)
def test_a_record_comes_back_as_it_went(given: Paper) -> None:
    assert paper_from_line(json.dumps(paper_line(given, 7)).encode()) == given


def test_a_record_costs_only_what_it_holds() -> None:
    assert paper_line(PLAIN, 0)["record"] == {"provenance": ["", "", ""]}
