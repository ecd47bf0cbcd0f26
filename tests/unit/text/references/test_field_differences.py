"""An entry held against the record of its work: what is a fault, and what is only another way to write it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from libraries import by

from litterm.model.attribution.bibliography import FieldDifference
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.text.references.author_lists import compare_authors
from litterm.text.references.field_differences import anchors_of, find_differences, read_pages
from litterm.text.references.venues import is_preprint_venue, name_alike, venues_agree

BOOK = "Proceedings of the 2018 Conference on Empirical Methods in Natural Language Processing"
RECORD = Paper(
    PaperId("acl:D18-1001"),
    "Neural Models of Très Long Documents",
    authors=by("Müller, Jörg", "van den Berg, Anna", "Ó Séaghdha, Diarmuid", "Smith, John Q."),
    year=2018,
    venue="EMNLP",
    venue_keys=("emnlp",),
    type="inproceedings",
    aliases=(PaperId("doi:10.18653/v1/d18-1001"),),
    imprint=PublicationDetails(booktitle=BOOK, pages="1234–1245"),
)
ENTRY = replace(RECORD, id=PaperId("local:1"), aliases=(), venue="", venue_keys=())


def certain(entry: Paper, record: Paper = RECORD) -> list[str]:
    return [f"{item.field} {item.degree}" for item in differences(entry, record) if item.is_certain]


def differences(entry: Paper, record: Paper = RECORD) -> tuple[FieldDifference, ...]:
    return find_differences(entry, record, anchors_of(entry, record, name_alike))


def placed(entry: Paper, **fields: str) -> Paper:
    return replace(entry, imprint=replace(entry.imprint, **fields))


FORMS = {
    "as it is": ENTRY,
    "capitals": replace(ENTRY, title=ENTRY.title.upper()),
    "no accents": replace(ENTRY, title="Neural models of tres long documents"),
    "initials": replace(ENTRY, authors=by("Müller, J.", "van den Berg, A.", "Ó Séaghdha, D.", "Smith, J. Q.")),
    "umlaut": replace(ENTRY, authors=by("Mueller, Joerg", "van den Berg, Anna", "O Seaghdha, Diarmuid", "Smith, John")),
    "particle": replace(
        ENTRY, authors=(ENTRY.authors[0], Author("Berg", "Anna", prefix="van den"), *ENTRY.authors[2:])
    ),
    "particle left out": replace(ENTRY, authors=(ENTRY.authors[0], Author("Berg", "Anna"), *ENTRY.authors[2:])),
    "et al.": replace(ENTRY, authors=ENTRY.authors[:1], has_more_authors=True),
    "turned": replace(ENTRY, authors=(Author("Jörg", "Müller"), *ENTRY.authors[1:])),
    "no pages": placed(ENTRY, pages=""),
    "two dashes": placed(ENTRY, pages="1234--1245"),
    "one dash": placed(ENTRY, pages="pp. 1234-45"),
    "acronym": placed(ENTRY, booktitle="EMNLP"),
    "abbreviated": placed(ENTRY, booktitle="Proc. 2018 Conf. Empir. Methods Nat. Lang. Process."),
    "half of the name": placed(ENTRY, booktitle="Empirical Methods in Natural Language Processing (EMNLP)"),
    "no venue": placed(ENTRY, booktitle=""),
}


@pytest.mark.parametrize("form", FORMS)
def test_another_way_to_write_the_same_is_no_fault(form: str) -> None:
    assert certain(FORMS[form]) == []


FAULTS = {
    "authors invented": replace(ENTRY, authors=(*ENTRY.authors[:2], *by("Nemo, Ned"), *ENTRY.authors[3:])),
    "authors missing": replace(ENTRY, authors=ENTRY.authors[:3]),
    "authors order": replace(ENTRY, authors=(ENTRY.authors[1], ENTRY.authors[0], *ENTRY.authors[2:])),
    "authors other authors": replace(ENTRY, authors=by("Nemo, Ned", "Nobody, Nora")),
    "authors given name": replace(ENTRY, authors=(Author("Müller", "Xaver"), *ENTRY.authors[1:])),
    "year other": replace(ENTRY, year=2017),
    "title words": replace(ENTRY, title="Neural Models of Très Short Documents"),
    "venue other": placed(ENTRY, booktitle="Advances in Neural Information Processing Systems"),
    "pages other": placed(ENTRY, pages="1234--1250"),
    "id other": replace(ENTRY, id=PaperId("doi:10.4242/zebra"), aliases=()),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_changed_field_is_a_fault_of_that_field(fault: str) -> None:
    assert certain(FAULTS[fault]) == [fault]


def test_what_differs_names_both_values() -> None:
    (found,) = differences(replace(ENTRY, year=2016))
    assert (found.stated, found.known) == ("2016", "2018")
    (found,) = differences(FAULTS["authors invented"])
    assert (found.stated, found.known) == ("Ned Nemo", "Diarmuid Ó Séaghdha")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (replace(ENTRY, title="Neural Modles of Très Long Documents"), "title spelling"),
        (replace(ENTRY, title=f"{ENTRY.title}: A Study of Several Kinds"), "title subtitle"),
        (replace(ENTRY, authors=(Author("Müler", "Jörg"), *ENTRY.authors[1:])), "authors spelling"),
        (replace(ENTRY, authors=(Author("Müller", "Jan"), *ENTRY.authors[1:])), "authors given name"),
    ],
)
def test_a_difference_that_may_have_a_good_reason_is_told_as_such(entry: Paper, told: str) -> None:
    (found,) = differences(entry)
    assert f"{found.field} {found.degree}" == told
    assert not found.is_certain


def test_as_many_pages_from_another_page_on_are_two_paginations_of_a_printed_volume() -> None:
    printed, entry = replace(RECORD, year=2003), placed(replace(ENTRY, year=2003), pages="34--45")
    assert certain(entry, printed) == [] and len(differences(entry, printed)) == 1
    assert certain(placed(entry, pages="34--49"), printed) == ["pages other"]
    assert certain(placed(ENTRY, pages="34--45")) == ["pages other"]


def test_a_preprint_has_a_year_of_its_own_and_no_pages() -> None:
    preprint = placed(replace(ENTRY, year=2017, type="preprint"), booktitle="", journal="arXiv preprint", pages="")
    assert differences(preprint) == ()


def test_a_journal_article_may_be_a_year_older_in_print() -> None:
    record = replace(RECORD, id=PaperId("doi:10.1/x"), aliases=(), type="article", venue="Nature")
    record = replace(record, imprint=PublicationDetails(journal="Nature", volume="12"))
    near, far = replace(record, id=PaperId("local:1"), year=2017), replace(record, id=PaperId("local:1"), year=2015)
    assert certain(near, record) == []
    assert certain(far, record) == ["year other"]
    assert certain(placed(replace(record, id=PaperId("local:1")), volume="13"), record) == ["volume other"]


def test_the_source_that_agrees_most_is_the_measure() -> None:
    from litterm.model.paper import SourceRecord

    older = replace(RECORD, year=2017)
    assert certain(replace(ENTRY, year=2017), replace(RECORD, sources=(SourceRecord(older),))) == []


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("EMNLP", BOOK, True),
        ("ArgMining@EMNLP", "Proceedings of the 8th Workshop on Argument Mining (ArgMining)", True),
        ("ConvAI@ACL", "Proceedings of the 4th Workshop on NLP4ConvAI", True),
        ("Trans. Assoc. Comput. Linguist.", "Transactions of the Association for Computational Linguistics", True),
        ("J. Mach. Learn. Res.", "Journal of Machine Learning Research", True),
        ("JMLR", "Journal of Machine Learning Research", True),
        ("PNAS", "Nature", False),
        ("CVPR", BOOK, False),
        ("Journal of Biology", "Journal of Geology", False),
    ],
)
def test_venues_are_one_by_acronym_or_by_their_words(one: str, other: str, agree: bool) -> None:
    assert venues_agree(one, other) is agree
    assert venues_agree(other, one) is agree


def test_a_conference_with_preprint_in_its_name_is_no_server() -> None:
    assert (
        is_preprint_venue("CoRR abs/1810.04805")
        and is_preprint_venue("arXiv preprint")
        and is_preprint_venue("Preprint")
    )
    assert not is_preprint_venue("International Conference on Computational Linguistics: Preprint No. 27")


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("263-73", ("263", "273")),
        ("pp. 12--19", ("12", "19")),
        ("S12–S19", ("s12", "s19")),
        ("7", ("7", "")),
        ("7–7", ("7", "")),
        ("ix", None),
    ],
)
def test_pages_are_read_as_people_write_them(text: str, pages: tuple[str, str] | None) -> None:
    assert read_pages(text) == pages


@pytest.mark.parametrize(
    ("stated", "known"),
    [
        ("Liang, Bob", "Liang, Robert"),
        ("Kolter, J. Zico", "Kolter, Zico"),
        ("García Martínez, Ana", "Martínez, Ana"),
        ("Wong, KayYen", "Wong, Kay Yen"),
        ("Wei, JG", "Wei, John Gordon"),
        ("Sogaard, Anders", "Søgaard, Anders"),
    ],
)
def test_one_person_may_be_written_in_two_ways(stated: str, known: str) -> None:
    assert compare_authors(by(stated), by(known)).is_equal


def test_a_family_name_that_became_the_middle_one_is_no_invention() -> None:
    compared = compare_authors(by("Stalls, B. G.", "Knight, Kevin"), by("Glover, Bonnie", "Knight, Kevin"))
    assert compared.misspelt == ((0, 0),) and not compared.invented


def test_a_cut_list_lacks_nobody_behind_its_end() -> None:
    assert compare_authors(RECORD.authors[:2], RECORD.authors, is_cut=True).is_equal
    assert compare_authors(RECORD.authors[:1] + RECORD.authors[2:3], RECORD.authors, is_cut=True).missing == (1,)


def test_names_that_are_parted_in_another_way_are_the_same() -> None:
    stated = by("Rei, Ricardo", "de Souza, C.", "José, G.", "Neubig, Graham")
    assert compare_authors(stated, by("Rei, Ricardo", "C. de Souza, José G.", "Neubig, Graham")).is_equal
