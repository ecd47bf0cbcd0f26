"""`litterm duplicates`, `remove` and `watch` as typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from json_answers import answer
from libraries import by, record, store

from litterm.cli.main import main
from litterm.core.settings import from_home

TITLE = "Deep nets are nice to have"


@pytest.fixture(autouse=True)
def library(home: Path) -> Path:
    folder = from_home(home).library
    full = record("acl:full", TITLE, abstract="Nets with many layers.", year=2019, authors=by("Bee"))
    store(folder, [full, record("arxiv:1901.00001", TITLE, year=2015, authors=by("Dee"))])
    return folder


def said(capsys: pytest.CaptureFixture[str], *argv: str, status: int = 0) -> str:
    assert main(argv) == status
    return capsys.readouterr().out


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, object]:
    found: dict[str, object] = answer(said(capsys, *argv, "--json"))
    return found


def test_a_pair_is_listed_merged_undone_and_kept_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert TITLE in said(capsys, "duplicates")
    (pair,) = told(capsys, "duplicates")["pairs"]  # type: ignore[misc, attr-defined]
    ids = [each["id"] for each in pair]
    assert told(capsys, "duplicates", "--merge", *ids) == {"shown": "acl:full", "merged": "arxiv:1901.00001"}
    assert told(capsys, "duplicates")["count"] == 0
    assert "acl:full" in said(capsys, "show", "arxiv:1901.00001")
    assert told(capsys, "duplicates", "--apart", *ids)["changed"]
    assert told(capsys, "show", "arxiv:1901.00001")["id"] == "arxiv:1901.00001"
    assert "apart" in said(capsys, "duplicates", "--undo")
    assert "merged" in said(capsys, "duplicates", "--undo")
    assert "nothing to undo" in said(capsys, "duplicates", "--undo")


def test_papers_are_removed_listed_and_brought_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "remove", "acl:full") == {"removed": 1}
    said(capsys, "show", "acl:full", status=3)
    assert told(capsys, "remove", "--list") == {"count": 1, "removed": ["acl:full"]}
    said(capsys, "remove", "--undo", "arxiv:1901.00001", status=3)
    assert told(capsys, "remove", "--undo", "ACL:full") == {"restored": 1}
    assert TITLE in said(capsys, "show", "acl:full")
    said(capsys, "remove", status=2)


def test_a_watch_is_kept_tells_its_news_once_and_is_forgotten(
    capsys: pytest.CaptureFixture[str], library: Path
) -> None:
    assert told(capsys, "watch", "nets")["added"]
    store(library, [record("acl:new", "Nets again", authors=by("Eff"))])
    (watch,) = told(capsys, "watch")["watches"]  # type: ignore[misc, attr-defined]
    assert (watch["new"], watch["papers"][0]["id"]) == (1, "acl:new")
    assert "Nets again" in said(capsys, "watch", "nets")
    assert told(capsys, "watch", "nets")["new"] == 0
    assert told(capsys, "watch", "--project", "Other")["watches"] == []
    said(capsys, "watch", "--forget", "nets")
    said(capsys, "watch", "--forget", "nets", status=2)
