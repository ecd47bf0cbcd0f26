"""Records of papis: `info.yaml` and the files beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import detect
from litterm.importers.papis import read_papis
from litterm.model.library import Failure, Parsed, ReadEvent
from litterm.model.paper import Author, Paper

RECORD = """abstract: 'They hunt: at night.'
author: Berg, Jan van den and Roe, Mary
author_list:
- affiliation: []
  family: van den Berg
  given: Jan
- family: Roe
  given: Mary
- family: Owl Watch Oslo
citations:
- doi: 10.5555/other
doi: 10.5555/OWLS
files:
- owls-of-the-north.pdf
- data.csv
issue: '2'
journal: Birds
month: 7
note: 'read: twice'
pages: 1--9
papis_id: 7ebda5f9a4b0cf5aa57d8c30ffb1a9d0
ref: no
tags:
- owls, tawny
- night
time-added: 2024-07-03-12:00:00
title: Owls of the North
type: article
volume: 12
year: 2018
"""


def paper(text: str) -> Paper:
    (record,) = read_papis(memory_content("info.yaml", text.encode()))
    assert isinstance(record, Parsed)
    return record.paper


def test_a_record_with_all_its_fields() -> None:
    found = paper(RECORD)
    assert (found.id, found.type, found.title, found.venue) == (
        "doi:10.5555/owls",
        "article",
        "Owls of the North",
        "Birds",
    )
    assert found.authors == (
        Author("Berg", "Jan", "van den"),
        Author("Roe", "Mary"),
        Author("Owl Watch Oslo", is_literal=True),
    )
    assert (found.abstract, found.year, found.date) == ("They hunt: at night.", 2018, "2018-07")
    assert found.keywords == ("owls, tawny", "night")
    details = found.imprint
    # `no` is a citation key and no truth value.
    assert (details.bibkey, details.volume, details.issue, details.pages) == ("no", "12", "2", "1–9")
    assert (details.note, details.files) == ("read: twice", ("owls-of-the-north.pdf", "data.csv"))


@pytest.mark.parametrize(
    ("tags", "keywords"),
    [
        ("owls, voles", ("owls", "voles")),
        ("owls voles", ("owls", "voles")),
        ("[owls, night life]", ("owls", "night life")),
    ],
)
def test_tags_of_all_versions(tags: str, keywords: tuple[str, ...]) -> None:
    assert paper(f"title: Owls\nref: a\ntags: {tags}\n").keywords == keywords


def test_an_older_record_with_a_line_of_authors_and_an_eprint() -> None:
    found = paper("author: Berg, Jo and Roe, Mary\neprint: 2101.00001\nref: a\ntitle: Owls\nfiles: a.pdf\n")
    assert found.id == "arxiv:2101.00001" and found.authors == (Author("Berg", "Jo"), Author("Roe", "Mary"))
    assert found.imprint.files == ("a.pdf",)


def test_it_is_recognised_by_its_fields_and_a_note_is_none() -> None:
    assert detect(RECORD.encode(), "x.bin") == "papis"
    note = "---\ntitle: Owls\nauthor: Roe\ntags: [a]\nref: b\n---\n\nText\n"
    assert detect(note.encode(), "note.md") != "papis"
    assert detect(b"title: Site\nauthor: Me\nyear: 2020\ntype: page\n", "_config.yml") != "papis"
    assert detect(b"- title: Owls\n  ref: a\n  doi: 10.5555/a\n  year: 2018\n", "citations.yaml") != "papis"


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
MERGES = "m0: &m0 {title: T}\n" + "".join(f"m{i}: &m{i} {{<<: [*m{i - 1}, *m{i - 1}]}}\n" for i in range(1, 60))


@pytest.mark.parametrize("text", [f"{BOMB}title: *a59\ntags: *a59\n", f"{MERGES}<<: *m59\n"])
def test_references_that_multiply_cost_nothing(text: str) -> None:
    content = memory_content("info.yaml", text.encode())
    assert [type(record) for record in read_papis(content)] == [Failure]


@pytest.mark.parametrize(
    "text",
    [
        "title: [",
        "- a\n- b\n",
        "title: !!python/object/apply:os.system [touch x]\n",
        "[" * 2000,
        "title: *gone\n",
        "a: &a\n  title: *a\n",
    ],
)
def test_damaged_and_hostile_records_are_failures(
    text: str, tmp_path: Path, read: Callable[[Path], list[ReadEvent]]
) -> None:
    (tmp_path / "info.yaml").write_text("ref: a\nyear: 2018\ntitle: Owls\n" + text)
    assert not [event for event in read(tmp_path / "info.yaml") if isinstance(event, Parsed)]
    assert [event for event in read(tmp_path / "info.yaml") if isinstance(event, Failure)]
