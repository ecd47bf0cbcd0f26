"""The references of a paper, resolved against a library on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.core.tasks import run
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.library.title_lookup import LibraryWorks, resolve_document
from litterm.model.document import Document, Reference
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, References, build_document
from litterm.text.tokens import words
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


def by_id(paper: Paper) -> PaperId:
    return paper.id


def document(text: str, *references: Reference) -> Document:
    listed = References(references, known=bool(references))
    return build_document(PaperId("local:x"), [Block("body", text)], origin="pdf", parser="t", references=listed)


def test_papers_are_found_by_author_and_year(works: LibraryWorks) -> None:
    pairs = [("miller", 2002), ("Nobody", 2001), ("Church", 1990)]
    found = works.find_by_author_years(pairs)
    assert [[paper.id for paper in papers] for papers in found] == [["acl:P01-1"], [], ["acl:P91-1"]]
    assert works.find_by_author_years([]) == ()


def test_bylines_are_found_by_first_author_and_year(works: LibraryWorks) -> None:
    (paper,) = works.by_id([PaperId("acl:P91-1")])
    assert works.find_by_first_author("Gale", 1992) == (paper.byline,)
    # A second author, another year, nobody, and no name at all.
    for pair in (("Church", 1991), ("Miller", 2005), ("Nobody", 2001), ("?", 2001)):
        assert works.find_by_first_author(*pair) == ()


@pytest.mark.parametrize("extra_names", [0, 150])
def test_first_authors_are_found_whatever_their_names(tmp_path: Path, extra_names: int) -> None:
    names = ["van den Berg, A.", "Berg, B.", "García, C.", "Li, D.", "Olivier Li, E.", "Smith-Jones, F.", "Ng, Li"]
    records = [
        record(f"P{year}-{number}", f"Title {number} of {year}", authors=by(name, "Other, O.", "Berg, Z."), year=year)
        for number, name in enumerate(names)
        for year in (1999, 2001, 2002)
    ]
    # In two segments, one row of which is replaced by a later one.
    store(tmp_path, records[::2])
    store(tmp_path, [*records[1::2], record("P1999-0", "Title 0 of 1999", authors=by("van den Berg, A."), year=2003)])
    library = DuckLibrary(tmp_path)
    works = LibraryWorks(library, IndexFolder())
    papers = sorted(works.by_id([PaperId(f"acl:P{y}-{n}") for n in range(7) for y in (1999, 2001, 2002)]), key=by_id)
    families = ["Berg", "van den Berg", "garcia", "Li", "Smith-Jones", "Smith Jones", "Other", "den"]
    pairs = [(family, year) for family in families for year in (1998, 2000, 2003)]
    # More names than one statement lists one by one.
    works.prefetch_first_authors([*pairs, *((f"Stranger{number}", 2000) for number in range(extra_names))])
    for family, year in pairs:
        expected = [
            paper.byline
            for paper in papers
            if set(words(family)) <= set(words(f"{paper.authors[0].given} {paper.authors[0].family}"))
            and abs((paper.year or 0) - year) < 2
        ]
        assert list(works.find_by_first_author(family, year)) == expected, (family, year)


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
