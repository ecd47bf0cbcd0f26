"""Quantities in a text: what is one, with which unit, and what only looks like one."""

from __future__ import annotations

import pytest

from litterm.text.quantities import find_quantities, read_number


def pairs(text: str) -> list[tuple[str, str]]:
    return [(quantity.value, quantity.unit) for quantity in find_quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Vials were stirred for 2 h at 800 rpm and 60 °C.", [("2", "h"), ("800", "rpm"), ("60", "°C")]),
        ("The flux rose from 0.2 to 1.2 mW m−2.", [("0.2 to 1.2", "mW m−2")]),
        ("Yields fell by 5–13% per year.", [("5–13", "% per year")]),
        ("It contained 46.8% ± 1.6% of the cells.", [("46.8% ± 1.6", "%")]),
        ("Plots were recorded at 67, 101 and 121 das.", [("67, 101 and 121", "das")]),
        ("A dose of 5 mg/kg was given for two weeks.", [("5", "mg/kg"), ("two", "weeks")]),
        ("Mass loss was ∼1×10−5 Torr.", [("1×10−5", "Torr")]),
    ],
)
def test_a_quantity_is_read_with_its_unit(text: str, expected: list[tuple[str, str]]) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "As shown in Figure 3 and Table 2, this holds.",
        "This was found before [12, 13] (Smith et al., 2019).",
        "Emissions of CO2 and H2O rose.",
        "It was published in 2014.",
        "Scenarios 1 and 3 differ.",
        "See MRPS22 (OMIM: 605810).",
        "Cells expressed GFP (Figure 1C).",
    ],
)
def test_marks_labels_names_and_years_are_no_quantities(text: str) -> None:
    assert pairs(text) == []


def test_a_bare_number_tells_what_it_counts() -> None:
    (quantity,) = find_quantities("We recruited 147 consecutive patients.")
    assert (quantity.value, quantity.unit, quantity.counted) == ("147", "", "consecutive patients")


def test_words_before_a_quantity_are_in_its_span_and_not_in_its_value() -> None:
    text = "It lasted for up to 40 days."
    (quantity,) = find_quantities(text)
    assert text[quantity.span.start : quantity.span.end] == "up to 40 days"
    assert text[quantity.value_start :].startswith(quantity.value)


@pytest.mark.parametrize(
    ("written", "value"),
    [("1,200", 1200.0), ("5.9 million", 5.9e6), ("1×10−5", 1e-5), ("two", 2.0), (".5", 0.5)],
)
def test_a_number_is_worth_what_it_says(written: str, value: float) -> None:
    assert read_number(written) == pytest.approx(value)
