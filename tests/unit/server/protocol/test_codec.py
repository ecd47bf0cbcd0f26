"""Nouns to JSON and back: the same noun, whatever is in it, and a plain word on what is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from library_servers import papers

from litterm.model.attribution.citation import (
    Attribution,
    Candidate,
    CandidateBounds,
    Excerpt,
    StatedCitation,
    WeightedWord,
)
from litterm.model.citations.citation_counts import PaperCounts, ServiceCount
from litterm.model.document import Span
from litterm.model.evidence import Evidence, EvidenceSentence, FailedSection, LikelyStance
from litterm.model.search import (
    AllOf,
    AnyOf,
    CountRange,
    Facet,
    Filters,
    NegatedCondition,
    Prior,
    Query,
    RankedPaper,
    Ranking,
    RetrieverShare,
    ScoreExplanation,
    TextCondition,
    WordSources,
    YearRange,
)
from litterm.server.operations import papers as paper_operations
from litterm.server.operations import search
from litterm.server.operations.table import operation_of
from litterm.server.protocol.codec import NotDecodable, dumps, loads
from litterm.text.queries.parser import parse_query

SearchRequest = operation_of(search.search).request
LookupRequest = operation_of(paper_operations.lookup).request
RECORD, *_ = papers(Path("/srv"))
assert RECORD.document is not None
TEXT = RECORD.document
QUERY = parse_query('(pruning OR "weight decay") NOT title:survey* -venue:acl year:2019..2021 cited:>50 tag:a "as is"')
SHARE = RetrieverShare("words", 1, 0.1 + 0.2, 1e-9)
RANKED = RankedPaper(
    1,
    RECORD.paper,
    None,
    "hybrid",
    (("pruning", 2),),
    "starter",
    ScoreExplanation((SHARE,), (Prior("new", -0.5),)),
    3,
    (),
    PaperCounts(2, (ServiceCount("s2", 5, "2026-01-01", ((2020, 3), (2021, 2))),)),
    "why",
)
SENTENCE = EvidenceSentence(1, TEXT.sentences[1], 0.25, "strong", ("a",), None, "", LikelyStance("refutes", 0.9))
NOUNS = [
    QUERY,
    replace(QUERY, filters=Filters(without=(Filters(years=(YearRange(None, 3),), cited=(CountRange(1),)),))),
    Query(
        "",
        conditions=(AllOf((AnyOf((TextCondition("a", "title", True),)), NegatedCondition(Filters(types=("book",))))),),
    ),
    Ranking(QUERY, (RANKED,), 7, "hybrid", 1, "s", 9, ("n",), "question", WordSources(("a",)), 3),
    TEXT,
    Evidence(
        RECORD.paper.id,
        TEXT.id,
        "h",
        "all",
        "linear",
        (SENTENCE,),
        ("n",),
        "weak",
        0.5,
        failed=(FailedSection("k", "t", "w"),),
        negated=Evidence(RECORD.paper.id, TEXT.id, "not h", "results", "linear", ()),
    ),
    Attribution(
        Excerpt("t [CITATION]", (Span(2, 12),), 0, (WeightedWord("t", 1.5),), stated=StatedCitation(("Lee",), 2010)),
        "linear",
        (Candidate(1, RECORD.paper, 2.5, ("t",), "s", None, ("w",)),),
    ),
    CandidateBounds(2019, None, (RECORD.paper.id,), "title"),
    Facet("year", "2019", 3),
    SearchRequest(within=(), parsed=QUERY),
    LookupRequest(keys=("a",), written=(("Lee", 2019),)),
]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: type(noun).__name__)
def test_what_comes_back_is_what_was_sent(noun: object) -> None:
    assert loads(type(noun), dumps(noun)) == noun


@given(st.text(), st.floats(allow_nan=False, allow_infinity=False), st.none() | st.integers(-(2**53), 2**53))
def test_any_text_and_number_comes_back_to_the_last_digit(text: str, number: float, year: int | None) -> None:
    paper = replace(RECORD.paper, title=text, abstract=text[::-1], year=year)
    ranking = Ranking(Query(text), (RankedPaper(1, paper, number, "x"),), 1, "x")
    assert loads(Ranking, dumps(ranking)) == ranking


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "not an object"),
        (b'{"query": null}', "query: null is not a text"),
        (b'{"k": true}', "k: true is not a whole number"),
        (b'{"k": 1.0}', "k: 1.0 is not a whole number"),
        (b'{"k": NaN}', "k: NaN is not a whole number"),
        (b'{"k": 1e400}', "k: Infinity is not a whole number"),
        (b'{"k": 9007199254740993}', "k: a whole number is beyond"),
        (b'{"query": "a\\ud800"}', "holds half of a character at 1"),
        (b'{"query": "\xed\xa0\x80"}', "no JSON"),
        (b'{"query": "\xff"}', "no JSON"),
        (b'{"parsed": ' + b'{"conditions":' * 2000 + b"}" * 2001, "no JSON"),
        (b'{"finished": 1}', "finished: 1 is not true or false"),
        (b'{"sort": "best"}', "sort: "),
        (b'{"within": ["a", 1]}', "within: "),
        (b'{"parsed": {}}', "parsed: text is missing"),
        (b'{"parsed": {"text": "", "conditions": [{"is": "Path"}]}}', "is not one of Filters"),
        (b'{"parsed": {"is": []}}', "is not one of"),
        (b'{"no": 1}', "no field"),
    ],
)
def test_what_is_no_request_is_told(content: bytes, words: str) -> None:
    with pytest.raises(NotDecodable, match=words):
        loads(SearchRequest, content)


def test_half_of_a_surrogate_pair_is_not_sent_and_the_last_of_two_equal_keys_is_read() -> None:
    assert loads(SearchRequest, b'{"query": "a", "query": "b"}') == SearchRequest(query="b")
    assert loads(SearchRequest, dumps(SearchRequest(query="a\ud800"))) == SearchRequest(query="a\ufffd")
    assert loads(SearchRequest, b'{"query": "\\ud83d\\ude00"}') == SearchRequest(query="\U0001f600")


def test_defaults_are_not_sent() -> None:
    assert json.loads(dumps(SearchRequest(query="a"))) == {"query": "a"}
