"""The place of each value of a BibTeX entry, whatever stands around it."""

from __future__ import annotations

import pytest

from litterm.importers.bibtex.field_spans import field_spans


def values(text: str, start: int = 0) -> dict[str, str]:
    return {name: text[span.start : span.end] for name, span in field_spans(text, start).items()}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@misc{a, title = {T}, year = 2019}", {"title": "{T}", "year": "2019"}),
        ('@misc(a, title = "T", year = {2019})', {"title": '"T"', "year": "{2019}"}),
        ("@misc{a,\n  TITLE={A {B, C} = D},\n  year = 2019,\n}\n", {"title": "{A {B, C} = D}", "year": "2019"}),
        ('@misc{a, title = "A, {"}B" # x, note = jan # " 1"}', {"title": '"A, {"}B" # x', "note": 'jan # " 1"'}),
        (r"@misc{a, title = {A \} B}, year = 1}", {"title": r"{A \} B}", "year": "1"}),
        ("@misc{a, year = 1, year = 2}", {"year": "1"}),
        ("@misc{a}", {}),
        ("@misc{a, title = {never closed", {}),
        ("no entry", {}),
    ],
)
def test_values_are_found_with_their_braces(text: str, found: dict[str, str]) -> None:
    assert values(text) == found


def test_the_entry_is_the_one_behind_the_start() -> None:
    text = "@misc{a, year = 1}\n@misc{b, year = 2}\n"
    assert values(text, text.index("\n")) == {"year": "2"}
