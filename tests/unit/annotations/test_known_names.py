"""The names of one paper: who uses them, and hiding a wrong one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litterm.annotations.annotations import open_annotations
from litterm.annotations.known_names import KnownNames
from litterm.core.errors import UsageError
from litterm.library.citation_facts.shipped import open_facts
from litterm.model.paper import Paper, PaperId
from tests.unit.annotations.journals import ListJournal, MemorySession

SNLI = Paper(PaperId("acl:D15-1075"), "A large annotated corpus for learning natural language inference", year=2015)


def test_names_of_a_paper_are_found_by_id_alias_or_title_and_a_wrong_one_is_hidden() -> None:
    annotations = open_annotations(ListJournal(), MemorySession(), writer="one")
    names = KnownNames(annotations, open_facts)
    saved = PaperId("local:0123456789ab")
    for paper in (SNLI, replace(SNLI, id=saved), replace(SNLI, id=saved, title="?", aliases=(SNLI.id,))):
        assert [fact.name for fact in names.of_paper(paper)] == ["SNLI", "Stanford Natural Language Inference"]
    names.hide(SNLI, "snli")
    assert [fact.name for fact in names.of_paper(SNLI)] == ["Stanford Natural Language Inference"]
    with pytest.raises(UsageError, match="is not known as"):
        names.hide(SNLI, "snli")
    annotations.undo()
    assert len(names.of_paper(SNLI)) == 2
