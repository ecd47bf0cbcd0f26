"""Read, evidence and cite over a fake library and the real strategies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from litterm.attribution.candidate_bounds import read_bounds
from litterm.core.errors import UnknownPaper, UsageError
from litterm.core.tasks import Task, run
from litterm.engine import Engine
from litterm.engine.parts import Parts
from litterm.evidence.lexical import LexicalExtractor
from litterm.library.full_text import read_full_text
from litterm.model.attribution.citation import Attribution, CandidateBounds, Excerpt
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, abstract_document, build_document

PAPER = Paper(
    PaperId("acl:A"), "Dropout for small corpora", "Dropout lowers error. It is cheap to use everywhere.", year=2014
)
FULL = build_document(
    PAPER.id, [Block("body", "Dropout lowers the error of deep networks. We are glad.")], origin="jats", parser="t"
)


def one_on_dropout(records: FakeRecords) -> Evidence:
    parts = SimpleNamespace(lookup=records, extractor=LexicalExtractor(), damage_notice=str)
    return run(Engine(cast(Parts, parts)).evidence(PAPER.id, "dropout lowers error", k=1))


class FakeRecords:
    """Records of one paper."""

    def __init__(self, document: Document | None = None) -> None:
        self._document = document

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple((PAPER.id,) if key == PAPER.id else () for key in keys)

    def find_by_citation_key(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple(() for _ in keys)

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        if list(ids) != [PAPER.id]:
            raise UnknownPaper("It is not in the library.")
        return (PAPER,)

    def document(self, paper_id: PaperId) -> Document | None:
        return self._document


def test_reading_gives_the_full_text() -> None:
    assert run(read_full_text(FakeRecords(FULL), PAPER.id)) == FULL


def test_without_a_full_text_title_and_abstract_are_the_document() -> None:
    document = run(read_full_text(FakeRecords(), PAPER.id))
    assert document.origin == "abstract"
    assert [sentence.text for sentence in document.sentences if sentence.kind == "abstract"] == [
        "Dropout lowers error.",
        "It is cheap to use everywhere.",
    ]
    assert run(read_full_text(FakeRecords(), PAPER.id)).id == document.id


def test_a_summary_of_ours_is_not_called_an_abstract() -> None:
    ours = abstract_document(replace(PAPER, abstract_by="litterm"))
    assert [section.title for section in ours.sections][-1] == "Summary by litterm"


def test_a_paper_that_is_not_there_cannot_be_read() -> None:
    with pytest.raises(UnknownPaper):
        run(read_full_text(FakeRecords(), PaperId("acl:B")))


def test_evidence_comes_from_the_full_text_or_says_that_there_was_none() -> None:
    full = one_on_dropout(FakeRecords(FULL))
    assert full.sentences[0].sentence.text == "Dropout lowers the error of deep networks."
    assert full.document_id == FULL.id
    thin = one_on_dropout(FakeRecords())
    assert "No full text" in thin.notices[0]
    assert thin.sentences[0].sentence.kind == "abstract"


def test_excerpt_and_bounds_reach_the_attributor() -> None:
    class Echo:
        name = "echo"

        def attribute(self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds) -> Task[Attribution]:
            return Attribution(excerpt, f"{k} {bounds.year}", ())
            yield

    parts = SimpleNamespace(
        attributor=lambda collection: Echo(),
        lookup=FakeRecords(),
        works=Titles,
        damage_notice=str,
        citations=AllRead(),
    )
    engine = Engine(cast(Parts, parts))
    found = run(engine.cite("Dropout [3] helps [CITATION].", k=2, before=1999, mark=1))
    assert found.by == "2 1999"
    assert found.excerpt.chosen == 0


class AllRead:
    """A citation graph all of whose reference lists have been read."""

    def announce_unread(self) -> Task[None]:
        return
        yield


class Titles:
    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple((PAPER.id,) if title == PAPER.title else () for title in titles)


@pytest.mark.parametrize("source", [PAPER.id, PAPER.title])
def test_the_citing_paper_is_left_out_by_id_or_title_and_its_year_is_the_last(source: str) -> None:
    bounds = read_bounds(None, source, FakeRecords(), Titles)
    assert bounds == CandidateBounds(PAPER.year, None, (PAPER.id,), PAPER.title)
    assert read_bounds("2001-07", source, FakeRecords(), Titles).year == 2001
    assert read_bounds("2001-07", source, FakeRecords(), Titles).month == 7


def test_a_citing_paper_the_library_lacks_is_known_by_its_title_alone() -> None:
    assert read_bounds(2018, "Some title nobody has", FakeRecords(), Titles) == CandidateBounds(
        2018, source="Some title nobody has"
    )


@pytest.mark.parametrize("before", ["18", "2018-13", "2018-", "year", "2018-07-01"])
def test_what_is_no_date_is_a_usage_error(before: str) -> None:
    with pytest.raises(UsageError, match="2018-07"):
        read_bounds(before, "", FakeRecords(), Titles)
