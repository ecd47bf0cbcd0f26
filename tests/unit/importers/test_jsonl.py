"""JSON Lines: the fields users may write, and rows that are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import detect
from litterm.importers.ids import recognize_id
from litterm.importers.jsonl.reader import read_jsonl
from litterm.library.starter import read_papers
from litterm.model.library import Failure, Parsed, ReadEvent
from litterm.model.paper import Author, Paper
from litterm.text.documents.hyphens import HyphenStatistics

LEE = Author("Lee", "Ann")


def read_row(**fields: object) -> tuple[Paper, list[str]]:
    """The paper of a row, and what was said against the row."""
    found, *faults = read_jsonl(memory_content("x.jsonl", json.dumps(fields).encode()), HyphenStatistics())
    assert isinstance(found, Parsed)
    return found.paper, [each.cause for each in faults if isinstance(each, Failure) and each.origin == "x.jsonl:1"]


def paper(**fields: object) -> Paper:
    return read_row(**fields)[0]


def test_rows_of_all_sorts(samples: Path, read: Callable[[Path], list[ReadEvent]]) -> None:
    found = read(samples / "papers.jsonl")
    submitted, numbered, both, own, text, starter = (each for each in found if isinstance(each, Parsed))
    assert submitted.paper.id == "iclr:AbCdEf123"
    assert submitted.paper.title == "Submitted k times"
    assert submitted.paper.abstract == "Short."
    assert submitted.paper.authors == (Author("Lovelace", "Ada"), Author("Li", "Bo"), Author("Wu", "Cy"))
    assert (submitted.paper.decision, submitted.paper.status) == ("reject", "Reject")
    assert submitted.paper.urls[1] == "https://openreview.net/pdf?id=AbCdEf123"
    assert numbered.paper.id == "arxiv:1412.6980"
    assert (both.paper.id, both.paper.aliases) == ("acl:2031.demo-main.9", ("iclr:Zz9",))
    assert both.paper.decision == "", "a rejected submission is not the paper that appeared"
    assert (own.paper.id, own.paper.aliases) == ("doi:10.9999/own.1", ("local:mine-1",))
    assert (own.paper.date, own.paper.type) == ("2030-04-07", "article")
    assert text.paper.id == "local:only-mine"
    assert (starter.paper.id, starter.paper.aliases) == ("starter:one", ("acl:2031.demo-main.1",))
    assert starter.paper.abstract_by == "litterm"
    failures = [(each.origin.rpartition(":")[2], each.cause) for each in found if isinstance(each, Failure)]
    assert [line for line, _ in failures] == ["6", "8"]
    assert failures[1][1] == "The row has no title."


def test_full_text_in_a_row(samples: Path, read: Callable[[Path], list[ReadEvent]]) -> None:
    document = next(
        each.document for each in read(samples / "papers.jsonl") if isinstance(each, Parsed) and each.document
    )
    assert document.origin == "jsonl"
    assert [(s.level, s.number, s.title, s.kind) for s in document.sections] == [
        (1, "", "", "front"),
        (1, "", "Abstract", "abstract"),
        (1, "1", "Introduction", "introduction"),
        (2, "1.1", "Data", "methods"),
    ]
    assert [(s.paragraph, s.position, s.text) for s in document.sentences if s.kind == "body"] == [
        (1, 1, "Fig. 1 shows it."),
        (1, 2, "So it is."),
        (1, 1, "First paragraph."),
        (1, 2, "It has two."),
        (2, 1, "Second paragraph."),
    ]
    assert [(r.title, r.year, r.ids) for r in document.references] == [
        ("", None, ("doi:10.9999/demo.0001",)),
        ("Second thoughts", 2002, ()),
        ("", 2003, ()),
    ]


@pytest.mark.parametrize(
    ("own", "known"),
    [
        ("acl:P18-1001", "acl:P18-1001"),
        ("P18-1001", "acl:P18-1001"),
        ("2020.acl-main.207", "acl:2020.acl-main.207"),
        ("https://aclanthology.org/P18-1001.pdf", "acl:P18-1001"),
        ("https://openreview.net/forum?id=abc_-1", "iclr:abc_-1"),
        ("arXiv:1412.6980v3", "arxiv:1412.6980"),
        ("https://arxiv.org/pdf/cs/0112017", "arxiv:cs/0112017"),
        ("10.1234/ABC.5", "doi:10.1234/abc.5"),
        ("https://doi.org/10.1234/abc.5", "doi:10.1234/abc.5"),
        ("doi:10.48550/arXiv.1412.6980", "arxiv:1412.6980"),
        ("PMC123456", "pmc:PMC123456"),
        ("PMID:0012", "pmid:12"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC123456/", "pmc:PMC123456"),
        ("a" * 40, f"s2:{'a' * 40}"),
        ("12345", None),
        ("smith2019", None),
        ("https://example.org/paper", None),
        ("acl:", None),
        ("doi:nothing", None),
    ],
)
def test_ids_are_recognised(own: str, known: str | None) -> None:
    assert recognize_id(own) == known


def test_unrecognised_ids_are_local() -> None:
    assert paper(id="smith2019", title="T").id == "local:smith2019"
    assert paper(id=17, title="T").id == "local:17"
    assert paper(title="T", authors=["A B"], year=2001).id.startswith("local:")


@pytest.mark.parametrize("value", [None, 5, True, [], {}, [[]], {"a": 1}, "x"])
def test_values_of_any_type_cost_only_their_field(value: object) -> None:
    fields = "abstract authors year venue keywords url urls decision date sections references editors doi type".split()
    found, faults = read_row(id="k", title="Sound", **dict.fromkeys(fields, value))
    assert found.title == "Sound"
    assert len(faults) == (value not in (None, [], {}))


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("year", [2019], "Read without “year” (a list, should be text or a number)."),
        ("authors", {"name": "A B"}, "Read without “authors” (an object, should be a list of names)."),
        ("authors", ["A B", 5], "Read without some of “authors” (not names)."),
        ("keywords", True, "Read without “keywords” (true or false, should be a list)."),
        ("sections", "Text", "Read without “sections” (text, should be a list)."),
        ("sections", [{"title": "I", "text": 5}], "Read without the text of section 1 (a number)."),
        ("sections", [{"sentences": "S."}], "Read without the sentences of section 1 (should be a list)."),
        ("sections", ["S."], "Read without section 1 (neither title nor text)."),
    ],
)
def test_a_field_of_the_wrong_kind_is_named_and_the_rest_read(field: str, value: object, fault: str) -> None:
    found, faults = read_row(title="Sound", venue="Demo", **{field: value})
    assert (found.title, found.venue, faults) == ("Sound", "Demo", [fault])


@pytest.mark.parametrize("unknown", ["NaN", "null", '""', "[]", "{}"])
def test_what_stands_for_unknown_is_no_fault(unknown: str) -> None:
    line = f'{{"title": "T", "abstract": {unknown}, "year": {unknown}, "authors": null}}'
    (found,) = read_jsonl(memory_content("x.jsonl", line.encode()), HyphenStatistics())
    assert isinstance(found, Parsed) and (found.paper.abstract, found.paper.year) == ("", None)


def test_numbers_and_objects_are_read_where_text_is_meant() -> None:
    assert paper(id="local:mine 1", title=1984).id == "local:mine 1"
    assert paper(title=1984).title == "1984"
    content = json.dumps({"title": "T", "sections": [{"title": "I", "sentences": [{"text": "One."}, "Two."]}]})
    (found,) = read_jsonl(memory_content("x.jsonl", content.encode()), HyphenStatistics())
    assert isinstance(found, Parsed) and found.document is not None
    assert [each.text for each in found.document.sentences if each.kind == "body"] == ["One.", "Two."]


@pytest.mark.parametrize(
    ("stated", "decision"),
    [
        ("Accept (Poster)", "accept"),
        ("Reject", "reject"),
        ("Desk Rejected", "desk-reject"),
        ("ICLR 2025 Withdrawn Submission", "withdrawn"),
        ("notable-top-5%", "accept"),
        ("Invite to Workshop Track", "workshop"),
        ("Pending", "unknown"),
        ("", ""),
    ],
)
def test_decisions_in_the_words_of_their_sources(stated: str, decision: str) -> None:
    assert paper(title="T", decision=stated).decision == decision


def test_a_retraction_may_be_a_mere_yes() -> None:
    assert paper(title="T", retraction=True).retraction == "retracted"


@pytest.mark.parametrize("line", [b"{", b"[1]", b"null", b"{}", b'{"title":"  "}', b"[" * 100_000])
def test_a_bad_line_is_one_failure_and_the_rest_is_imported(line: bytes) -> None:
    content = memory_content("x.jsonl", b'{"title":"before"}\n' + line + b'\n\n{"title":"after"}')
    before, bad, after = read_jsonl(content, HyphenStatistics())
    assert isinstance(bad, Failure)
    assert bad.origin == "x.jsonl:2"
    assert [each.paper.title for each in (before, after) if isinstance(each, Parsed)] == ["before", "after"]


def test_a_line_that_is_too_long_is_told_so_and_costs_itself_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litterm.importers.jsonl.reader._MAX_LINE_BYTES", 40)
    content = memory_content("x.jsonl", b'{"title":"%b"}\n{"title":"after"}\n' % (b"x" * 90))
    bad, after = read_jsonl(content, HyphenStatistics())
    assert isinstance(bad, Failure) and bad.cause.startswith("A line of more than ")
    assert isinstance(after, Parsed)


def test_what_json_says_is_a_sentence() -> None:
    (bad,) = read_jsonl(memory_content("x.jsonl", b'{"title":"open'), HyphenStatistics())
    assert isinstance(bad, Failure) and bad.cause == "Not valid JSON: unterminated string, at character 10."


@pytest.mark.parametrize(
    ("stated", "families"),
    [
        ("Ada One and Bob Two", ["One", "Two"]),
        ("One, Ada and Two, Bob", ["One", "Two"]),
        ("Ada One, Bob Two and Cy Three", ["One", "Two", "Three"]),
        ("Ada One, Bob Two, and Cy Three", ["One", "Two", "Three"]),
        ("Ada One, Bob Two", ["One", "Two"]),
        ("One, Ada; Two, Bob", ["One", "Two"]),
        ("One, Ada", ["One"]),
        ("de la Cruz, Juan Carlos", ["de la Cruz"]),
    ],
)
def test_authors_on_one_line(stated: str, families: list[str]) -> None:
    assert [each.surname for each in paper(title="T", authors=stated).authors] == families


def test_sections_inside_sections_are_read() -> None:
    inner = {"title": "Data", "text": "Many words."}
    row = {"title": "T", "sections": [{"title": "Methods", "text": "As follows.", "sections": [inner]}]}
    (found,) = read_jsonl(memory_content("x.jsonl", json.dumps(row).encode()), HyphenStatistics())
    assert isinstance(found, Parsed) and found.document is not None
    assert [(each.title, each.level) for each in found.document.sections[1:]] == [("Methods", 1), ("Data", 2)]


def test_starter_references_are_linked(tmp_path: Path) -> None:
    rows = [
        {"id": "starter:a", "title": "First", "authors": ["A One"], "year": 1990, "references": []},
        {"id": "starter:b", "title": "Second", "abstract": "Sum.", "references": ["starter:a", "starter:gone"]},
    ]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    first, second = read_papers(tmp_path)
    assert first.document is None
    assert second.document is not None
    known, gone = second.document.references
    assert (known.target, known.title, known.label) == ("starter:a", "First", "One, 1990")
    assert gone.target is None


def test_a_submission_without_a_decision_is_not_taken_for_published() -> None:
    assert paper(id="iclr:abc", title="T", venue="ICLR").decision == "unknown"
    assert paper(id="iclr:abc", title="T", venue="ICLR", anthology_id="2031.demo-main.1").decision == ""
    assert paper(id="iclr:abc", title="T", venue="COLM").decision == ""


@pytest.mark.parametrize("name", ["openreview", "forum"])
def test_a_forum_is_an_id_whichever_field_states_it(name: str) -> None:
    assert paper(title="A title", id="mine", **{name: "AbCdEf123"}).id == "iclr:AbCdEf123"
    assert paper(title="A title", id="mine", forum="FromForum1", openreview="FromOpen12").id == "iclr:FromOpen12"


@pytest.mark.parametrize(("stated", "level"), [(1, 1), (6, 6), (0, 2), (7, 2), (-1, 2), (True, 2), ("3", 2), (None, 2)])
def test_a_level_that_cannot_be_is_told_by_the_number(stated: object, level: int) -> None:
    sections = [
        {"heading": "1 First", "text": "We say it.", "level": 1},
        {"heading": "1.2 Second", "text": "We say more.", "level": stated},
    ]
    row = {"id": "doi:10.1/x", "title": "T", "sections": sections}
    (found,) = (
        each
        for each in read_jsonl(memory_content("x.jsonl", json.dumps(row).encode()), HyphenStatistics())
        if isinstance(each, Parsed)
    )
    assert found.document is not None
    assert [each.level for each in found.document.sections if each.title == "Second"] == [level]


def test_lines_in_another_encoding_are_read_and_told_once() -> None:
    rows = '{"title": "Eins"}\n{"title": "Möwen"}\n{"title": "Käfer"}\n'.encode("cp1252")
    found = list(read_jsonl(memory_content("a.jsonl", rows), HyphenStatistics()))
    assert [(each.paper.title, each.remark[:30]) for each in found if isinstance(each, Parsed)] == [
        ("Eins", ""),
        ("Möwen", "Line 2: Read as Windows-1252, "),
        ("Käfer", ""),
    ]


def test_rows_in_utf_16_are_read() -> None:
    rows = '{"title": "Möwen"}\n{"title": "Käfer"}\n'.encode("utf-16")
    assert detect(rows, "a.jsonl") == "jsonl"
    found = list(read_jsonl(memory_content("a.jsonl", rows), HyphenStatistics()))
    assert [each.paper.title for each in found if isinstance(each, Parsed)] == ["Möwen", "Käfer"]


@pytest.mark.parametrize(
    ("fields", "authors", "has_more"),
    [
        # arXiv's snapshot.
        ({"authors": [["Lee", "Ann", ""], ["King", "Bo", "Jr."]]}, (LEE, Author("King", "Bo", suffix="Jr.")), False),
        # An object inside an object.
        ({"authors": [{"name": {"given": "Ann", "family": "Lee"}}]}, (LEE,), False),
        # Zotero's editors stand among the authors.
        (
            {
                "authors": [
                    {"creatorType": "author", "firstName": "Ann", "lastName": "Lee"},
                    {"creatorType": "editor", "firstName": "Ed", "lastName": "Wu"},
                ]
            },
            (LEE,),
            False,
        ),
    ],
)
def test_names_in_the_forms_of_snapshots_and_managers(
    fields: dict[str, object], authors: tuple[Author, ...], has_more: bool
) -> None:
    found = paper(title="Owls", **fields)
    assert (found.authors, found.has_more_authors) == (authors, has_more)
