"""The importers on real data: counts as the data's own descriptions give them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from litterm.importers.jats.inline import inline_text
from litterm.importers.reader import FileReader
from litterm.importers.xml.tree import parse_tree
from litterm.model.library import Failure, Parsed, ReadEvent
from litterm.model.paper import Paper

Read = Callable[[Path], list[ReadEvent]]
REFS_COUNTED_OTHERWISE = {
    # The description counts what its own parser kept; these files hold more `ref` elements.
    "10.1101_2021.10.21.465267.xml": 78,
    "10.1101_2023.12.31.573522.xml": 50,
    "10.1101_2024.12.31.630838.xml": 88,
    # Two of the four stand in a sub-article.
    "PMC5501036.xml": 2,
}


FIGURE = frozenset(("fig",))


def papers_of(found: list[ReadEvent]) -> list[Paper]:
    assert [each for each in found if isinstance(each, Failure)] == []
    return [each.paper for each in found if isinstance(each, Parsed)]


def test_iclr(shared: Path, read: Read) -> None:
    papers = papers_of(read(shared / "data" / "iclr.jsonl.gz"))
    assert len({paper.id for paper in papers}) == len(papers) == 28_390
    assert Counter(paper.decision for paper in papers) == {
        "accept": 11_316,
        "reject": 8_830,
        "unknown": 5_231,
        "withdrawn": 2_771,
        "workshop": 169,
        "desk-reject": 73,
    }
    assert {paper.id.partition(":")[0] for paper in papers} <= {"iclr", "arxiv", "local"}
    assert all(paper.type == "inproceedings" and paper.venue_keys == ("iclr",) for paper in papers)
    assert not [paper.id for paper in papers if "\n" in paper.abstract or "\\textit{" in paper.abstract]


def test_recent_acl_is_keyed_by_its_anthology_id(shared: Path, read: Read) -> None:
    papers = papers_of(read(shared / "data" / "acl-recent.jsonl.gz"))
    assert len({paper.id for paper in papers}) == len(papers) == 10_857
    assert sum(paper.id.startswith("acl:") for paper in papers) == 10_118
    assert not [paper.id for paper in papers if paper.id.startswith("acl:") and paper.decision == "reject"]


def test_full_texts_of_json_lines_keep_their_sentences(shared: Path, read: Read) -> None:
    found = [each for each in read(shared / "data" / "fulltext-acl") if isinstance(each, Parsed)]
    assert len(found) == 300
    assert all(each.document is not None and each.paper.id.startswith("acl:") for each in found)


def manifest(shared: Path) -> list[dict[str, object]]:
    lines = (shared / "data" / "jats" / "manifest.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def articles(shared: Path) -> dict[str, Parsed]:
    found: dict[str, Parsed] = {}
    for row in manifest(shared):
        name = str(row["file"])
        (each,) = (
            each
            for each in FileReader().read(shared / "data" / "jats" / name, lambda _: False)
            if isinstance(each, Parsed | Failure)
        )
        assert isinstance(each, Parsed), each
        found[name] = each
    return found


def test_all_138_articles_are_read(articles: dict[str, Parsed]) -> None:
    assert len(articles) == 138
    assert sum(each.document is not None for each in articles.values()) == 135
    assert all(each.paper.title and each.paper.id for each in articles.values())
    assert all(each.paper.title.isprintable() for each in articles.values())


def test_references_as_described(shared: Path, articles: dict[str, Parsed]) -> None:
    for row in manifest(shared):
        name, document = str(row["file"]), articles[str(row["file"])].document
        if document is not None:
            assert len(document.references) == REFS_COUNTED_OTHERWISE.get(name, row["references"]), name
            assert all(reference.text for reference in document.references), name


def test_sections_as_described(shared: Path, articles: dict[str, Parsed]) -> None:
    for row in manifest(shared):
        name, document = str(row["file"]), articles[str(row["file"])].document
        if document is not None and not row["sub_articles"]:
            root = parse_tree((shared / "data" / "jats" / name).read_bytes())
            assert len(document.sections) == int(str(row["sections"])) + sections_without_element(root), name


def sections_without_element(root: Element) -> int:
    """Sections of a document that no `sec` stands for: front, abstracts, named boxes, floats, text before any."""
    article = next(root.iter("article"))
    body, back = article.find("body"), article.find("back")
    found = 1 + len(article.findall("floats-group"))
    found += sum(any(inline_text(p, skip=FIGURE) for p in a.iter("p")) for a in article.iter("abstract"))
    found += body is not None and len(body) > 0 and body[0].tag != "sec"
    apart = ("ack", "app-group", "notes", "glossary", "fn-group", "bio")
    found += sum(child.tag in apart for child in (back if back is not None else ()))
    found += sum(1 for _ in article.iter("app"))
    named = ("label", "caption/title")
    found += sum(any(box.find(path) is not None for path in named) for box in article.iter("boxed-text"))
    # Notes on the authors are no part of the text.
    return found - sum(1 for notes in root.findall(".//front//notes") for _ in notes.iter("sec"))


def test_contexts_stand_where_they_say(articles: dict[str, Parsed]) -> None:
    total = 0
    for each in articles.values():
        document = each.document
        for context in document.contexts if document is not None else ():
            assert document is not None
            total += 1
            sentence = document.sentences[context.sentence]
            assert sentence.span.start <= context.span.start <= context.span.end
            assert 0 <= context.reference < len(document.references)
            assert document.text[context.span.start : context.span.end].strip()
    assert total > 11_000


def test_ids_and_years_as_described(shared: Path, articles: dict[str, Parsed]) -> None:
    agreeing = 0
    for row in manifest(shared):
        paper = articles[str(row["file"])].paper
        ids = (paper.id, *paper.aliases)
        if len(str(row["pmcid"])) in range(1, 12):
            # One was made from a file name and is no id.
            assert paper.id.startswith("pmc:PMC"), row["file"]
        if row["doi"]:
            assert f"doi:{str(row['doi']).lower()}" in ids, row["file"]
        agreeing += str(paper.year) == row["year"]
    # Where print and electronic publication fall into different years, descriptions differ too.
    assert agreeing >= 134


def test_pubmed_and_bioc(shared: Path, read: Read) -> None:
    assert len(papers_of(read(shared / "data" / "jats" / "pubmed"))) == 42
    assert len(papers_of(read(shared / "data" / "jats" / "bioc"))) == 3
