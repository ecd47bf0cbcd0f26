"""RIS as services and programs write it: what comes in, from which tags, and what is reported."""

from __future__ import annotations

import time

import pytest

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import Unreadable, detect
from litterm.importers.exported_record import MAX_LINES
from litterm.importers.ris import read_ris
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper


def papers(text: str | bytes) -> list[Paper]:
    data = text.encode() if isinstance(text, str) else text
    assert detect(data, "x.txt") == "ris"
    return [item.paper for item in read_ris(memory_content("x.ris", data)) if isinstance(item, Parsed)]


def paper(*lines: str, kind: str = "JOUR") -> Paper:
    (only,) = papers("\n".join((f"TY  - {kind}", "TI  - Owls of the north", *lines, "ER  - ", "")))
    return only


def test_a_record_with_all_its_fields() -> None:
    found = paper(
        *("AU  - Aas, Nora", "AU  - Lind, Per, Jr.", "AU  - The Owl Study Group", "JO  - Journal of Owls"),
        *("J2  - J Owls", "VL  - 12", "IS  - 3", "SP  - 101", "EP  - 19", "PY  - 2019", "DA  - 2019/04/07/"),
        *(
            "SN  - 1234567X",
            "DO  - https://doi.org/10.5555/Owl.1",
            "AB  - They hunt.",
            "KW  - *owls; voles",
            "KW  - Owls",
        ),
        *("N1  - Read twice.", "UR  - https://example.org/o", "L1  - files/a.pdf", "LA  - en", "ID  - Aas2019"),
        *("C7  - e17", "ET  - 2", "T3  - Birds"),
    )
    assert found.id == "doi:10.5555/owl.1"
    assert found.authors == (
        Author("Aas", "Nora"),
        Author("Lind", "Per", suffix="Jr."),
        Author("The Owl Study Group", is_literal=True),
    )
    assert (found.venue, found.type, found.date, found.abstract) == (
        "Journal of Owls",
        "article",
        "2019-04-07",
        "They hunt.",
    )
    assert found.keywords == ("owls", "voles")
    details = found.imprint
    assert (details.volume, details.issue, details.pages, details.article_number) == ("12", "3", "101–119", "e17")
    assert (details.issn, details.bibkey, details.note, details.files) == (
        "1234-567X",
        "Aas2019",
        "Read twice.",
        ("files/a.pdf",),
    )
    assert (details.language, details.edition, details.series) == ("en", "2", "Birds")
    assert "https://example.org/o" in found.urls and "j-owls" in found.venue_keys


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffTY  - JOUR\r\nTI  - A\r\nER  - \r\n\r\nTY  - JOUR\r\nTI  - B\r\nER  -\r\n",
        "TY  - JOUR\rTI  - A\rER  - \rTY  - JOUR\rTI  - B\rER  - \r",
        "TY  - JOUR\nTI  - A\nTY  - JOUR\nTI  - B\n",
        "Record #1 of 2\nProvider: X\n\nTY  -  JOUR\nTI  -  A\nER  -\nER  -\n\n\nTY  -  JOUR\nTI  -  B\nER  -\n",
        "1. \nTY  - JOUR\nT1  - A.\nER  -  \n\nA link line\n\n2. \nTY  - JOUR\nT1  - B.\nER  -  \n",
        "TY - JOUR\nTI - A\nER -\nTY\t-\tJOUR\nTI\t-\tB\nER\t-\n",
        "ID  - 1\nTY  - JOUR\nTI  - A\nER  - \nAU  - Lee, Ann\nTY  - JOUR\nTI  - B\nER  - \n",
        "ty  - JOUR\nti  - A\ner  - \nty  - JOUR\nti  - B\ner  - \n",
        "TI  - A\nAU  - Lee, Ann\nER  - \nTI  - B\nAU  - Lee, Ann\nER  - \n",
    ],
    ids=["bom-crlf", "cr", "no-end", "cochrane", "ovid", "blanks", "type-second", "small", "no-type"],
)
def test_records_are_told_apart_however_they_are_written(text: str) -> None:
    assert [found.title for found in papers(text)] == ["A", "B"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_names_survive_encodings(encoding: str) -> None:
    (found,) = papers("TY  - JOUR\nTI  - Ulv\nAU  - Müller, Åse\nER  - \n".encode(encoding))
    assert found.authors == (Author("Müller", "Åse"),)


def test_lines_without_a_tag_continue_the_one_before() -> None:
    found = paper(
        *(
            "AB  - They hunt",
            "   at night. II - they sleep",
            "OR so.",
            "KW  - owls",
            "voles",
            "SN  - 1234-5678",
            "8765-4321",
        ),
        *("DB  - Embase", "Medline", "UR  - https://example.org/1", "https://example.org/2"),
    )
    assert found.abstract == "They hunt at night. II - they sleep OR so."
    assert found.keywords == ("owls", "voles")
    assert found.imprint.issn == "1234-5678, 8765-4321"
    assert found.imprint.databases == ("Embase", "Medline")
    assert found.urls == ("https://example.org/1", "https://example.org/2")


def test_a_tag_glued_behind_a_value_is_split_off() -> None:
    found = paper("DO  - 10.5555/x     LK  - https://example.org/y", "AB  - We saw  AB  - inside of a text.")
    assert found.id == "doi:10.5555/x"
    assert found.abstract == "We saw AB - inside of a text."


@pytest.mark.parametrize(
    ("line", "paper_id"),
    [
        ("L3  - 10.5555/x", "doi:10.5555/x"),
        ("M3  - doi:10.5555/x", "doi:10.5555/x"),
        ("N1  - https://doi.org/10.5555/x", "doi:10.5555/x"),
        ("L2  - http://dx.doi.org/10.5555/x", "doi:10.5555/x"),
        ("UR  - https://pubmed.ncbi.nlm.nih.gov/1234567/", "pmid:1234567"),
        ("AN  - 1234567\nDB  - PubMed", "pmid:1234567"),
        ("ID  - 1234567\nDB  - Ovid MEDLINE(R) <2021>", "pmid:1234567"),
        ("C2  - 1234567\nDB  - Scopus", "pmid:1234567"),
        ("C5  - 1234567\nDB  - Embase\nDB  - Medline", "pmid:1234567"),
        ("C3  - PUBMED 1234567,EMBASE 76", "pmid:1234567"),
        ("AN  - MEDLINE:1234567", "pmid:1234567"),
        ("N1  - PMID: 1234567; Cited By: 2", "pmid:1234567"),
        ("C2  - PMC7654321", "pmc:PMC7654321"),
        ("M1  - arXiv:1706.03762", "arxiv:1706.03762"),
        ("JO  - arXiv preprint arXiv:1706.03762", "arxiv:1706.03762"),
    ],
)
def test_ids_are_read_from_where_services_write_them(line: str, paper_id: str) -> None:
    found = paper(line)
    assert found.id == paper_id
    assert not found.aliases


@pytest.mark.parametrize(
    "lines",
    [
        "AN  - 1234567\nDP  - EBSCOhost\nDB  - MEDLINE",
        "AN  - 1234567\nDB  - Embase",
        "ID  - 887\nDB  - Medline",
        "C2  - 1234567",
    ],
)
def test_a_bare_number_of_another_database_is_no_pmid(lines: str) -> None:
    assert paper(lines).id.startswith("local:")


def test_databases_and_accession_numbers() -> None:
    scopus = paper(
        "UR  - https://www.scopus.com/inward/record.uri?eid=2-s2.0-85189760133&doi=10.5555%2fx&partnerID=40",
        "DB  - Scopus",
        "N1  - Export Date: 05 August 2024; Cited By: 4;",
    ).imprint
    assert (scopus.databases, scopus.accession_numbers) == (("Scopus",), ("Scopus 2-s2.0-85189760133",))
    assert scopus.exported_on == "2024-08-05"
    ovid = paper(
        "DB  - APA PsycInfo <2021>", "ID  - 2021-94054-001", "A2  - Achenbach, T., Rescorla, L., Bayer, J."
    ).imprint
    assert (ovid.databases, ovid.accession_numbers) == (("APA PsycInfo",), ("APA PsycInfo 2021-94054-001",))
    assert (ovid.bibkey, ovid.editors) == ("", ())
    assert paper("AN  - WOS:000279").imprint.accession_numbers == ("Web of Science WOS:000279",)
    ebsco = paper("DP  - EBSCOhost", "DB  - ccm", "N1  - Accession Number: 104500; Source: Owls", "L3  - 10.5555/x")
    assert (ebsco.imprint.databases, ebsco.imprint.accession_numbers) == (("ccm", "EBSCOhost"), ("ccm 104500",))


@pytest.mark.parametrize(
    ("lines", "date"),
    [
        (["PY  - 2020/05/12/"], "2020-05-12"),
        (["PY  - 2020///"], "2020"),
        (["Y1  - 2016/09//"], "2016-09"),
        (["PY  - 2015/11/23/online"], "2015-11-23"),
        (["DA  - SEP 22", "PY  - 2010"], "2010-09-22"),
        (["Y1  - 2026/08/27/", "PY  - 2026", "DA  - 2026 Aug 27"], "2026-08-27"),
        (["Y1  - Dec. 2010"], "2010-12"),
        (["PY  - 2019", "DA  - 2020/01/01/"], "2019"),
    ],
)
def test_dates(lines: list[str], date: str) -> None:
    found = paper(*lines)
    assert (found.date, found.year) == (date, int(date[:4]))


def test_what_there_is_no_year_for_has_none() -> None:
    found = paper("PY  - in press")
    assert (found.year, found.date) == (None, "")


@pytest.mark.parametrize(
    ("kind", "lines", "expected"),
    [
        ("GEN", ["T2  - bioRxiv"], "preprint"),
        ("GEN", ["DO  - 10.48550/arXiv.1706.03762"], "preprint"),
        ("GEN", [], "other"),
        ("UNPB", [], "preprint"),
        ("CONF", ["AU  - Lee, Ann", "T2  - Proceedings of Owls"], "inproceedings"),
        ("CONF", ["A2  - Lee, Ann"], "proceedings"),
        ("THES", ["M3  - Ph.D. dissertation"], "thesis"),
        ("RPRT", [], "report"),
        ("EBOOK", [], "book"),
        ("XYZ", [], "other"),
    ],
)
def test_types(kind: str, lines: list[str], expected: str) -> None:
    found = paper(*lines, kind=kind)
    assert found.type == expected
    assert found.imprint.thesis == ("phd" if kind == "THES" else "")


def test_of_two_abstracts_the_notice_of_copyright_is_none() -> None:
    assert (
        paper("AB  - They hunt.", "AB  - Copyright of Owls is the property of nobody at all.").abstract == "They hunt."
    )
    assert paper("AB  - [No abstract available]").abstract == ""
    assert paper("AB  - [They hunt at night.]").abstract == "They hunt at night."


def test_groups_by_their_comma_or_braces() -> None:
    found = paper("AU  - GBD 2019 Collaborators,", "AU  - WHO,", "AU  - {Owl Watch Oslo}", "AU  - Aas,")
    assert found.authors == (
        *(Author(name, is_literal=True) for name in ("GBD 2019 Collaborators", "WHO", "Owl Watch Oslo")),
        Author("Aas"),
    )


@pytest.mark.parametrize(
    ("lines", "keywords"),
    [
        (("KW  - owls, voles, night",), ("owls", "voles", "night")),
        (("KW  - Transfer, Psychology",), ("Transfer, Psychology",)),
        (("KW  - owls, tawny, young", "KW  - voles"), ("owls, tawny, young", "voles")),
    ],
)
def test_commas_divide_only_a_list_in_one_value(lines: tuple[str, ...], keywords: tuple[str, ...]) -> None:
    assert paper(*lines).keywords == keywords


def test_markup_and_entities_in_fields() -> None:
    found = paper("AB  - <p>H<sub>2</sub>O &amp; <i>owls</i></p>", "JF  - Trends in Ecology &amp; Evolution")
    assert found.abstract == "H₂O & owls"
    assert found.venue == "Trends in Ecology & Evolution"


def test_a_record_without_a_title_is_reported_with_its_line_and_the_rest_is_read() -> None:
    text = "TY  - JOUR\nAU  - Lee\nER  - \n\nTY  - JOUR\nTI  - B\nER  - \n"
    failure, parsed = read_ris(memory_content("x.ris", text.encode()))
    assert isinstance(failure, Failure) and isinstance(parsed, Parsed)
    assert (failure.origin, failure.cause) == ("x.ris:1", "A RIS record without a title.")
    with pytest.raises(BadInput, match="no RIS record"):
        list(read_ris(memory_content("x.ris", b"nothing")))


def test_a_record_of_too_many_lines_costs_itself_alone() -> None:
    text = "TY  - JOUR\nTI  - A\n" + "AU  - Lee, Ann\n" * MAX_LINES + "ER  - \nTY  - JOUR\nTI  - B\nER  - \n"
    started = time.process_time()
    failure, parsed = read_ris(memory_content("x.ris", text.encode()))
    assert isinstance(failure, Failure) and isinstance(parsed, Parsed)
    assert parsed.paper.title == "B"
    assert time.process_time() - started < 20


def test_nul_bytes_and_long_fields() -> None:
    (found,) = papers("TY  - JOUR\nTI  - A\0B\nAB  - " + "long " * 100_000 + "\nER  - \n")
    assert found.title == "AB"
    assert len(found.abstract) > 400_000


@pytest.mark.parametrize(
    "text", ["Read this.\nTY is short for thank you.\n", "PMID- 1\nTI  - A\nAU  - Lee A\n", "a\n" * 60 + "TY  - JOUR\n"]
)
def test_other_texts_are_not_ris(text: str) -> None:
    assert detect(text.encode(), "x.txt") != "ris"


def test_what_is_only_named_so_is_said_to_be_none() -> None:
    found = detect(b"nothing of the kind\n", "x.ris")
    assert isinstance(found, Unreadable) and not found.ignorable


def test_long_runs_of_blanks_take_no_time() -> None:
    started = time.process_time()
    (found,) = papers("TY  - JOUR\nTI  - A\nDO  - 10.5555/x" + " " * 1_000_000 + "y\nER  - \n")
    assert found.id == "doi:10.5555/x"
    assert time.process_time() - started < 5
