"""Headings: what is number and what is title, and what the section is for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.model.document import SectionKind
from litterm.text.documents.sections import classify, heading_parts, kind_of_type


@pytest.mark.parametrize(
    ("raw", "number", "title"),
    [
        ("1 Introduction", "1", "Introduction"),
        ("4.2. Data", "4.2", "Data"),
        ("IV. RESULTS", "IV", "RESULTS"),
        ("II Results", "II", "Results"),
        ("A. Data", "A", "Data"),
        ("A.1 Proofs", "A.1", "Proofs"),
        ("Appendix B: More", "Appendix B", "More"),
        ("Section 3: The model", "3", "The model"),
        ("2 .1 Foo", "2.1", "Foo"),
        ("2.", "2", ""),
        ("5 years of parsing", "", "5 years of parsing"),
        ("A Study of X", "", "A Study of X"),
        ("I think", "", "I think"),
        ("3D models", "", "3D models"),
        ("C4.5 trees", "", "C4.5 trees"),
        ("T4 and T3 assays", "", "T4 and T3 assays"),
        ("D. bipinnata leaf extract", "", "D. bipinnata leaf extract"),
        ("2019 results", "", "2019 results"),
    ],
)
def test_numbers_are_told_from_words(raw: str, number: str, title: str) -> None:
    assert heading_parts(raw) == (number, title)


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Introduction", "introduction"),
        ("Related Work", "introduction"),
        ("Materials and Methods", "methods"),
        ("Our Approach", "methods"),
        ("Statistical analysis", "methods"),
        ("Experimental Results", "results"),
        ("Results and Discussion", "results"),
        ("Ablation Study", "results"),
        ("Discussion and Limitations", "discussion"),
        ("Conclusions and Future Work", "conclusion"),
        ("Acknowledgments", "back"),
        ("Ethics Statement", "back"),
        ("Data availability", "back"),
        ("Abstract", "abstract"),
        ("Matériels et méthodes", "methods"),
        ("Ergebnisse", "results"),
        ("Résultats", "results"),
        ("Conclusiones", "conclusion"),
        ("Αποτελέσματα", "results"),
        ("Μεθοδολογία", "methods"),
        ("Aloe Vera (Aloe Barbadensis Miller)", "other"),
        ("", "other"),
    ],
)
def test_the_purpose_is_read_off_the_heading(title: str, kind: SectionKind) -> None:
    assert classify(title) == kind


def test_inside_a_known_section_only_a_plain_heading_says_otherwise() -> None:
    assert classify("Photosynthetic limitation analysis", "results") == "results"
    assert classify("Limitations", "results") == "discussion"
    assert classify("Participants", "methods") == "methods"


def test_stated_types_are_understood() -> None:
    assert kind_of_type("materials|methods") == "methods"
    assert kind_of_type("INTRO") == "introduction"
    assert kind_of_type("COI-statement") == "other"


@given(st.text(max_size=120))
def test_no_words_are_lost(raw: str) -> None:
    number, title = heading_parts(raw)
    assert set("".join(title.split())) <= set(raw)
    assert "".join(raw.split()).endswith("".join(title.split()))
    classify(raw)
    assert number == "" or number[0].isalnum()
