"""The bench on evidence sentences: its arithmetic, its input, and a floor under what ships."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from encoder_models import write_encoder
from samples import every_nth_item

from litterm.core.errors import BadInput, UsageError
from litterm.core.tasks import run
from litterm.evidence.weights import Fold, TrainedWeights, read_weights
from litterm.library.encoder.instructions import Instructions
from litterm.library.encoder.model_folder import read_folder
from litterm.library.encoder.sentence_encoder import SentenceEncoder
from litterm_benchmarks.evidence import reworded
from litterm_benchmarks.evidence.baselines import lead, order_by_cosine
from litterm_benchmarks.evidence.evidencebench import STRATEGIES, measure
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.verdict import JudgedHypothesis, area, reliability, shares
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.readers.evidencebench import as_document, aspect_recall, body_only, cover, fewest, read_items
from litterm_benchmarks.report import BenchReport, as_json

SECTION = ["section_name", "normal_paragraph"]
ITEM = {
    "hypothesis": "Zinc shortens colds.",
    "paper_as_candidate_pool": [
        "Zinc was given to forty adults with a cold.",
        "Colds were two days shorter with zinc (p < 0.05).",
        "Methods",
        "Adults were recruited at two clinics in winter.",
        " ",
        "Results",
        "Zinc shortened colds from nine to seven days.",
    ],
    "sentence_types_in_candidate_pool": [*["abstract"] * 2, *SECTION, "normal_paragraph", *SECTION],
    "aspect_list_ids": ["a", "b"],
    "results_aspect_list_ids": ["b"],
    "aspect2sentence_indices": {"a": [0, 3], "b": [1, 6]},
    "evidence_retrieval_at_optimal_evaluation": {"optimal": 2},
    "results_evidence_retrieval_at_optimal_evaluation": {"optimal": 1},
    "paper_id": "pmc_1",
}


def file_with(tmp_path: Path, item: dict[str, object]) -> Path:
    path = tmp_path / "items.json"
    path.write_text(json.dumps({"one": item}))
    return path


def test_aspects_count_once_however_often_they_are_covered() -> None:
    assert aspect_recall([0, 3, 9], [{0, 3}, {1}]) == 0.5
    with pytest.raises(ValueError, match="no aspect"):
        aspect_recall([1], [])


def test_the_error_is_that_of_the_mean() -> None:
    metric = percent("m", [0.0, 1.0] * 50)
    assert metric.mean == 50
    assert metric.se == pytest.approx(5, abs=0.5)


def test_rows_of_the_document_lead_back_to_the_sentences_of_the_item(tmp_path: Path) -> None:
    (item,) = read_items(file_with(tmp_path, ITEM))
    document, numbers = as_document(item)
    assert [item.sentences[number] for number in numbers] == [sentence.text for sentence in document.sentences]
    kinds = [document.sections[sentence.section].kind for sentence in document.sentences]
    assert kinds == ["abstract", "abstract", "methods", "methods", "results", "results"]


def test_an_encoder_ranks_the_sentences_of_a_paper_by_what_they_mean(tmp_path: Path) -> None:
    meanings = [["zinc", "metal"], ["colds", "illness"], ["adults"], ["shortens", "shortened"]]
    encoder = SentenceEncoder(read_folder(write_encoder(tmp_path / "encoder", meanings)))
    (item,) = read_items(file_with(tmp_path, ITEM | {"hypothesis": "Metal shortens illness."}))
    (order,) = run(order_by_cosine([item], encoder))
    assert order[0] == 6


def test_strategies_by_an_encoder_need_one_and_are_measured_with_and_without_its_instruction(tmp_path: Path) -> None:
    path = file_with(tmp_path, ITEM)
    with pytest.raises(UsageError, match="litterm config encoder"):
        run(measure([path], strategies=["encoder"]))
    files = read_folder(write_encoder(tmp_path / "encoder", [["zinc"], ["colds"]]), query="colds")
    embedders = {
        "encoder": SentenceEncoder(files),
        "encoder-plain": SentenceEncoder(replace(files, instructions=Instructions())),
    }
    report = run(measure([path], strategies=["encoder", "encoder-plain"], embedders=embedders))
    assert [row.method for row in report.rows] == ["encoder", "encoder-plain"]


def test_lead_leaves_headings_out(tmp_path: Path) -> None:
    (item,) = read_items(file_with(tmp_path, ITEM))
    assert lead(item)[:3] == [0, 1, 3]


def test_every_method_is_measured_in_every_setting(tmp_path: Path) -> None:
    report = run(measure([file_with(tmp_path, ITEM)]))
    # Another paper's hypothesis and the verdict need a second paper, and this hypothesis was not reworded.
    assert [row.method for row in report.rows] == [
        *("litterm", "litterm-hypothesis", "h1", "bm25", "embeddings", "lead", "random", "oracle")
    ]
    assert {m.name for m in report.rows[0].metrics} == {"er@optimal", "er@10", "result-er@optimal", "result-er@5"}
    assert figure(report, "litterm", "er@10") == 100
    assert report.notes[0] == "no paper of these is in the training data: the shipped weights"


def test_with_two_papers_the_hypotheses_are_exchanged_and_the_verdict_is_measured(tmp_path: Path) -> None:
    other = {**ITEM, "paper_id": "pmc_2", "hypothesis": "Iron shortens colds."}
    path = tmp_path / "two.json"
    path.write_text(json.dumps({"one": ITEM, "two": other}))
    report = run(measure([path]))
    assert [row.method for row in report.rows] == [name for name in STRATEGIES if name not in reworded.FORMS]
    assert [metric.name for metric in report.rows[-1].metrics] == [
        "auc random",
        "auc near-hypothesis",
        "auc near-paper",
    ]
    assert any(note.startswith("lost with another paper's hypothesis") for note in report.notes)
    assert any(note.startswith("litterm-hypothesis less bm25, paired: er@optimal ") for note in report.notes)
    assert any("told" in note and "true" in note for note in report.notes)
    assert list(as_json(report)) == ["bench", "data", "n", "rows", "notes"]


def test_one_strategy_and_one_setting_can_be_asked_for(tmp_path: Path) -> None:
    report = run(measure([file_with(tmp_path, ITEM)], strategies=["bm25", "litterm"], settings=["result-5"]))
    assert [(row.method, [m.name for m in row.metrics]) for row in report.rows] == [
        ("litterm", ["result-er@5"]),
        ("bm25", ["result-er@5"]),
    ]
    with pytest.raises(UsageError, match="nonsense"):
        run(measure([file_with(tmp_path, ITEM)], strategies=["nonsense"]))


def test_the_body_alone_has_its_own_aspects_and_optima(tmp_path: Path) -> None:
    (item,) = read_items(file_with(tmp_path, ITEM))
    body = body_only(item)
    assert (body.withheld, body.aspects, body.optimal, body.result_optimal) == ({0, 1}, ({3}, {6}), 2, 1)
    report = run(measure([file_with(tmp_path, ITEM)], body=True))
    assert figure(report, "litterm", "er@10") == figure(report, "h1", "er@10") == 100
    assert "verdict" not in [row.method for row in report.rows]


def test_the_fewest_sentences_are_counted_greedily() -> None:
    assert fewest([]) == 0
    assert fewest([{1, 2}, {2, 3}, {3, 4}]) == 2
    assert fewest([{1}, {2}, {1, 2}]) == 2
    assert cover([{1, 2}, {2, 3}, {3, 4}]) == [2, 3]


def test_hypotheses_are_told_apart_by_where_their_evidence_stands(tmp_path: Path) -> None:
    far = {**ITEM, "paper_as_candidate_pool": [f"Sentence {n} has zinc." for n in range(40)]}
    far |= {
        "sentence_types_in_candidate_pool": ["normal_paragraph"] * 40,
        "aspect2sentence_indices": {"a": [20], "b": [21]},
    }
    path = tmp_path / "two.json"
    path.write_text(json.dumps({"near": ITEM, "far": {**far, "paper_id": "pmc_2"}}))
    (row,) = run(measure([path], strategies=["oracle"])).rows
    assert [(part.value, part.n) for part in row.parts] == [("over 80 %", 1), ("under 20 %", 1)]
    assert {metric.mean for part in row.parts for metric in part.metrics} == {100}


def test_reworded_hypotheses_are_asked_beside_the_published_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = hashlib.sha1(b"Zinc shortens colds.", usedforsecurity=False).hexdigest()
    monkeypatch.setattr(
        reworded,
        "reworded",
        lambda: {key: {"paraphrased": "With zinc colds end sooner.", "negated": "Zinc prolongs colds."}},
    )
    report = run(measure([file_with(tmp_path, ITEM)], strategies=["paraphrased", "negated"]))
    assert [row.method for row in report.rows] == ["paraphrased", "negated"]
    assert [part.value for row in report.rows for part in row.parts] == ["as published", "as published"]
    assert figure(report, "negated", "er@10") == 100


def test_twenty_hypotheses_were_reworded_each_in_two_ways() -> None:
    forms = [tuple(texts.values()) for texts in reworded.reworded().values()]
    assert len(forms) == 20
    assert all(paraphrased and negated and paraphrased != negated for paraphrased, negated in forms)


def test_papers_of_the_training_data_are_scored_by_weights_that_have_not_seen_them(tmp_path: Path) -> None:
    (item,) = read_items(file_with(tmp_path, ITEM))
    shipped = read_weights()
    unseen = shipped.folds[0].weights
    extractors = Extractors(TrainedWeights(shipped.shipped, (Fold(frozenset({"pmc_1"}), unseen),)))
    assert extractors.weights(item) is unseen
    assert "1 of 1 items are training data: scored out of fold" in extractors.note([item])
    assert Extractors(TrainedWeights(shipped.shipped, ())).weights(item) is shipped.shipped


def test_areas_and_reliability_are_counted_right() -> None:
    assert area([0.9, 0.5], [0.5, 0.1]) == 3.5 / 4
    told = [
        JudgedHypothesis("own", 0.95, 0.5),
        JudgedHypothesis("random", 0.95, 0.25),
        JudgedHypothesis("near-paper", 0.05, 0.25),
        JudgedHypothesis("own", 1.0, 0.5),
    ]
    lines = reliability(told)
    assert lines[1:] == [
        "  0.0 to 0.1: told 0.05, true 0.00, 17% of cases",
        "  0.9 to 1.0: told 0.97, true 0.80, 83% of cases",
    ]
    assert shares([*told, JudgedHypothesis("near-hypothesis", 0.15, 0.1)]) == [
        "  hypothesis its own: spoken to 100%, nothing 0%",
        "  hypothesis any other paper's: spoken to 100%, nothing 0%",
        "  hypothesis nearest to its own: spoken to 100%, nothing 0%",
        "  hypothesis nearest to the paper: spoken to 0%, nothing 100%",
    ]


def test_items_without_result_aspects_are_left_out_of_the_result_settings(tmp_path: Path) -> None:
    bare = {**ITEM, "results_aspect_list_ids": None, "results_evidence_retrieval_at_optimal_evaluation": None}
    report = run(measure([file_with(tmp_path, bare)]))
    assert [metric.name for metric in report.rows[0].metrics] == ["er@optimal", "er@10"]


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"paper_id": "x"}}'])
def test_another_kind_of_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=r"other\.json"):
        read_items(path)


def figure(report: BenchReport, method: str, metric: str) -> float:
    row = next(row for row in report.rows if row.method == method)
    return next(m.mean for m in row.metrics if m.name == metric)


FLOORS = {
    3: {
        "litterm": (50.0, 67.5, 40.0, 62.0),
        "litterm-hypothesis": (49.0, 64.0, 40.0, 59.0),
        "h1": (40.0, 66.0, 24.0, 56.0),
    },
    1: {
        "litterm": (41.0, 68.0, 35.0, 61.0),
        "litterm-hypothesis": (40.0, 66.0, 34.0, 59.0),
        "h1": (36.0, 63.0, 32.0, 57.0),
    },
}
"""By the step between the items that are measured."""
BODY_FLOORS = {3: (46.0, 62.0, 33.0, 60.0), 1: (40.0, 63.0, 33.0, 58.0)}
NAMES = ("er@optimal", "er@10", "result-er@optimal", "result-er@5")


@pytest.fixture(scope="module", params=[3, pytest.param(1, marks=pytest.mark.extra)])
def step(request: pytest.FixtureRequest) -> int:
    step: int = request.param
    return step


@pytest.fixture(scope="module")
def report(shared: Path, tmp_path_factory: pytest.TempPathFactory, step: int) -> BenchReport:
    whole = shared / "data/bench/evidencebench/evidencebench.json"
    return run(measure([every_nth_item(whole, step, tmp_path_factory.mktemp("sample"))]))


def test_the_shipped_extractor_stays_above_its_floors_and_the_baselines(report: BenchReport, step: int) -> None:
    assert report.rows[0].method == "litterm"
    count = len(range(0, 73, step))
    assert f"{count} of {count} items are training data: scored out of fold" in report.notes[0]
    for method, floors in FLOORS[step].items():
        for name, floor in zip(NAMES, floors, strict=True):
            assert figure(report, method, name) >= floor, (method, name)
    for name in NAMES:
        assert figure(report, "litterm", name) > max(figure(report, o, name) for o in ("bm25", "lead", "random", "h1"))
    assert figure(report, "lead", "er@10") == pytest.approx(61.3, abs=1)


def test_the_extractor_listens_to_the_hypothesis(report: BenchReport) -> None:
    lost = figure(report, "litterm-hypothesis", "er@10") - figure(report, "another-hypothesis", "er@10")
    assert lost >= 5


def test_the_verdict_tells_right_hypotheses_from_wrong_ones(report: BenchReport) -> None:
    assert figure(report, "verdict", "auc random") >= 97
    assert figure(report, "verdict", "auc near-hypothesis") >= 85
    assert figure(report, "verdict", "auc near-paper") >= 85


def test_told_probabilities_are_near_the_truth(report: BenchReport) -> None:
    rows = [re.search(r"told ([\d.]+), true ([\d.]+), (\d+)%", note) for note in report.notes]
    errors = [(abs(float(row[1]) - float(row[2])), int(row[3]) / 100) for row in rows if row]
    assert sum(error * share for error, share in errors) < 0.1


@pytest.mark.parametrize(
    ("number", "floors"),
    [(3, BODY_FLOORS[3]), pytest.param(1, BODY_FLOORS[1], marks=pytest.mark.extra)],
    ids=["sample", "all"],
)
def test_without_the_abstract_it_still_finds_evidence(
    shared: Path, tmp_path: Path, number: int, floors: tuple[float, ...]
) -> None:
    path = every_nth_item(shared / "data/bench/evidencebench/evidencebench.json", number, tmp_path)
    report = run(measure([path], strategies=["litterm", "bm25", "lead"], body=True))
    for name, floor in zip(NAMES, floors, strict=True):
        assert figure(report, "litterm", name) >= floor, name
