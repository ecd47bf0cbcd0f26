"""Refitting: the arithmetic, the folds, and that the file in the package is what the script makes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from evidence_sample import SAMPLE, SAMPLE_SEEDS, evidence_data, refit, sample_data

from litterm.evidence.features import CLAIM_FEATURE_NAMES
from litterm.evidence.language.concepts import FREQUENCY_FILE as BACKGROUND
from litterm.evidence.verdict import VERDICT_FEATURES
from litterm.evidence.weights import WEIGHTS_FILE, read_weights
from litterm_training import document_frequency, evidence
from litterm_training.logistic_regression import fit_logistic
from litterm_training.softmax import fit_listwise

WORDS = "zinc iron colds adults children fever weeks dose trial serum plasma copper sleep weight".split()


def item(number: int) -> dict[str, object]:
    """A paper whose third sentence is the one that counts."""
    one, other = WORDS[number % len(WORDS)], WORDS[(number * 5 + 3) % len(WORDS)]
    return {
        "hypothesis": f"{one.title()} shortens {other}.",
        "paper_as_candidate_pool": [
            f"We asked whether {one} matters for {other} in general.",
            f"{one.title()} was given to {number + 40} persons every morning.",
            f"With {one} the {other} was {number + 2} days shorter (p < 0.05).",
            "Nothing else of interest was ever seen by anybody there.",
            "The weather was fine on most of the days.",
        ],
        "sentence_types_in_candidate_pool": [*["abstract"] * 3, *["normal_paragraph"] * 2],
        "aspect_list_ids": ["a", "b"],
        "results_aspect_list_ids": ["a"],
        "aspect2sentence_indices": {"a": [2], "b": [2, 1]},
        "evidence_retrieval_at_optimal_evaluation": {"optimal": 1},
        "results_evidence_retrieval_at_optimal_evaluation": {"optimal": 1},
        "paper_id": f"pmc_{number}",
    }


def claims_in(folder: Path) -> Path:
    """Twelve abstracts, every third without evidence for the claim put to it."""
    rows = [
        {
            "id": f"claim {number}",
            "claim": f"{WORDS[number].title()} shortens {WORDS[-number - 1]}."
            if number % 3
            else "Zebras migrate northwards in autumn.",
            "paper": f"local:{number}",
            "title": "A trial",
            "sentences": [
                "The weather was fine on most of the days.",
                f"We found that {WORDS[number]} shortened {WORDS[-number - 1]} by two days.",
                "Nothing else of interest was ever seen by anybody there.",
            ],
            "label": "SUPPORT" if number % 3 else "NONE",
            "rationales": [[1]] if number % 3 else [],
        }
        for number in range(12)
    ]
    path = folder / "claims.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def texts_in(folder: Path) -> Path:
    """Six full texts that restate what their abstracts conclude."""
    rows = []
    for number in range(6):
        claim = f"{WORDS[number].title()} reduced {WORDS[-number - 1]} in all {number + 30} adults of the trial."
        rows.append(
            {
                "id": f"pmc:PMC{number}",
                "title": "A trial",
                "abstract": f"We asked about {WORDS[number]}. Adults came to the clinic. They were treated. {claim}",
                "sections": [
                    {"title": "Introduction", "text": f"We asked about {WORDS[number]}. The weather was fine then."},
                    {"title": "Results", "text": "Nothing else of interest was ever seen. The floor was dry."},
                    {"title": "Discussion", "text": f"{claim} The weather was fine on most of the days."},
                ],
            }
        )
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_list_counts_as_much_as_its_mass() -> None:
    one, other = np.array([[1.0], [0.0]]), np.array([[1.0], [0.0]])
    worth = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    assert fit_listwise([one, other], worth, ridge=1.0, masses=[3.0, 1.0])[0] > 0
    twice = fit_listwise([one, one, other], [worth[0], *worth], ridge=1.0)
    assert fit_listwise([one, other], worth, ridge=1.0, masses=[2.0, 1.0])[0] == pytest.approx(twice[0], rel=0.1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "items.json"
    path.write_text(json.dumps({f"item {number}": item(number) for number in range(12)}))
    return path


def test_a_column_that_marks_what_counts_gets_the_weight() -> None:
    lists = [np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 3.0], [0.0, 0.0, 3.0]])] * 4
    worth = [np.array([0.0, 2.0, 0.0])] * 4
    weights = fit_listwise(lists, worth, ridge=0.1)
    assert weights[1] > 1 > 0 > weights[0]
    assert weights[2] == pytest.approx(0, abs=1e-9)
    assert np.abs(fit_listwise(lists, worth, ridge=1000.0)).max() < 0.1


def test_lists_without_worth_change_nothing() -> None:
    rows, worth = np.array([[1.0], [0.0]]), np.array([1.0, 0.0])
    alone = fit_listwise([rows], [worth], ridge=1.0)
    assert fit_listwise([rows, rows], [worth, worth * 0], ridge=1.0) == pytest.approx(alone)


def test_a_fit_gives_back_the_chances_it_was_shown() -> None:
    rows = np.array([[0.0]] * 4 + [[1.0]] * 4)
    right = np.array([0, 0, 0, 1, 0, 1, 1, 1], dtype=float)
    slope, constant = fit_logistic(rows, right, np.ones(8), ridge=1e-6)
    assert 1 / (1 + np.exp(-constant)) == pytest.approx(0.25, abs=1e-3)
    assert 1 / (1 + np.exp(-constant - slope)) == pytest.approx(0.75, abs=1e-3)


def test_a_refit_is_read_back_and_names_its_data(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "weights.json"
    given = [str(path), "--claims", str(claims_in(tmp_path)), "--restatements", str(texts_in(tmp_path))]
    evidence.main([*given, "--out", str(out)])
    trained = read_weights(out)
    held_out = sorted(paper for fold in trained.folds for paper in fold.papers)
    known = [*(f"pmc_{n}" for n in range(12)), *(f"local:{n}" for n in range(12)), *(f"pmc:PMC{n}" for n in range(6))]
    assert held_out == sorted(known)
    assert trained.weights_without("pmc_3") not in (None, trained.shipped)
    record = json.loads(out.read_text("utf-8"))
    assert [source["items"] for source in record["data"]] == [12, 12, 6]
    assert set(record["scores"]) >= {"key er@optimal", "hypothesis er@10", "claims rationale@1", "claims auc"}
    assert record["scores"]["key er@10"] == record["scores"]["restatements first"] == 100
    evidence.main([*given, "--out", str(tmp_path / "again.json")])
    assert (tmp_path / "again.json").read_text("utf-8") == out.read_text("utf-8")


def test_the_shipped_weights_are_of_the_data_that_is_here(shared: Path) -> None:
    held = json.loads(WEIGHTS_FILE.read_text("utf-8"))
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in evidence_data(shared)]
    assert [source["sha256"] for source in held["data"]] == digests
    assert held["background"] == hashlib.sha256(BACKGROUND.read_bytes()).hexdigest()
    assert (held["terms"], held["signs"]) == (list(CLAIM_FEATURE_NAMES), list(VERDICT_FEATURES))


def test_features_and_fit_are_those_of_the_shipped_weights(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "SEEDS", SAMPLE_SEEDS)
    fresh = refit(*sample_data(shared, tmp_path), tmp_path / "weights.json")
    held = json.loads(SAMPLE.read_text("utf-8"))
    assert held["shipped"] == hashlib.sha256(WEIGHTS_FILE.read_bytes()).hexdigest(), "refitted without the sample"
    for name, weights in held["weights"].items():
        assert weights == pytest.approx(fresh["weights"][name], abs=0.002), name
    assert held["scores"] == pytest.approx(fresh["scores"], abs=0.3)


@pytest.mark.extra
def test_the_package_holds_what_the_script_makes(shared: Path, tmp_path: Path) -> None:
    out = tmp_path / "weights.json"
    fresh, held = refit(*evidence_data(shared), out), json.loads(WEIGHTS_FILE.read_text("utf-8"))
    assert fresh["data"] == held["data"]
    for name, weights in held["weights"].items():
        assert weights == pytest.approx(fresh["weights"][name], abs=0.002), name
    assert held["scores"] == pytest.approx(fresh["scores"], abs=0.3)


def test_the_background_shipped_is_what_the_script_makes(shared: Path, tmp_path: Path) -> None:
    out = tmp_path / "background.txt"
    document_frequency.main([str(shared / "data/fulltext-acl"), str(shared / "data/jats"), "--out", str(out)])
    assert out.read_text("utf-8") == BACKGROUND.read_text("utf-8")


def test_the_background_counts_a_stem_where_it_is_most_common(tmp_path: Path) -> None:
    lines = document_frequency.table([{"model": 1.0, "rare": 0.01}, {"model": 0.1, "word": 0.5}]).splitlines()
    assert lines[0].startswith("#")
    assert lines[1:] == ["0 model", "3 word"]


def test_the_background_is_read_from_full_texts(tmp_path: Path) -> None:
    long = [f"Zebras were counted near lake {number}." for number in range(50)]
    papers = [
        {"id": "a", "title": "One", "sections": [{"title": "Results", "sentences": long}]},
        {"id": "b", "title": "Two", "sections": [{"title": "Results", "sentences": ["Too short to count."]}]},
    ]
    source = tmp_path / "papers.jsonl"
    source.write_text("".join(json.dumps(paper) + "\n" for paper in papers))
    document_frequency.main([str(source), "--out", str(tmp_path / "background.txt")])
    stems = (tmp_path / "background.txt").read_text("utf-8").split()
    assert "zebra" in stems
    assert "short" not in stems
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    assert f"# Read: papers.jsonl {digest}" in (tmp_path / "background.txt").read_text("utf-8").splitlines()
