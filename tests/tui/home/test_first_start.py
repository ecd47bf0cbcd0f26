"""The first start, over the starter library as it ships."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.tui.session import SAMPLE_QUERY


def test_the_guided_tour_is_the_first_row_as_the_hint_says(tmp_path: Path) -> None:
    engine = build_engine(replace(from_home(tmp_path), offline=True))
    first, second, *_ = run(engine.search(SAMPLE_QUERY, k=5)).papers
    assert first.paper.title == "A guided tour of litterm"
    assert first.paper.full_text
    assert second.library_name == "starter"
