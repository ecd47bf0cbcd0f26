"""`litterm evidence --model`: what is sent, what it costs, and how the answer looks."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field

import pytest
from commands import Command
from fakes import FakeEngine, document
from scripted_models import ScriptedModel

from litterm.core.errors import KeyRefused, ModelFailed, UsageError
from litterm.core.tasks import Task
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.llm.extractor import LlmExtractor
from litterm.evidence.llm.llm_evidence import LlmEvidence
from litterm.model.document import Document
from litterm.model.events import OutgoingRequest
from litterm.model.evidence import EvidenceLlmOptions
from litterm.model.llm import CostEstimate, ModelReply, ModelRequest
from litterm.model.paper import PaperId

PICK = {"number": 1, "stance": "supports", "reason": "Ten times \x1b[31mis fast."}


def says_the_first(request: ModelRequest) -> str:
    if request.purpose.startswith("evidence-negate"):
        return '{"negation": "Zebras are slow."}'
    return json.dumps({"thoughts": "", "picks": [PICK]})


class Costly(ScriptedModel):
    def estimate(self, asked: object) -> CostEstimate:
        return CostEstimate("api.example.org", self.name, 31, prompt_tokens=300_000, reply_tokens=5000, dollars=0.02)


class DryRunModel(ScriptedModel):
    def ask(self, request: ModelRequest, *, stream: bool = False) -> Task[ModelReply]:
        yield OutgoingRequest("\n".join(turn.text for turn in request.messages))
        return (yield from super().ask(request))


@dataclass
class FakeRecords:
    def document(self, paper_id: PaperId) -> Document:
        return document()


@dataclass
class ModelEngine(FakeEngine):
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel(says_the_first))
    uses: list[EvidenceLlmOptions] = field(default_factory=list)

    @property
    def model_evidence(self) -> LlmEvidence:
        def judge(use: EvidenceLlmOptions) -> LlmExtractor:
            self.uses.append(use)
            return LlmExtractor(LexicalExtractor(), self.model, use)

        def dry_run(use: EvidenceLlmOptions) -> LlmExtractor:
            return LlmExtractor(LexicalExtractor(), DryRunModel(says_the_first), use)

        return LlmEvidence(lambda: FakeRecords(), judge, dry_run, LexicalExtractor)  # type: ignore[arg-type, return-value]


ASK = ("evidence", "P18-1001", "Zebras are fast")


def test_reason_stance_and_rung_are_shown(litterm: Command) -> None:
    done = litterm(*ASK, "--model", "--reasons", engine=ModelEngine())
    assert done.status == 0
    assert "supports" in done.out
    assert "whole · parrot" in done.out
    assert "     model: Ten times is fast.\n" in done.out
    # The word for how close it comes would say less than the stance, or the contrary.
    (row,) = [line for line in done.out.splitlines() if line.startswith("  1  ")]
    assert row.split("  ")[2].startswith("supports")
    assert "model:" not in litterm(*ASK, "--model", engine=ModelEngine()).out


def test_json_adds_stance_reason_and_what_failed(litterm: Command) -> None:
    done = litterm(*ASK, "--model", "--json", engine=ModelEngine())
    (row,) = done.json["sentences"]  # type: ignore[misc]
    assert (row["stance"], row["reason"]) == ("supports", "Ten times is fast.")
    assert (done.json["by"], done.json["failed"], done.json["negated"]) == ("whole · parrot", [], None)


def test_without_a_model_nothing_is_asked(litterm: Command) -> None:
    engine = ModelEngine()
    assert litterm(*ASK, engine=engine).status == litterm(*ASK, "--no-model", engine=engine).status == 0
    assert engine.model.requests == []


@pytest.mark.parametrize(
    ("options", "use"),
    [
        (["--strategy", "whole"], EvidenceLlmOptions("whole")),
        (["--shortlist", "3"], EvidenceLlmOptions(shortlist=3)),
        (["--model", "--no-cache"], EvidenceLlmOptions(cached=False)),
    ],
)
def test_options_for_a_model_ask_it(litterm: Command, options: list[str], use: EvidenceLlmOptions) -> None:
    engine = ModelEngine()
    assert litterm(*ASK, *options, engine=engine).status == 0
    assert set(engine.uses) == {use}
    assert engine.model.requests


def test_both_answers_are_shown_when_the_hypothesis_is_negated(litterm: Command) -> None:
    done = litterm(*ASK, "--negate", engine=ModelEngine())
    assert "\nNegated: Zebras are slow.\n" in done.out
    inner = litterm(*ASK, "--negate", "--json", engine=ModelEngine()).json["negated"]
    assert inner["hypothesis"] == "Zebras are slow."  # type: ignore[index]


def test_notices_of_the_negated_run_are_told_too(litterm: Command) -> None:
    def breaks_at_the_negated(request: ModelRequest) -> str:
        if any("Zebras are slow." in turn.text for turn in request.messages):
            raise ModelFailed("the server is on fire.")
        return says_the_first(request)

    done = litterm(*ASK, "--negate", engine=ModelEngine(model=ScriptedModel(breaks_at_the_negated)))
    assert "Negated: The model could not be asked, so this is the offline result: the server is on fire" in done.err
    assert "the server is on fire" in done.err
    # What is said of the paper is said once.
    assert done.err.count("limited evidence") == 1


def test_a_dry_run_prints_every_request_and_sends_nothing(litterm: Command) -> None:
    engine = ModelEngine()
    done = litterm(*ASK, "--dry-run", engine=engine)
    assert (done.status, engine.model.requests) == (0, [])
    assert "[1] Zebras are ten times faster." in done.out
    assert "nothing was sent" in done.err


def test_a_failing_model_gives_the_offline_answer_and_status_0(litterm: Command) -> None:
    def refuse(_request: ModelRequest) -> str:
        raise KeyRefused("localhost wants a key.")

    done = litterm(*ASK, "--model", "--json", engine=ModelEngine(model=ScriptedModel(refuse)))
    assert (done.status, done.json["by"]) == (0, "h1")
    assert "wants a key" in done.err
    assert done.json["sentences"]


def typed(monkeypatch: pytest.MonkeyPatch, line: str, *, terminal: bool) -> None:
    stdin = io.StringIO(line)
    monkeypatch.setattr(stdin, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stdin", stdin)


@pytest.mark.parametrize(("line", "status", "asked"), [("y\n", 0, 1), ("n\n", 130, 0), ("", 130, 0)])
def test_many_calls_are_agreed_to_first(
    litterm: Command, monkeypatch: pytest.MonkeyPatch, line: str, status: int, asked: int
) -> None:
    engine = ModelEngine(model=Costly(says_the_first))
    typed(monkeypatch, line, terminal=True)
    done = litterm(*ASK, "--model", engine=engine)
    assert (done.status, len(engine.model.requests)) == (status, asked)
    assert "31 calls" in done.err
    sent = "the hypothesis and the text of this paper; with examples also sentences you accepted in other papers."
    assert f"api.example.org is sent {sent}" in done.err
    assert "At most $2.00 a run" in done.err


def test_a_small_run_is_told_before_it_is_made_and_waits_for_nobody(
    litterm: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Small(ScriptedModel):
        def estimate(self, asked: object) -> CostEstimate:
            return CostEstimate("127.0.0.1:9", self.name, 1, prompt_tokens=900, dollars=0.0, local=True)

    typed(monkeypatch, "", terminal=False)
    done = litterm(*ASK, "--model", engine=ModelEngine(model=Small(says_the_first)))
    assert done.status == 0
    assert "127.0.0.1:9 is this machine; nothing leaves it.\nparrot: 1 call, ≈900 tokens to 127.0.0.1:9" in done.err
    assert "; free." in done.err


def test_nobody_to_ask_means_no_calls_without_yes(litterm: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "", terminal=False)
    engine = ModelEngine(model=Costly(says_the_first))
    done = litterm(*ASK, "--model", engine=engine)
    assert (done.status, engine.model.requests) == (2, [])
    assert "--yes" in done.err
    assert litterm(*ASK, "--model", "--yes", engine=engine).status == 0


def test_no_model_beside_options_for_one_is_a_wrong_request(litterm: Command) -> None:
    assert litterm(*ASK, "--no-model", "--negate", engine=ModelEngine()).status == UsageError.exit_code
