"""Evidence with a model as the shells call it: how many sentences they get where they do not say."""

from __future__ import annotations

import json
from dataclasses import dataclass

from scripted_models import DryRunModel, ScriptedModel

from litterm.core.tasks import run
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.llm.extractor import LlmExtractor
from litterm.evidence.llm.llm_evidence import LlmEvidence
from litterm.model.document import Document
from litterm.model.evidence import EvidenceLlmOptions
from litterm.model.llm import ModelRequest
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

PAPER_ID = PaperId("local:x")
HYPOTHESIS = "Zebras outrun lions."
ROWS = tuple(f"Zebras outran lions {number} times." for number in range(14))


def everything(request: ModelRequest) -> str:
    return json.dumps({"picks": list(range(1, 15))})


@dataclass
class OnePaper:
    """A library of one paper, all of whose sentences are on the hypothesis."""

    def document(self, paper_id: PaperId) -> Document:
        blocks = [Block("heading", "Speed"), Block("body", sentences=ROWS)]
        return build_document(paper_id, blocks, origin="jats", parser="test")


def finder(model: ScriptedModel) -> LlmEvidence:
    def over(chat_model: ScriptedModel, options: EvidenceLlmOptions) -> LlmExtractor:
        return LlmExtractor(LexicalExtractor(), chat_model, options)  # type: ignore[arg-type]

    dry = DryRunModel(everything)
    return LlmEvidence(
        OnePaper,  # type: ignore[arg-type]
        lambda options: over(model, options),
        lambda options: over(dry, options),
        LexicalExtractor,
    )


def test_ten_sentences_are_wanted_unless_the_shell_says_otherwise() -> None:
    for options in (EvidenceLlmOptions("sections"), EvidenceLlmOptions(strategy="whole")):
        model = ScriptedModel(everything)
        finds = finder(model)
        evidence = run(finds.find(PAPER_ID, HYPOTHESIS, options))
        assert len(evidence.sentences) == 10
        assert len(run(finds.find(PAPER_ID, HYPOTHESIS, options, k=3)).sentences) == 3
        assert len(run(finds.retry(evidence, options)).sentences) == 10
        (text,) = run(finds.preview(PAPER_ID, HYPOTHESIS, options))
        assert text == "\n".join(turn.text for turn in model.requests[0].messages), "the same limit is shown"
