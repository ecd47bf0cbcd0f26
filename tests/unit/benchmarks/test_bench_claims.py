"""The bench on claims: its arithmetic, its input, and what is said about training data."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from litterm.core.errors import BadInput, UsageError
from litterm.core.tasks import run
from litterm.evidence.weights import Fold, TrainedWeights, read_weights
from litterm_benchmarks.evidence.claims import STRATEGIES, measure
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.readers.claims import as_document, groups_of, read_claims
from litterm_benchmarks.report import BenchReport

SENTENCES = [
    "Adults with a cold were recruited at two clinics in winter.",
    "Half of them were given zinc every morning.",
    "We found that zinc shortened colds by two days.",
    "The weather was fine on most of the days.",
]
TOLD = {
    "id": "one",
    "claim": "Zinc shortens colds.",
    "paper": "local:1",
    "title": "Zinc for adults",
    "sentences": SENTENCES,
    "label": "SUPPORT",
    "rationales": [[2]],
}
SILENT = {**TOLD, "id": "two", "claim": "Iron prevents anaemia in mothers.", "label": "NONE", "rationales": []}


def written(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "claims.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return path


def figure(report: BenchReport, method: str, metric: str) -> float:
    row = next(row for row in report.rows if row.method == method)
    return next(each.mean for each in row.metrics if each.name == metric)


def test_every_method_is_measured_and_told_by_label(tmp_path: Path) -> None:
    report = run(measure(written(tmp_path, TOLD, SILENT)))
    assert [row.method for row in report.rows] == list(STRATEGIES)
    assert [metric.name for metric in report.rows[0].metrics] == ["rationale@1", "rationale@3", "whole@3", "auc"]
    assert {name: figure(report, name, "rationale@1") for name in STRATEGIES} == {
        "litterm": 100,
        "overlap": 100,
        "bm25": 100,
        "lead": 0,
    }
    assert figure(report, "lead", "rationale@3") == figure(report, "litterm", "auc") == 100
    assert [(part.value, part.n) for part in report.rows[0].parts] == [("SUPPORT", 1)]
    assert report.notes[0] == "no abstract of these is in the training data: the shipped weights"
    assert any("on topic: 1 sentences, 100% in a rationale (SUPPORT 100% of 1)" in note for note in report.notes)


def test_how_often_a_stance_is_told_and_is_right_is_said_by_stance(tmp_path: Path) -> None:
    against = {**TOLD, "id": "two", "claim": "Zinc lengthened colds and prolonged them.", "label": "CONTRADICT"}
    told = ["We found that zinc raised the number of colds by two a year.", *SENTENCES[:2], SENTENCES[3]]
    agreeing = {**TOLD, "id": "three", "claim": "Zinc raises the number of colds.", "sentences": told}
    differing = {**agreeing, "id": "four", "claim": "Zinc lowers the number of colds.", "label": "CONTRADICT"}
    wrong = {**differing, "id": "five", "label": "SUPPORT"}
    rows = [{**row, "rationales": [[0]]} for row in (agreeing, differing, wrong)]
    report = run(measure(written(tmp_path, against, *rows, SILENT), strategies=["litterm"]))
    notes = "\n".join(report.notes)
    assert re.search(r"stance told without a model .*: of 75% of 4 pairs with evidence, right for 66\.7", notes)
    assert re.search(r"supports: 1 times, told 0\.\d\d, true 1\.00", notes)
    assert re.search(r"refutes: 2 times, told 0\.\d\d, true 0\.50", notes)
    assert "of 1 pairs without evidence: told of 0" in notes


def test_a_rationale_of_two_sentences_is_whole_only_with_both(tmp_path: Path) -> None:
    report = run(measure(written(tmp_path, {**TOLD, "rationales": [[1, 3]]}, SILENT), strategies=["lead"]))
    assert (figure(report, "lead", "rationale@3"), figure(report, "lead", "whole@3")) == (100, 0)


def test_training_data_is_scored_by_weights_that_have_not_seen_it(tmp_path: Path) -> None:
    shipped = read_weights().shipped
    turned = replace(shipped, claim_abstract=tuple(-weight for weight in shipped.claim_abstract))
    extractors = Extractors(TrainedWeights(shipped, (Fold(frozenset({"local:1"}), turned),)))
    report = run(measure(written(tmp_path, TOLD, SILENT), extractors, strategies=["litterm"]))
    assert report.notes[0].startswith("2 of 2 pairs are about training data")
    assert figure(report, "litterm", "rationale@1") == 0


def test_pairs_that_share_a_claim_or_a_paper_however_indirectly_are_one_group(tmp_path: Path) -> None:
    rows = [
        {**TOLD, "claim": claim, "paper": f"local:{paper}"} for claim, paper in (("a", 1), ("a", 2), ("b", 2), ("c", 3))
    ]
    one, two, three, four = groups_of(read_claims(written(tmp_path, *rows)))
    assert one == two == three != four


def test_rows_of_the_document_lead_back_to_the_sentences_of_the_pair(tmp_path: Path) -> None:
    (pair,) = read_claims(
        written(tmp_path, {**TOLD, "sentences": [*SENTENCES[:2], " ", *SENTENCES[2:]], "rationales": [[3]]})
    )
    document, numbers = as_document(pair)
    assert numbers == (-1, -1, 0, 1, 3, 4)
    assert [sentence.kind for sentence in document.sentences] == ["title", "heading", *["abstract"] * 4]


@pytest.mark.parametrize(
    "change", [{"label": "MAYBE"}, {"rationales": [[9]]}, {"sentences": 3}], ids=["a label", "a sentence", "no list"]
)
def test_what_is_no_claim_is_refused_by_file(tmp_path: Path, change: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=r"claims\.jsonl\.gz"):
        read_claims(written(tmp_path, {**TOLD, **change}))


def test_a_file_without_claims_and_a_strategy_nobody_knows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no claim"):
        read_claims(written(tmp_path))
    with pytest.raises(UsageError, match="nonsense"):
        run(measure(written(tmp_path, TOLD), strategies=["nonsense"]))


def test_what_ships_states_claims_first_out_of_fold(shared: Path) -> None:
    report = run(measure(shared / "data/bench/scifact-evidence/claims.jsonl.gz", strategies=["litterm"]))
    assert figure(report, "litterm", "rationale@1") >= 70
    assert figure(report, "litterm", "rationale@3") >= 90
    assert figure(report, "litterm", "auc") >= 91
    told = next(re.search(r"of (\d+)% of 454 .* right for ([\d.]+)", note) for note in report.notes if "stance" in note)
    assert told and int(told[1]) >= 10 and float(told[2]) >= 90
