"""Which elements take a hyphen, told from papers."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from litterm.text.documents.hyphens import COMPOUNDS_FILE
from litterm_training import compounds

FILES = (
    "acl-anthology-xml.tar.gz",
    "iclr.jsonl.gz",
    "acl-recent.jsonl.gz",
    "biomedical-text/abstracts.jsonl.gz",
    "biomedical-text/fulltext.jsonl.gz",
)


def made(words: dict[str, int], compound_words: dict[str, int]) -> dict[str, list[str]]:
    written = compounds.table(compounds.Counts(words, compound_words)).splitlines()
    return {line.split()[0]: line.split()[1:] for line in written if not line.startswith("#")}


SEA = {f"sea-{second}": 9 for second in ("based", "green", "level", "long", "made", "wide")}


def test_an_element_takes_a_hyphen_where_most_of_its_words_do() -> None:
    lists = made({"seaside": 5, "seawide": 4, "seat": 50}, SEA)
    assert lists["first"] == ["sea"]
    # Rarer than the compound it is glued from, it is a fault of some source.
    assert lists["joined"] == ["seaside"]
    assert (
        made({f"sea{end}": 9 for end in ("sons", "soned", "shore", "side", "food", "sick", "weed")}, SEA)["first"] == []
    )


def test_other_compounds_are_listed_where_they_are_common() -> None:
    lists = made(
        {"cowboy": 30, "dogleg": 6}, {"cow-boy": 20, "dog-leg": 12, "ant-hill": 10, "bee-hive": 9, "x-ray": 99}
    )
    assert lists["hyphened"] == ["ant-hill"]


def test_words_count_once_a_paper_and_longer_compounds_not_at_all(tmp_path: Path) -> None:
    source = tmp_path / "papers.jsonl"
    rows = [
        {"title": "Ant-hill and ant-hill", "abstract": "Ant-hill, state-of-the-art."},
        {"title": "The ant-hill"},
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    counts = compounds.count([source])
    assert counts.compounds["ant-hill"] == 2
    assert "of-the" not in counts.compounds and "state" not in counts.words
    compounds.main([str(source), "--out", str(tmp_path / "compounds.txt")])
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    assert f"# Read: papers.jsonl {digest}" in (tmp_path / "compounds.txt").read_text("utf-8").splitlines()


@pytest.mark.extra
def test_the_file_shipped_is_what_the_script_makes(shared: Path, tmp_path: Path) -> None:
    out = tmp_path / "compounds.txt"
    compounds.main([*(str(shared / "data" / name) for name in FILES), "--out", str(out)])
    assert out.read_text("utf-8") == COMPOUNDS_FILE.read_text("utf-8")
