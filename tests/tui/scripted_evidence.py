"""Evidence with a model for the fake engine: the real judge over a model made of a function."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from scripted_models import DryRunModel, ScriptedModel

from litterm.core.tasks import Task, run
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.llm.extractor import LlmExtractor
from litterm.evidence.llm.llm_evidence import LlmEvidence
from litterm.model.document import Document
from litterm.model.evidence import EvidenceLlmOptions
from litterm.model.llm import ModelRequest
from litterm.model.paper import Paper, PaperId
from tui.records import EngineRecords


class Reads(Protocol):
    """What of an engine is needed."""

    @property
    def papers(self) -> Sequence[Paper]: ...

    def paper(self, key: str) -> Paper: ...

    def read(self, paper_id: PaperId) -> Task[Document]: ...


def first_shown(request: ModelRequest) -> str:
    """Picks the first sentence of every part."""
    pick = {"number": 1, "stance": "refutes", "reason": "It says the contrary."}
    return json.dumps({"thoughts": "", "picks": [pick], "numbers": [1]})


def llm_evidence_of(engine: Reads, model: ScriptedModel) -> LlmEvidence:
    """Fits `Verbs.model_evidence`."""

    def judge(use: EvidenceLlmOptions) -> LlmExtractor:
        return LlmExtractor(LexicalExtractor(), model, use)

    def dry_run(use: EvidenceLlmOptions) -> LlmExtractor:
        return LlmExtractor(LexicalExtractor(), DryRunModel(first_shown), use)

    return LlmEvidence(
        lambda: EngineRecords(engine, lambda paper: run(engine.read(paper.id))), judge, dry_run, LexicalExtractor
    )  # type: ignore[arg-type, return-value]
