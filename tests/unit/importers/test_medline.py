"""MEDLINE's tagged records: what comes in, from which tags, and what is reported."""

from __future__ import annotations

import pytest

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import detect
from litterm.importers.exported_record import MAX_LINES
from litterm.importers.medline import read_nbib
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper

RECORD = """
PMID- 40000001
OWN - NLM
IS  - 1234-567X (Electronic)
IS  - 8765-4321 (Print)
VI  - 63
IP  - 2
DP  - 2020 Feb 7
TI  - [Mosses of invented
      slopes].
PG  - 475-82
LID - 10.5555/moss.1 [doi]
LID - S1769(19)30 [pii]
AB  - PURPOSE: We walked over
      forty slopes.
OAB - A summary in plain words, by the publisher, that is longer than the abstract itself.
FAU - Aas, Nora K
AU  - Aas NK
AUID- ORCID: https://orcid.org/0000-0000-0000-0000
FAU - van den Berg, Ine
AU  - van den Berg I
CN  - Moss Study Group
FIR - Nobody, Nils
IR  - Nobody N
LA  - eng
PT  - Journal Article
PT  - Retracted Publication
TA  - J Inv Bryol
JT  - Journal of invented bryology
MH  - *Mosses/growth & development
MH  - Child, Preschool
OT  - scree
PMC - PMC7654321
AID - 10.5555/moss.1 [doi]
SO  - J Inv Bryol. 2020.
"""


def papers(text: str) -> list[Paper]:
    data = text.encode()
    assert detect(data, "x.ris") == "nbib"
    return [item.paper for item in read_nbib(memory_content("x", data)) if isinstance(item, Parsed)]


def test_a_record_with_all_its_fields() -> None:
    (found,) = papers(RECORD)
    assert found.title == "Mosses of invented slopes"
    assert found.abstract == "PURPOSE: We walked over forty slopes."
    assert {found.id, *found.aliases} == {"pmc:PMC7654321", "pmid:40000001", "doi:10.5555/moss.1"}
    assert found.authors == (
        Author("Aas", "Nora K"),
        Author("Berg", "Ine", prefix="van den"),
        Author("Moss Study Group", is_literal=True),
    )
    assert (found.venue, found.date, found.type, found.retraction) == (
        "Journal of invented bryology",
        "2020-02-07",
        "article",
        "retracted",
    )
    assert "j-inv-bryol" in found.venue_keys
    assert found.keywords == ("scree", "Mosses/growth & development", "Child, Preschool")
    details = found.imprint
    assert (details.volume, details.issue, details.pages, details.language) == ("63", "2", "475–482", "eng")
    assert (details.issn, details.databases) == ("1234-567X, 8765-4321", ("PubMed",))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("PG  - e0192757", ("e0192757", "")),
        ("PG  - 103640\nLID - 103640", ("", "103640")),
        ("LID - 103640", ("", "103640")),
        ("PG  - 475-482; discussion 490", ("475–482; discussion 490", "")),
    ],
)
def test_pages_and_article_numbers(lines: str, expected: tuple[str, str]) -> None:
    (found,) = papers(f"PMID- 1\nTI  - A.\n{lines}\n")
    assert (found.imprint.pages, found.imprint.article_number) == expected


@pytest.mark.parametrize(
    ("date", "expected"),
    [("2020", "2020"), ("2020 Apr 26", "2020-04-26"), ("2019 Nov-Dec", "2019-11"), ("2018 Winter", "2018"),
     ("1998 Dec-1999 Jan", "1998-12")],
)  # fmt: skip
def test_dates(date: str, expected: str) -> None:
    (found,) = papers(f"PMID- 1\nTI  - A.\nDP  - {date}\n")
    assert found.date == expected


@pytest.mark.parametrize(
    ("tag", "kind", "retraction"),
    [
        ("PT  - Preprint", "preprint", ""),
        ("PT  - Book Chapter", "chapter", ""),
        ("RIN - J X. 2021. PMID: 2", "article", "retracted"),
        ("ROF - J X. 2021. PMID: 2", "article", ""),
        ("EIN - J X. 2021. PMID: 2", "article", "corrected"),
    ],
)
def test_types_and_what_became_of_the_paper(tag: str, kind: str, retraction: str) -> None:
    (found,) = papers(f"PMID- 1\nTI  - A.\n{tag}\n")
    assert (found.type, found.retraction, found.id) == (kind, retraction, "pmid:1")


def test_records_are_told_apart_with_and_without_empty_lines() -> None:
    text = "PMID- 1\r\nTI  - A.\r\n\r\nPMID- 2\r\nTI  - B.\r\nPMID- 3\r\nTI  - C...\r\n"
    assert [found.title for found in papers(text)] == ["A", "B", "C..."]


def test_a_record_of_eric_has_no_pmid() -> None:
    (found,) = papers("PMID- EJ123\nOWN - ERIC\nTI  - A.\nKW  - b; c\n")
    assert found.id.startswith("local:")
    assert (found.keywords, found.imprint.accession_numbers) == (("b", "c"), ("ERIC EJ123",))


def test_a_bad_record_is_reported_with_its_line_and_the_rest_is_read() -> None:
    text = "PMID- 1\nAU  - Lee A\n\nPMID- 2\nTI  - A\n" + "FAU - Lee, A\n" * MAX_LINES + "\nPMID- 3\nTI  - C\n"
    untitled, too_long, parsed = read_nbib(memory_content("x", text.encode()))
    assert isinstance(untitled, Failure) and isinstance(too_long, Failure) and isinstance(parsed, Parsed)
    assert (untitled.origin, untitled.cause) == ("x:1", "A MEDLINE record without a title.")
    assert (too_long.origin, parsed.paper.title) == ("x:4", "C")
    with pytest.raises(BadInput, match="no MEDLINE record"):
        list(read_nbib(memory_content("x", b"nothing")))
