"""BioC in both dialects and both spellings, and PubMed's records."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from litterm.importers.byte_sources import memory_content
from litterm.importers.pubmed import read_pubmed
from litterm.model.library import Parsed
from litterm.model.paper import Author

Papers = Callable[[Path], list[Parsed]]


def test_bioc_xml(samples: Path, papers: Papers) -> None:
    (found,) = papers(samples / "bioc.xml")
    paper, document = found.paper, found.document
    assert (paper.id, paper.aliases) == ("pmc:PMC9900007", ("pmid:99000077", "doi:10.9999/bioc.7"))
    assert paper.authors == (Author("Vega", "Eva"), Author("Berg", "Nils"))
    assert (paper.title, paper.year) == ("Passages in a row", 2030)
    assert document is not None
    assert [(s.level, s.number, s.title, s.kind) for s in document.sections] == [
        (1, "", "", "front"),
        (1, "", "Abstract", "abstract"),
        (1, "1", "Introduction", "introduction"),
        (1, "2", "Methods", "methods"),
        (2, "2.1", "Queue", "methods"),
    ]
    assert [s.text for s in document.sentences if s.kind == "body"] == [
        "Passages are short.",
        "Some are long.",
        "We queued them.",
    ]
    assert document.tables[0].rows == (("a", "b"),)
    (reference,) = document.references
    assert (reference.title, reference.label, reference.ids) == ("On rows", "Old, 1999", ("pmid:99000001",))
    assert document.licence == "CC BY"


def test_bioc_json_with_titles_beside_the_text(samples: Path, papers: Papers) -> None:
    (found,) = papers(samples / "bioc.json")
    assert (found.paper.id, found.paper.aliases) == ("pmc:PMC9900008", ("doi:10.9999/bioc.8",))
    assert (found.paper.keywords, found.paper.venue) == (("rows", "titles"), "Journal of Demonstrations")
    document = found.document
    assert document is not None
    assert [(s.level, s.title) for s in document.sections[1:]] == [
        (1, "Abstract"),
        (1, "Materials and Methods"),
        (2, "Data"),
        (2, "Tools"),
        (1, "Results"),
    ]
    assert [(r.label, r.text) for r in document.references] == [("1", "Old O. On rows. J Demo. (1999).")]


def test_pubmed(samples: Path, papers: Papers) -> None:
    first, second = papers(samples / "pubmed.xml")
    paper = first.paper
    assert (paper.id, paper.aliases) == ("pmid:99000021", ("doi:10.9999/pm.21",))
    assert paper.title == "On the growth of Mus demo"
    assert paper.abstract == "Objective: To grow. Results: It grew by 10³."
    assert paper.authors == (Author("Sato", "Mei", suffix="3rd"), Author("Growth Group", is_literal=True))
    assert (paper.year, paper.date, paper.imprint.pages) == (1999, "1999-11", "156–159")
    assert (paper.keywords, paper.retraction) == (("growth", "Mice"), "retracted")
    assert (second.paper.title, second.paper.date) == ("Plain and short", "2020-02-03")


def test_a_reference_list_without_a_full_text_is_kept_beside_the_abstract(samples: Path, papers: Papers) -> None:
    first, second = papers(samples / "pubmed.xml")
    assert second.document is None
    assert first.document is not None
    assert first.document.origin == "abstract"
    assert [(r.year, r.ids) for r in first.document.references] == [(2002, ("pmid:99000002",))]


def test_bioc_that_was_split_into_sentences_needs_no_other_text(tmp_path: Path, papers: Papers) -> None:
    title = {"infons": {"type": "title"}, "sentences": [{"text": "On sheep."}]}
    body = {"infons": {"type": "paragraph"}, "sentences": [{"text": "They see."}, {"text": "We do not."}]}
    (tmp_path / "a.json").write_text(json.dumps({"documents": [{"id": "1", "passages": [title, body]}]}))
    parts = "".join(
        f"<passage><infon key='type'>{part['infons']['type']}</infon>"  # type: ignore[index]
        + "".join(f"<sentence><text>{each['text']}</text></sentence>" for each in part["sentences"])  # type: ignore[index]
        + "</passage>"
        for part in (title, body)
    )
    (tmp_path / "a.xml").write_text(f"<collection><source/><document><id>1</id>{parts}</document></collection>")
    for name in ("a.json", "a.xml"):
        (found,) = papers(tmp_path / name)
        assert found.document is not None
        assert found.paper.title == "On sheep."
        assert [each.text for each in found.document.sentences if each.kind == "body"] == ["They see.", "We do not."]


def test_bioc_of_one_document_a_line(tmp_path: Path, papers: Papers) -> None:
    rows = [
        {"id": number, "passages": [{"infons": {"type": "title"}, "text": f"Title {number}"}]} for number in (77, 78)
    ]
    (tmp_path / "export.bin").write_text("\n".join(map(json.dumps, rows)))
    assert [each.paper.id for each in papers(tmp_path)] == ["pmid:77", "pmid:78"]


def test_a_spelling_of_a_name_that_was_corrected_is_no_author(tmp_path: Path, papers: Papers) -> None:
    (tmp_path / "one.xml").write_text(
        "<PubmedArticle><PMID>1</PMID><Article><ArticleTitle>T.</ArticleTitle><AuthorList>"
        '<Author ValidYN="Y"><LastName>Lovelace</LastName></Author>'
        '<Author ValidYN="N"><LastName>Loveless</LastName></Author></AuthorList></Article></PubmedArticle>'
    )
    assert papers(tmp_path)[0].paper.authors == (Author("Lovelace"),)


def test_a_list_of_authors_that_pubmed_cut_is_marked() -> None:
    authors = '<AuthorList CompleteYN="N"><Author><LastName>Holm</LastName><Initials>I</Initials></Author></AuthorList>'
    article = f"<Article><ArticleTitle>Owls.</ArticleTitle>{authors}</Article>"
    record = f"<PubmedArticle><MedlineCitation>{article}</MedlineCitation></PubmedArticle>"
    xml = f"<PubmedArticleSet>{record}</PubmedArticleSet>"
    (found,) = read_pubmed(memory_content("a.xml", xml.encode()))
    assert isinstance(found, Parsed)
    assert (found.paper.authors, found.paper.has_more_authors) == ((Author("Holm", "I"),), True)
