"""EvidenceBench with a model: each setting with its own K, and offline answers never passed off as the model's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, Received, Script, after, says
from scripted_models import ScriptedModel

from litterm.core.errors import ModelFailed, UsageError
from litterm.core.tasks import run
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.llm.extractor import LlmExtractor
from litterm.llm.model import ChatModel
from litterm.model.annotations import Anchor, Mark
from litterm.model.document import DocumentId
from litterm.model.evidence import EvidenceLlmOptions
from litterm.model.llm import ModelRequest
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm_benchmarks.evidence import evidencebench
from litterm_benchmarks.evidence.llm_settings import estimate_cost, measure_settings, options_of
from litterm_benchmarks.evidence.shortlist import best_recall
from litterm_benchmarks.readers.evidencebench import read_items

SENTENCES = ("Abstract", "Dropout helps.", "Results", "Dropout lowers the error by two points.", "Machines stood here.")


@pytest.fixture
def published(tmp_path: Path) -> Path:
    optimal = {"optimal": 1}
    item = {
        "paper_id": "p1",
        "hypothesis": "Dropout lowers the error.",
        "paper_as_candidate_pool": SENTENCES,
        "sentence_types_in_candidate_pool": ["section_name", "abstract", "section_name", "normal_paragraph"] * 1
        + ["normal_paragraph"],
        "aspect_list_ids": ["a", "b"],
        "results_aspect_list_ids": ["a"],
        "aspect2sentence_indices": {"a": [3], "b": [1]},
        "evidence_retrieval_at_optimal_evaluation": optimal,
        "results_evidence_retrieval_at_optimal_evaluation": optimal,
    }
    path = tmp_path / "bench.json"
    path.write_text(json.dumps({"x": item}), "utf-8")
    return path


def on_dropout(request: ModelRequest) -> str:
    text = request.messages[-1].text
    return f"DECISION: [{', '.join(re.findall(r'^.([0-9]+). Dropout', text, re.MULTILINE))}]"


def judge(say: ScriptedModel, use: EvidenceLlmOptions) -> LlmExtractor:
    return LlmExtractor(LexicalExtractor(), say, use)


def test_a_strategy_with_a_model_has_a_row_of_its_own(published: Path) -> None:
    model = ScriptedModel(on_dropout)
    report = run(evidencebench.measure([published], strategies=["whole", "lead"], judge=lambda use: judge(model, use)))
    rows = {row.method: {metric.name: metric.mean for metric in row.metrics} for row in report.rows}
    assert set(rows) == {"lead", evidencebench.OFFLINE, "whole"}
    assert rows["whole"]["er@10"] == 100
    assert rows["whole"]["er@optimal"] == 50
    limits = {re.search(r"at most (\d+)", request.messages[0].text)[1] for request in model.requests}  # type: ignore[index]
    assert limits == {"1", "10", "5"}


def test_papers_are_asked_about_at_the_same_time_and_counted_each_for_itself(
    published: Path, make_model: Callable[..., ChatModel], model_server: ModelServer
) -> None:
    item = json.loads(published.read_text("utf-8"))["x"]
    papers = {str(number): {**item, "paper_id": f"p{number}", "hypothesis": f"Dropout {number}"} for number in range(3)}
    published.write_text(json.dumps(papers), "utf-8")
    model = make_model(concurrency=3)

    def answer(asked: Received) -> Script:
        # The first paper is answered last, and without a sentence.
        number = next(number for number in papers if f"Dropout {number}" in asked.last)
        return after(0.3 - 0.1 * int(number), says("DECISION: []" if number == "0" else "DECISION: [2]"))

    model_server.brain = answer
    of_model = EvidenceLlmOptions("whole")
    extractor = LlmExtractor(LexicalExtractor(), model.start_run(), of_model)
    values, fault = run(measure_settings(read_items(published), extractor, "whole", ["er@10"]))
    assert model_server.most_at_once == 3
    assert [sorted(value) for value in values] == [["er@10"]] * 3
    assert values[0] != values[1] == values[2]
    assert fault == ""


def test_each_strategy_is_compared_with_the_first_item_by_item(published: Path) -> None:
    def only_whole(request: ModelRequest) -> str:
        return on_dropout(request) if request.purpose.startswith("evidence-whole") else "DECISION: []"

    names = ["whole", "sections", "whole+examples"]
    model = ScriptedModel(only_whole)
    report = run(evidencebench.measure([published], strategies=names, judge=lambda use: judge(model, use)))
    compared = [note for note in report.notes if " over whole, paired item by item (n=1)" in note]
    assert [note.partition(" ")[0] for note in compared] == ["sections", "whole+examples"]
    assert "er@10 -100.0±0.0" in compared[0] and "er@10 +0.0±0.0" in compared[1]
    assert any("the examples are litterm's own" in note for note in report.notes)
    assert not any("offline ones" in note for note in report.notes)


def test_a_bench_shows_no_sentence_that_was_accepted_in_the_library() -> None:
    anchor = Anchor(DocumentId("d"), 0, "Recall rose after a nap.")
    marks = [Mark(PaperId("acl:A"), anchor, "accepted", "Naps help.")]
    model = ScriptedModel(on_dropout)
    own = LlmExtractor(LexicalExtractor(), model, EvidenceLlmOptions("whole+examples"), marks=lambda: marks)
    blocks = (Block("heading", "Results"), Block("body", sentences=("Dropout helps.",)))
    document = build_document(PaperId("local:x"), blocks, origin="jats", parser="test")
    for extractor in (own, own.without_marks()):
        run(extractor.extract(document, "Dropout helps.", k=1, scope="all"))
    assert ["nap" in request.messages[0].text for request in model.requests] == [True, False]


def test_offline_answers_are_counted_and_said(published: Path) -> None:
    def fail(_request: ModelRequest) -> str:
        raise ModelFailed("ill")

    report = run(
        evidencebench.measure([published], strategies=["sections"], judge=lambda use: judge(ScriptedModel(fail), use))
    )
    assert any("4 of 4 answers are offline ones" in note for note in report.notes)


def test_one_setting_is_measured_and_reckoned_alone(published: Path) -> None:
    model = ScriptedModel(on_dropout)
    items = read_items(published)
    whole = EvidenceLlmOptions("whole")
    assert run(estimate_cost(items, judge(model, whole))).calls == 4
    assert run(estimate_cost(items, judge(model, whole), ["er@10"])).calls == 1
    assert run(estimate_cost(items, judge(model, whole), ["er@10", "result-er@5"])).calls == 2
    assert model.requests == []


def test_a_strategy_that_asks_a_model_is_compared_with_the_one_without_on_the_same_items(published: Path) -> None:
    report = run(
        evidencebench.measure(
            [published],
            strategies=["whole"],
            settings=["er-10", "result-5"],
            judge=lambda use: judge(ScriptedModel(on_dropout), use),
        )
    )
    offline, by_model = report.rows
    assert (offline.method, by_model.method, by_model.base) == (evidencebench.OFFLINE, "whole", evidencebench.OFFLINE)
    assert [metric.name for metric in by_model.metrics] == ["er@10", "result-er@5"]
    for metric, other in zip(by_model.metrics, offline.metrics, strict=True):
        assert metric.gain == pytest.approx(metric.mean - other.mean)
        assert metric.gain_se is not None


@pytest.mark.parametrize(("strategies", "body"), [(["whole"], False), (["whole"], True), (["hole"], False)])
def test_strategies_that_cannot_be_measured_are_refused(published: Path, strategies: list[str], body: bool) -> None:
    with pytest.raises(UsageError):
        run(evidencebench.measure([published], strategies=strategies, body=body))


def test_a_shortlist_stands_behind_a_slash() -> None:
    assert options_of("sections/8") == EvidenceLlmOptions("sections", 8)
    assert options_of("bm25") is None
    with pytest.raises(UsageError):
        options_of("sections/x")


def test_a_shortlist_has_a_ceiling_that_grows_with_it_and_needs_no_model(published: Path) -> None:
    named = [f"shortlist/{n}" for n in (1, 2, 0)]
    report = run(evidencebench.measure([published], strategies=named))
    rows = {row.method: {metric.name: metric.mean for metric in row.metrics} for row in report.rows}
    assert list(rows) == [f"{name} ceiling" for name in named]
    assert rows["shortlist/0 ceiling"] == {"er@optimal": 50, "er@10": 100, "result-er@optimal": 100, "result-er@5": 100}
    assert rows["shortlist/1 ceiling"]["er@10"] <= rows["shortlist/2 ceiling"]["er@10"] <= 100
    shown = [int(share) for note in report.notes for share in re.findall(r"(\d+)% of the text", note)]
    assert 0 < shown[0] < shown[1] <= shown[2] <= 100
    with pytest.raises(UsageError):
        run(evidencebench.measure([published], strategies=["shortlist/x"]))


def test_a_ceiling_takes_the_sentence_that_covers_most() -> None:
    aspects = [frozenset({1, 2}), frozenset({2}), frozenset({3}), frozenset({9})]
    assert best_recall({1, 2, 3}, aspects, 1) == 0.5
    assert best_recall({1, 2, 3}, aspects, 5) == 0.75
    assert best_recall({1}, aspects, 5) == 0.25
    assert best_recall((), aspects, 5) == 0
