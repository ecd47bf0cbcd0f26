"""What the user brought: rows of home, the mark of a row, `I` and `:imports`, over a real library."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from libraries import store
from tui.library.test_duplicates import bench_of, command
from tui.library.test_revision import HERONS, OWN

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.engine import Engine
from litterm.model.library import Parsed
from litterm.model.paper import PaperId
from litterm.tui.dialogs.choose import ChoiceDialog

STORKS = replace(HERONS, id=PaperId("acl:S1"), title="Storks and herons", aliases=())


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    store(settings.library, [Parsed(HERONS), Parsed(STORKS)])
    store(settings.library, [Parsed(OWN)])
    return build_engine(settings)


async def test_papers_of_an_import_are_marked_narrowed_to_and_listed(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:

        def titles() -> list[str]:
            return [row.paper.title for row in bench.context.results.state.rows if row.library_name == "own"]

        await bench.search("herons")
        await bench.press("escape", "2")
        await bench.until(lambda: f"2{bench.context.glyphs.mine}" in bench.shown())
        assert sorted(titles()) == ["Herons stand still", "Storks and herons"]
        await bench.press("I")
        await bench.settle()
        assert titles() == ["Herons stand still"]
        await bench.press("I")
        await bench.settle()
        assert (len(titles()), bench.context.query.field.text) == (2, "herons")
        await command(bench, "imports")
        await bench.settle()
        assert isinstance(bench.context.dialogs[-1], ChoiceDialog)
        assert "own.bib" in bench.shown() and "a.xml" in bench.shown()
        await bench.press("enter")
        await bench.settle()
        assert (titles(), bench.context.query.field.text) == (["Herons stand still"], "import:own.bib")
        await bench.press("0")
        await bench.settle()
        assert "my papers" in bench.shown() and "own.bib" in bench.shown()
        await command(bench, "remove-import own.bib")
        await bench.settle()
        assert engine.import_index.own() == ()
