"""The documents name what is there, and the walks of `docs/architecture.md` the order in which it is called."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import engine_table
import pytest
from documents import CHECKOUT, PAGES

PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"
NAME = re.compile(r"`(litterm(?:\.\w+)+)`")
PLACE = re.compile(r"`((?:litterm|litterm_benchmarks|litterm_training|tests|tools)/[\w./]*)`")
"""A file or folder of the checkout; names in capitals (`litterm/services/NAME.py`) are for the reader to fill in."""
LONGEST = 12
"""Stations of a walk."""
TRACE = """
import sys
called = {}
def note(frame, event, _arg):
    if event == "call":
        name = frame.f_globals.get("__name__", "")
        if name.startswith("litterm."):
            called.setdefault(f"{name}.{frame.f_code.co_qualname}")
sys.setprofile(note)
from litterm.cli.main import main
status = main(sys.argv[1:])
sys.setprofile(None)
print(status, *called, sep="\\n", file=sys.stderr)
"""
COMMANDS = {
    '`litterm search "x"`': ["search", "pruning"],
    '`litterm cite "We prune [CITATION]."`': ["cite", "Structured pruning of language models [CITATION] works."],
    "`litterm add FILE`": ["add", "papers.bib"],
}
BIB = "@article{a1, title={Parsing of trees}, author={Ada Adams}, year={2014}, abstract={Trees are parsed.}}"


def walks() -> dict[str, list[str]]:
    """The items of each walk, by its heading."""
    section = PAGE.read_text("utf-8").split("## Four walks through the code")[1].split("\n## ")[0]
    parts = re.split(r"^### ", section, flags=re.MULTILINE)[1:]
    return {part.splitlines()[0]: re.findall(r"^\d+\. (.*(?:\n    .*)*)", part, flags=re.MULTILINE) for part in parts}


def resolved(name: str) -> object:
    """What a dotted name stands for: the longest part that is a module, and its attributes."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise AssertionError(name)


def test_every_name_of_the_walks_is_there_and_none_is_long() -> None:
    found = walks()
    assert set(COMMANDS) < set(found)
    assert len(found) == 4
    for heading, items in found.items():
        assert 5 < len(items) <= LONGEST, heading
        for item in items:
            names = NAME.findall(item)
            assert names, item
            assert all(resolved(name) is not None for name in names)


@pytest.mark.parametrize("heading", COMMANDS)
def test_a_command_passes_the_stations_of_its_walk_in_order(heading: str, home: Path, tmp_path: Path) -> None:
    (tmp_path / "papers.bib").write_text(BIB, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", TRACE, *COMMANDS[heading]],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "LITTERM_HOME": str(home), "LITTERM_OFFLINE": "1"},
    )
    called = done.stderr.splitlines()
    stations = [NAME.findall(item)[0] for item in walks()[heading]]
    missing = [name for name in stations if name not in called]
    assert missing == []
    assert stations == sorted(stations, key=called.index)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_every_file_and_folder_named_in_the_documents_is_there(page: Path) -> None:
    places = [place for place in PLACE.findall(page.read_text("utf-8")) if not re.search("[A-Z]{4}", place)]
    assert [place for place in places if not (CHECKOUT / place).exists()] == []


def test_the_table_of_the_engine_follows_from_its_definitions() -> None:
    section = PAGE.read_text("utf-8").split("## From the engine to the code")[1].split("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    assert table == [*engine_table.HEAD, *engine_table.rows()]


def test_every_function_named_in_architecture_is_there() -> None:
    names = NAME.findall(PAGE.read_text("utf-8"))
    assert len(names) > 40
    assert all(resolved(name) is not None for name in names)
