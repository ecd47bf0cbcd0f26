"""`:attach` and `:detach`, and the highlights of a PDF in the reader, over a real library."""

from __future__ import annotations

from pathlib import Path

import pytest
from libraries import by, store
from pdfs import LEFT, paper
from tui.library.test_duplicates import bench_of, command

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.engine import Engine
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId, Provenance
from litterm.tui.dialogs.message import ConfirmDialog
from tests.annotated_pdfs import annotated, highlight, quad

CAME_FROM = Provenance("ris", "a")
OWLS = Paper(PaperId("doi:10.5555/owls"), "Owls of the North", authors=by("Berg, Jo"), provenance=CAME_FROM)
PARSERS = Paper(PaperId("doi:10.5555/parsers"), "Choosing among parsers by information alone", provenance=CAME_FROM)


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    store(settings.library, [Parsed(OWLS), Parsed(PARSERS)])
    return build_engine(settings)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    entries = (
        highlight(quad(LEFT, 538, 290, 549), comment="Why so [bold]slow?", T="Ada"),
        {"Subtype": "/Text", "Contents": "Ask Bob", "page": 2},
    )
    path = tmp_path / "scan of 2004.pdf"
    path.write_bytes(annotated(paper(), *entries))
    return path


async def test_highlights_are_beside_their_sentences_and_notes_below_the_text(
    engine: Engine, home: Path, file: Path
) -> None:
    async with bench_of(engine, home) as bench:
        await bench.search("choosing parsers")
        await bench.press("escape")
        await command(bench, f"attach {file}")
        await bench.until(lambda: any("2 annotations" in said for said in bench.said))
        await bench.press("escape", "2", "enter")
        await bench.until(lambda: "p. 1, yellow: Why so [bold]slow?" in bench.shown())
        shown = bench.shown().splitlines()
        (marked,) = (place for place, line in enumerate(shown) if "Parsers of natural language" in line)
        (comment,) = (place for place, line in enumerate(shown) if "Why so [bold]slow?" in line)
        assert "”" in shown[marked] and 0 < comment - marked < 4 and "Ada" in shown[comment]
        await command(bench, "detach")
        await bench.until(lambda: any("is out" in said for said in bench.said))
        assert not engine.paper("doi:10.5555/parsers").full_text


async def test_a_pdf_of_another_paper_is_attached_only_when_agreed(engine: Engine, home: Path, file: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.search("owls")
        await bench.press("escape")
        await command(bench, f"attach {file}")
        await bench.until(lambda: bool(bench.context.dialogs))
        assert isinstance(bench.context.dialogs[-1], ConfirmDialog)
        assert "Owls of the North" in bench.shown() and "Choosing among Parsers" in bench.shown()
        await bench.press("escape")
        assert not engine.paper("doi:10.5555/owls").full_text
        await command(bench, f"attach '{file}'")
        await bench.until(lambda: bool(bench.context.dialogs))
        await bench.press("enter")
        await bench.until(lambda: engine.paper("doi:10.5555/owls").full_text)
        await command(bench, "attach /no/such.pdf")
        await bench.until(lambda: any("no such file" in said for said in bench.said))
