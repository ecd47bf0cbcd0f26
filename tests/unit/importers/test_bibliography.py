"""A bibliography that grows without doubles."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.core.errors import BadInput
from litterm.importers.bibtex.bibliography import append_entries, read_entries
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails

ELMO = Paper(
    PaperId("acl:N18-1202"),
    "Deep Contextualized Word Representations",
    authors=(Author("Peters", "Matthew"),),
    year=2018,
    aliases=(PaperId("doi:10.18653/v1/n18-1202"),),
    imprint=PublicationDetails(bibkey="peters-etal-2018-deep"),
)
OTHER = Paper(PaperId("acl:X1"), "Something else about words", authors=(Author("Peters", "Ann"),), year=2018)


@pytest.mark.parametrize(
    "held",
    [
        "@inproceedings{elmo, title = {Deep contextualized word representations}, author = {Peters, M.}}\n",
        "@misc{elmo, title = {ELMo}, doi = {10.18653/v1/N18-1202}}\n",
    ],
)
def test_a_paper_that_is_there_keeps_its_key_and_is_not_added(tmp_path: Path, held: str) -> None:
    refs = tmp_path / "refs.bib"
    refs.write_text(held, "utf-8")
    assert append_entries(refs, [ELMO]) == {ELMO.id: "elmo"}
    assert refs.read_text("utf-8") == held


def test_new_papers_come_behind_what_is_there_under_keys_that_are_free(tmp_path: Path) -> None:
    refs = tmp_path / "refs.bib"
    held = "@misc{Peters-etal-2018-deep, title = {A paper of the same key}}"
    refs.write_text(held, "utf-8")
    keys = append_entries(refs, [ELMO, OTHER, ELMO])
    assert keys[ELMO.id] != "peters-etal-2018-deep"
    text = refs.read_text("utf-8")
    assert text.startswith(held + "\n\n@inproceedings{" + keys[ELMO.id]) or text.startswith(
        held + "\n\n@misc{" + keys[ELMO.id]
    )
    assert [text.count(f"{{{key},") for key in keys.values()] == [1, 1]
    assert {paper.imprint.bibkey for paper in read_entries(refs)} >= set(keys.values())


def test_a_file_that_is_not_there_is_made_and_an_empty_one_filled(tmp_path: Path) -> None:
    for name in ("new.bib", "empty.bib"):
        refs = tmp_path / name
        if name == "empty.bib":
            refs.write_text("\n", "utf-8")
        assert append_entries(refs, [ELMO]) == {ELMO.id: "peters-etal-2018-deep"}
        assert "Deep" in refs.read_text("utf-8")


def test_a_folder_is_no_bibliography(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        append_entries(tmp_path, [ELMO])
