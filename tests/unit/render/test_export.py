"""Exports with what the user keeps: escaped in every format, in batches as in one piece."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import bibtexparser
import pytest
from fakes import OWNED, ZEBRA

from litterm.model.annotations import PaperNotes
from litterm.model.export import ExportFormat
from litterm.render.bibliography import bibtex, csl, ris
from litterm.render.export.markdown import Quote
from litterm.render.export.papers import Export

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
    assert (
        exported("csv")
        == exported("csv", [])
        == "key,id,title,authors,year,venue,standing,doi,url,decision,starred,status,tags,note,quotes\r\n"
    )


def test_markdown_lists_papers_and_quotes_under_the_same_keys() -> None:
    text = exported("markdown", [ZEBRA, OWNED])
    key = text.partition("[@")[2].partition("]")[0]
    assert f"[@{key}, p. 6]" in text
    assert "## Zebras are fast" in text
    assert r"=Zebras \*are\* fast." in text
    assert "(tags: to cite, a,b, 50%\\_{x}; read; included; starred)" in text
    assert exported("csl") == "[]\n"
