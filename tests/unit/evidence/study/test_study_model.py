"""Study aspects and hypotheses of citing sentences with a language model."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from scripted_models import Reply, ScriptedModel

from litterm.core.errors import ModelFailed, UsageError
from litterm.core.tasks import run
from litterm.evidence.citing_sentences import find_citing_sentence
from litterm.evidence.learned import open_extractor
from litterm.evidence.llm.study import StudyModel, windows_of
from litterm.evidence.study.storage import StudyAspectStore
from litterm.evidence.study.studies import Studies
from litterm.library.state.connection import StateDatabase
from litterm.model.document import Document, Reference
from litterm.model.llm import ModelRequest
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, References, build_document
from litterm.text.references.citation_marks import add_contexts

_CLAIM = "Naps improve memory"
_REFERENCE = Reference(0, "Smith, J. 2010. Sleep.", families=("Smith",), year=2010)
_BODY = " ".join(f"Sentence number {number} tells of sleep and memory." for number in range(1, 19))
_PAPER = add_contexts(
    build_document(
        PaperId("local:sleep"),
        [
            Block("title", "Sleep", level=0),
            Block("heading", "Abstract", section_kind="abstract"),
            Block("abstract", "We tested 40 adults. Recall was 12 % higher after a nap."),
            Block("heading", "Results", level=1),
            Block("body", "Earlier work holds that naps help adults learn (Smith, 2010)."),
            Block("body", _BODY),
        ],
        origin="jsonl",
        parser="test",
        references=References((_REFERENCE,), known=True),
    )
)


def _studies(folder: Path, model: ScriptedModel) -> Studies:
    state = StateDatabase(folder)
    return Studies(lambda: StudyAspectStore(lambda: state, lambda: ""), lambda: model, lambda: model)  # type: ignore[arg-type, return-value]


def _replies(**by_prompt: object) -> Reply:
    def reply(request: ModelRequest) -> str:
        value = by_prompt[request.purpose.partition("@")[0].replace("-", "_")]
        if isinstance(value, Exception):
            raise value
        return json.dumps(value(request) if callable(value) else value)

    return reply


def _split(*aspects: tuple[str, str]) -> object:
    return {"aspects": [{"aspect": text, "kind": kind} for text, kind in aspects]}


_TWO = _split(("Recall was 12 % higher after a nap.", "result"), ("40 adults were tested.", "method"))
_NO_LEAK = {"thoughts": "fine", "numbers": []}


def _window_with(text: str, aspect: int) -> object:
    """Names the sentence that holds `text` wherever a window shows it."""

    def matches(request: ModelRequest) -> object:
        lines = request.messages[-1].text.splitlines()
        paper = lines[next(place for place, line in enumerate(lines) if line.startswith("<<<paper")) :]
        numbers = [int(line[1 : line.index("]")]) for line in paper if line.startswith("[") and text in line]
        return {"matches": [{"aspect": aspect, "sentences": numbers}] if numbers else []}

    return matches


def _cover(folder: Path, model: ScriptedModel, document: Document = _PAPER):  # type: ignore[no-untyped-def]
    evidence = run(open_extractor().extract(document, _CLAIM, k=5, scope="all"))
    return run(_studies(folder, model).cover_with_model(document, evidence))


def test_windows_of_ten_overlap_by_five_and_show_every_sentence() -> None:
    windows = windows_of(_PAPER)
    rows = [row.index for row in _PAPER.sentences if row.kind in ("abstract", "body")]
    assert [len(window) for window in windows] == [10, 10, 10, 6]
    assert all(first[5:] == second[:5] for first, second in pairwise(windows))
    assert sorted({row.index for window in windows for row in window}) == rows


def test_a_sentence_carries_an_aspect_if_it_was_named_in_either_window(tmp_path: Path) -> None:
    named = _window_with("number 9 ", 1)
    model = ScriptedModel(_replies(study_split=_TWO, study_leak=_NO_LEAK, study_align=named))
    coverage = _cover(tmp_path, model)
    (index,) = coverage.aligned[0].sentences
    assert "number 9 " in _PAPER.sentences[index].text
    assert [aspect.text for aspect in coverage.uncovered] == ["40 adults were tested"]
    assert [(item.aspect.is_result, item.aspect.origin) for item in coverage.aligned] == [
        (True, "model"),
        (False, "model"),
    ]
    assert (coverage.by, coverage.study.by) == ("parrot", "parrot")
    assert any("50 %" in notice for notice in coverage.notices)


def test_aspects_that_hold_more_than_the_sources_are_left_out(tmp_path: Path) -> None:
    split = _split(
        ("Recall was 12 % higher after a nap", "result"),
        ("Recall was 37 % higher in women", "result"),
        ("The nap lasted an hour", "method"),
    )
    leaks = {"thoughts": "an hour is new", "numbers": [3]}
    model = ScriptedModel(_replies(study_split=split, study_leak=leaks, study_align={"matches": []}))
    study = run(StudyModel(model).split(_PAPER, _CLAIM))  # type: ignore[arg-type]
    assert [aspect.text for aspect in study.aspects] == ["Recall was 12 % higher after a nap"]
    assert "2 study aspects of the model held more" in study.notices[0]


def test_paid_aspects_are_kept_and_not_asked_for_again(tmp_path: Path) -> None:
    model = ScriptedModel(_replies(study_split=_TWO, study_leak=_NO_LEAK, study_align={"matches": []}))
    _cover(tmp_path, model)
    count = len(model.requests)
    _cover(tmp_path, model)
    asked_again = {request.purpose.partition("@")[0] for request in model.requests[count:]}
    assert asked_again == {"study-align"}


def test_a_model_that_fails_leaves_the_offline_answer_with_a_notice(tmp_path: Path) -> None:
    coverage = _cover(tmp_path, ScriptedModel(_replies(study_split=ModelFailed("the server is on fire."))))
    assert coverage.by == "similarity"
    assert coverage.notices[0] == "The study aspects were aligned offline: the server is on fire."


def test_windows_without_a_usable_reply_are_counted_among_those_asked(tmp_path: Path) -> None:
    def align(request: ModelRequest) -> object:
        if "number 1 " in request.messages[-1].text:
            raise ModelFailed("the server is on fire.")
        return {"matches": []}

    model = ScriptedModel(_replies(study_split=_TWO, study_leak=_NO_LEAK, study_align=align))
    coverage = _cover(tmp_path, model)
    assert coverage.by == "parrot"
    assert any(
        "1 of 4 windows of sentences was not judged by parrot: the server is on fire." in each
        for each in coverage.notices
    )


def _propose(folder: Path, **replies: object):  # type: ignore[no-untyped-def]
    index = next(row.index for row in _PAPER.sentences if "Smith" in row.text)
    citing = find_citing_sentence(_PAPER, index)
    model = ScriptedModel(_replies(**replies))
    task = _studies(folder, model).propose(_PAPER, citing, citing.citations[0], with_model=True)
    return run(task), model.requests


def test_the_hypothesis_of_a_citing_sentence_takes_two_steps(tmp_path: Path) -> None:
    proposed, requests = _propose(
        tmp_path,
        citing_purpose={"question": "Do naps help learning?"},
        citing_hypothesis={"hypothesis": "Naps help adults learn."},
    )
    assert (proposed.text, proposed.by) == ("Naps help adults learn.", "parrot")
    first, second = (request.messages[-1].text for request in requests)
    assert "[CITED]" in first and "Sentence number 1 tells" in first
    assert "Do naps help learning?" in second


@pytest.mark.parametrize("reply", [{"hypothesis": "naps " * 51}, ModelFailed("the server is on fire.")])
def test_without_a_usable_hypothesis_the_sentence_itself_is_taken(tmp_path: Path, reply: object) -> None:
    proposed, _ = _propose(tmp_path, citing_purpose={"question": "Do naps help?"}, citing_hypothesis=reply)
    assert proposed.text == "Naps help adults learn."
    assert proposed.notices[0].startswith("No model worded the hypothesis: ")


def test_without_a_model_that_is_set_it_says_so(tmp_path: Path) -> None:
    def no_model() -> ScriptedModel:
        raise UsageError("No model is set.")

    state = StateDatabase(tmp_path)
    studies = Studies(lambda: StudyAspectStore(lambda: state, lambda: ""), no_model, no_model)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="No model is set"):
        run(studies.estimate(_PAPER, _CLAIM))
