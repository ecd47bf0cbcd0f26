"""Names of people and groups: one at a time, in a line, in BibTeX, and as objects."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.importers.author_names import PersonList, author_from_name, people_from_line, people_from_names
from litterm.importers.bibtex.names import people_from_bibtex
from litterm.importers.bibtex.reader import decode_latex, read_bibtex
from litterm.importers.byte_sources import memory_content
from litterm.importers.jsonl.people import people_of
from litterm.importers.jsonl.reader import read_jsonl
from litterm.importers.jsonl.rows import JsonRow
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.render.bibliography import bibtex, csl, ris
from litterm.render.export.jsonl import paper_row
from litterm.text.documents.hyphens import HyphenStatistics


def group(name: str) -> Author:
    return Author(name, is_literal=True)


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("Ada Lovelace", Author("Lovelace", "Ada")),
        ("Lovelace, Ada", Author("Lovelace", "Ada")),
        ("Ludwig van Beethoven", Author("Beethoven", "Ludwig", "van")),
        ("Martin Luther King Jr.", Author("King", "Martin Luther", suffix="Jr.")),
        ("King, Jr., Martin Luther", Author("King", "Martin Luther", suffix="Jr.")),
        ("King, Martin Luther, Jr.", Author("King", "Martin Luther", suffix="Jr.")),
        ("King Jr., Martin Luther", Author("King", "Martin Luther", suffix="Jr.")),
        ("Martin Luther King, Jr.", Author("King", "Martin Luther", suffix="Jr.")),
        ("Ekman PQ 3rd", Author("Ekman", "PQ", suffix="3rd")),
        ("Jinping Xi", Author("Xi", "Jinping")),
        ("Ida Holm, PhD", Author("Holm", "Ida")),
        ("Holm, Ida, MD, Ph.D.", Author("Holm", "Ida")),
        ("Dr. Ida Holm", Author("Holm", "Ida")),
        ("Holm, MD", Author("Holm", "MD")),
        ("Holm, M.D.", Author("Holm", "M.D.")),
        ("Ida Holm, M.D.", Author("Holm", "Ida")),
        ("Holm, Ida M.A.", Author("Holm", "Ida")),
        ("Plato", Author("Plato")),
        ("van Dyck", Author("Dyck", prefix="van")),
        ("Jean de La Fontaine", Author("La Fontaine", "Jean", "de")),
        ("Louis de la Vallée Poussin", Author("Vallée Poussin", "Louis", "de la")),
        ("Rosa dos Santos Silva", Author("Santos Silva", "Rosa", "dos")),
        ("Santiago Ramón y Cajal", Author("Ramón y Cajal", "Santiago")),
        ("Yann Le Cun", Author("Cun", "Yann Le")),
        ("Holm I", Author("Holm", "I")),
        ("van der Meer JC", Author("Meer", "JC", "van der")),
        ("Hao LI", Author("LI", "Hao")),
        ("EA Poe", Author("Poe", "EA")),
        ("王 小明", Author("王", "小明")),
        ("Ida Holm et al.", Author("Holm", "Ida")),
        ("Ida Holm<sup>1,2</sup>", Author("Holm", "Ida")),
        ("Ida Holm (Univ. of Owls, Town)", Author("Holm", "Ida")),
        ("Robert (Bob) Holm", Author("Holm", "Robert (Bob)")),
        ("World Owl Organization (WOO)", group("World Owl Organization (WOO)")),
        ("The Owl Society", group("The Owl Society")),
        ("Owls, Inc.", group("Owls, Inc.")),
        ("Department of Owls and Human Services", group("Department of Owls and Human Services")),
        ("John Board", Author("Board", "John")),
        ("et al.", None),
        (" ", None),
    ],
)
def test_names(name: str, author: Author | None) -> None:
    assert author_from_name(name) == author


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Holm I, Lund B, Poe EA", ["Holm, I", "Lund, B", "Poe, EA"]),
        ("Holm I, Lund B, Wu HE, et al.", ["Holm, I", "Lund, B", "Wu, HE", "+"]),
        ("Holm, I., Lund, B., & Poe, E. A.", ["Holm, I.", "Lund, B.", "Poe, E. A."]),
        ("Holm, I. M., Jr., & Lund, B.", ["Holm, I. M., Jr.", "Lund, B."]),
        ("Holm, I., . . . Lund, B.", ["Holm, I.", "Lund, B.", "+"]),
        ("Holm I.M., Lund B.", ["Holm, I.M.", "Lund, B."]),
        ("Holm I; Lund B", ["Holm, I", "Lund, B"]),
        ("Holm, Ida; Lund, Bo and Poe, Eva", ["Holm, Ida", "Lund, Bo", "Poe, Eva"]),
        ("Ida Holm; Bo Lund", ["Holm, Ida", "Lund, Bo"]),
        ("Ida Holm, Bo Lund and Eva Poe", ["Holm, Ida", "Lund, Bo", "Poe, Eva"]),
        ("Ida Holm & Bo Lund", ["Holm, Ida", "Lund, Bo"]),
        ("Holm, Ida, and Bo Lund", ["Holm, Ida", "Lund, Bo"]),
        ("Holm, Ida, Lund, Bo", ["Holm, Ida", "Lund, Bo"]),
        ("Holm, Lund, and Poe", ["Holm", "Lund", "Poe"]),
        ("Holm, Ida", ["Holm, Ida"]),
        ("Holm, Ida, Jr.", ["Holm, Ida, Jr."]),
        ("de la Cruz, Juan Carlos", ["de la Cruz, Juan Carlos"]),
        ("van der Meer J, de Vries K", ["van der Meer, J", "de Vries, K"]),
        ("王小明, 李华", ["王小明", "李华"]),
        ("王小明、李华，张伟", ["王小明", "李华", "张伟"]),
        ("王, 小明", ["王, 小明"]),
        ("山田, 太郎", ["山田, 太郎"]),
        ("김민수, 이영희", ["김민수", "이영희"]),
        ("Ida Holm (Univ. X, Town), Bo Lund (Inst. Y)", ["Holm, Ida", "Lund, Bo"]),
        ("Ida Holm1,2, Bo Lund²*", ["Holm, Ida", "Lund, Bo"]),
        ("Ida Holm, MD, PhD, Bo Lund, MSc", ["Holm, Ida", "Lund, Bo"]),
        ("Ida Holm, the Owl Group, and Bo Lund", ["Holm, Ida", "the Owl Group", "Lund, Bo"]),
        ("Ministry of Owls and Welfare", ["Ministry of Owls and Welfare"]),
        ("Ida Holm\nBo Lund", ["Holm, Ida", "Lund, Bo"]),
        ("Holm I|Lund B", ["Holm, I", "Lund, B"]),
        ("山田太郎・鈴木花子", ["山田太郎", "鈴木花子"]),
        ("Ida Holm und andere", ["Holm, Ida", "+"]),
        ("", []),
    ],
)
def test_lines_of_names(line: str, names: list[str]) -> None:
    assert written(people_from_line(line)) == names


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("family=Meer, given=Jan, prefix=van der, useprefix=true", ["van der Meer, Jan"]),
        ("Holm, Ida and given={Jo}, family = {Hoog}, prefix=de and Lund, Bo", ["Holm, Ida", "de Hoog, Jo", "Lund, Bo"]),
        ("Rosa dos Santos Silva", ["dos Santos Silva, Rosa"]),
        ("Holm, III, Ida", ["Holm, Ida, III"]),
        ("{Holm Jr.}, Ida", ["Holm Jr., Ida"]),
        ("Holm Jr., Ida M.", ["Holm, Ida M., Jr."]),
        ("Jan {van der Meer}", ["van der Meer, Jan"]),
        (r"Erd\H os, P{\'a}l and {\v S}est{\'a}k, Jan", ["Erdős, Pál", "Šesták, Jan"]),
        ("Holm, Ida and others", ["Holm, Ida", "+"]),
        ("Holm, Ida and et al.", ["Holm, Ida", "+"]),
        ("Holm, Ida et al.", ["Holm, Ida", "+"]),
        ("Holm, Ida and {et al.}", ["Holm, Ida", "+"]),
        ("Holm, Ida and al., et", ["Holm, Ida", "+"]),
        ("{others} and Holm, Ida", ["others", "Holm, Ida"]),
        ("Holm, Ida; Lund, Bo", ["Holm, Ida", "Lund, Bo"]),
        ("Holm I and Lund B", ["Holm, I", "Lund, B"]),
        ("Holm, I., Lund, B., and Poe, E. A.", ["Holm, I.", "Lund, B.", "Poe, E. A."]),
        ("García Márquez, Gabriel José", ["García Márquez, Gabriel José"]),
        ("ida holm and van dijk, jan", ["holm, ida", "van dijk, jan"]),
    ],
)
def test_names_in_bibtex(value: str, names: list[str]) -> None:
    assert written(people_from_bibtex(value, decode_latex)) == names


def test_the_people_of_a_list_tell_together_how_they_are_written() -> None:
    assert written(people_from_names(["Holm I", "Roe HE"])) == ["Holm, I", "Roe, HE"]
    assert written(people_from_names(["Hao LI", "Wei XU"])) == ["LI, Hao", "XU, Wei"]
    assert written(people_from_names(["Ida Holm and Bo Lund", "et al."])) == ["Holm, Ida", "Lund, Bo", "+"]


@pytest.mark.parametrize(
    ("entry", "author"),
    [
        ({"family": "Meer", "given": "Jan", "prefix": "van der"}, Author("Meer", "Jan", "van der")),
        ({"family": "Meer", "given": "Jan", "non-dropping-particle": "van der"}, Author("Meer", "Jan", "van der")),
        (
            {"family": "Brûlé", "given": "Ana", "dropping-particle": "de", "suffix": "II"},
            Author("Brûlé", "Ana", "de", "II"),
        ),
        ({"literal": "The Owl Group"}, group("The Owl Group")),
        ({"firstName": "Ida", "lastName": "Holm", "creatorType": "author"}, Author("Holm", "Ida")),
        ({"name": "Owl Watch", "creatorType": "author"}, group("Owl Watch")),
        ({"firstName": "Ida", "lastName": "Holm", "creatorType": "translator"}, None),
        ({"first": "Ida", "middle": ["M.", "K."], "last": "Holm", "suffix": ""}, Author("Holm", "Ida M. K.")),
        ({"first": "Ida", "middle": "M.", "last": "Holm", "suffix": "Jr"}, Author("Holm", "Ida M.", suffix="Jr")),
        ({"forenames": ["Ida", "M."], "surname": "Holm"}, Author("Holm", "Ida M.")),
        ({"given": "Ida", "family": "Holm", "prefix": "Dr.", "ORCID": "0000-0001"}, Author("Holm", "Ida")),
        ({"author": {"display_name": "Ida Holm"}, "author_position": "first"}, Author("Holm", "Ida")),
        ({"authorId": "7", "name": "Ida van der Holm"}, Author("Holm", "Ida", "van der")),
        ({"family": "Holm Jr.", "given": "Ida"}, Author("Holm", "Ida", suffix="Jr.")),
        ({"ORCID": "0000-0001"}, None),
    ],
)
def test_author_objects(entry: dict[str, object], author: Author | None) -> None:
    assert people_of(JsonRow({"authors": [entry]}), "authors").authors == ((author,) if author else ())


def written(people: PersonList) -> list[str]:
    names = [
        ", ".join(part for part in (author.surname, author.given, author.suffix) if part) for author in people.authors
    ]
    return [*names, *(["+"] if people.has_more else [])]


_WORDS = st.sampled_from("Holm Østergård Vallée Poussin Lund-Berg O'Neill McDonald Şahin Wójcik Ng Иванов 王".split())
_GIVEN = st.sampled_from(["Ida", "Jean-Luc", "I. M.", "Éva Marie", "J", "EA", "小明", "Ивана", "Bo X."])
_PEOPLE = st.builds(
    Author,
    st.lists(_WORDS, min_size=1, max_size=2).map(" ".join),
    _GIVEN,
    st.sampled_from(["", "", "van der", "de la", "dos", "von und zu", "d'"]),
    st.sampled_from(["", "", "Jr.", "III", "Sr"]),
)
_GROUPS = st.sampled_from(["The Owl Group", "Barnes & Noble, Inc.", "Bell and Sons", "OpenOwl", "[deleted]", "a b; c"])
_AUTHORS = st.lists(st.one_of(_PEOPLE, _GROUPS.map(group)), min_size=1, max_size=6).map(tuple)


@given(_AUTHORS, st.booleans(), _AUTHORS, st.booleans())
def test_what_is_written_is_read_back(
    authors: tuple[Author, ...], more_authors: bool, editors: tuple[Author, ...], more_editors: bool
) -> None:
    details = PublicationDetails(booktitle="Owls", editors=editors, has_more_editors=more_editors)
    paper = Paper(
        PaperId("doi:10.9999/owl"),
        "Owls",
        "",
        authors,
        2020,
        type="chapter",
        imprint=details,
        has_more_authors=more_authors,
    )
    in_bibtex, in_jsonl = bibtex.entries([paper]), paper_row(paper, None)
    (from_bibtex,) = read_bibtex(memory_content("a.bib", in_bibtex.encode()))
    (from_jsonl,) = read_jsonl(memory_content("a.jsonl", in_jsonl.encode()), HyphenStatistics())
    for read in (from_bibtex, from_jsonl):
        assert isinstance(read, Parsed)
        assert (read.paper.authors, read.paper.has_more_authors) == (authors, more_authors)
        assert (read.paper.imprint.editors, read.paper.imprint.has_more_editors) == (editors, more_editors)
    (item,) = json.loads(csl.entries([paper]))
    assert people_of(JsonRow(item), "author").authors == authors


def test_exports_keep_the_parts_of_a_name() -> None:
    authors = (Author("King", "Martin L.", suffix="Jr."), Author("Berg", "Jan", "van den"), group("The Owl Group"))
    paper = Paper(PaperId("doi:10.9999/owl"), "Owls", "", authors, 2020, has_more_authors=True)
    assert "author = {King, Jr., Martin L. and van den Berg, Jan and {The Owl Group} and others}" in bibtex.entries(
        [paper]
    )
    assert "AU  - King, Martin L., Jr.\nAU  - van den Berg, Jan\nAU  - The Owl Group,\n" in ris.entries([paper])
    assert json.loads(csl.entries([paper]))[0]["author"] == [
        {"family": "King", "given": "Martin L.", "suffix": "Jr."},
        {"family": "Berg", "given": "Jan", "non-dropping-particle": "van den"},
        {"literal": "The Owl Group"},
    ]


@given(st.text(alphabet="AaB .,;&()[]{}'\\1、王等and \n", max_size=60))
def test_no_line_breaks_the_reader(line: str) -> None:
    for people in (people_from_line(line), people_from_bibtex(line, decode_latex), people_from_names([line])):
        assert all(author.surname or author.given for author in people.authors)


def test_a_single_letter_behind_the_comma_is_an_initial() -> None:
    assert author_from_name("Petrov, V") == Author("Petrov", "V")
    assert author_from_name("Petrov, V.") == Author("Petrov", "V.")
    assert author_from_name("Holm, VII") == Author("Holm", suffix="VII")
