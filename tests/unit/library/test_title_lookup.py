"""The references of a paper, resolved against a library on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.core.tasks import run
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.library.title_lookup import LibraryWorks, resolve_document
from litterm.model.document import Document, Reference
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, References, build_document
from tests.libraries import by, record, store


@pytest.fixture
def works(tmp_path: Path) -> LibraryWorks:
    store(
        tmp_path,
        [
            record("P91-1", "Aligning Parallel Sentences by Length", authors=by("Gale, W.", "Church, K."), year=1991),
            record("J93-1", "Translation by Statistics", authors=by("Brown, P.", "Lai, J.", "Mercer, R."), year=1993),
            record("P01-1", "Zebras and Giraffes", authors=by("Miller, G."), year=2001),
            record("P09-1", "Something Else Altogether", authors=by("Miller, G."), year=2009),
        ],
    )
    return LibraryWorks(DuckLibrary(tmp_path), IndexFolder())


def document(text: str, *references: Reference) -> Document:
    listed = References(references, known=bool(references))
    return build_document(PaperId("local:x"), [Block("body", text)], origin="pdf", parser="t", references=listed)


def test_papers_are_found_by_author_and_year(works: LibraryWorks) -> None:
    assert [paper.id for paper in works.find_by_author_year("miller", 2002)] == ["acl:P01-1"]
    assert works.find_by_author_year("Nobody", 2001) == ()


def test_a_list_is_resolved_by_titles_and_the_rest_is_kept(works: LibraryWorks) -> None:
    found = run(
        resolve_document(
            document(
                "Sentences are aligned [1], as others [2] say.",
                Reference(0, "W. Gale and K. Church. 1991. Aligning parallel sentences by length. In ACL.", label="1"),
                Reference(1, "A. Nobody. 1950. A book that nobody has. Press.", label="2"),
            ),
            works,
        )
    )
    assert [reference.target for reference in found.references] == ["acl:P91-1", None]
    assert [context.reference for context in found.contexts] == [0, 1]


def test_without_a_list_mentions_are_resolved(works: LibraryWorks) -> None:
    text = "It began (Gale and Church, 1991). Statistics made translation (Brown et al., 1993). Why (Miller, 2001)?"
    found = run(resolve_document(document(text), works))
    assert [(reference.label, reference.target) for reference in found.references] == [
        ("Gale and Church, 1991", "acl:P91-1"),
        ("Brown et al., 1993", "acl:J93-1"),
        ("Miller, 2001", None),
    ]


def test_a_target_that_is_known_is_left_alone(works: LibraryWorks) -> None:
    known = Reference(0, "?", label="1", target=PaperId("acl:J93-1"))
    assert run(resolve_document(document("As known [1].", known), works)).references == (known,)
