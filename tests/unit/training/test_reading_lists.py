"""The weights of reading lists are made from lists with known references, whole tutorials held out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from libraries import store
from reading_lists import library

from litterm.core.errors import BadInput
from litterm.reading_lists.candidates import FEATURES
from litterm.reading_lists.weights import WEIGHTS_FILE, read_weights
from litterm_training import reading_lists


def row(number: int, key: str, title: str) -> dict[str, object]:
    return {
        "id": f"tutorial-{number}",
        "title": f"Tutorial {number}",
        "year": 2021,
        "queries": {"A1": {"keywords": "neural parsing", "sentence": "Give me a reading list on neural parsing"}},
        "references": [{"title": title, "acl_id": key, "in_acl": True}],
    }


def test_weights_are_written_with_scores_out_of_fold(tmp_path: Path) -> None:
    root, lists, out = tmp_path / "library", tmp_path / "lists.jsonl", tmp_path / "weights.json"
    store(root, library())
    rows = [row(1, "S1", "A Survey of Neural Parsing"), row(2, "F1", "Neural Parsing with Shift-Reduce Networks")]
    rows += [row(number, "M3", "Neural Parsing by Reinforcement") for number in range(3, 7)]
    lists.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    reading_lists.main([str(lists), "--library", str(root), "--out", str(out)])
    made = json.loads(out.read_text("utf-8"))
    assert made["features"] == list(FEATURES)
    assert made["data"][0]["items"] == 6
    assert set(made["scores"]) == {"keywords", "sentence"}
    assert made["scores"]["keywords"]["recall@20"]["mean"] == 100
    assert len(read_weights(out)) == len(FEATURES)


def test_the_shipped_weights_fit_the_features_and_tell_their_scores() -> None:
    assert len(read_weights()) == len(FEATURES)
    assert set(json.loads(WEIGHTS_FILE.read_text("utf-8"))["scores"]) == {"keywords", "sentence"}


@pytest.mark.parametrize("content", ["", "{}", '{"form": 1, "features": ["age"], "weights": [1]}', "[1]"])
def test_a_file_for_other_features_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content, "utf-8")
    with pytest.raises(BadInput, match="no weights for reading lists"):
        read_weights(path)
