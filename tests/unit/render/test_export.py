"""Exports with what the user keeps: escaped in every format, in batches as in one piece."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import get_args

import bibtexparser
import pytest
from fakes import OWNED, ZEBRA

from litterm.model.annotations import PaperNotes
from litterm.model.export import ExportFormat
from litterm.model.paper import PaperId
from litterm.render.bibliography import bibtex, csl, ris
from litterm.render.export.markdown import Quote
from litterm.render.export.papers import Export
from litterm.render.export.table import csv_header

NOTES = {
    ZEBRA.id: PaperNotes(
        "included", True, ("to cite", "a,b", "50%_{x}"), "See \\input{/etc/passwd} & 100%.\nTY  - JOUR\n=1+1", "read"
    )
}
QUOTES = {ZEBRA.id: (Quote(ZEBRA, "=Zebras *are* fast.", "Results §4 p.6", 6, "Zebras are fast"),)}


def exported(form: ExportFormat, *batches: list) -> str:  # type: ignore[type-arg]
    export = Export(form)
    return "".join(export.render_batch(batch, NOTES, QUOTES) for batch in batches) + export.render_end()


@pytest.mark.parametrize("form", ["bibtex", "ris", "csl", "markdown", "csv"])
def test_batches_give_what_one_piece_gives(form: ExportFormat) -> None:
    twin = replace(ZEBRA, id="acl:twin")
    assert exported(form, [ZEBRA, OWNED, twin]) == exported(form, [ZEBRA], [OWNED, ZEBRA], [twin])


def test_bibtex_holds_tags_and_notes_where_no_style_prints_them() -> None:
    (entry,) = bibtexparser.parse_string(bibtex.entries([ZEBRA], NOTES)).entries
    assert entry["keywords"] == r"to cite, a b, 50\%\_\textbraceleft{}x\textbraceright{}"
    assert r"\textbackslash{}input" in entry["annote"]
    assert r"\& 100\%." in entry["annote"]
    assert "note" not in entry


def test_a_correction_is_no_note_of_the_bibliography() -> None:
    corrected = replace(ZEBRA, retraction="corrected: This revision mentions a sponsor")
    (entry,) = bibtexparser.parse_string(bibtex.entries([corrected])).entries
    assert entry["annote"] == "Corrected: This revision mentions a sponsor"
    assert "note" not in entry
    (item,) = json.loads(csl.entries([corrected]))
    assert (item["annote"], "note" in item) == ("Corrected: This revision mentions a sponsor", False)


def test_a_note_cannot_begin_another_record_of_ris() -> None:
    text = ris.entries([ZEBRA], NOTES)
    assert "100%. TY - JOUR" in text
    assert sum(line.startswith("TY  - ") for line in text.splitlines()) == 1
    assert [line[6:] for line in text.splitlines() if line.startswith("KW")] == ["to cite", "a b", "50%_{x}"]
    assert "N1  - See \\input" in text


def test_csl_holds_note_and_keyword() -> None:
    (item,) = json.loads(csl.entries([ZEBRA], NOTES))
    assert item["note"] == NOTES[ZEBRA.id].note
    assert item["keyword"] == "to cite, a b, 50%_{x}"


def test_csv_is_safe_in_a_spreadsheet_and_has_every_column() -> None:
    (row,) = csv.DictReader(io.StringIO(exported("csv", [ZEBRA])))
    assert (row["decision"], row["starred"], row["status"]) == ("included", "yes", "read")
    assert row["tags"] == "to cite, a,b, 50%_{x}"
    assert row["note"].endswith("TY  - JOUR =1+1")
    assert "=Zebras" in row["quotes"]
    assert not row["quotes"].startswith("=")
    first = "key,id,title,authors,year,venue,standing,doi,url,decision,starred,status,tags,note,quotes,"
    assert exported("csv") == exported("csv", []) == first + csv_header().removeprefix(first)


def test_markdown_lists_papers_and_quotes_under_the_same_keys() -> None:
    text = exported("markdown", [ZEBRA, OWNED])
    key = text.partition("[@")[2].partition("]")[0]
    assert f"[@{key}, p. 6]" in text
    assert "## Zebras are fast" in text
    assert r"=Zebras \*are\* fast." in text
    assert "(tags: to cite, a,b, 50%\\_{x}; read; included; starred)" in text
    assert exported("csl") == "[]\n"


RICH = replace(
    ZEBRA,
    abstract="Zebras count.",
    keywords=("zebras", "To cite", "a; b"),
    aliases=(*ZEBRA.aliases, PaperId("pmid:90123456"), PaperId("pmc:PMC77")),
    imprint=replace(
        ZEBRA.imprint,
        **{"pages": "", "article_number": "e77", "edition": "2nd", "series": "LNCS", "isbn": "978-3-16-148410-0"},
        **{"issn": "1234-5678", "note": "Best paper", "files": ("a.pdf",), "language": "de"},
    ),
)


def test_tags_and_keywords_of_the_source_are_united_where_the_format_has_one_place() -> None:
    (entry,) = bibtexparser.parse_string(bibtex.entries([RICH], NOTES)).entries
    assert entry["keywords"] == r"zebras; To cite; a, b; a b; 50\%\_\textbraceleft{}x\textbraceright{}"
    (row,) = csv.DictReader(io.StringIO(exported("csv", [RICH])))
    assert (row["keywords"], row["tags"]) == ("zebras; To cite; a; b", "to cite, a,b, 50%_{x}")


def test_ris_has_the_tags_that_managers_and_screening_tools_read() -> None:
    lines = ris.entries([RICH]).splitlines()
    told = {
        *("AB  - Zebras count.", "KW  - zebras", "AN  - 90123456", "DB  - PubMed", "C2  - PMC77", "SP  - e77"),
        *("C7  - e77", "ET  - 2nd", "T3  - LNCS", "SN  - 978-3-16-148410-0", "SN  - 1234-5678", "N1  - Best paper"),
        *("L1  - a.pdf", "LA  - de", "DO  - 10.1/zebra", "T2  - Proceedings of ACL"),
    }
    assert told - set(lines) == set()
    thesis = replace(RICH, type="thesis", imprint=replace(RICH.imprint, thesis="master", institution="Univ. of Y"))
    assert {"TY  - THES", "M3  - Master’s thesis", "PB  - Univ. of Y"} <= set(ris.entries([thesis]).splitlines())


def test_csl_has_what_the_source_said() -> None:
    (item,) = json.loads(csl.entries([RICH]))
    told = {
        **{"abstract": "Zebras count.", "keyword": "zebras; To cite; a, b", "PMID": "90123456", "PMCID": "PMC77"},
        **{"number": "e77", "page": "e77", "edition": "2nd", "collection-title": "LNCS", "ISBN": "978-3-16-148410-0"},
        **{"ISSN": "1234-5678", "note": "Best paper", "language": "de", "container-title": "Proceedings of ACL"},
    }
    assert {name: item[name] for name in told} == told
    thesis = replace(RICH, type="thesis", imprint=replace(RICH.imprint, thesis="bachelor"))
    assert json.loads(csl.entries([thesis]))[0]["genre"] == "Bachelor’s thesis"


def test_a_summary_by_litterm_is_no_abstract_in_any_format() -> None:
    summary = replace(RICH, abstract_by="litterm")
    for form in get_args(ExportFormat):
        assert "Zebras count." in exported(form, [RICH]), form
        assert "Zebras count." not in exported(form, [summary]), form


def test_markdown_and_csv_hold_what_the_source_said() -> None:
    text, (row,) = exported("markdown", [RICH]), csv.DictReader(io.StringIO(exported("csv", [RICH])))
    for line in ("  series: LNCS", "  PMID: 90123456", "  note of the source: Best paper", "  > Zebras count."):
        assert line in text.splitlines()
    told = {"pmid": "90123456", "article_number": "e77", "source_note": "Best paper", "abstract": "Zebras count."}
    assert {name: row[name] for name in told} == told


def test_keys_that_are_written_otherwise_are_told_but_not_without_end() -> None:
    export = Export("ris")
    for batch in range(2):
        papers = [replace(ZEBRA, id=PaperId(f"local:{batch}-{number}")) for number in range(8)]
        export.render_batch(papers, {}, {})
    assert len(export.notices) == 11
    assert "is that of another paper too" in export.notices[0]
    assert export.notices[-1] == "5 more keys are written otherwise than their sources have them."
