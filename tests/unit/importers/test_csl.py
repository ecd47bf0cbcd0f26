"""CSL-JSON as reference managers, services and pandoc write it: what comes in, and what is reported."""

from __future__ import annotations

import json
import time

import pytest

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import memory_content
from litterm.importers.csl import read_csl
from litterm.importers.detect import Unreadable, detect
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper

ITEM = {"id": "a", "type": "article-journal", "title": "Owls of the north"}


def papers(value: object) -> list[Paper]:
    data = json.dumps(value).encode()
    assert detect(data, "x.txt") == "csl"
    return [item.paper for item in read_csl(memory_content("x.json", data)) if isinstance(item, Parsed)]


def paper(**fields: object) -> Paper:
    (only,) = papers([ITEM | fields])
    return only


def test_an_item_with_all_its_fields() -> None:
    found = paper(
        id="http://zotero.org/users/1/items/ABCD1234",
        author=[
            {"family": "Berg", "given": "Ine", "non-dropping-particle": "van den"},
            {"family": "Lind", "given": "Per", "suffix": "Jr."},
            {"literal": "The Owls"},
        ],
        editor=[{"family": "Roth", "given": "Eva"}],
        issued={"date-parts": [["2019", 4, "7"]]},
        **{"container-title": "Journal of Owls", "container-title-short": "J Owls", "publisher-place": "Oslo"},
        **{"collection-title": "Birds", "volume": 12, "issue": "3", "page": "101-19", "DOI": "10.5555/Owl.1"},
        **{"ISSN": "1234-567X", "abstract": "<jats:p>They <i>hunt</i>.</jats:p>", "keyword": "owls; voles, small"},
        note="PMID: 1234567\nCitation Key: Aas2019\nRead twice.",
        URL="https://example.org/o",
        language="en",
    )
    assert {found.id, *found.aliases} == {"doi:10.5555/owl.1", "pmid:1234567"}
    assert found.authors == (
        Author("Berg", "Ine", prefix="van den"),
        Author("Lind", "Per", suffix="Jr."),
        Author("The Owls", is_literal=True),
    )
    assert (found.abstract, found.venue, found.date) == ("They hunt.", "Journal of Owls", "2019-04-07")
    assert found.keywords == ("owls", "voles, small")
    details = found.imprint
    assert (details.bibkey, details.note, details.pages, details.volume) == ("Aas2019", "Read twice.", "101–119", "12")
    assert (details.editors, details.series, details.address) == ((Author("Roth", "Eva"),), "Birds", "Oslo")
    assert "https://example.org/o" in found.urls and "j-owls" in found.venue_keys


@pytest.mark.parametrize(
    ("issued", "date"),
    [
        ({"date-parts": [[2019]]}, "2019"),
        ({"date-parts": [["2019", "4"], ["2020"]]}, "2019-04"),
        ({"literal": "April 2019"}, "2019-04"),
        ({"raw": "2019-04-07"}, "2019-04-07"),
        ("2019-04-07", "2019-04-07"),
        ({"date-parts": [[2019]], "season": 3, "circa": True}, "2019"),
        ({"date-parts": [[None]]}, ""),
        ({"date-parts": []}, ""),
        ({"date-parts": [[-44, 3, 15]]}, ""),
    ],
)
def test_dates(issued: object, date: str) -> None:
    found = paper(issued=issued)
    assert (found.date, found.year) == (date, int(date[:4]) if date else None)


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"id": "Müller2019"}, "Müller2019"),
        ({"id": 17}, ""),
        ({"id": "12/ABCD1234"}, ""),
        ({"id": "https://doi.org/10.5555/x"}, ""),
        ({"id": "12/ABCD1234", "citation-key": "lee20"}, "lee20"),
    ],
)
def test_the_citation_key_is_no_number_of_a_program(fields: dict[str, object], key: str) -> None:
    assert paper(**fields).imprint.bibkey == key


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ("article", "preprint"),
        ("paper-conference", "inproceedings"),
        ("entry-encyclopedia", "chapter"),
        ("standard", "report"),
        ("webpage", "other"),
    ],
)
def test_types(stated: str, kind: str) -> None:
    assert paper(type=stated).type == kind


def test_lists_of_crossref_and_a_thesis() -> None:
    (found,) = papers(
        {
            "items": [
                ITEM | {"type": "journal-article", "title": ["Owls"], "subtitle": ["A study"], "container-title": ["J"]}
            ]
        }
    )
    assert (found.title, found.venue) == ("Owls: A study", "J")
    (found,) = papers({"message": ITEM | {"container-title": ["J"], "type": "journal-article"}})
    assert found.title == "Owls of the north"
    thesis = paper(type="thesis", genre="Master’s thesis", publisher="Oslo").imprint
    assert (thesis.thesis, thesis.institution, thesis.publisher) == ("master", "Oslo", "")


def test_other_shapes_of_a_file() -> None:
    item = ITEM | {"issued": {"date-parts": [[2019]]}}
    assert len(papers(item)) == 1
    lines = "\n".join(json.dumps(item) for _ in range(3)).encode()
    assert detect(lines) == "csl"
    assert len(list(read_csl(memory_content("x", lines)))) == 3
    assert detect(json.dumps([item]).encode("utf-16")) == "csl"
    printed = json.dumps({"references": [item, item]}, indent=1).encode("utf-8-sig")
    assert detect(printed) == "csl"
    assert len(list(read_csl(memory_content("x", printed)))) == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "a", "title": "Owls", "type": "article", "authors": ["Lee, Ann"], "year": 2019}\n',
        '{"title": "Owls", "author": [{"family": "Lee", "given": "Ann"}], "type": "article"}\n',
        '{"id": "doi:10.1/x", "title": "Owls", "type": "book", "references": [{"container-title": "C"}]}\n',
    ],
)
def test_rows_of_json_lines_stay_rows(text: str) -> None:
    assert detect(text.encode()) == "jsonl"


@pytest.mark.parametrize(
    "text", ['[{"title": "A", "type": "story"}]', '[{"itemType": "book", "title": "A", "type": "book"}]', "[1, 2]"]
)
def test_other_lists_are_not_csl(text: str) -> None:
    assert isinstance(detect(text.encode()), Unreadable)


def test_a_broken_item_is_reported_with_its_line_and_the_rest_is_read() -> None:
    good = json.dumps(ITEM)
    text = f'[\n{good},\n{{"id": "b", "title": "unended}},\n{good},\n{{"id": "c", "type": "book"}},\n7\n]'
    found = list(read_csl(memory_content("x", text.encode())))
    assert [item.origin if isinstance(item, Failure) else item.paper.title for item in found] == [
        "Owls of the north",
        "x:3",
        "Owls of the north",
        "x:5",
        "x:6",
    ]
    with pytest.raises(BadInput, match="no item"):
        list(read_csl(memory_content("x", b"[]")))


def test_hostile_files_end_soon() -> None:
    started = time.process_time()
    with pytest.raises(BadInput, match="values in one piece"):
        list(read_csl(memory_content("x", b"[" + b"[]," * 3_000_001)))
    with pytest.raises(BadInput, match="not well-formed"):
        list(read_csl(memory_content("x", b"[" + b'{"id": x}, ' * 3_000)))
    assert len(list(read_csl(memory_content("x", b'[{"id": x}' + b" " * 1_000_000 + b"]")))) == 1
    with pytest.raises(RecursionError):
        list(read_csl(memory_content("x", b"[" * 200_000)))
    assert time.process_time() - started < 30


def test_fields_of_any_type_cost_no_more_than_themselves() -> None:
    names = "author issued container-title volume page DOI note keyword ISBN URL number genre abstract".split()
    for value in (None, True, 7, 1.5, "\ud800\x1b[31m", [], [None, 3], {}, {"date-parts": "x"}, [{"family": 3}]):
        found = paper(**dict.fromkeys(names, value))
        assert found.title == "Owls of the north"
        assert all(url.isprintable() for url in found.urls)
