"""Whatever record is stored, everything that reads the library works afterwards."""

from __future__ import annotations

import random
import string
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from libraries import by, paper, record, store, versions_of

from litterm.core.tasks import Task, run
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import Paper, PaperId, PublicationDetails
from litterm.search.searchable import LibraryState, SearchableLibrary
from litterm.text.documents.builder import Block, build_document

ANY = st.text(st.characters(codec=None), max_size=40)
OTHER = PaperId("acl:other")


@st.composite
def hostile(draw: st.DrawFn) -> Parsed:
    """A record with whatever text in every field, some of it repeated many times."""
    fields = {
        name: draw(ANY) * draw(st.sampled_from((1, 1, 50))) for name in ("abstract", "venue", "date", "retraction")
    }
    made = Paper(
        PaperId("acl:" + draw(st.text(string.ascii_letters + "'\"%{};:\\ \n", min_size=1, max_size=12))),
        draw(ANY),
        authors=by(f"{draw(ANY).replace(',', '')}, {draw(ANY).replace(',', '')}"),
        year=draw(st.none() | st.integers(-(10**12), 10**12)),
        urls=tuple(draw(st.lists(ANY, max_size=3))),
        keywords=tuple(draw(st.lists(ANY, max_size=3))),
        aliases=tuple(PaperId(f"doi:{each}") for each in draw(st.lists(ANY, max_size=3))),
        imprint=PublicationDetails(journal=draw(ANY), pages=draw(ANY)),
        full_text=True,
        **fields,  # type: ignore[arg-type]
    )
    blocks = [Block("title", draw(ANY)), Block("body", draw(ANY) or "x")]
    return Parsed(made, build_document(made.id, blocks, origin="jats", parser="test"))


def read_everything(root: Path, asked: PaperId) -> None:
    """What `search`, `show`, `read`, `export`, `duplicates` and `doctor` ask the store and the index."""
    library = DuckLibrary(root)
    try:
        snapshot = library.snapshot()
        rows = [RowRef(each.key, row) for each in snapshot.segments for row in range(each.count)]
        assert len(library.papers(snapshot, rows)) == len(library.texts(snapshot, rows)) == len(rows)
        assert library.by_id([OTHER])[0].title
        assert library.find([asked]) and library.find_by_title(["On the subject of other"])
        library.document(asked)
        versions_of(library, OTHER)
        library.linked_pairs("doubtful")
        library.author_rows(snapshot, ["Doe", "Jane Doe"])
        assert library.status().papers >= 1
        assert not library.view.damaged_segments()

        def searched(now: LibraryState) -> Task[int]:
            yield from ()
            return sum(len(part.postings("subject")[0]) for part in now.live.parts)

        assert run(SearchableLibrary(library, IndexFolder()).run_on_snapshot(searched)) >= 1
    finally:
        library.close()


@settings(max_examples=12, deadline=None)
@given(hostile())
def test_every_reading_works_beside_any_record(tmp_path_factory: pytest.TempPathFactory, parsed: Parsed) -> None:
    root = tmp_path_factory.mktemp("any")
    store(root, [record("other", authors=by("Doe, Jane")), parsed])
    read_everything(root, parsed.paper.id)


def noise(characters: int) -> str:
    """Text that no compression makes smaller."""
    return random.Random(3).randbytes(characters // 2).hex()


@pytest.mark.parametrize("field", ["abstract"])
def test_a_field_larger_than_the_memory_of_reading_is_read_all_the_same(tmp_path: Path, field: str) -> None:
    large = replace(paper("large"), **{field: noise(40_000_000)})  # type: ignore[arg-type]
    store(tmp_path, [record("other", authors=by("Doe, Jane")), Parsed(large)])
    read_everything(tmp_path, large.id)


def test_a_row_that_cannot_be_read_at_all_is_named_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("litterm.library.segments.library_view._MAX_MEMORY_MB", 80)
    large = replace(paper("large"), abstract=noise(40_000_000))
    store(tmp_path, [record("other"), Parsed(large), record("third")])
    library = DuckLibrary(tmp_path)
    found = library.by_id([OTHER, large.id, PaperId("acl:third")])
    assert [each.id for each in found] == ["acl:other", "acl:large", "acl:third"]
    assert "too large to be read" in found[1].title
    assert found[2].title == "On the subject of third"
    assert "acl:large" in caplog.text
    library.close()
