"""The names of one paper: who uses them, and hiding a wrong one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litterm.annotations.annotations import open_annotations
from litterm.annotations.known_names import KnownNames
from litterm.core.errors import UsageError
from litterm.library.citation_facts.names import known_by
from litterm.library.citation_facts.shipped import open_facts
from litterm.model.citations.facts import NameFact
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


def test_names_of_own_texts_are_first_and_joined_with_those_of_others() -> None:
    annotations = open_annotations(ListJournal(), MemorySession(), writer="one")
    own = tuple(
        NameFact(name, "cited name", (SNLI.id,), "", None, "", (), texts=3) for name in ("Bowman corpus", "SNLI")
    )
    names = KnownNames(annotations, open_facts, lambda ids: own if SNLI.id in ids else ())
    assert [known_by(fact) for fact in names.of_paper(SNLI)] == [
        "your texts, 3",
        "your texts, 3; Hugging Face data sets and 2 more",
        "Hugging Face data sets",
    ]
    names.hide(SNLI, "Bowman corpus")
    assert [fact.name for fact in names.of_paper(SNLI)] == ["SNLI", "Stanford Natural Language Inference"]
