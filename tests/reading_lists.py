"""A small library on neural parsing for tests of reading lists, and lists over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from libraries import by, record, store

from litterm import build_engine
from litterm.core.settings import from_home
from litterm.engine import Engine
from litterm.model.library import Parsed

TOPIC = "neural parsing"


def library() -> list[Parsed]:
    """Fifteen papers: a survey, old and new work on parsing, and what is off the topic."""
    return [
        record("S1", "A Survey of Neural Parsing", year=2018, authors=by("Sun, A"), abstract="Parsing with networks."),
        record("F1", "Neural Parsing with Shift-Reduce Networks", year=2012, authors=by("Fox, B"), abstract="Parsing."),
        record("F2", "Graph Networks for Neural Parsing", year=2013, authors=by("Fish, C"), abstract="Graphs parsed."),
        record("M1", "Faster Neural Parsing of Long Sentences", year=2016, authors=by("Mole, D"), abstract="Speed."),
        record("M2", "Neural Parsing of Morphologically Rich Languages", year=2016, authors=by("Mink, E")),
        record("M3", "Neural Parsing by Reinforcement", year=2017, authors=by("Moth, F"), abstract="Rewards."),
        record("M4", "Neural Parsing of Tweets", year=2017, authors=by("Mouse, G"), abstract="Noisy text is parsed."),
        record("R1", "Neural Parsing with Large Language Models", year=2021, authors=by("Ray, H"), abstract="Prompts."),
        record("R2", "Probing Neural Parsing Models", year=2021, authors=by("Rook, I"), abstract="What they know."),
        record("R3", "Cross-lingual Neural Parsing", year=2020, authors=by("Robin, J"), abstract="Many languages."),
        record("N1", "Neural Parsing After the Deadline", year=2023, authors=by("Newt, K"), abstract="Too new."),
        *(record(f"O{n}", f"Speech Synthesis for Voice {n}", year=2015, abstract="Sound.") for n in range(4)),
    ]


@contextmanager
def engine_over(folder: Path) -> Iterator[Engine]:
    """An engine over that library."""
    home = from_home(folder)
    store(home.library, library())
    yield build_engine(home)
