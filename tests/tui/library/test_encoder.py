"""Vectors by the user's encoder as a job of the workbench."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from encoder_models import write_encoder
from libraries import record, store
from tui.harness import Bench, Start

from litterm.build import build_engine
from litterm.core.settings import EncoderSettings, Settings, from_home
from litterm.engine import Engine
from litterm.tui.home.jobs import JobsDialog


@pytest.fixture
def settings(home: Path, tmp_path: Path) -> Settings:
    store(home / "library", [record("A", "Parsing of speech"), record("B", "Speech on the sea")])
    model = write_encoder(tmp_path / "tiny", [["tree", "parsing"], ["sea"], ["speech"], ["of", "on", "the"]])
    return replace(from_home(home), starter=False, encoder=EncoderSettings(str(model)))


@pytest.fixture
def engine(settings: Settings) -> Engine:
    return build_engine(settings)


def job_lines(bench: Bench) -> list[str]:
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, JobsDialog)
    return [row.choice.label for row in dialog.job_rows]


async def test_missing_vectors_are_made_and_listed(engine: Engine, settings: Settings, start: Start) -> None:
    async with start(engine, settings=settings) as bench:
        await bench.until(lambda: engine.encoder is not None and not engine.encoder.status().missing)
        await bench.press("escape", "!")
        await bench.until(lambda: any("vectors of papers by tiny" in line for line in job_lines(bench)))


async def test_what_the_user_stopped_is_not_begun_again(engine: Engine, settings: Settings, start: Start) -> None:
    assert engine.encoder is not None
    engine.encoder.stop()
    async with start(engine, settings=settings) as bench:
        await bench.press("escape", "!")
        assert not any("vectors" in line for line in job_lines(bench))
        assert engine.encoder.status().encoded == 0


async def test_stopping_the_job_stops_the_process_that_makes_them(
    engine: Engine, settings: Settings, start: Start
) -> None:
    encoder = engine.encoder
    assert encoder is not None
    async with start(engine, settings=settings) as bench:
        for listener in bench.context.work.stop_listeners:
            listener("sync#1")
        assert not encoder.status().stopped
        for listener in bench.context.work.stop_listeners:
            listener("encode#1")
        assert encoder.status().stopped
