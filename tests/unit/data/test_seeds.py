"""The five papers that litterm is built on: the same facts in starter library, bibliography and CITATION.cff."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

import litterm.data
from litterm.importers.reader import FileReader
from litterm.model.library import Parsed

CHECKOUT = Path(__file__).parents[3]
STARTER = Path(litterm.data.__file__).parent / "starter"
SEEDS = ("ajith2024", "evidencebench2025", "press2024", "wang2023doris", "aubert2025")


def rows(name: str) -> dict[str, Any]:
    """The records of a file of the starter library by their ids."""
    return {row["id"]: row for row in map(json.loads, (STARTER / name).read_text("utf-8").splitlines())}


def facts(title: str, names: list[str], year: int) -> tuple[str, tuple[str, ...], int]:
    return title, tuple(names), year


def starter_facts() -> set[tuple[str, tuple[str, ...], int]]:
    papers = [rows("papers.jsonl")[f"starter:{key}"] for key in SEEDS]
    return {facts(row["title"], [each["family"] for each in row["authors"]], row["year"]) for row in papers}


def test_the_tour_cites_all_five() -> None:
    tour = rows("documents.jsonl")["starter:tour"]
    assert {f"starter:{key}" for key in SEEDS} <= set(tour["references"])


def test_the_bibliography_says_the_same() -> None:
    read = FileReader().read(CHECKOUT / "docs/seeds.bib", lambda _sha256: False)
    papers = [each.paper for each in read if isinstance(each, Parsed)]
    assert {
        facts(paper.title, [author.family for author in paper.authors], paper.year or 0) for paper in papers
    } == starter_facts()


def test_the_citation_file_says_the_same() -> None:
    found = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text("utf-8"))
    version = re.search(r'"(.+)"', (CHECKOUT / "litterm/core/version.py").read_text("utf-8").split("__version__", 1)[1])
    assert version and found["version"] == version[1]
    assert {
        facts(each["title"], [author["family-names"] for author in each["authors"]], each["year"])
        for each in found["references"]
    } == starter_facts()


def test_readme_names_all_five_with_a_figure_or_the_reason_for_none() -> None:
    text = (CHECKOUT / "README.md").read_text("utf-8")
    for title, names, year in starter_facts():
        line = next(line for line in text.splitlines() if line.startswith("|") and title in line)
        assert names[0] in line
        assert str(year) in line
        assert re.match(r"-: |[0-9]", line.strip("| ").rpartition("| ")[2]), line
