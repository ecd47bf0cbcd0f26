"""A PDF to a paper: head, sections, paragraphs, tables, references, pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.core.errors import BadInput
from litterm.importers.pdf.dehyphenate import WordCounts, clean_text, join_lines
from litterm.importers.pdf.lines import page_lines
from litterm.importers.pdf.pages import read_pages
from litterm.importers.pdf.pdf_paper import PdfPaper, to_parsed
from litterm.importers.pdf.reader import read_pdf
from litterm.importers.pdf.references import split_references
from litterm.model.document import Document
from litterm_benchmarks.pdf import compare, metrics, pairs
from tests.pdfs import LEFT, RIGHT, Text, column, make_pdf, paper


@pytest.fixture(scope="module")
def own() -> PdfPaper:
    return read_pdf(paper())


@pytest.fixture(scope="module")
def document(own: PdfPaper) -> Document:
    found = to_parsed(own, "own.pdf", "own").document
    assert found is not None
    return found


def test_title_and_authors_are_read_from_the_page_and_the_job_name_is_not(own: PdfPaper) -> None:
    assert own.title == "Choosing among Parsers by Information Alone"
    assert [(author.given, author.surname) for author in own.authors] == [("Mary", "Doe"), ("Carl", "van Brown")]
    assert own.year is None


def test_the_abstract_is_told_from_the_text(own: PdfPaper, document: Document) -> None:
    assert own.abstract.startswith("We choose among parsers") and own.abstract.endswith("nine kinds of text.")
    assert {s.kind for s in document.sentences if document.sections[s.section].kind == "abstract"} == {
        "heading",
        "abstract",
    }


def test_sections_have_number_level_and_purpose(document: Document) -> None:
    assert [(s.number, s.title, s.level, s.kind) for s in document.sections if s.number] == [
        ("1", "Introduction", 1, "introduction"),
        ("2", "Method", 1, "methods"),
        ("3", "Results", 1, "results"),
    ]


def test_columns_are_read_one_after_the_other_and_running_heads_not_at_all(document: Document) -> None:
    body = " ".join(s.text for s in document.sentences if s.kind == "body")
    assert "Meeting on Parsers 2004" not in document.text
    assert " 17 " not in f" {document.text} ".replace("\n", " ")
    assert (
        body.index("Parsers of natural language") < body.index("The measure itself") < body.index("The measure ranks")
    )


def test_broken_words_are_mended_by_what_the_paper_itself_writes(document: Document) -> None:
    text = document.text
    for whole in ("long input", "information measure", "state-of-the-art systems", "information theory"):
        assert whole in text


def test_a_paragraph_goes_on_over_columns_and_pages(document: Document) -> None:
    (long,) = [s for s in document.sentences if s.text.startswith("We use it on parsers")]
    assert long.text.endswith("every parser is wrong in its own way.")
    assert long.page == 1
    (after,) = [s for s in document.sentences if s.text.startswith("The experiments use")]
    assert (after.page, after.section, after.paragraph) == (2, long.section, long.paragraph)


def test_a_table_is_cells_behind_its_caption(document: Document) -> None:
    (table,) = document.tables
    assert table.label == "Table 1"
    assert table.rows == (("Parser", "Share"), ("Alpha", "0.91"), ("Beta", "0.87"))
    caption = document.sentences[table.first_sentence - 1]
    assert (caption.kind, caption.text, caption.page) == ("caption", "Table 1: Share of right choices.", 2)


def test_the_reference_list_is_cut_off_and_split(own: PdfPaper, document: Document) -> None:
    assert "Meeting on Tables" not in document.text
    assert document.references_known
    assert [(r.families, r.year, r.title) for r in own.references] == [
        (("Smith", "Doe"), 2001, "How to measure a parser without a treebank"),
        (("Miller",), 1999, "Information and its uses in linguistics"),
        (("Jones", "Brown", "Green"), 2003, "Tables of numbers considered harmful"),
    ]


def test_a_file_named_like_an_id_brings_that_id(own: PdfPaper) -> None:
    assert to_parsed(own, "x", "P18-1001").paper.id == "acl:P18-1001"
    assert to_parsed(own, "x", "final-version").paper.id.startswith("local:")


@pytest.mark.parametrize("title", ["Deep Contextual Zebra Features", "Zebra Parsing"])
def test_a_title_of_few_words_with_capitals_is_no_name(title: str) -> None:
    prose = ["Parsers of natural language have been studied for a very long time, and most are slow"] * 6
    page = [
        Text(LEFT, 720, title, 18, "bold"),
        Text(LEFT, 690, "Ann Bee and Carl Dee"),
        Text(LEFT, 660, "1 Introduction to the Parsing of Many Zebras", 14, "bold"),
        *column(LEFT, 640, prose),
    ]
    paper = read_pdf(make_pdf([page]))
    assert (paper.title, [author.family for author in paper.authors]) == (title, ["Bee", "Dee"])


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("On the Parsing of Zebras", "On the Parsing of Zebras"),
        ("A manuscript of quite another name", "Proceedings of the Many Zebras and Lions of the World"),
        ("", "Proceedings of the Many Zebras and Lions of the World"),
    ],
)
def test_the_title_that_a_file_states_counts_where_it_stands_on_the_page(stated: str, title: str) -> None:
    prose = ["Parsers of natural language have been studied for a very long time, and most are slow"] * 6
    page = [
        Text(LEFT, 750, "Proceedings of the Many Zebras and Lions of the World", 18, "bold"),
        Text(LEFT, 700, "On the Parsing of Zebras", 14, "bold"),
        Text(LEFT, 670, "Ann Bee and Carl Dee"),
        *column(LEFT, 640, prose),
    ]
    assert read_pdf(make_pdf([page], title=stated)).title == title


def test_ids_and_year_are_taken_only_where_the_first_page_is_clear() -> None:
    lines = [
        "A paper on nothing much at all, told at length and",
        "with many words, so that there is text to read.",
    ] * 8
    one = [Text(72, 740, "doi:10.1000/xyz123"), Text(72, 720, "Published: 3 May 2011"), *column(72, 600, lines)]
    two = [Text(72, 740, "doi:10.1000/xyz123"), Text(72, 720, "cites doi:10.1000/abc"), *column(72, 600, lines)]
    assert (read_pdf(make_pdf([one])).ids, read_pdf(make_pdf([one])).year) == (("doi:10.1000/xyz123",), 2011)
    assert (read_pdf(make_pdf([two])).ids, read_pdf(make_pdf([two])).year) == (("doi:10.1000/xyz123",), None)


@pytest.mark.parametrize("pages", [1, 7])
def test_images_without_text_are_told_from_papers(pages: int) -> None:
    with pytest.raises(BadInput, match="only images; it needs OCR"):
        read_pdf(make_pdf([[Text(300, 40, str(page))] for page in range(pages)]))


def test_a_scan_drawn_across_its_columns_is_read_down_them() -> None:
    left = [f"The left column has row number {n} here" for n in range(30)]
    right = [f"The right column has row number {n} too" for n in range(30)]
    across = [
        text
        for n, (one, two) in enumerate(zip(left, right, strict=True))
        for text in (Text(LEFT, 700 - 12 * n, one), Text(RIGHT, 700 - 12 * n, two))
    ]
    text = " ".join(block.text for block in read_pdf(make_pdf([across])).blocks)
    assert text.index(left[-1]) < text.index(right[0])


def test_references_by_number_keep_their_labels() -> None:
    lines = [
        "[1] A. Smith and B. Doe, “A title of some length,” in",
        "Proc. Things, 2001.",
        "[2] C. Brown. Another title",
        "altogether. J. Things 12 (1999) 3-4.",
        "[3] D. Green (2003) The last title of all. Things 1:2-3",
    ]
    page = read_pages(make_pdf([column(72, 700, lines)])).pages[0]
    found = split_references(page_lines(page), WordCounts.of(()))
    assert [(r.label, r.year) for r in found] == [("1", 2001), ("2", 1999), ("3", 2003)]
    assert found[0].title == "A title of some length"
    assert [r.families for r in found] == [("Smith", "Doe"), ("Brown",), ("Green",)]


def test_accents_beside_their_letters_find_them() -> None:
    assert [clean_text(text) for text in ("J ¨org", "Universit´e", "Socie´te´ Franc¸aise", "ﬁnd", "ˇReh")] == [
        "Jörg",
        "Université",
        "Société Française",
        "find",
        "Řeh",
    ]


def test_pages_are_kept_by_offset_within_a_paragraph() -> None:
    pages = read_pages(
        make_pdf([[Text(72, 60, "It begins here and is bro-")], [Text(72, 700, "ken there at once.")]])
    ).pages
    lines = [line for page in pages for line in page_lines(page)]
    found = join_lines(lines, WordCounts.of(lines))
    assert found.text == "It begins here and is broken there at once."
    assert found.pages == ((0, 1), (found.text.index("broken"), 2))


def test_the_pairs_with_jats_reach_the_figures(shared: Path) -> None:
    found = [one for pdf, jats in pairs(shared) if (one := compare(pdf, jats)) is not None]
    figures = {metric.name: metric.mean for metric in metrics(found)}
    assert len(found) == 16
    assert figures["words"] >= 98
    assert figures["5-grams"] >= 95
    assert figures["headings"] >= 85
    assert figures["from references"] <= 1
    assert figures["located"] >= 93
