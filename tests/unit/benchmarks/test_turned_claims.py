"""Claims turned into their opposite by rule, and those that are left as they are."""

from __future__ import annotations

import pytest

from litterm_benchmarks.evidence.turned_claims import denied, forms_of, other_way


@pytest.mark.parametrize(
    ("claim", "opposite"),
    [
        ("Zinc reduced the duration of colds.", "Zinc increased the duration of colds."),
        ("The risk was higher with zinc.", "The risk was lower with zinc."),
        ("Zinc improves sleep and reduces fever.", ""),
        ("Zinc did not improve sleep.", ""),
        ("Zinc is found in oysters.", ""),
    ],
)
def test_a_claim_with_one_direction_is_turned_the_other_way(claim: str, opposite: str) -> None:
    assert other_way(claim) == opposite


@pytest.mark.parametrize(
    ("claim", "denial"),
    [
        ("Zinc is safe.", "Zinc is not safe."),
        ("Zinc improves sleep.", "Zinc does not improve sleep."),
        ("Zinc lowered fever.", "Zinc did not lower fever."),
        ("Zinc is not safe.", "Zinc is safe."),
        ("There was no difference in sleep.", "There was a difference in sleep."),
        ("Zinc and iron had similar effects.", ""),
        ("Zinc for all children.", ""),
    ],
)
def test_a_claim_is_denied_and_a_denial_undone(claim: str, denial: str) -> None:
    assert denied(claim) == denial


def test_a_paper_that_states_a_claim_refutes_what_is_made_of_it() -> None:
    forms = [(each.form, each.label) for each in forms_of("Zinc reduced fever.")]
    assert forms == [("own", "SUPPORT"), ("other way", "CONTRADICT"), ("denied", "CONTRADICT")]
