"""Which ids of a PDF are its own: those in head, foot, margin and metadata, and none of a work that it cites."""

from __future__ import annotations

import dataclasses

import pytest

from litterm.importers.pdf.own_ids import PageRegion, PdfIds, PrintedLines, find_ids
from litterm.importers.pdf.pdf_paper import PdfPaper, to_parsed
from litterm.importers.pdf.reader import read_pdf
from tests.pdfs import LEFT, Text, column, make_pdf

_PROSE = [
    "Owls hunt at night, and nobody has counted the mice that",
    "they catch in a barn. We sat in four barns for a year and",
    "counted them, with the help of lamps that owls cannot see.",
]


@dataclasses.dataclass(frozen=True)
class Stamp(Text):
    """Text that runs upwards along the left edge."""

    def operators(self) -> str:
        return f"BT /F0 {self.size} Tf 0 1 -1 0 {self.x} {self.y} Tm ({self.text}) Tj ET"


def _page(
    *more: Text, head: str = "", under_title: str = "", intro: str = "", references: str = "", foot: str = ""
) -> list[Text]:
    """The first page of a paper about owls, with lines where papers have them."""
    optional = [
        Text(LEFT, 765, head, 8),
        Text(LEFT, 560, intro, 10),
        Text(LEFT, 60, foot, 8),
    ]
    listed = column(LEFT, 200, ["[1] C. Gamma. 2019. Mice in barns. In Mouse News.", references]) if references else []
    return [
        Text(LEFT, 720, "How Many Mice an Owl Catches in a Barn", 16, "bold"),
        Text(LEFT, 700, "Anna Alpha and Bernd Beta", 12),
        *([Text(LEFT, 672, under_title, 10)] if under_title else []),
        Text(LEFT, 650, "Abstract", 12, "bold"),
        *column(LEFT, 636, _PROSE),
        Text(LEFT, 580, "1 Introduction", 12, "bold"),
        *column(LEFT, 548, _PROSE * 8),
        *([Text(LEFT, 215, "References", 12, "bold")] if references else []),
        *listed,
        *(text for text in optional if text.text),
        *more,
    ]


def _read(*more: Text, **lines: str) -> PdfPaper:
    return read_pdf(make_pdf([_page(*more, **lines)]))


@pytest.mark.parametrize(
    "lines",
    [
        {"references": "arXiv preprint arXiv:1905.12345."},
        {"references": "https://doi.org/10.1000/mouse.12"},
        {"intro": "We follow the recipe of (arXiv:1905.12345) and change"},
        {"intro": "The count of doi:10.1000/mouse.12 was a first guess."},
        {"foot": "1 https://doi.org/10.1000/mouse.12"},
        {"foot": "* The data are at https://doi.org/10.5281/zenodo.12345"},
        {"foot": "https://doi.org/10.5281/zenodo.12345"},
        {"foot": "Code and barns: https://doi.org/10.1000/barns.7"},
        {"foot": "See also arXiv:1905.12345"},
        {"foot": "The original article can be found online at https://doi.org/10.1000/mouse.12"},
        {"under_title": "Correction to: Mouse News 3, https://doi.org/10.1000/mouse.12"},
        {"under_title": "Data set: https://doi.org/10.1594/OWLS.4"},
        {"under_title": "Comment on arXiv:1905.12345"},
        {"head": "Related article: doi:10.1000/mouse.12"},
        {"head": "Funded by https://doi.org/10.13039/501100001659"},
    ],
)
def test_an_id_of_another_work_is_neither_its_own_nor_doubtful(lines: dict[str, str]) -> None:
    paper = _read(**lines)
    assert (paper.ids, paper.unverified_ids) == ((), ())
    assert paper.title == "How Many Mice an Owl Catches in a Barn"


@pytest.mark.parametrize(
    ("lines", "own"),
    [
        ({"head": "Barn News 2021, 6, 104; doi:10.1000/owl.1"}, "doi:10.1000/owl.1"),
        ({"head": "https://doi.org/10.1000/owl.1"}, "doi:10.1000/owl.1"),
        ({"head": "arXiv:2202.11111v1 [q-bio.PE] 5 Feb 2022"}, "arxiv:2202.11111"),
        ({"head": "hep-th/9711200"}, "arxiv:hep-th/9711200"),
        ({"head": "PMID: 23456789"}, "pmid:23456789"),
        ({"under_title": "DOI: 10.1000/owl.1"}, "doi:10.1000/owl.1"),
        ({"under_title": "Published online 3 May 2021, doi 10.1000/owl.1"}, "doi:10.1000/owl.1"),
        ({"foot": "doi:10.1000/owl.1"}, "doi:10.1000/owl.1"),
        ({"foot": "www.barns.org/cgi/doi/10.1000/owl.1"}, "doi:10.1000/owl.1"),
        ({"foot": "0167-8655/\xa9 2021 Barn Press. https://doi.org/10.1000/owl.1"}, "doi:10.1000/owl.1"),
        ({"foot": "Alpha A, How Many Mice an Owl Catches in a Barn, doi:10.1000/owl.1"}, "doi:10.1000/owl.1"),
        (
            {"foot": "The online version of this article (doi:10.1000/owl.1) has additional material"},
            "doi:10.1000/owl.1",
        ),
        ({"head": "https://aclanthology.org/2021.acl-long.7"}, "acl:2021.acl-long.7"),
    ],
)
def test_an_id_in_head_or_foot_is_its_own(lines: dict[str, str], own: str) -> None:
    assert _read(references="arXiv preprint arXiv:1905.12345.", **lines).ids == (own,)


def test_the_stamp_at_the_side_wins_over_every_other_number() -> None:
    stamp = Stamp(30, 250, "arXiv:2202.11111v1 [q-bio.PE] 5 Feb 2022", 20)
    for lines in (
        {"references": "arXiv preprint arXiv:1905.12345."},
        {"head": "arXiv:1905.12345"},
        {"under_title": "arXiv:1905.12345"},
    ):
        paper = _read(stamp, **lines)
        assert (paper.ids, paper.unverified_ids, paper.year) == (("arxiv:2202.11111",), (), 2022)


def test_the_foot_of_all_pages_names_the_paper() -> None:
    foot = Text(LEFT, 40, "Barn News | DOI:10.1000/owl.1 May 3, 2021", 8)
    pages = [_page(foot, head="doi:10.1000/owl.99"), [Text(LEFT, 700, "More of it.", 10), foot]]
    paper = read_pdf(make_pdf(pages))
    assert (paper.ids, paper.unverified_ids) == (("doi:10.1000/owl.1",), ("doi:10.1000/owl.99",))


def test_of_two_dois_with_the_same_right_none_is_certain() -> None:
    paper = _read(Text(LEFT, 755, "doi:10.1000/owl.2", 8), head="doi:10.1000/owl.1")
    assert (paper.ids, paper.unverified_ids) == ((), ("doi:10.1000/owl.1", "doi:10.1000/owl.2"))


def test_a_note_how_to_cite_something_is_kept_as_doubtful() -> None:
    paper = _read(head="Please cite as: C. Gamma, doi:10.1000/mouse.12")
    assert (paper.ids, paper.unverified_ids) == ((), ("doi:10.1000/mouse.12",))
    assert to_parsed(paper, "owls.pdf", "owls").paper.unverified_ids == ("doi:10.1000/mouse.12",)


@pytest.mark.parametrize(
    ("printed", "own"),
    [
        ("doi:10.1162/COLI a 00122", ("doi:10.1162/coli_a_00122",)),
        ("DOI: 10.1007/978-3-642-01234-5 12", ("doi:10.1007/978-3-642-01234-5_12",)),
        ("10.1093/bioinformatics/ btaa111", ("doi:10.1093/bioinformatics/btaa111",)),
        ("https://doi.org/10.1145/3331184.\n3331200", ("doi:10.1145/3331184.3331200",)),
        ("https://doi.org/10.18653/v1/\nN19-1423", ("doi:10.18653/v1/n19-1423",)),
        ("doi:10.1093/owls/ of the night", ()),
        ("doi:10.1000/0891201 05774321091", ()),
        ("doi:10.1000/owls.17 2018", ("doi:10.1000/owls.17",)),
        ("doi:10.1000/OWLS a b", ()),
        ("https://doi.org/10.1016/j.owls.2017.\n03.003", ()),
        ("https://doi.org/10.1016/j.owls.2017-\nb003", ()),
        ("doi:10.1145/nnnnnnn.nnnnnnn", ()),
        ("https://doi.org/10.1145/1122445.1122456", ()),
        ("doi:10.1002/(ISSN)1097-4571", ()),
        ("https://doi.org/10.1000/owl.12.", ("doi:10.1000/owl.12",)),
    ],
)
def test_a_doi_with_a_blank_is_mended_where_its_shape_is_known_and_else_is_none(
    printed: str, own: tuple[str, ...]
) -> None:
    passages = [PrintedLines(tuple(printed.split("\n")), PageRegion.HEAD)]
    assert find_ids(passages, (), "") == PdfIds(own, ())


def test_the_doi_of_a_book_is_not_that_of_its_chapter() -> None:
    found = find_ids([PrintedLines(("DOI: 10.1007/978-3-642-01234-5",), PageRegion.FOOT)], (), "")
    assert found == PdfIds((), ("doi:10.1007/978-3-642-01234-5",))


def test_a_part_of_a_paper_has_an_id_that_is_not_the_papers() -> None:
    passages = [PrintedLines((f"DOI: 10.7554/eLife.00666{end}",), PageRegion.HEAD) for end in (".001", "")]
    assert find_ids(passages, (), "") == PdfIds(("doi:10.7554/elife.00666",), ())


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        (("Barn News, 12 (2017) 1-10. doi:10.1000/owl.1",), PdfIds(("doi:10.1000/owl.1",))),
        (("doi:10.1000/owl.1", "doi:10.1000/owl.2"), PdfIds((), ("doi:10.1000/owl.1", "doi:10.1000/owl.2"))),
        (("Reviews of doi:10.1000/owl.1 and doi:10.1000/owl.2",), PdfIds()),
    ],
)
def test_metadata_name_the_paper_where_they_name_one(stated: tuple[str, ...], found: PdfIds) -> None:
    assert find_ids([], stated, "") == found


def test_what_is_printed_is_nearer_than_the_metadata_of_a_template() -> None:
    found = find_ids([PrintedLines(("doi:10.1000/owl.1",), PageRegion.HEAD)], ("doi:10.1000/template.3",), "")
    assert found == PdfIds(("doi:10.1000/owl.1",), ("doi:10.1000/template.3",))


def test_ids_are_read_from_document_information_and_xmp() -> None:
    packet = "<x><prism:doi>10.1000/owl.1</prism:doi></x>"
    assert read_pdf(make_pdf([_page()], packet=packet)).ids == ("doi:10.1000/owl.1",)
    listed = '<x xmlns="y"><dc:identifier><rdf:Bag><rdf:li>doi:10.1000/owl.1</rdf:li></rdf:Bag></dc:identifier></x>'
    assert read_pdf(make_pdf([_page()], packet=listed)).ids == ("doi:10.1000/owl.1",)
    assert read_pdf(make_pdf([_page()], info={"Subject": "Barn News. doi:10.1000/owl.1"})).ids == ("doi:10.1000/owl.1",)
    assert read_pdf(make_pdf([_page()], info={"arXivID": "2202.11111v2"})).ids == ("arxiv:2202.11111",)
    assert read_pdf(make_pdf([_page()], info={"Keywords": "see doi:10.1000/owl.1"})).ids == ()


def test_a_file_named_after_another_paper_does_not_become_it() -> None:
    paper = to_parsed(_read(head="arXiv:2202.11111v1 [q-bio.PE] 5 Feb 2022"), "x", "1905.12345").paper
    assert (paper.id, paper.aliases, paper.unverified_ids) == ("arxiv:2202.11111", (), ("arxiv:1905.12345",))


def test_the_year_of_a_listed_work_is_not_the_papers() -> None:
    assert _read(references="In Proceedings of the Meeting on Barns, 2011.").year is None
    assert _read(foot="Proceedings of the Meeting on Barns, 2012").year == 2012
    assert _read(head="Barn News Vol.9. No.3. pp: 177-186, Summer 2011").year == 2011
