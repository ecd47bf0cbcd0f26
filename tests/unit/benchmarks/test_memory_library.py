from __future__ import annotations

import pytest

from litterm.core.errors import UnknownPaper
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import Author, Paper, PaperId
from litterm_benchmarks.memory_library import MemoryLibrary

ONE = Paper(PaperId("starter:one"), "One", "First.", (Author("Gómez", "Ana María"),), aliases=(PaperId("acl:P1"),))
TWO = Paper(PaperId("starter:two"), "Two", aliases=(PaperId("doi:10.1/two"), PaperId("acl:P2")))
LIBRARY = MemoryLibrary([Parsed(ONE), Parsed(TWO), Parsed(Paper(ONE.id, "again"))])


def test_rows_are_in_the_order_given() -> None:
    snapshot = LIBRARY.snapshot()
    (segment,) = snapshot.segments
    refs = [RowRef(segment.key, 1), RowRef(segment.key, 0)]
    assert [paper.id for paper in LIBRARY.papers(snapshot, refs)] == [TWO.id, ONE.id]
    assert LIBRARY.texts(snapshot, refs) == (("Two", ""), ("One", "First."))


def test_a_key_is_an_id_an_alias_or_either_without_its_scheme() -> None:
    assert LIBRARY.find(["starter:one", "acl:P1", "P1", "one", "10.1/two", "nothing"]) == (
        (ONE.id,),
        (ONE.id,),
        (ONE.id,),
        (ONE.id,),
        (TWO.id,),
        (),
    )


def test_papers_by_id_or_alias() -> None:
    assert [paper.id for paper in LIBRARY.by_id([PaperId("acl:P2"), ONE.id])] == [TWO.id, ONE.id]
    with pytest.raises(UnknownPaper, match="acl:none"):
        LIBRARY.by_id([PaperId("acl:none")])


def test_authors_are_found_by_all_words_of_a_name() -> None:
    snapshot = LIBRARY.snapshot()
    for name, rows in (("gomez", 1), ("ana gomez", 1), ("Gómez, Ana", 1), ("ana lee", 0), ("", 0)):
        assert len(LIBRARY.author_rows(snapshot, [name])[0]) == rows


def test_status_counts() -> None:
    status = LIBRARY.status()
    assert (status.papers, status.documents, status.by_source) == (2, 0, (("starter", 2),))
    assert MemoryLibrary(()).snapshot().segments == ()
