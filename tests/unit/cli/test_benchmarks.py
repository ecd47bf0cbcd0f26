"""Every table of figures on the two pages of benchmarks names a command that exists and makes it."""

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
PAGES = page("docs/benchmarks.md") + "\n" + page("docs/benchmarks-history.md")
NAMES = {bench.name for bench in BENCHES}


def tables() -> Iterator[tuple[str, str]]:
    """Heading, and the text of its section up to the end of a table of figures."""
    for section in re.split(r"^(?=#{1,4} )", PAGES, flags=re.MULTILINE):
        heading = section.partition("\n")[0].strip("# ")
        for table in re.finditer(r"(?:^\|.*\n)+", section, re.MULTILINE):
            if re.search(r"\d", table.group()):
                yield f"{heading}: {table.group().splitlines()[2][:60]}", section[: table.end()]


TABLES = dict(tables())


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_figures_names_its_command(name: str) -> None:
    text = TABLES[name]
    benches = {name for name in BENCH.findall(text) if name in NAMES} | {
        name for name in re.findall(r"`([a-z][a-z-]+)", text) if name in NAMES
    }
    modules = {module for module in MODULE.findall(text) if importlib.util.find_spec(module.rstrip("."))}
    assert benches or modules, f"no command makes the table {name}"


def test_there_are_tables_and_every_bench_named_exists() -> None:
    assert len(TABLES) > 15
    text = PAGES
    assert set(filter(None, BENCH.findall(text))) - NAMES == set()
    assert [module for module in MODULE.findall(text) if not importlib.util.find_spec(module.rstrip("."))] == []


def test_every_option_that_a_figure_is_made_with_exists() -> None:
    known = {option for action in build_parser().parser_of("bench").actions() for option in action.option_strings}
    commands = re.findall(r"`litterm bench ([^`]+)`", PAGES)
    used = {option for command in commands for option in re.findall(r"--[a-z-]+", command)}
    assert used > {"--until"}
    assert used <= known
