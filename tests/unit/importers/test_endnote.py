"""EndNote's XML and its tagged format: what comes in, and what is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import Content, memory_content
from litterm.importers.detect import Unreadable, detect
from litterm.importers.endnote import read_endnote_xml, read_refer
from litterm.importers.exported_record import MAX_LINES
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper

Read = Callable[[Content], Iterator[Parsed | Failure]]
RECORD = """<record><database name="Own.enl">Own.enl</database><ref-type name="Journal Article">17</ref-type>
<contributors><authors><author><style face="normal">Aas, Nora</style></author>
<author>Owl Society Oslo,</author></authors>
<secondary-authors><author>Roth, Eva</author></secondary-authors></contributors>
<titles><title><style face="normal">Owls drink H</style><style face="subscript">2</style><style face="normal">O
</style></title><secondary-title>Journal of Owls</secondary-title></titles>
<periodical><full-title>Journal of Owls</full-title><abbr-1>J Owls</abbr-1></periodical>
<pages>101-19</pages><volume>12</volume><number>3</number>
<keywords><keyword>owls&#xD;voles</keyword></keywords>
<dates><year>2019</year><pub-dates><date>Apr 7</date></pub-dates></dates><isbn>1234-567X&#xD;8765-4321</isbn>
<accession-num>1234567</accession-num><remote-database-name>Medline</remote-database-name><custom2>PMC7654321</custom2>
<remote-database-provider>NLM</remote-database-provider>
<abstract>They&#x1F; hunt &amp; sleep.</abstract>
<notes>Read twice.</notes><label>Aas2019</label><language>eng</language>
<electronic-resource-num>https://doi.org/10.5555/Owl.1</electronic-resource-num>
<urls><related-urls><url>https://example.org/o</url></related-urls>
<pdf-urls><url>internal-pdf://123/a.pdf</url></pdf-urls></urls>
</record>"""


def xml(*records: str) -> bytes:
    text = f'<?xml version="1.0" encoding="UTF-8" ?><xml><records>{"".join(records)}</records></xml>'
    return text.encode()


def papers(read: Read, data: bytes) -> list[Paper]:
    assert detect(data, "x.txt") == ("endnote" if read is read_endnote_xml else "refer")
    return [item.paper for item in read(memory_content("x", data)) if isinstance(item, Parsed)]


def test_a_record_of_the_xml_with_all_its_fields() -> None:
    (found,) = papers(read_endnote_xml, xml(RECORD))
    assert found.title == "Owls drink H₂O"
    assert found.authors == (Author("Aas", "Nora"), Author("Owl Society Oslo", is_literal=True))
    assert {found.id, *found.aliases} == {"pmc:PMC7654321", "pmid:1234567", "doi:10.5555/owl.1"}
    assert (found.abstract, found.keywords, found.date) == ("They hunt & sleep.", ("owls", "voles"), "2019-04-07")
    assert (found.venue, found.type) == ("Journal of Owls", "article") and "j-owls" in found.venue_keys
    details = found.imprint
    assert (details.pages, details.volume, details.issue, details.issn) == (
        "101–119",
        "12",
        "3",
        "1234-567X, 8765-4321",
    )
    assert (details.note, details.bibkey, details.files) == ("Read twice.", "Aas2019", ("internal-pdf://123/a.pdf",))
    assert details.databases == ("Medline", "NLM") and "https://example.org/o" in found.urls


def test_runs_of_other_styles_keep_the_blanks_at_their_ends() -> None:
    title = "<title><style>Owls eat </style><style face='italic'>Microtus</style><style> and H</style></title>"
    (found,) = papers(read_endnote_xml, xml(f"<record><titles>{title}</titles></record>"))
    assert found.title == "Owls eat Microtus and H"


@pytest.mark.parametrize(
    ("type_name", "authors", "kind"),
    [
        ("Conference Proceedings", "<author>Aas, N</author>", "inproceedings"),
        ("Conference Proceedings", "", "proceedings"),
        ("Book Section", "", "chapter"),
        ("Thesis", "", "thesis"),
        ("Web Page", "", "other"),
    ],
)
def test_types_of_the_xml(type_name: str, authors: str, kind: str) -> None:
    record = (
        f'<record><ref-type name="{type_name}">0</ref-type><contributors><authors>{authors}</authors></contributors>'
        "<titles><title>A</title></titles></record>"
    )
    assert papers(read_endnote_xml, xml(record))[0].type == kind


def test_control_characters_do_not_end_the_file_and_may_be_cut_by_the_end_of_a_block() -> None:
    record = RECORD.replace("hunt", "hunt" + "&#x0B;\x02" * 60_000)
    assert len(papers(read_endnote_xml, xml(record, record))) == 2


def test_a_bad_record_of_the_xml_is_reported_and_the_rest_is_read() -> None:
    data = xml("<record><ref-type>17</ref-type></record>", RECORD)
    failure, parsed = read_endnote_xml(memory_content("x", data))
    assert isinstance(failure, Failure) and isinstance(parsed, Parsed)
    assert failure.origin == "x:1"
    cut = read_endnote_xml(memory_content("x", xml(RECORD, RECORD)[:-200]))
    assert isinstance(next(cut), Parsed)
    with pytest.raises(BadInput, match="Not well-formed"):
        list(cut)


def test_entities_that_grow_are_refused() -> None:
    data = b'<!DOCTYPE xml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + xml(RECORD)[38:]
    with pytest.raises(BadInput, match="could grow"):
        list(read_endnote_xml(memory_content("x", data)))


def test_a_tagged_record_with_all_its_fields() -> None:
    text = (
        "%0 Journal Article\n%A Aas, Nora\n%A van den Berg, Ine\n%T Owls of the north\n%J Journal of Owls\n%D 2019\n"
        "%V 12\n%N 3\n%P 101-19\n%X They hunt\nat night.\n\nAnd sleep.\n%K owls\nvoles\n%R 10.5555/Owl.1\n%F Aas2019\n"
        "%@ 1234-567X\n%G eng\n%Z Read twice.\n%U https://example.org/o\n\n\n"
        "%0 Book Section\n%T Ferns\n%B Wells\n%E Roth, Eva\n"
    )
    found, chapter = papers(read_refer, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert found.id == "doi:10.5555/owl.1"
    assert found.authors == (Author("Aas", "Nora"), Author("Berg", "Ine", prefix="van den"))
    assert (found.abstract, found.keywords) == ("They hunt at night. And sleep.", ("owls", "voles"))
    assert (found.venue, found.imprint.pages, found.imprint.bibkey) == ("Journal of Owls", "101–119", "Aas2019")
    assert (chapter.type, chapter.venue, chapter.imprint.editors) == ("chapter", "Wells", (Author("Roth", "Eva"),))


def test_records_of_plain_refer_begin_behind_an_empty_line() -> None:
    found = papers(read_refer, b"%A Ann Lee\n%T Owls\n%J Birds\n\n%A Bo Roe\n%T Voles\n%D 2001\n")
    assert [(paper.title, paper.authors[0].family) for paper in found] == [("Owls", "Lee"), ("Voles", "Roe")]


def test_a_bad_tagged_record_is_reported_with_its_line() -> None:
    text = "%0 Book\n%A Lee\n\n%0 Book\n%T A\n" + "%A Lee, A\n" * MAX_LINES + "\n%0 Book\n%T C\n"
    untitled, too_long, parsed = read_refer(memory_content("x", text.encode()))
    assert isinstance(untitled, Failure) and isinstance(too_long, Failure) and isinstance(parsed, Parsed)
    assert (untitled.origin, too_long.origin, parsed.paper.title) == ("x:1", "x:4", "C")


@pytest.mark.parametrize("text", ["%0 { color: red }\n", "% a comment of TeX\n%T so\n", "<xml><other/></xml>"])
def test_other_files_are_not_endnotes(text: str) -> None:
    assert isinstance(detect(text.encode(), "x"), Unreadable)
