"""Study aspects as a user writes and edits them, and how they are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.core.errors import UsageError
from litterm.evidence.study.storage import StudyAspectStore
from litterm.evidence.study.studies import Studies
from litterm.library.state.connection import StateDatabase
from litterm.llm.model import ChatModel
from litterm.model.paper import PaperId
from litterm.model.study_aspects import MAX_STUDY_ASPECTS

_PAPER = PaperId("local:sleep")
_CLAIM = "Naps improve memory"


def _studies(folder: Path, project: str = "") -> Studies:
    state = StateDatabase(folder)
    return Studies(lambda: StudyAspectStore(lambda: state, lambda: project), no_model, no_model)


def no_model() -> ChatModel:
    raise UsageError("No model is set.")


def test_typed_aspects_are_told_by_their_wording_and_repeated_ones_left_out(tmp_path: Path) -> None:
    study = _studies(tmp_path).read(_CLAIM, ["  recall   increased ", "40 adults were tested", "recall increased"])
    assert [(aspect.text, aspect.is_result) for aspect in study.aspects] == [
        ("recall increased", True),
        ("40 adults were tested", False),
    ]
    assert study.by == "hand"


def test_nothing_to_look_for_and_too_many_are_refused(tmp_path: Path) -> None:
    studies = _studies(tmp_path)
    with pytest.raises(UsageError, match="no study aspect"):
        studies.read(_CLAIM, ["of the", " "])
    with pytest.raises(UsageError, match="at most 36"):
        studies.read(_CLAIM, [f"fact{number} thing{number}" for number in range(MAX_STUDY_ASPECTS + 1)])


def test_an_aspect_is_reworded_added_and_removed(tmp_path: Path) -> None:
    studies = _studies(tmp_path)
    study = studies.read(_CLAIM, ["recall increased", "40 adults were tested"])
    texts = [aspect.text for aspect in studies.edited(study, 0, "errors fell").aspects]
    assert texts == ["errors fell", "40 adults were tested"]
    assert [aspect.text for aspect in studies.edited(study, 2, "naps took an hour").aspects][2] == "naps took an hour"
    assert [aspect.text for aspect in studies.edited(study, 1, " ").aspects] == ["recall increased"]


def test_aspects_are_kept_by_project_paper_and_hypothesis(tmp_path: Path) -> None:
    studies = _studies(tmp_path)
    study = studies.read(_CLAIM, ["recall increased"])
    assert studies.keep(_PAPER, study)
    assert _studies(tmp_path).store().load(_PAPER, f" {_CLAIM} ") is not None
    kept = _studies(tmp_path).store().load(_PAPER, _CLAIM)
    assert kept == study
    assert _studies(tmp_path, "thesis").store().load(_PAPER, _CLAIM) is None
    assert studies.store().load(PaperId("local:other"), _CLAIM) is None
    studies.forget(_PAPER, _CLAIM)
    assert studies.store().load(_PAPER, _CLAIM) is None
