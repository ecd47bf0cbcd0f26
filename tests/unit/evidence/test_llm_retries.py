"""Evidence with a model over several papers and tries: what is asked again, and what is said of failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from scripted_models import DryRunModel, ScriptedModel

from litterm.core.errors import CapReached, ContextOverflow, KeyRefused, ModelError, ModelFailed, UsageError
from litterm.core.tasks import run
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.llm.extractor import LlmExtractor, describe_failures
from litterm.evidence.llm.llm_evidence import LlmEvidence
from litterm.model.document import Document
from litterm.model.events import Event, EvidenceFound, Progress
from litterm.model.evidence import Evidence, EvidenceLlmOptions
from litterm.model.llm import ModelRequest
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

HYPOTHESIS = "Zebras outrun lions on dry ground."
GOOD = "Zebras outran lions on dry ground {} times."


def document(sections: int, *, dull: int = 2) -> Document:
    """Sections of one sentence on the hypothesis and dull ones behind it."""
    blocks = [
        block
        for number in range(sections)
        for block in (
            Block("heading", f"Part {number}"),
            Block("body", sentences=(GOOD.format(number), *(f"It rained on day {day}." for day in range(dull)))),
        )
    ]
    return build_document(PaperId("local:x"), blocks, origin="jats", parser="test")


def first_sentences(request: ModelRequest) -> str:
    """Picks the first sentence of each part; of all picks the first two."""
    if request.purpose.startswith("evidence-choose"):
        return json.dumps({"numbers": [2, 1]})
    if request.purpose.startswith("evidence-negate"):
        return json.dumps({"negation": "Lions outrun zebras."})
    return json.dumps({"picks": [{"number": 1, "stance": "supports", "reason": "It says so."}]})


def shown(request: ModelRequest) -> str:
    return request.messages[-1].text


def failing(error: ModelError, *titles: str) -> Callable[[ModelRequest], str]:
    """Fails in these parts; without any, always."""

    def reply(request: ModelRequest) -> str:
        if not titles or any(f": {title}\n" in shown(request) for title in titles):
            raise error
        return first_sentences(request)

    return reply


def extractor(model: ScriptedModel, **options: object) -> LlmExtractor:
    return LlmExtractor(LexicalExtractor(), model, EvidenceLlmOptions(**{"strategy": "sections", **options}))  # type: ignore[arg-type]


def purposes(model: ScriptedModel) -> list[str]:
    return [request.purpose.partition("@")[0] for request in model.requests]


def extracted(model: ScriptedModel, sections: int = 3, *, k: int = 5, **options: object) -> Evidence:
    return run(extractor(model, **options).extract(document(sections), HYPOTHESIS, k=k, scope="all"))


def texts(evidence: Evidence) -> list[str]:
    return [item.sentence.text for item in evidence.sentences]


# -- failures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("titles", "said"),
    [
        (["A"], '1 of 8 parts was not judged ("A"); the'),
        (["A", "B"], '2 of 8 parts were not judged ("A", "B"); the'),
        (["A", "B", "C"], '3 of 8 parts were not judged ("A", "B", "C"); the'),
        (["A", "B", "C", "D", "E"], '5 of 8 parts were not judged ("A", "B", "C" and 2 more); the'),
    ],
)
def test_three_parts_that_failed_are_named(titles: list[str], said: str) -> None:
    assert describe_failures(titles, 8, "Ill.").startswith(said)
    assert describe_failures(titles, 8, "Ill.").endswith("offline result is shown instead: Ill.")


def test_where_every_part_failed_the_first_reason_is_given() -> None:
    def reply(request: ModelRequest) -> str:
        raise ModelFailed("Late." if ": Part 0\n" in shown(request) else "Early.")

    evidence = extracted(ScriptedModel(reply), 2)
    # The last part is answered first.
    assert evidence.notices[-1].endswith("so this is the offline result: Early.")
    assert [failed.why for failed in evidence.failed] == ["Early.", "Late."]


def test_one_model_that_is_gone_is_not_asked_about_the_next_paper() -> None:
    for strategy in ("sections", "whole"):
        model = ScriptedModel(failing(KeyRefused("No key.")))
        judge = extractor(model, strategy=strategy)
        answers = [run(judge.extract(document(2), HYPOTHESIS, k=5, scope="all")) for _ in range(3)]
        assert len(model.requests) == 1
        assert {answer.notices[-1] for answer in answers} == {
            "The model could not be asked, so this is the offline result: No key."
        }


@pytest.mark.parametrize("strategy", ["sections", "whole"])
def test_a_model_that_failed_once_is_asked_about_the_next_paper(strategy: str) -> None:
    model = ScriptedModel(failing(ModelFailed("Ill.")))
    judge = extractor(model, strategy=strategy)
    run(judge.extract(document(1), HYPOTHESIS, k=5, scope="all"))
    model.reply = first_sentences
    evidence = run(judge.extract(document(1), HYPOTHESIS, k=5, scope="all"))
    assert (evidence.by, texts(evidence)) == (f"{strategy} · parrot", [GOOD.format(0)])


def test_when_the_cap_is_reached_what_was_heard_counts() -> None:
    model = ScriptedModel(failing(CapReached("No more."), "Part 1"))
    evidence = extracted(model)
    # The last part is answered first; every part was put to the model.
    assert [failed.title for failed in evidence.failed] == ["Part 1"]
    assert evidence.by == "sections · parrot"
    assert sorted(item.sentence.text for item in evidence.judged) == [GOOD.format(0), GOOD.format(2)]


def test_a_part_that_stays_too_long_has_failed_after_three_rounds() -> None:
    model = ScriptedModel(failing(ContextOverflow("Too long."), "Part 1"))
    evidence = extracted(model)
    assert purposes(model) == ["evidence-section"] * 5
    assert [failed.why for failed in evidence.failed] == ["Too long."]


def test_progress_counts_the_parts_and_each_is_named() -> None:
    events: list[Event] = []
    judge = extractor(ScriptedModel(first_sentences))
    run(judge.extract(document(3), HYPOTHESIS, k=5, scope="all"), events.append)
    progress = [event for event in events if isinstance(event, Progress) and event.what == "asking parrot"]
    assert [(event.done, event.total) for event in progress] == [(number, 3) for number in range(4)]
    named = [event.section for event in events if isinstance(event, EvidenceFound) and event.section]
    assert named[-3:] == ["Part 2", "Part 1", "Part 0"], "in the order of the answers"


# -- the best of all picks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sections", "k", "chosen"), [(3, 3, False), (3, 2, True), (2, 2, False), (2, 1, True)])
def test_the_model_chooses_only_where_there_are_too_many_picks(sections: int, k: int, chosen: bool) -> None:
    model = ScriptedModel(first_sentences)
    evidence = extracted(model, sections, k=k)
    assert ("evidence-choose" in purposes(model)) == chosen
    assert len(evidence.sentences) == k
    assert len(evidence.judged) == sections
    if (sections, k) == (3, 2):
        assert texts(evidence) == [GOOD.format(1), GOOD.format(0)]


def test_a_choice_that_fails_twice_keeps_the_first_picks() -> None:
    def reply(request: ModelRequest) -> str:
        if request.purpose.endswith("+again"):
            raise ModelFailed("Ill.")
        return "[3, 2, 1]" if request.purpose.startswith("evidence-choose") else first_sentences(request)

    evidence = extracted(ScriptedModel(reply), k=2)
    assert texts(evidence) == [GOOD.format(2), GOOD.format(1)]
    assert evidence.notices[-1] == "The model named 3 sentences and the first 2 are kept: Ill."


def test_no_sentence_when_told_that_fewer_are_allowed_keeps_the_first() -> None:
    def reply(request: ModelRequest) -> str:
        if request.purpose.endswith("+again"):
            return "[]"
        return "[3, 2, 1]" if request.purpose.startswith("evidence-choose") else first_sentences(request)

    evidence = extracted(ScriptedModel(reply), k=2)
    assert texts(evidence) == [GOOD.format(2), GOOD.format(1)]
    assert evidence.notices[-1].endswith("and 3 when told that 2 are allowed; the first 2 are kept.")


def test_sentences_for_the_negated_hypothesis_are_not_shown_as_those_for_it() -> None:
    def reply(request: ModelRequest) -> str:
        if "Lions outrun zebras." in shown(request):
            return json.dumps({"picks": [{"number": 1, "stance": "refutes", "reason": "Negated."}]})
        return first_sentences(request)

    events: list[Event] = []
    judge = extractor(ScriptedModel(reply), negate=True)
    evidence = run(judge.extract(document(2), HYPOTHESIS, k=5, scope="all"), events.append)
    assert evidence.negated is not None and {item.stance for item in evidence.negated.sentences} == {"refutes"}
    partial = [item.stance for event in events if isinstance(event, EvidenceFound) for item in event.sentences]
    assert "supports" in partial and "refutes" not in partial
    progress = [event for event in events if isinstance(event, Progress) and event.what == "asking parrot"]
    assert [event.done for event in progress] == [0, 1, 2, 0, 1, 2], "the second question is said to be asked"


# -- tries -------------------------------------------------------------------------------------------------------------


def retried(evidence: Evidence, model: ScriptedModel, *keys: str, **options: object) -> Evidence:
    return run(extractor(model, **options).retry(document(3), evidence, k=5, retry_sections=keys))


def test_without_names_all_failed_parts_are_asked_again_and_no_other() -> None:
    evidence = extracted(ScriptedModel(failing(ModelFailed("Ill."), "Part 0", "Part 2")))
    model = ScriptedModel(first_sentences)
    again = retried(evidence, model)
    assert sorted(shown(request).count(": Part 1") for request in model.requests) == [0, 0]
    assert again.failed == ()
    assert sorted(texts(again)) == [GOOD.format(number) for number in range(3)]
    assert len(again.judged) == 3


def test_a_part_that_fails_again_keeps_its_reason_and_the_others_theirs() -> None:
    evidence = extracted(ScriptedModel(failing(ModelFailed("Ill."), "Part 0", "Part 2")))
    first = evidence.failed[0]
    again = retried(evidence, ScriptedModel(failing(ModelFailed("Worse."))), first.key)
    assert {failed.key: failed.why for failed in again.failed} == {
        failed.key: "Worse." if failed.key == first.key else "Ill." for failed in evidence.failed
    }


def test_the_order_that_the_model_gave_stands_after_a_retry() -> None:
    evidence = extracted(ScriptedModel(failing(ModelFailed("Ill."), "Part 2")))
    turned = replace(evidence, sentences=tuple(reversed(evidence.sentences)), negated=evidence)
    again = retried(turned, ScriptedModel(first_sentences))
    heard = [text for text in texts(again) if text != GOOD.format(2)]
    assert heard == [text for text in texts(turned) if text != GOOD.format(2)]
    assert again.negated == evidence


def test_an_answer_without_failures_is_asked_for_anew() -> None:
    model = ScriptedModel(first_sentences)
    again = retried(extracted(ScriptedModel(first_sentences)), model)
    assert len(model.requests) == 3 and len(again.judged) == 3


def test_a_part_that_failed_in_one_of_its_windows_is_asked_again_as_a_whole() -> None:
    evidence = extracted(ScriptedModel(failing(ModelFailed("Ill."), "Part 1")))
    in_window = replace(evidence, failed=tuple(replace(failed, key=f"{failed.key}.3") for failed in evidence.failed))
    model = ScriptedModel(first_sentences)
    assert retried(in_window, model).failed == ()
    assert [f": Part {number}\n" in shown(model.requests[0]) for number in range(3)] == [False, True, False]
    # A key that only begins alike is another part's.
    other = replace(evidence, failed=tuple(replace(failed, key=f"{failed.key}0") for failed in evidence.failed))
    model = ScriptedModel(first_sentences)
    retried(other, model)
    assert model.requests == []


# -- plans -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sections", "k", "calls"),
    [
        ({}, 4, 12, 4),
        ({}, 4, 11, 5),
        ({"negate": True}, 4, 2, 10),
        ({"strategy": "whole"}, 4, 2, 1),
        ({"strategy": "whole+examples", "negate": True}, 4, 2, 2),
        ({"shortlist": 1}, 4, 2, 5),
        ({"shortlist": 1}, 4, 4, 4),
    ],
)
def test_an_estimate_counts_parts_and_the_choice_among_their_picks(
    options: dict[str, object], sections: int, k: int, calls: int
) -> None:
    model = ScriptedModel(first_sentences)
    estimate = run(extractor(model, **options).estimate(document(sections), HYPOTHESIS, k=k, scope="all"))
    assert (estimate.calls, model.requests) == (calls, [])


def test_the_last_question_of_a_plan_has_its_likely_length() -> None:
    planned = run(extractor(ScriptedModel(first_sentences)).plan(document(3, dull=9), HYPOTHESIS, k=2, scope="all"))
    lines = [line for line in planned[-1].request.messages[-1].text.splitlines() if line.startswith("[")]
    assert len(lines) == 6
    assert lines[0].startswith("[1] Zebras outran lions on dry ground 0") and "day" in lines[-1]


@pytest.mark.parametrize(("hypothesis", "k"), [("of the", 3), (HYPOTHESIS, 0)])
def test_what_cannot_be_asked_is_not_planned_either(hypothesis: str, k: int) -> None:
    judge = extractor(ScriptedModel(first_sentences))
    for task in (judge.plan, judge.extract, judge.estimate):
        with pytest.raises(UsageError):
            run(task(document(1), hypothesis, k=k, scope="all"))  # type: ignore[operator]


# -- as the shells call it ---------------------------------------------------------------------------------------------


@dataclass
class OnePaper:
    """A library of one paper with its full text."""

    def document(self, paper_id: PaperId) -> Document:
        return document(2)


def llm_evidence(model: ScriptedModel, error: ModelError | None = None) -> LlmEvidence:
    def build(options: EvidenceLlmOptions) -> LlmExtractor:
        if error is not None:
            raise error
        return LlmExtractor(LexicalExtractor(), model, options)

    dry = DryRunModel(first_sentences)
    return LlmEvidence(
        OnePaper,  # type: ignore[arg-type]
        build,
        lambda options: LlmExtractor(LexicalExtractor(), dry, options),
        LexicalExtractor,
    )


def test_a_model_that_cannot_be_had_gives_the_offline_answer_but_no_retry_or_estimate() -> None:
    finder = llm_evidence(ScriptedModel(first_sentences), KeyRefused("No key."))
    options = EvidenceLlmOptions("sections")
    evidence = run(finder.find(PaperId("local:x"), HYPOTHESIS, options, k=1))
    offline = run(LexicalExtractor().extract(document(2), HYPOTHESIS, k=1, scope="all"))
    assert evidence == replace(offline, notices=(*offline.notices, "No model was asked: No key."))
    with pytest.raises(KeyRefused):
        run(finder.retry(evidence, options))
    with pytest.raises(KeyRefused):
        run(finder.estimate(PaperId("local:x"), HYPOTHESIS, options))


def test_a_preview_shows_each_request_and_an_estimate_counts_them() -> None:
    finder, options = llm_evidence(ScriptedModel(first_sentences)), EvidenceLlmOptions("sections")
    requests = run(finder.preview(PaperId("local:x"), HYPOTHESIS, options))
    assert sorted(": Part 0\n" in text for text in requests) == [False, True]
    assert run(finder.estimate(PaperId("local:x"), HYPOTHESIS, options)).calls == 2
    evidence = run(finder.find(PaperId("local:x"), HYPOTHESIS, options))
    assert evidence.by == "sections · parrot"
    assert run(finder.retry(evidence, options)).sentences == evidence.sentences
