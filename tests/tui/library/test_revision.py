"""`:edit`, `:split` and `:remove-import`, over a real library."""

from __future__ import annotations

from pathlib import Path

import pytest
from libraries import by, store
from tui.library.test_duplicates import bench_of, command

from litterm.build import build_engine
from litterm.core.errors import UsageError
from litterm.core.settings import from_home
from litterm.engine import Engine
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId, Provenance, PublicationDetails
from litterm.tui.annotations.text_editor import PaperTextEditor
from litterm.tui.library.revision import editable_text, read_correction
from litterm.tui.widgets.field import Field

HERONS = Paper(
    PaperId("acl:H1"), "Herons stand still", authors=by("Wade, Ida"), year=2001, aliases=(PaperId("doi:10.5555/h"),),
    provenance=Provenance("anthology", "/home/wade/a.xml"),
)  # fmt: skip
OWN = Paper(
    PaperId("doi:10.5555/h"), "Herons Stand Still", authors=by("Wade, Ida"), year=2001,
    imprint=PublicationDetails(bibkey="herons"), provenance=Provenance("bibtex", "/home/wade/own.bib:1"),
)  # fmt: skip
GUESSED = Paper(
    PaperId("local:scan7"), "scan7", is_title_certain=False, provenance=Provenance("pdf", "/home/wade/scan7.pdf")
)


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    store(settings.library, [Parsed(HERONS)])
    store(settings.library, [Parsed(OWN), Parsed(GUESSED)])
    return build_engine(settings)


async def test_a_record_is_corrected_split_and_its_import_taken_back(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.search("herons")
        await bench.press("escape", "T")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, PaperTextEditor)
        field = dialog.query_one(Field)
        assert field.text.splitlines() == [
            "title: Herons stand still",
            "authors: Wade, Ida",
            "year: 2001",
            "key: herons",
        ]
        field.set_text(field.text.replace("2001", "2002").replace("still", "very still"))
        await bench.press("enter")
        await bench.settle()
        assert (engine.paper("H1").title, engine.paper("H1").year) == ("Herons stand very still", 2002)
        assert any("Herons stand very still" in said and ":undo-edit" in said for said in bench.said)
        await command(bench, "undo-edit")
        await bench.settle()
        assert engine.paper("H1").year == 2001
        await command(bench, "split")
        await bench.settle()
        assert engine.paper("herons").id != "acl:H1"
        await command(bench, "remove-import /home/wade/own.bib")
        await bench.settle()
        assert engine.record_curation.removed_papers()


async def test_a_title_that_was_not_found_is_marked(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.search("scan7")
        assert "title not found in the file" in bench.shown()


def test_only_what_changed_is_a_correction() -> None:
    shown = editable_text(HERONS)
    assert read_correction(HERONS, shown) is None
    corrected = read_correction(HERONS, shown.replace("Wade, Ida", "{Heron Group}; Ada Moss"))
    assert corrected is not None
    assert corrected.authors == (Author("Heron Group", is_literal=True), Author("Moss", "Ada"))
    assert (corrected.title, corrected.year) == ("", None)
    with pytest.raises(UsageError, match="is no year"):
        read_correction(HERONS, shown.replace("2001", "soon"))
    with pytest.raises(UsageError, match="a line begins with"):
        read_correction(HERONS, f"{shown}\npages: 3")
