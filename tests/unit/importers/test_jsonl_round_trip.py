"""What JSON Lines write of a paper is read again to the letter: export, import and export give the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.importers.byte_sources import memory_content
from litterm.importers.jsonl.reader import read_jsonl
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId, Provenance, PublicationDetails
from litterm.render.export import jsonl
from litterm.text.clean import clean_line
from litterm.text.documents.hyphens import HyphenStatistics

# What any importer has let into a record: text on one line, with whatever letters.
LINES = st.text(max_size=25).map(clean_line)
WORDS = LINES.filter(bool)
LISTS = st.lists(WORDS, max_size=3, unique=True).map(tuple)
NAMED = st.builds(
    Author,
    family=WORDS,
    given=LINES,
    prefix=st.sampled_from(["", "van den", "de"]),
    suffix=st.sampled_from(["", "Jr."]),
)
AUTHORS = st.lists(NAMED | st.builds(Author, family=WORDS, is_literal=st.just(True)), max_size=3).map(tuple)
IDS = st.one_of(
    st.integers(1, 10**6).map(lambda number: PaperId(f"doi:10.1234/x<{number}>%")),
    st.integers(1, 10**6).map(lambda number: PaperId(f"pmid:{number}")),
    st.integers(1, 10**6).map(lambda number: PaperId(f"local:own {number}")),
)
DETAILS = st.builds(
    PublicationDetails,
    **dict.fromkeys(
        """booktitle journal volume issue publisher address language bibkey article_number edition series isbn issn
        thesis institution note""".split(),
        LINES,
    ),
    pages=st.sampled_from(["", "1–9", "e77", "12"]),
    editors=AUTHORS,
    files=LISTS,
    accession_numbers=LISTS,
    databases=LISTS,
    collections=LISTS,
    exported_on=st.sampled_from(["", "2024-07-03"]),
    has_more_editors=st.booleans(),
)
PAPERS = st.builds(
    Paper,
    id=IDS,
    title=WORDS,
    abstract=WORDS.map(lambda text: f"It is {text}."),
    authors=AUTHORS,
    year=st.just(2018),
    date=st.sampled_from(["2018", "2018-07", "2018-07-15"]),
    venue=WORDS,
    venue_keys=st.lists(st.sampled_from(["acl", "own words", "own-words"]), max_size=2, unique=True).map(tuple),
    type=st.sampled_from(["article", "inproceedings", "preprint", "book", "chapter", "thesis", "report", "other"]),
    keywords=LISTS,
    urls=st.just(("https://example.org/x?a=1,2;3",)),
    retraction=st.sampled_from(["", "retracted", "corrected: a number", "concern: of the editors"]),
    decision=st.sampled_from(["", "accept", "reject", "withdrawn", "workshop", "unknown"]),
    status=LINES,
    abstract_by=st.sampled_from(["authors", "litterm"]),
    imprint=DETAILS,
    has_more_authors=st.booleans(),
    is_title_certain=st.booleans(),
    unverified_ids=st.sampled_from([(), (PaperId("arxiv:1810.04805"), PaperId("doi:10.1234/other"))]),
    provenance=st.just(Provenance("jsonl", "x")),
)


def read(row: str) -> Paper:
    (found,) = read_jsonl(memory_content("x", row.encode()), HyphenStatistics())
    assert isinstance(found, Parsed)
    return found.paper


@settings(max_examples=40, deadline=None)
@given(PAPERS)
def test_export_import_and_export_give_the_same(paper: Paper) -> None:
    row = jsonl.paper_row(paper, None)
    again = read(row)
    # The names under which the venue is found are stated, and those that follow from it are added.
    assert again.venue_keys[: len(paper.venue_keys)] == paper.venue_keys
    assert replace(again, venue_keys=paper.venue_keys) == paper
    written = jsonl.paper_row(again, None)
    assert json.loads(written) == {**json.loads(row), "venue_keys": list(again.venue_keys)}
    assert jsonl.paper_row(read(written), None) == written


@pytest.mark.parametrize(
    "title", ["On <b>x</b> of $5 and 6$", r"A \textbf{b} &amp; {C}~d", "Low- resource pre- and post-tests"]
)
def test_titles_that_look_like_markup_stay_as_they_are(title: str) -> None:
    paper = Paper(PaperId("local:1"), title, abstract=title)
    again = read(jsonl.paper_row(paper, None))
    assert (again.title, again.abstract) == (title, title)


def test_a_row_of_others_may_hold_markup() -> None:
    assert read('{"title": "On {\\\\em x} &amp; <b>y</b>"}').title == "On x & y"


def test_files_are_one_path_each() -> None:
    assert read('{"title": "T", "files": "a, b; c.pdf"}').imprint.files == ("a, b; c.pdf",)
