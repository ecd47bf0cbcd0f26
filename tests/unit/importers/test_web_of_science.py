"""Web of Science's tagged text: what comes in, and what is reported."""

from __future__ import annotations

from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import detect
from litterm.importers.exported_record import MAX_LINES
from litterm.importers.web_of_science import read_web_of_science
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author

TEXT = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Aas, N
   van den Berg, I
AF Aas, Nora
   van den Berg, Ine
CA Owl Study Grp
TI Owls of the
   invented north
SO JOURNAL OF OWLS
LA English
DT Article; Proceedings Paper
DE owls; voles
ID BIRDS
AB They hunt
   at night.
SN 1234-567X
EI 8765-4321
J9 J OWLS
PD APR 7
PY 2019
VL 12
IS 3
BP 101
EP 119
AR UNSP e17
DI 10.5555/owl.1
PM 1234567
UT WOS:000123456700001
DA 2024-07-03
ER

PT B
BE Roth, Eva
TI Ferns
ER

EF
"""


def test_records_with_all_their_fields() -> None:
    data = ("\ufeff" + TEXT).replace("\n", "\r\n").encode()
    assert detect(data, "x.csv") == "wos"
    found, book = (item.paper for item in read_web_of_science(memory_content("x", data)) if isinstance(item, Parsed))
    assert (found.title, found.abstract) == ("Owls of the invented north", "They hunt at night.")
    assert found.authors == (
        Author("Aas", "Nora"),
        Author("Berg", "Ine", prefix="van den"),
        Author("Owl Study Grp", is_literal=True),
    )
    assert {found.id, *found.aliases} == {"pmid:1234567", "doi:10.5555/owl.1"}
    assert (found.type, found.date, found.keywords) == ("inproceedings", "2019-04-07", ("owls", "voles", "BIRDS"))
    details = found.imprint
    assert (details.pages, details.article_number, details.issn) == ("101–119", "e17", "1234-567X, 8765-4321")
    assert details.accession_numbers == ("Web of Science WOS:000123456700001",)
    assert details.exported_on == "2024-07-03"
    assert (book.type, book.authors) == ("book", (Author("Roth", "Eva"),))


def test_a_bad_record_is_reported_with_its_line_and_the_rest_is_read() -> None:
    text = "PT J\nAU Lee\nER\nPT J\nTI A\nCR x\n" + "   y\n" * MAX_LINES + "ER\nPT J\nTI C\nER\n"
    untitled, too_long, parsed = read_web_of_science(memory_content("x", text.encode()))
    assert isinstance(untitled, Failure) and isinstance(too_long, Failure) and isinstance(parsed, Parsed)
    assert (untitled.origin, too_long.origin, parsed.paper.title) == ("x:1", "x:4", "C")
