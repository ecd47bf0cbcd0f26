"""Which lines of a first page are the title, told by layout, and what stands for a title that is not certain."""

from __future__ import annotations

import pytest

from litterm.importers.pdf.pdf_paper import PdfPaper, to_parsed
from litterm.importers.pdf.reader import read_pdf
from tests.pdfs import LEFT, Text, column, make_pdf

_PROSE = [
    "Owls hunt at night, and nobody has counted the mice that",
    "they catch in a barn. We sat in four barns for a year and",
    "counted them, with the help of lamps that owls cannot see.",
]
_NAMES = Text(LEFT, 690, "Anna Alpha and Bernd Beta", 12)


def _body(first_heading: str = "1 Introduction", prose: list[str] = _PROSE) -> list[Text]:
    return [
        Text(LEFT, 580, first_heading, 12, "bold"),
        *column(LEFT, 560, prose * 6),
        Text(LEFT, 320, "2 Method", 12, "bold"),
        *column(LEFT, 300, prose * 4),
        Text(LEFT, 140, "3 Barns", 12, "bold"),
        *column(LEFT, 120, prose),
    ]


def _abstract() -> list[Text]:
    return [Text(LEFT, 650, "Abstract", 12, "bold"), *column(LEFT, 636, _PROSE)]


def _read(*head: Text, title: str = "", later: list[Text] | None = None) -> PdfPaper:
    pages = [[*head, *_abstract(), *_body()], *([later] if later else [])]
    return read_pdf(make_pdf(pages, title=title))


@pytest.mark.parametrize(
    "title",
    [
        "On the Use of ArXiv as a Dataset",
        "Journals and their Editors",
        "University Lectures Revisited",
        "A Workshop without Chairs",
        "The Volume of an Owl",
        "Contents and Forms of Barns",
        "Copyright for Owls: A Conference",
        "Owlology",
        "OWL",
        "2001, 2002 and 2003: 365 Days, 52 Weeks, 12 Months",
        "10 Years of Owls",
        "I Know What You Hunted Last Night",
        "Abstract Owl Representation",
        "Keyword Extraction from Hoots",
        "Introduction to the Owl",
        "Background Owls and Foreground Mice",
        "Owl Models",
        "Preface",
        "Hunting, Sleeping and Hooting",
        "Night Hunting, Day Sleeping and Dusk Hooting",
        "1984 and 2024",
        "3D4U: 12 34",
        "H5N1",
        "T5",
        "Open Access Explained",
        "Original Research Articles",
        "Keywords",
        "Acknowledgements",
        "Copyright",
    ],
)
def test_a_title_is_told_by_its_layout_whatever_its_words(title: str) -> None:
    paper = _read(Text(LEFT, 720, title, 16, "bold"), _NAMES)
    assert (paper.title, paper.is_title_certain) == (title, True)
    assert [author.family for author in paper.authors] == ["Alpha", "Beta"]


@pytest.mark.parametrize("masthead", ["Nature", "Journal of Owls", "Owl Letters", "NIH Public Access"])
@pytest.mark.parametrize("title", ["Barns at Night", "How Many Mice an Owl Catches in a Barn in One Night"])
def test_the_name_of_a_journal_is_not_the_title_though_it_is_larger(masthead: str, title: str) -> None:
    paper = _read(Text(LEFT, 755, masthead, 24, "bold"), Text(LEFT, 720, title, 16, "bold"), _NAMES)
    assert (paper.title, paper.is_title_certain) == (title, True)


@pytest.mark.parametrize(
    "names",
    [
        "Karl Kappa, Jr., Lena Lambda, PhD, Mia My, MD, and Ny Nano, MSc",
        "Dr. Karl Kappa, Prof. Lena Lambda and Mia My III of Barns, Ny Nano",
    ],
)
def test_a_list_of_names_is_not_the_title_though_it_is_longer(names: str) -> None:
    paper = _read(Text(LEFT, 720, "Barns and Mice", 16, "bold"), Text(LEFT, 690, names, 12))
    assert paper.title == "Barns and Mice"


def test_a_section_is_never_the_title() -> None:
    for heading in ("1 Introduction", "Introduction", "Contents", "Abstract", "2. Related Work", "References"):
        paper = read_pdf(make_pdf([[Text(LEFT, 740, heading, 18, "bold"), *column(LEFT, 700, _PROSE * 10)]]))
        assert (paper.title, paper.is_title_certain) == ("", False), heading


def test_a_file_without_a_certain_title_is_called_after_the_file_and_told_by_its_words() -> None:
    one = read_pdf(make_pdf([_body()]))
    other = read_pdf(make_pdf([_body(prose=[*_PROSE[:2], "counted them, and were bitten by a bat."])]))
    papers = [to_parsed(pdf, f"{name}.pdf", name).paper for pdf, name in ((one, "scan-7"), (other, "scan-8"))]
    assert [(paper.title, paper.is_title_certain) for paper in papers] == [("scan-7", False), ("scan-8", False)]
    assert papers[0].id != papers[1].id
    # The same words under another name are the same paper.
    assert to_parsed(read_pdf(make_pdf([_body()], title="x")), "copy.pdf", "copy").paper.id == papers[0].id


def test_a_word_that_may_be_the_journals_is_no_certain_title() -> None:
    paper = read_pdf(make_pdf([[Text(LEFT, 740, "Heliyon", 18, "bold"), *_body()]]))
    assert (paper.title, paper.is_title_certain) == ("", False)


def test_two_prefaces_are_two_papers() -> None:
    pages = [[Text(LEFT, 740, "Preface", 18, "bold"), _NAMES, *column(LEFT, 600, [*_PROSE * 6, last])] for last in "ab"]
    papers = [to_parsed(read_pdf(make_pdf([page])), "p.pdf", "p").paper for page in pages]
    assert [paper.title for paper in papers] == ["Preface", "Preface"]
    assert papers[0].id != papers[1].id


@pytest.mark.parametrize(
    "stated",
    [
        "Microsoft Word - owls.doc",
        "untitled",
        "paper.dvi",
        "owls_final_v3",
        "Pr_48_r.indd",
        "pone.0115884 1..14",
        "x y",
    ],
)
def test_the_name_of_a_print_job_is_never_the_title(stated: str) -> None:
    paper = read_pdf(make_pdf([_body()], title=stated))
    assert (paper.title, paper.is_title_certain) == ("", False)


def test_a_stated_title_is_certain_only_where_the_pages_print_it() -> None:
    stated = "How Many Mice an Owl Catches"
    assert _is(read_pdf(make_pdf([_body()], title=stated)), stated, False)
    printed = [Text(LEFT, 740, f"{stated}. We have counted mice in barns.", 10), *_body()]
    assert _is(read_pdf(make_pdf([printed], title=stated)), stated, True)
    assert _is(_read(Text(LEFT, 720, "Owlology", 16, "bold"), title="Owlology"), "Owlology", True)


def _is(paper: PdfPaper, title: str, is_certain: bool) -> bool:
    return (paper.title, paper.is_title_certain) == (title, is_certain)


def test_the_title_page_behind_a_cover_has_the_authors() -> None:
    cover = [
        Text(LEFT, 720, "How Many Mice an Owl Catches in a Barn", 14, "bold"),
        *column(LEFT, 660, ["This is a repository copy of an article about owls.", "It may be read by all."]),
    ]
    title_page = [Text(LEFT, 720, "How Many Mice an Owl Catches in a Barn", 20, "bold"), _NAMES, *_abstract(), *_body()]
    paper = read_pdf(make_pdf([cover, title_page]))
    assert _is(paper, "How Many Mice an Owl Catches in a Barn", True)
    assert [author.family for author in paper.authors] == ["Alpha", "Beta"]


def test_large_words_on_a_later_page_are_not_the_title() -> None:
    later = [Text(LEFT, 700, "Accuracy of all the lamps over time", 24, "bold"), *column(LEFT, 600, _PROSE * 5)]
    assert _read(Text(LEFT, 720, "Barns and Mice", 16, "bold"), _NAMES, later=later).title == "Barns and Mice"


def test_a_title_as_large_as_the_text_is_certain_where_it_is_set_apart() -> None:
    assert _is(
        _read(Text(LEFT, 720, "Barns and Mice", 10, "bold"), Text(LEFT, 690, "Anna Alpha")), "Barns and Mice", True
    )


def test_what_is_drawn_beside_a_title_is_no_part_of_it() -> None:
    paper = _read(
        Text(LEFT, 722, "OWL-7", 8), Text(LEFT + 60, 722, "0912-0009", 8), Text(LEFT, 720, "Barns and Mice", 16), _NAMES
    )
    assert paper.title == "Barns and Mice"
