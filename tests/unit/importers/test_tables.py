"""Tables of papers, whoever wrote them: delimiters, headers, columns, and what is reported."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import pytest

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import Unreadable, detect
from litterm.importers.tables import MAX_CELL_CHARS, read_table
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, PaperId
from litterm.render.export.table import csv_header, csv_rows


def papers(text: str | bytes) -> list[Paper]:
    data = text.encode() if isinstance(text, str) else text
    assert detect(data, "x.txt") == "csv"
    return [item.paper for item in read_table(memory_content("x.csv", data)) if isinstance(item, Parsed)]


def table(delimiter: str = ",", **columns: str) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, list(columns), delimiter=delimiter)
    writer.writeheader()
    writer.writerow(columns)
    return file.getvalue()


SCOPUS = {
    "Authors": "Aas N.K.; Berg I.",
    "Author full names": "Aas, Nora K. (58975547800); Berg, Ine (57190394669)",
    "Title": "Owls of the north",
    "Year": "2019",
    "Source title": "Journal of Owls",
    "Volume": "12",
    "Issue": "3",
    "Art. No.": "e17",
    "Page start": "",
    "Page end": "",
    "DOI": "10.5555/Owl.1",
    "Link": "https://www.scopus.com/inward/record.uri?eid=2-s2.0-85189760133",
    "Abstract": "They hunt,\nat night; “so”.",
    "Author Keywords": "owls; voles",
    "Index Keywords": "Birds; Owls",
    "ISSN": "1234567X",
    "PubMed ID": "1234567",
    "Language of Original Document": "English",
    "Abbreviated Source Title": "J. Owls",
    "Document Type": "Conference paper",
    "Source": "Scopus",
    "EID": "2-s2.0-85189760133",
}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("before", ["", "\ufeff", "About the data: Exported on Jul 03, 2024\n", "SEARCH;owls\n---\n\n"])
def test_a_row_whatever_divides_it_and_stands_before(delimiter: str, before: str) -> None:
    (found,) = papers(before + table(delimiter, **SCOPUS))
    assert found.title == "Owls of the north"
    assert found.authors == (Author("Aas", "Nora K."), Author("Berg", "Ine"))
    assert {found.id, *found.aliases} == {"doi:10.5555/owl.1", "pmid:1234567"}
    assert (found.abstract, found.keywords) == ("They hunt, at night; “so”.", ("owls", "voles", "Birds"))
    assert (found.type, found.venue, found.year) == ("inproceedings", "Journal of Owls", 2019)
    details = found.imprint
    assert (details.article_number, details.issn, details.language) == ("e17", "1234-567X", "English")
    assert (details.databases, details.accession_numbers) == (("Scopus",), ("Scopus 2-s2.0-85189760133",))
    assert details.exported_on == ("2024-07-03" if "Exported" in before else "")


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
def test_encodings_and_the_line_that_names_the_delimiter(encoding: str) -> None:
    (found,) = papers("sep=;\r\nTitle;Authors;Year\r\nÅrets ugler;Müller, Åse;2019\r\n".encode(encoding))
    assert (found.title, found.authors) == ("Årets ugler", (Author("Müller", "Åse"),))


@pytest.mark.parametrize(
    ("columns", "authors"),
    [
        ({"PMID": "1", "Journal/Book": "J", "Authors": "Aas NK, Berg I."}, ["Aas|NK", "Berg|I"]),
        ({"Lens ID": "000-463-679-101-319", "Author/s": "Nora K. Aas; Ine Berg"}, ["Aas|Nora K.", "Berg|Ine"]),
        ({"PLink": "x", "Author": "Aas, Nora; Berg, Ine"}, ["Aas|Nora", "Berg|Ine"]),
        ({"key": "rayyan-1", "authors": "Aas, Nora and Berg, Ine", "year": "2019"}, ["Aas|Nora", "Berg|Ine"]),
        ({"ids.openalex": "W1", "authorships.author.display_name": "Nora Aas|Ine Berg"}, ["Aas|Nora", "Berg|Ine"]),
        ({"IEEE Terms": "x", "Authors": "N. Aas; I. Berg"}, ["Aas|N.", "Berg|I."]),
        ({"DOI": "10.5555/x", "Authors": "Aas, Nora"}, ["Aas|Nora"]),
        ({"DOI": "10.5555/x", "Authors, Primary": "Aas,null;Berg, Ine"}, ["Aas|", "Berg|Ine"]),
    ],
)
def test_names_in_the_ways_of_services(columns: dict[str, str], authors: list[str]) -> None:
    (found,) = papers(table(Title="Owls", Keywords="a", **columns))
    assert [f"{author.surname}|{author.given}" for author in found.authors] == authors


def test_cells_as_spreadsheets_leave_them() -> None:
    text = table(
        **{"Title": '="Owls"', "PLink": "https://search.ebscohost.com/x", "ISSN": '="1234567X"', "Volume": "12.0"},
        **{"Publication Date": '="4/3/2024"', "PMID": "3.1E+07", "Pages": "5-Jan", "Journal": "'=Owls", "DOI": "nan"},
    )
    (found,) = papers(text)
    assert (found.title, found.date, found.imprint.volume, found.imprint.pages) == ("Owls", "2024-04-03", "12", "")
    assert (found.venue, found.imprint.issn) == ("=Owls", "1234-567X")
    assert found.id.startswith("local:")
    (elsewhere,) = papers(table(Title="Owls", Date="4/3/2024", Journal="J", DOI="10.5555/x"))
    assert elsewhere.date == "2024"


def test_tagged_columns_of_web_of_science_quote_nothing() -> None:
    rows = (
        ("PT", "AU", "TI", "SO", "DE", "PD", "PY", "DI", "UT", ""),
        ("J", "Aas, N; Berg, I", 'The "owl', "OWLS", "a; b", "APR 7", "2019", "10.5555/x", "WOS:1", ""),
        ("J", "Lee, A", "B", "C", "", "", "2020", "", "MEDLINE:1234567", ""),
    )
    text = "".join("\t".join(row) + "\n" for row in rows)
    first, second = papers(text.encode("utf-16"))
    assert (first.title, first.keywords, first.date) == ('The "owl', ("a", "b"), "2019-04-07")
    assert first.imprint.accession_numbers == ("Web of Science WOS:1",)
    assert second.id == "pmid:1234567"


def test_a_table_of_litterm_itself() -> None:
    paper = Paper(
        PaperId("doi:10.5555/x"), "-Owls", authors=(Author("Aas", "Nora"),), year=2019, keywords=("a, b", "c")
    )
    text = csv_header() + csv_rows([paper], {paper.id: "Aas2019"}, {}, {})
    (found,) = papers(text)
    assert (found.id, found.title, found.authors, found.keywords) == (paper.id, "-Owls", paper.authors, ("a, b", "c"))
    assert found.imprint.bibkey == "Aas2019"


def test_bad_rows_are_reported_with_their_line_and_the_rest_is_read() -> None:
    long_cell = "x" * (MAX_CELL_CHARS + 10)
    text = "Title,Authors,Year,DOI\nA,Lee,2019,\n,Roe,2020,10.5555/x\n"
    text += f'"{long_cell}",Lee,2020,\nB,Lee,2021,\n\n,,,\nsee above,,,\n'
    found = list(read_table(memory_content("x", text.encode())))
    assert [item.origin if isinstance(item, Failure) else item.paper.title for item in found] == [
        "A",
        "x:3",
        "x:4",
        "B",
        "see above",
    ]
    with pytest.raises(BadInput, match="names a column"):
        list(read_table(memory_content("x", b"a,b\n1,2\n")))
    with pytest.raises(BadInput, match="no row"):
        list(read_table(memory_content("x", b"Title,Authors,Year\n\n")))


EMBASE = (
    ("TITLE", "Owls of the north, and of the south"),
    ("AUTHOR NAMES", "Aas N.K.", "Berg I."),
    ("SOURCE TITLE", "Journal of Owls"),
    ("PUBLICATION YEAR", "2019"),
    ("ABSTRACT", "They hunt,\n\nat night."),
    ("AUTHOR KEYWORDS", "owls", "voles"),
    ("EMBASE ACCESSION ID", "L630000001"),
    ("MEDLINE PMID", "1234567"),
    ("DOI", "10.5555/owl.1"),
)


def field_lines(*records: Sequence[tuple[str, ...]], gap: str = "\n", before: str = "", delimiter: str = ",") -> str:
    file = io.StringIO(newline="")
    for fields in records:
        csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(fields)
        file.write(gap)
    return before + file.getvalue()


@pytest.mark.parametrize("before", ["", '\ufeff"SEARCH QUERY","owl* AND 2019"\n', "SEARCH QUERY,owls\n------\n\n"])
@pytest.mark.parametrize(("gap", "delimiter"), [("\n", ","), ("", ","), ("\n\n", ";"), ("", "\t")])
def test_one_field_per_line_as_embase_writes_it(before: str, gap: str, delimiter: str) -> None:
    other = (("TITLE", "Voles"), ("AUTHOR NAMES", "Lee A., Chen B."), ("ABSTRACT", "Eaten."), ("PUI", "L2"))
    first, second, third = papers(field_lines(EMBASE, other, EMBASE[:2], gap=gap, before=before, delimiter=delimiter))
    assert (first.title, first.year) == ("Owls of the north, and of the south", 2019)
    assert first.authors == (Author("Aas", "N.K."), Author("Berg", "I."))
    assert {first.id, *first.aliases} == {"doi:10.5555/owl.1", "pmid:1234567"}
    assert (first.venue, first.keywords) == ("Journal of Owls", ("owls", "voles"))
    assert first.abstract.split() == ["They", "hunt,", "at", "night."]
    assert (first.imprint.databases, first.imprint.accession_numbers) == (("Embase",), ("Embase L630000001",))
    assert (second.title, len(second.authors), second.abstract) == ("Voles", 2, "Eaten.")
    assert (third.title, third.imprint.databases) == ("Owls of the north, and of the south", ("Embase",))


def test_a_record_of_embase_may_begin_with_any_field_and_lack_any() -> None:
    number, title, authors = EMBASE[6], EMBASE[0], EMBASE[1]
    records = [(number, *EMBASE[:5]), (authors, ("TITLE", "Without a number")), (number, title, authors)]
    assert [paper.title for paper in papers(field_lines(*records))] == [title[1], "Without a number", title[1]]
    lines = [("AUTHOR NAMES", "Aas N.K."), ("AUTHOR NAMES", "Berg I."), *EMBASE[2:], title]
    assert [len(paper.authors) for paper in papers(field_lines(lines, lines, gap=""))] == [2, 2]
    text = field_lines(EMBASE, [("TITLE",), authors, EMBASE[7]])
    failures = [item for item in read_table(memory_content("x.csv", text.encode())) if isinstance(item, Failure)]
    assert [(failure.origin, failure.cause) for failure in failures] == [("x.csv:13", "A row without a title.")]


def test_the_limit_of_cells_is_left_as_it_was() -> None:
    limit = csv.field_size_limit()
    papers(table(**SCOPUS))
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    "text",
    [
        "title,year,director\nMoss,1999,Lee\n",
        "title,authors,year,doi",
        "id,f1\n1,0.5\n",
        "title,note,url\na,b,c\n",
        "title,Moss\nauthors,Lee\nyear,1999\ndoi,10.5555/a\n",
    ],
)
def test_other_tables_are_left_alone(text: str) -> None:
    assert isinstance(detect(text.encode(), "x.csv"), Unreadable)


@pytest.mark.parametrize(
    ("cell", "authors"),
    [
        ("Yang Z., Baiano M.A., Xu J.", ["Yang|Z.", "Baiano|M.A.", "Xu|J."]),
        ("Baiano, M.A.", ["Baiano|M.A."]),
        ("Dos Santos, M.A.; Lee, B.A.", ["Dos Santos|M.A.", "Lee|B.A."]),
        ("Jane Doe, M.D.", ["Doe|Jane"]),
    ],
)
def test_initials_that_look_like_degrees_stay(cell: str, authors: list[str]) -> None:
    (found,) = papers(table(Title="Owls", Authors=cell, Year="2019", DOI="10.5555/x"))
    assert [f"{author.surname}|{author.given}" for author in found.authors] == authors


def test_what_a_model_of_elicit_wrote_is_no_abstract() -> None:
    asked = {"Summary": "A model wrote this.", 'Supporting quotes for "Summary"': "quoted"}
    known = {"Title": "Moss on heath", "Authors": "Ann Lee, Bo Ray", "Year": "2020", "DOI": "10.1000/moss", **asked}
    (paper,) = papers(table(**known))
    assert (paper.title, len(paper.authors), paper.year, paper.abstract) == ("Moss on heath", 2, 2020, "")
    (own,) = papers(table(**known, Abstract="Moss grows on heath."))
    assert own.abstract == "Moss grows on heath."


def test_a_summary_without_quotes_is_an_abstract() -> None:
    (paper,) = papers(table(Title="Moss on heath", Authors="Ann Lee", Year="2020", Summary="Moss grows on heath."))
    assert paper.abstract == "Moss grows on heath."
