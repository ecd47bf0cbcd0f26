"""Restatements: claims made from the conclusions of abstracts, what restates them, and the figures."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from samples import every_nth_line

from litterm.core.errors import BadInput, UsageError
from litterm.core.tasks import run
from litterm.evidence.weights import Fold, TrainedWeights, read_weights
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.restatement_gold import read_restatements
from litterm_benchmarks.evidence.restatements import STRATEGIES, measure
from litterm_benchmarks.readers.restatements import claim_of, read_concluded_papers
from litterm_benchmarks.report import BenchReport

CONCLUSION = "In conclusion, daily zinc tablets reduced colds in adults by two days."
AIM = "We wanted to find out whether daily zinc tablets reduced colds in adults by two days."
RESTATED = "Daily zinc tablets reduced the colds in these adults by two days."
ROOMS = "floor roof door hall yard gate wall stair lamp desk lift shed pond path porch cellar attic garage".split()
SEASONS = ("spring", "autumn")
FILLER = [f"The {room} of the clinic was painted again in {season}." for room in ROOMS for season in SEASONS]
PAPER = {
    "id": "local:1",
    "title": "Zinc for adults",
    "abstract": f"{AIM} Half of the adults were given a placebo. Colds ended sooner in one group. {CONCLUSION}",
    "sections": [
        {"title": "Introduction", "text": " ".join([AIM, *FILLER[:12]])},
        {"title": "Results", "text": " ".join(["Adults in one group were well again on day five.", *FILLER[12:24]])},
        {"title": "Discussion", "text": " ".join([RESTATED, *FILLER[24:]])},
    ],
}


def written(folder: Path, *papers: dict[str, object]) -> Path:
    path = folder / "texts.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in papers).encode()))
    return path


def figures(report: BenchReport, method: str) -> dict[str, float]:
    row = next(row for row in report.rows if row.method == method)
    return {metric.name: metric.mean for metric in row.metrics}


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        (CONCLUSION, "Daily zinc tablets reduced colds in adults by two days."),
        ("CONCLUSIONS: These results suggest that zinc reduces colds.", "Zinc reduces colds."),
        ("Thus, we have shown that zinc reduces colds.", "Zinc reduces colds."),
        ("Zinc in conclusion reduces colds.", "Zinc in conclusion reduces colds."),
    ],
)
def test_a_conclusion_becomes_a_claim_without_what_leads_to_it(sentence: str, claim: str) -> None:
    assert claim_of(sentence) == claim


def test_the_paper_lacks_its_conclusion_and_what_stands_behind_it(tmp_path: Path) -> None:
    abstract = f"{PAPER['abstract']} The trial was registered as NCT0012."
    (paper,) = read_concluded_papers(written(tmp_path, {**PAPER, "abstract": abstract}))
    assert paper.claim == claim_of(CONCLUSION)
    assert "conclusion" not in paper.document.text
    assert "NCT0012" not in paper.document.text
    assert "Colds ended sooner in one group." in paper.document.text


@pytest.mark.parametrize(
    "change",
    [
        {"abstract": f"{AIM} Colds ended sooner in one group. Further trials of zinc are needed to improve care."},
        {"title": "Zinc for adults: study protocol"},
        {"sections": PAPER["sections"][:2]},  # type: ignore[index]
        {"abstract": ""},
    ],
    ids=["advice", "protocol", "no discussion", "no abstract"],
)
def test_a_paper_without_a_finding_at_its_end_does_not_count(tmp_path: Path, change: dict[str, object]) -> None:
    assert len(read_concluded_papers(written(tmp_path, PAPER, {**PAPER, **change}))) == 1
    with pytest.raises(BadInput, match=r"texts\.jsonl\.gz: no full text"):
        read_concluded_papers(written(tmp_path, {**PAPER, **change}))


def test_an_aim_is_no_restatement_however_like_the_claim_it_is(tmp_path: Path) -> None:
    (restatement,) = run(read_restatements(written(tmp_path, PAPER)))
    texts = [sentence.text for sentence in restatement.pool.sentences]
    assert AIM in texts
    assert RESTATED in [texts[place] for place in restatement.gold]
    assert {restatement.kinds[place] for place in restatement.gold} <= {"results", "discussion"}


def test_every_method_is_measured(tmp_path: Path) -> None:
    report = run(measure(written(tmp_path, PAPER)))
    assert ([row.method for row in report.rows], report.n) == (list(STRATEGIES), 1)
    assert figures(report, "litterm") == {"restatement@1": 100, "restatement@3": 100, "aim or method@1": 0}
    assert figures(report, "lead") == {"restatement@1": 0, "restatement@3": 0, "aim or method@1": 100}
    assert report.notes[0].startswith("0 of 1 papers are training data")
    (alone,) = run(measure(written(tmp_path, PAPER), strategies=["bm25"])).rows
    assert alone.method == "bm25"


def test_what_the_weights_have_seen_is_scored_by_weights_that_have_not(tmp_path: Path) -> None:
    shipped = read_weights().shipped
    worst = replace(shipped, claim_first=tuple(-weight for weight in shipped.claim_first))
    trained = TrainedWeights(shipped, (Fold(frozenset({"local:1"}), worst),))
    report = run(measure(written(tmp_path, PAPER), Extractors(trained), strategies=["litterm", "one-order"]))
    assert figures(report, "litterm")["restatement@1"] == 0
    assert figures(report, "one-order")["restatement@3"] == 100
    assert report.notes[0].startswith("1 of 1 papers are training data")


def test_another_method_or_kind_of_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no strategy 'best'"):
        run(measure(written(tmp_path, PAPER), strategies=["best"]))
    with pytest.raises(BadInput, match="the field 'sections' is missing"):
        read_concluded_papers(written(tmp_path, {key: PAPER[key] for key in ("id", "title", "abstract")}))


@pytest.mark.parametrize(
    ("step", "restated", "aims"), [(8, 74, 8), pytest.param(1, 68, 6, marks=pytest.mark.extra, id="all")]
)
def test_the_default_states_the_claim_first(
    shared: Path, tmp_path: Path, step: int, restated: float, aims: float
) -> None:
    """Out of fold; of all papers 71.5 and 3.7, and without weights of its own 42.9 and 11.6 (2026-11-26).

    Of every eighth, 77.6 and 6.0 (2026-11-28).
    """
    texts = every_nth_line(shared / "data/biomedical-text/fulltext.jsonl.gz", step, tmp_path)
    reached = figures(run(measure(texts, strategies=["litterm"])), "litterm")
    assert reached["restatement@1"] > restated
    assert reached["aim or method@1"] < aims
