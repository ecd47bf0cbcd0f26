"""Names on a title page: in any script, in capitals, with suffixes, ranks and degrees."""

from __future__ import annotations

import pytest

from litterm.importers.pdf.author_lines import is_list_of_names, names_in
from litterm.importers.pdf.reader import read_pdf
from litterm.model.paper import Author
from tests.pdfs import LEFT, Text, column, make_pdf


def _shown(text: str) -> list[str] | None:
    names = names_in(text)
    return None if names is None else [_show(author) for author in names]


def _show(author: Author) -> str:
    return ", ".join(part for part in (author.surname, author.given, author.suffix) if part)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Łukasz Żółć and Anna Nowak", ["Żółć, Łukasz", "Nowak, Anna"]),
        (
            "Śiva Ćirić, Đorđe Ődön, Řehoř Ğül and Ėglė Ñandú",
            ["Ćirić, Śiva", "Ődön, Đorđe", "Ğül, Řehoř", "Ñandú, Ėglė"],
        ),
        ("Иван Иванов, Пётр Петров и Анна Сидорова", ["Иванов, Иван", "Петров, Пётр", "Сидорова, Анна"]),
        ("И. И. Иванов, П.П. Петров", ["Иванов, И. И.", "Петров, П.П."]),
        ("Иванов И. И., Петров П. П.", ["Иванов, И. И.", "Петров, П. П."]),
        ("Γιώργος Παπαδόπουλος και Ελένη Νίκου", ["Παπαδόπουλος, Γιώργος", "Νίκου, Ελένη"]),
        ("ANNA ALPHA AND BERND BETA", ["ALPHA, ANNA", "BETA, BERND"]),
        ("A. ALPHA, B. BETA, AND C. GAMMA", ["ALPHA, A.", "BETA, B.", "GAMMA, C."]),
        ("J.K.MILLER AND M.OWL", ["MILLER, J.K.", "OWL, M."]),
        ("Karl Kappa, Jr. and Lena Lambda, PhD", ["Kappa, Karl, Jr.", "Lambda, Lena"]),
        ("Karl Kappa Jr., Lena Lambda III", ["Kappa, Karl, Jr.", "Lambda, Lena, III"]),
        ("Karl Kappa, MD, PhD, Lena Lambda, M.Sc., and Mia My MPH", ["Kappa, Karl", "Lambda, Lena", "My, Mia"]),
        ("Prof. Dr. Karl Kappa and Dr Lena Lambda", ["Kappa, Karl", "Lambda, Lena"]),
        ("Karl Kappa, Senior Member, IEEE, and Lena Lambda, Fellow, IEEE", ["Kappa, Karl", "Lambda, Lena"]),
        ("By Karl Kappa and Lena Lambda", ["Kappa, Karl", "Lambda, Lena"]),
        ("José García y Ana López", ["García, José", "López, Ana"]),
        ("Karl Kappa¹,², Lena Lambda* & Mia My³", ["Kappa, Karl", "Lambda, Lena", "My, Mia"]),
        ("Karl Kappa a, Lena Lambda a, b, *", ["Kappa, Karl", "Lambda, Lena"]),
        ("Karl Kappa1, Lena Lambda2", ["Kappa, Karl", "Lambda, Lena"]),
        ("Kappa, Karl; Lambda, Lena", ["Kappa, Karl", "Lambda, Lena"]),
        ("Li Xu, Bo Wu and Wei Ma", ["Xu, Li", "Wu, Bo", "Ma, Wei"]),
        ("Conor O’Brien, Jean d'Arc and Ali al-Farsi", ["O’Brien, Conor", "d'Arc, Jean", "al-Farsi, Ali"]),
    ],
)
def test_the_names_of_a_line(line: str, names: list[str]) -> None:
    assert _shown(line) == names


@pytest.mark.parametrize(
    ("line", "count"),
    [("王小明、李四", 2), ("王小明 李四", 2), ("山田 太郎, 鈴木 花子", 2), ("김민수, 박영희", 2), ("山田太郎", 1)],
)
def test_names_without_blanks_are_names(line: str, count: int) -> None:
    names = names_in(line)
    assert names is not None and len(names) == count
    assert "".join(_show(author) for author in names)


@pytest.mark.parametrize(
    "line",
    [
        "Department of Owls, University of Barns",
        "we count the mice that owls catch",
        "1 Introduction",
        "摘要",
        "e-mail: anna@barns.org",
        "Московский университет",
        "Received 3 May 2021",
        "Abstract",
    ],
)
def test_a_line_without_names_has_none(line: str) -> None:
    assert names_in(line) is None


def test_a_list_is_one_of_names_where_most_of_its_pieces_are() -> None:
    assert is_list_of_names("Karl Kappa, Lena Lambda, the Barn Team, and Mia My") is False
    assert is_list_of_names("Karl Kappa, Lena Lambda, barns, and Mia My") is True
    assert is_list_of_names("How Many Mice an Owl Catches") is False


def test_names_set_beside_each_other_with_a_wide_gap_are_two() -> None:
    prose = ["Owls hunt at night, and nobody has counted the mice that they catch."] * 12
    page = [
        Text(LEFT, 720, "How Many Mice an Owl Catches", 16, "bold"),
        Text(LEFT, 690, "Karl Emil Kappa", 12, "bold"),
        # One em behind the end of the first name.
        Text(LEFT + 103, 690, "Lena Lambda", 12, "bold"),
        Text(LEFT, 650, "Abstract", 12, "bold"),
        *column(LEFT, 630, prose),
    ]
    paper = read_pdf(make_pdf([page]))
    assert [_show(author) for author in paper.authors] == ["Kappa, Karl Emil", "Lambda, Lena"]


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (
            ["Karl Kappa, Lena Lambda, Mia", "My and Nora Nano"],
            ["Kappa, Karl", "Lambda, Lena", "My, Mia", "Nano, Nora"],
        ),
        (["Karl Kappa, Lena Emil", "Lambda, Mia My"], ["Kappa, Karl", "Lambda, Lena Emil", "My, Mia"]),
        (["Karl Kappa", "Lena Lambda"], ["Kappa, Karl", "Lambda, Lena"]),
        (["Karl Kappa and", "Lena Lambda", "Barn University, Owltown"], ["Kappa, Karl", "Lambda, Lena"]),
    ],
)
def test_a_name_goes_on_behind_the_end_of_its_line(lines: list[str], names: list[str]) -> None:
    prose = ["Owls hunt at night, and nobody has counted the mice that they catch."] * 12
    page = [
        Text(LEFT, 720, "How Many Mice an Owl Catches", 16, "bold"),
        *column(LEFT, 695, lines, size=12),
        Text(LEFT, 640, "Abstract", 12, "bold"),
        *column(LEFT, 620, prose),
    ]
    assert [_show(author) for author in read_pdf(make_pdf([page])).authors] == names


def test_degrees_in_brackets_are_no_part_of_a_name() -> None:
    names = names_in("Anna Alpha (PhD, MD) and Bernd Beta [MSc]")
    assert names is not None
    assert [(author.given, author.family) for author in names] == [("Anna", "Alpha"), ("Bernd", "Beta")]
