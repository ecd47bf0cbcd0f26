"""Every table of figures in docs/benchmarks.md names a command that exists and makes it."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator

import pytest
from documents import page

from litterm.cli.parser import build_parser
from litterm_benchmarks.command import BENCHES

BENCH = re.compile(r"litterm bench(?: ([a-z][a-z-]+))?")
MODULE = re.compile(r"python -m ([a-z_.]+)")
NAMES = {bench.name for bench in BENCHES}


def tables() -> Iterator[tuple[str, str]]:
    """Heading, and the text of its section up to the end of a table of figures."""
    for section in re.split(r"^(?=#{1,4} )", page("docs/benchmarks.md"), flags=re.MULTILINE):
        heading = section.partition("\n")[0].strip("# ")
        for number, table in enumerate(re.finditer(r"(?:^\|.*\n)+", section, re.MULTILINE)):
            if re.search(r"\d", table.group()):
                yield f"{heading} {number}", section[: table.end()]


TABLES = dict(tables())


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_figures_names_its_command(name: str) -> None:
    text = TABLES[name]
    benches = {found for found in BENCH.findall(text) if found in NAMES} | {
        found for found in re.findall(r"`([a-z][a-z-]+)", text) if found in NAMES
    }
    modules = {found for found in MODULE.findall(text) if importlib.util.find_spec(found.rstrip("."))}
    assert benches or modules, f"no command makes the table {name}"


def test_there_are_tables_and_every_bench_named_exists() -> None:
    assert len(TABLES) > 15
    text = page("docs/benchmarks.md")
    assert set(filter(None, BENCH.findall(text))) - NAMES == set()
    assert [each for each in MODULE.findall(text) if not importlib.util.find_spec(each.rstrip("."))] == []


def test_every_option_that_a_figure_is_made_with_exists() -> None:
    known = {option for action in build_parser().parser_of("bench").actions() for option in action.option_strings}
    commands = re.findall(r"`litterm bench ([^`]+)`", page("docs/benchmarks.md"))
    used = {option for command in commands for option in re.findall(r"--[a-z-]+", command)}
    assert used > {"--until"}
    assert used <= known
