"""What rules tell of a sentence beside its quotes: faults of every kind, and true sentences that must stand."""

from __future__ import annotations

import pytest

from litterm.evidence.answers.sentence_check import QuotedText, check_by_rule, check_gap
from litterm.model.written_answer import FaultKind

TRIAL = QuotedText(
    "Basil reduced fasting glucose by 12.4 mg/dL in 1,187 adults with type 2 diabetes compared with placebo.",
    "A trial of basil",
    ("Nash",),
    2018,
    "We treated women and men. Basil (OB) was given.",
)
PARSER = QuotedText("The parser outperforms the baseline by 2.1 points on German–English pairs.", "Parsing")
HEDGED = QuotedText("Naps may improve memory, and sleep was associated with recall in some mice.", "Naps")
NULL = QuotedText("Zinc did not shorten colds, but iron was effective.", "Zinc")


def kinds(sentence: str, *quotes: QuotedText, question: str = "") -> list[FaultKind]:
    return [fault.kind for fault in check_by_rule(sentence, quotes, question)]


@pytest.mark.parametrize(
    ("sentence", "quote", "kind"),
    [
        ("Basil reduced fasting glucose by 21.4 mg/dL.", TRIAL, "figure"),
        ("Basil reduced fasting glucose by about 20 mg/dL.", TRIAL, "figure"),
        ("Basil was given to seven adults.", TRIAL, "figure"),
        ("Basil reduced fasting glucose by 12.4 g/dL.", TRIAL, "unit"),
        ("Metformin reduced fasting glucose, and Basil did, too.", TRIAL, None),
        ("With Metformin glucose fell.", TRIAL, "name"),
        ("Miller et al. report that basil reduced glucose.", TRIAL, "source"),
        ("Nash (2011) found that basil reduced glucose.", TRIAL, "source"),
        ("Basil raised fasting glucose.", TRIAL, "direction"),
        ("Basil did not reduce fasting glucose.", TRIAL, "direction"),
        ("Zinc shortened colds.", NULL, "direction"),
        ("Iron was ineffective against colds.", NULL, "direction"),
        ("The baseline outperforms the parser.", PARSER, "roles"),
        ("It gains 2.1 points on English–German pairs.", PARSER, "language pair"),
        ("Basil reduced fasting glucose in children.", TRIAL, "population"),
        ("Basil always reduced fasting glucose.", TRIAL, "scope"),
        ("Naps improve memory.", HEDGED, "scope"),
        ("Sleep causes recall.", HEDGED, "scope"),
    ],
)
def test_each_kind_of_fault_is_told(sentence: str, quote: QuotedText, kind: FaultKind | None) -> None:
    told = kinds(sentence, quote)
    assert told == [] if kind is None else kind in told


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Basil lowered fasting glucose by about 12 mg/dL in more than 1,100 adults [3].", TRIAL),
        ("In adults with type 2 diabetes, fasting glucose was reduced by basil.", TRIAL),
        ("Nash (2018) found that basil (OB) reduced glucose in women.", TRIAL),
        ("People with diabetes had lower glucose with basil than with placebo.", TRIAL),
        ("The baseline is outperformed by the parser.", PARSER),
        ("On German to English pairs the parser gains 2.1 points.", PARSER),
        ("Naps might improve memory.", HEDGED),
        ("Zinc had no effect on colds.", NULL),
    ],
)
def test_true_sentences_in_other_words_stand(sentence: str, quote: QuotedText) -> None:
    assert kinds(sentence, quote) == []


def test_a_figure_must_be_in_a_quote_while_a_name_may_stand_elsewhere_in_its_paper() -> None:
    quote = QuotedText("Glucose fell.", "A trial", context="In Kerala, 60 people took basil.")
    assert kinds("Glucose fell in Kerala.", quote) == []
    assert kinds("Glucose fell in 60 people.", quote) == ["figure"]


def test_the_words_of_the_question_may_be_used() -> None:
    quote = QuotedText("The extract lowered glucose.", "A trial")
    assert kinds("Tulsi, or TKX, lowered glucose.", quote, question="Does TKX lower glucose?") == []
    assert kinds("Tulsi, or TKX, lowered glucose.", quote) == ["name"]


def test_a_sentence_without_a_quote_is_told() -> None:
    assert kinds("Basil lowers glucose.") == ["quote"]


def test_a_gap_may_name_only_what_was_shown_or_asked() -> None:
    assert check_gap("Nothing is said of children.", (TRIAL,), "Does basil help?") == ()
    told = check_gap("The study of Okafor on GPT-4 is missing.", (TRIAL,), "Does basil help?")
    assert [fault.kind for fault in told] == ["name"]
