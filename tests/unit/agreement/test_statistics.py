"""Agreement in figures: known values, intervals by papers, and the test of a model against people."""

from __future__ import annotations

import random

import numpy as np
import pytest

from litterm.agreement.statistics import compare, metrics_of
from litterm.evidence.matrix.inter_annotator_agreement import cohen_kappa
from litterm.model.agreement import METRICS, AgreementReport, GradedCell
from litterm.model.paper import PaperId

Grades = dict[GradedCell, str]


def cells(count: int, per_paper: int = 1) -> list[GradedCell]:
    return [GradedCell(PaperId(f"p:{number // per_paper}"), f"aspect {number % per_paper}") for number in range(count)]


def noisy(grades: Grades, share: float, seed: int) -> Grades:
    source = random.Random(seed)
    return {cell: source.choice("012") if source.random() < share else label for cell, label in grades.items()}


def run_test(people: dict[str, Grades], by_model: Grades) -> AgreementReport:
    every_cell = list(dict.fromkeys(cell for grades in people.values() for cell in grades))
    return compare("test", "aspects", every_cell, people, "tiny-1", by_model, with_test=True)


def test_the_figures_of_a_known_table() -> None:
    # Cohen's kappa of this table is .4 in every textbook; with two labels rho is the coefficient phi.
    ((accuracy, macro_f1, kappa, rho),) = metrics_of(np.array([[[20.0, 5.0], [10.0, 15.0]]]))
    assert (accuracy, kappa) == (pytest.approx(0.7), pytest.approx(0.4))
    assert macro_f1 == pytest.approx((40 / 55 + 30 / 45) / 2)
    assert rho == pytest.approx(250 / (25 * 25 * 30 * 20) ** 0.5)


def test_kappa_is_that_of_decisions_on_a_matrix() -> None:
    pairs = [("accepted", "accepted")] * 7 + [("accepted", "rejected")] * 2 + [("rejected", "rejected")] * 4
    ((_, _, kappa, _),) = metrics_of(np.array([[[7.0, 2.0], [0.0, 4.0]]]))
    assert kappa == pytest.approx(cohen_kappa(pairs))  # type: ignore[arg-type]


def test_what_one_label_cannot_tell_is_undefined_and_not_perfect() -> None:
    all_alike = dict.fromkeys(cells(40), "0")
    report = run_test({"you": all_alike, "bo": all_alike}, all_alike)
    figures = report.rows[0].metrics
    assert figures["accuracy"].value == 1.0
    assert (figures["kappa"].value, figures["rho"].value) == (None, None)
    assert report.agrees is False


def test_ranks_of_equal_labels_are_their_mean() -> None:
    # By hand: ranks 1.5 1.5 3.5 3.5 and 1 2.5 2.5 4.
    table = np.zeros((1, 3, 3))
    for one, other in ((0, 0), (0, 1), (1, 1), (1, 2)):
        table[0, one, other] += 1
    assert metrics_of(table)[0, METRICS.index("rho")] == pytest.approx(3 / 18**0.5)


def test_an_interval_is_wider_where_the_cells_of_a_paper_are_alike() -> None:
    apart, together = cells(120), cells(120, per_paper=12)
    truth = [str(number // 12 % 3) for number in range(120)]
    # Wrong on all cells of every third group of twelve.
    wrong = [label if number // 12 % 3 else "1" for number, label in enumerate(truth)]
    widths = []
    for drawn in (apart, together):
        people = {"you": dict(zip(drawn, truth, strict=True)), "bo": dict(zip(drawn, wrong, strict=True))}
        accuracy = compare("development", "aspects", drawn, people).rows[0].metrics["accuracy"]
        assert accuracy.low is not None
        assert accuracy.high is not None
        widths.append(accuracy.high - accuracy.low)
    assert widths[1] > 1.5 * widths[0]


def test_a_model_that_grades_as_people_do_passes_and_one_that_guesses_does_not() -> None:
    truth = {cell: str(number % 3) for number, cell in enumerate(cells(90))}
    people = {"you": noisy(truth, 0.3, 1), "bo": noisy(truth, 0.3, 2)}
    passed, failed = run_test(people, noisy(truth, 0.3, 3)), run_test(people, noisy(truth, 1.0, 4))
    assert (passed.agrees, failed.agrees) == (True, False)
    assert passed.compared == passed.papers == 90
    assert failed.p["kappa"] < 0.05
    lost = failed.differences["kappa"]
    assert lost.low is not None
    assert lost.low > 0


def test_a_model_no_better_than_chance_does_not_pass_where_people_agree_on_nothing() -> None:
    truth = {cell: str(number % 3) for number, cell in enumerate(cells(60))}
    people = {"you": noisy(truth, 1.0, 1), "bo": noisy(truth, 1.0, 2)}
    report = run_test(people, noisy(truth, 1.0, 3))
    assert min(report.p.values()) > 0.05
    assert report.agrees is False


def test_below_thirty_cells_nothing_is_run_test() -> None:
    truth = {cell: str(number % 3) for number, cell in enumerate(cells(29))}
    report = run_test({"you": truth, "bo": truth}, truth)
    assert (report.agrees, report.p) == (None, {})
    assert report.rows[0].metrics["kappa"].value == 1.0


def test_who_graded_two_cells_is_listed_and_not_counted_among_the_people() -> None:
    every_cell = cells(40)
    truth = {cell: str(number % 3) for number, cell in enumerate(every_cell)}
    visitor = dict.fromkeys(every_cell[:2], "2")
    alone = run_test({"you": truth, "bo": truth}, truth).rows[0]
    report = run_test({"you": truth, "bo": truth, "cy": visitor}, truth)
    assert report.rows[0] == alone
    assert {"you and cy": 2, "you and bo": 40}.items() <= {row.name: row.cells for row in report.rows}.items()


def test_three_people_have_a_majority_that_the_model_is_compared_with() -> None:
    truth = {cell: str(number % 3) for number, cell in enumerate(cells(40))}
    one_off = {**truth, next(iter(truth)): "2"}
    report = run_test({"you": truth, "bo": one_off, "cy": truth}, truth)
    majority = next(row for row in report.rows if row.name == "tiny-1 with the majority")
    assert majority.metrics["accuracy"].value == 1.0
    assert [len(given) for _, given in report.splits] == [3]


def test_stances_are_ordered_from_refutes_to_supports() -> None:
    every_cell = [GradedCell(PaperId(f"p:{number}"), "claim", "A sentence.") for number in range(6)]
    labels = ["refutes", "neither", "supports"] * 2
    turned = ["supports", "neither", "refutes"] * 2
    people = {"you": dict(zip(every_cell, labels, strict=True)), "bo": dict(zip(every_cell, turned, strict=True))}
    (row,) = compare("development", "evidence", every_cell, people).rows
    assert row.metrics["rho"].value == pytest.approx(-1.0)
