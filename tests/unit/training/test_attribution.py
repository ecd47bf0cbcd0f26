"""Fitting attribution: folds parted by cited paper, weights that follow the sign that tells, honest probabilities."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.fact_features import FACT_FEATURES
from litterm.attribution.features import FEATURE_NAMES, Matrix
from litterm.attribution.weights import CONFIDENCE_FEATURES
from litterm.core.errors import BadInput
from litterm.model.paper import PaperId
from litterm_training.attribution import divide, figures, fit_sharpness, fit_terms, out_of_fold, ranks, scores
from litterm_training.citances import CitanceCase, TrainingCitance, read_citances
from litterm_training.confidence import (
    FOLDS,
    find_caution,
    folds_of,
    lower_all,
    probabilities_out_of_fold,
    questions,
    reliability,
)


def case(number: int, target: str, *, there: bool = True) -> CitanceCase:
    """Twenty candidates of which the one with the most `text` is the target, now and then."""
    chance = np.random.default_rng(number)
    rows = chance.normal(size=(20, len(FEATURE_NAMES)))
    right = np.zeros(20, np.bool_)
    if there:
        right[int((rows[:, FEATURE_NAMES.index("text")] + 0.3 * chance.normal(size=20)).argmax())] = True
    citance = TrainingCitance(str(number), read_excerpt("Words [CITATION]"), PaperId(target), PaperId("acl:C"), 2010)
    return CitanceCase(citance, rows, {"share": chance.random(20)}, right)


CASES = [case(number, f"acl:T{number % 40}", there=number % 5 > 0) for number in range(80)]


@pytest.fixture(scope="module")
def points() -> list[Matrix]:
    """What the weights fitted on all cases give the candidates of each."""
    weights = fit_terms(CASES)
    return [each.rows @ weights for each in CASES]


def test_excerpts_of_one_paper_never_part() -> None:
    folds = divide(CASES, 0)
    by_target: dict[str, set[int]] = {}
    for each, fold in zip(CASES, folds.tolist(), strict=True):
        by_target.setdefault(each.citance.target, set()).add(fold)
    assert all(len(found) == 1 for found in by_target.values())
    assert set(folds.tolist()) == set(range(FOLDS))


def test_the_sign_that_tells_gets_the_weight_and_out_of_fold_ranks_show_it() -> None:
    weights = dict(zip(FEATURE_NAMES, fit_terms(CASES).tolist(), strict=True))
    assert weights["text"] > 5 * max(abs(weights[term]) for term in FEATURE_NAMES if term != "text")
    assert weights["acronym"] >= 0
    assert weights["cited_as"] >= 0
    found = ranks(CASES, out_of_fold(CASES, divide(CASES, 1)))
    assert figures(found, len(CASES))["recall@1"] > 40
    assert figures(found, len(CASES))["recall@20"] == pytest.approx(80)
    assert sum(np.isinf(rank) for rank in found) == 16


def test_hundreds_of_candidates_far_behind_change_no_weight() -> None:
    near = [case(number, f"acl:T{number}") for number in range(40)]
    far = np.zeros((300, len(FEATURE_NAMES)))
    far[:, FEATURE_NAMES.index("text")] = -5
    padding = np.repeat(near[0].rows[-1:], 80, axis=0)
    padded = [
        replace(each, rows=np.vstack((each.rows, padding)), right=np.append(each.right, np.zeros(80, np.bool_)))
        for each in near
    ]
    followed = [
        replace(each, rows=np.vstack((each.rows, far)), right=np.append(each.right, np.zeros(300, np.bool_)))
        for each in padded
    ]
    assert fit_terms(followed).tolist() == pytest.approx(fit_terms(padded).tolist(), abs=0.05)


def test_full_texts_give_one_weight_and_change_no_other() -> None:
    at = FEATURE_NAMES.index("cited_as")
    cited = []
    for number, each in enumerate(CASES):
        rows = each.rows.copy()
        rows[:, at] = each.right * (number % 2)
        cited.append(replace(each, rows=rows))
    bare = [each.without_contexts() for each in cited]
    with_texts, without = fit_terms(cited), fit_terms(bare)
    assert with_texts[at] > 1
    assert without[at] == 0
    assert np.delete(with_texts, at).tolist() == np.delete(without, at).tolist()
    told, plain = (scores(each, out_of_fold(each, divide(each, 0)), len(CASES))["recall@1"] for each in (cited, bare))
    assert told["mean"] > plain["mean"] > told["se"] > 0


def covered(number: int) -> CitanceCase:
    """A case whose target stands out by its words a little, and by its profile much."""
    chance = np.random.default_rng(number)
    each = case(number, f"acl:T{number}")
    rows = each.rows.copy()
    first = FEATURE_NAMES.index(FACT_FEATURES[0])
    rows[:, first : first + len(FACT_FEATURES)] = 0
    rows[:, FEATURE_NAMES.index("profiled")] = chance.random(20) < 0.4
    rows[each.right, FEATURE_NAMES.index("profiled")] = 1
    share = rows[:, FEATURE_NAMES.index("profiled")] * chance.random(20) / 2
    share[each.right] += 0.4
    rows[:, FEATURE_NAMES.index("profile_share")] = share
    return replace(each, rows=rows, covered=True)


def test_a_profile_tells_and_papers_without_one_are_still_found_by_words() -> None:
    known = [covered(number) for number in range(40)]
    assert all(each.covered and each.by_words for each in known)
    terms = fit_terms(known)
    assert terms[FEATURE_NAMES.index("profile_share")] > 1
    told = figures(ranks(known, [each.rows @ terms for each in known]), 40)["recall@1"]
    bare = [each.without_facts() for each in known]
    assert not any(each.covered for each in bare)
    unknown = figures(ranks(bare, [each.rows @ terms for each in bare]), 40)["recall@1"]
    assert told > unknown > 20


def test_a_paper_without_its_profile_keeps_its_count() -> None:
    each = covered(3)
    each.rows[:, FEATURE_NAMES.index("count_rank")] = 0.4
    counted = each.without_profile()
    told = dict(zip(FEATURE_NAMES, counted.rows[counted.right][0].tolist(), strict=True))
    assert (told["count_rank"], told["lone_count_rank"], told["profiled"], told["profile_share"]) == (0.4, 0.4, 0, 0)
    assert np.array_equal(counted.rows[~each.right], each.rows[~each.right])


@pytest.mark.parametrize("sign", ["same_author", "same_topic"])
def test_knowing_who_cites_gives_its_own_weights_and_changes_no_other(sign: str) -> None:
    at = FEATURE_NAMES.index(sign)
    others = [place for place, term in enumerate(FEATURE_NAMES) if term not in {"same_author", "same_topic"}]
    known = []
    # How others cite a paper is weighed on top of all else, and not what this is about.
    for number, each in enumerate(case.without_contexts() for case in CASES):
        rows = each.rows.copy()
        rows[:, at] = each.right * (number % 3 == 0)
        known.append(replace(each, rows=rows))
    unknown = [each.without_source() for each in known]
    with_source, without = fit_terms(known), fit_terms(unknown)
    assert with_source[at] > 1
    assert without[at] == 0
    assert with_source[others].tolist() == without[others].tolist()
    told, plain = (ranks(each, out_of_fold(each, divide(each, 0))) for each in (known, unknown))
    assert figures(told, len(CASES))["recall@1"] > figures(plain, len(CASES))["recall@1"]


def test_probabilities_are_told_by_weights_that_have_not_seen_the_paper(points: list[Matrix]) -> None:
    asked = list(questions(CASES, points, 1.0, withheld=True))
    first = [each.first for each in asked]
    assert len(probabilities_out_of_fold(asked, first, asked)) == len(asked)
    assert sum(right for _, right in probabilities_out_of_fold(asked, first, asked[:30])) == sum(first[:30])
    folds = folds_of([each.group for each in asked], 0).tolist()
    assert len({(each.group, fold) for each, fold in zip(asked, folds, strict=True)}) == len(
        {each.group for each in asked}
    )


def test_sureness_is_asked_with_and_without_the_paper(points: list[Matrix]) -> None:
    sharpness = fit_sharpness(CASES, points)
    asked = list(questions(CASES, points, sharpness, withheld=True))
    assert len(asked) == 80 + 64
    assert sum(each.in_library for each in asked) == 64
    assert all(each.features.shape == (len(CONFIDENCE_FEATURES),) for each in asked)
    assert not any(each.first and not each.in_library for each in asked)


def test_reliability_counts_every_case_once() -> None:
    rows = reliability([(0.02, False), (0.04, True), (0.6, True), (0.99, True)])
    assert sum(row["cases"] for row in rows) == 4
    assert rows[0] == {"from": 0.0, "told": 0.03, "true": 0.5, "cases": 2}


def test_what_is_told_above_a_half_is_lowered_until_it_is_right_as_often() -> None:
    certain = [(0.8, number % 2 == 0) for number in range(20)] + [(0.1, False)] * 10
    by = find_caution(certain)
    lowered = lower_all(certain, by)
    assert 0 < by < 2 and lowered[0][0] < 0.8 and not any(told >= 0.5 for told, _ in lowered[20:])
    above = [(told, right) for told, right in lowered if told >= 0.5]
    assert not above or sum(told for told, _ in above) <= sum(right for _, right in above)
    assert find_caution([(0.6, True), (0.7, True), (0.2, False)]) == 0


def test_a_line_that_is_no_citing_sentence_is_named(tmp_path: Path) -> None:
    good = {"id": "1", "excerpt": "Words [CITATION]", "target_id": "A", "citing_id": "B", "citing_year": 2010}
    file = tmp_path / "citances.jsonl"
    file.write_text(json.dumps(good) + "\n" + json.dumps({"id": "2"}) + "\n", "utf-8")
    with pytest.raises(BadInput, match=r"citances\.jsonl:2"):
        read_citances(file)
    file.write_text(json.dumps(good) + "\n", "utf-8")
    (read,) = read_citances(file)
    assert (read.target, read.citing, read.year) == ("acl:A", "acl:B", 2010)
