"""When two records are one paper: by ids, titles, authors, and where they were published."""

from __future__ import annotations

import pytest
from libraries import by, paper

from litterm.model.paper import Author, Paper, PaperId, PaperType, Provenance, PublicationDetails, SourceRecord
from litterm.text.references.identity import have_conflicting_ids
from litterm.text.references.same_paper import (
    accompanying_kind,
    are_published_apart,
    relation_by_id,
    relation_by_title,
    same_first_author,
    titles_agree,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A Study of Owls", "A study of owls."),
        ("RETRACTED: Owls of the north", "Owls of the north"),
        ("[Owls of the north]", "Owls of the north [Article in German]"),
        ("Erratum to: Owls of the north", "Erratum to: Owls of the north"),
        ("ELMo: Deep contextualized word representations", "Deep contextualized word representations"),
        ("Owls of the far north: a survey", "Owls of the far north"),
        ("Modelling colour in owls", "Modeling color in owls"),
        ("The effect of <i>E. coli</i> on β-cells", "The effect of E. coli on beta-cells"),
        ("Reply to the authors of owls", "Reply to the authors of owls"),
        ("Owls of the north: results of the 2020 trial", "Owls of the north"),
        ("Owls, The", "The owls"),
        (
            "A comparison of the hearing of young and of old owls in the forests of the far north and of the hi",
            "A comparison of the hearing of young and of old owls in the forests of the far north and of the highlands",
        ),
    ],
)
def test_one_title_in_two_spellings(one: str, other: str) -> None:
    assert titles_agree(one, other)
    assert titles_agree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Chapter on apples", "Chapter on pears"),
        ("Main text about plums", "Supplementary information for: Main text about plums"),
        ("Erratum: Owls of the north", "Owls of the north"),
        ("Comment on: Owls of the north", "Owls of the north"),
        ("Owls of the far north: Part II", "Owls of the far north"),
        ("Owls of the far north. Part I", "Owls of the far north. Part II"),
        ("Fruit of the far north: apples", "Fruit of the far north: pears"),
        ("Supervised owls of the north", "Unsupervised owls of the north"),
        ("Hypothermia in the mice", "Hyperthermia in the mice"),
        ("GPT 2.0", "GPT 20"),
        ("Review of owls", "Owls"),
        ("Corrections", "Owls"),
        ("A correction model for owls", "A correction model for owls in winter"),
        ("Owls in winter - Supporting Information", "Owls in winter"),
        ("Response: owls in north", "Owls in north"),
        ("Supervised learning of owls", "Supervised learning of owls (supplementary material)"),
        ("Discussion of deep owls", "deep owls"),
        ("Addendum: deep owls", "deep owls"),
        ("Correction: deep owls", "deep owls"),
        ("Author correction: deep owls", "deep owls"),
        ("Book review: deep owls", "deep owls"),
        ("Peer review of deep owls", "deep owls"),
    ],
)
def test_two_titles_that_are_alike(one: str, other: str) -> None:
    assert not titles_agree(one, other)
    assert not titles_agree(other, one)


def test_a_work_that_is_named_like_an_accompanying_text_is_none() -> None:
    assert accompanying_kind("Correction models for optical character recognition") == ""
    assert accompanying_kind("Reviewing peer reviews with transformers") == ""
    assert accompanying_kind("Supporting students in large courses") == ""
    assert accompanying_kind("Author Correction: Owls of the north") == "erratum"
    assert accompanying_kind("Data from: Owls of the north") == accompanying_kind("Dataset for: Owls") == "supplement"
    assert accompanying_kind("Data for owls of the north") == ""


def test_first_authors_agree_by_family_and_initial() -> None:
    def same(one: str, other: str) -> bool:
        return same_first_author(paper("a", authors=by(one)), paper("b", authors=by(other)))

    assert same("Müller, Jörg", "Muller, J.")
    assert same("Søgaard, Anders", "Sogaard, Anders")
    assert same("Lee", "Lee, Ann")
    assert not same("Lee, Ann", "Lee, Bo")
    assert not same("Lee, Ann", "Li, Ann")
    assert not same_first_author(paper("a"), paper("b", authors=(Author("Lee"),)))


def test_two_ids_of_one_scheme_are_never_one_paper() -> None:
    one = paper("P1", "Owls", aliases=(PaperId("doi:10.1/x"),))
    other = paper("P2", "Owls", aliases=(PaperId("doi:10.1/x"),))
    assert have_conflicting_ids(one, other)
    assert relation_by_id(one, other) == "version"
    assert relation_by_id(one, paper("doi:10.1/x", "Owls")) == "same"
    assert not have_conflicting_ids(paper("local:a"), paper("local:b"))


TITLE = "A Study of Things"


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": 2021}, "same"),
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": 2022}, "doubtful"),
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": None}, "doubtful"),
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": 2020, "authors": by("Wu, Bo")}, "doubtful"),
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": 2020, "authors": ()}, "doubtful"),
        ({"key": "P1", "year": 2020}, {"key": "W7", "year": 2020}, "version"),
        ({"key": "P1", "year": 2020}, {"key": "W7", "year": 2020, "authors": by("Wu, Bo")}, "different"),
        (
            {"key": "iclr:x", "year": 2020, "decision": "reject", "venue_keys": ("iclr",)},
            {"key": "P1", "year": 2020, "venue_keys": ("acl",)},
            "version",
        ),
        (
            {"key": "iclr:x", "year": 2020, "decision": "reject", "venue_keys": ("iclr",)},
            {"key": "arxiv:1", "year": 2020},
            "same",
        ),
    ],
)
def test_what_an_equal_title_says(one: dict[str, object], other: dict[str, object], relation: str) -> None:
    first = paper(title=TITLE, **({"authors": by("Lee, Ann")} | one))  # type: ignore[arg-type]
    second = paper(title=TITLE, **({"authors": by("Lee, Ann")} | other))  # type: ignore[arg-type]
    assert relation_by_title(first, second) == relation
    assert relation_by_title(second, first) == relation


def test_a_preface_is_a_preface() -> None:
    one = paper("P1", "Preface", year=2020, authors=by("Lee, Ann"))
    other = paper("arxiv:1", "Preface", year=2020, authors=by("Lee, Ann"))
    assert relation_by_title(one, other) == "different"


def chapter(title: str, author: str, pages: str) -> Paper:
    return Paper(
        PaperId("doi:10.5555/book"),
        title,
        authors=by(author),
        year=2020,
        type="chapter",
        imprint=PublicationDetails(booktitle="Birds", pages=pages),
    )


def test_the_doi_of_a_book_does_not_join_its_chapters() -> None:
    owls, larks = chapter("On owls", "Able, Al", "1-9"), chapter("On larks", "Able, Al", "10-19")
    assert relation_by_id(owls, larks) == "different"
    assert relation_by_id(owls, chapter("On Owls.", "Able, A.", "1--9")) == "same"


def test_an_id_copied_to_another_authors_record_joins_nothing() -> None:
    assert relation_by_id(chapter("On owls", "Able, Al", "1"), chapter("On owls", "Bell, Bo", "1")) == "different"
    assert relation_by_id(chapter("On owls", "Able, Al", "1"), chapter("On owls", "王, 小明", "1")) == "same"


def test_a_title_that_one_source_gave_before_still_joins() -> None:
    preprint = paper("arxiv:2001.00001", "Owls hear well", authors=by("Able, Al"))
    printed = paper("arxiv:2001.00001", "On the hearing of owls", authors=by("Able, Al"))
    merged = paper(
        "arxiv:2001.00001", "On the hearing of owls", authors=by("Able, Al"), sources=(SourceRecord(preprint),)
    )
    assert relation_by_id(printed, preprint) == "different"
    assert relation_by_id(merged, preprint) == "same"


def test_a_translated_title_on_the_same_page_of_the_same_volume_is_the_same_paper() -> None:
    imprint = PublicationDetails(journal="Vogelkunde", volume="12", pages="101-9")
    german = Paper(PaperId("pmid:7"), "Das Gehör der Eulen", authors=by("Able, Al"), imprint=imprint, type="article")
    english = Paper(PaperId("pmid:7"), "The hearing of owls", authors=by("Able, A"), imprint=imprint, type="article")
    assert relation_by_id(german, english) == "same"


def journal_issue(year: int, volume: str, issue: str, pages: str = "") -> Paper:
    imprint = PublicationDetails(journal="Birds", volume=volume, issue=issue, pages=pages)
    return Paper(
        PaperId(f"local:{year}-{volume}-{issue}"),
        "Annual report on the owls",
        authors=by("Able, Al"),
        year=year,
        type="article",
        imprint=imprint,
        venue="Birds",
    )


def test_reports_of_two_years_issues_or_volumes_are_two_papers() -> None:
    first = journal_issue(2020, "2", "1", "1-4")
    for other in (
        journal_issue(2020, "2", "2", "90"),
        journal_issue(2021, "3", "1"),
        journal_issue(2021, "2", "1", "7"),
    ):
        assert are_published_apart(first, other)
        assert relation_by_title(first, other) == "doubtful"
    # Online in one year, in print in the next: volume and page agree.
    assert not are_published_apart(first, journal_issue(2021, "2", "1", "1--4"))


def test_a_preprint_and_its_publication_are_one_paper() -> None:
    preprint = Paper(
        PaperId("arxiv:2001.00001"), "Annual report on the owls", authors=by("Able, A."), year=2019, type="preprint"
    )
    assert relation_by_title(preprint, journal_issue(2020, "2", "1")) == "same"


def test_a_file_without_a_year_is_the_paper_with_its_title_and_all_its_authors() -> None:
    record = paper("P1", "The hearing of young owls", year=2020, authors=by("Able, Al", "Bell, Bo"))
    file = paper("local:f", "The hearing of young owls", authors=by("Able, A", "Bell, B"), provenance=Provenance("pdf"))
    assert relation_by_title(file, record) == "same"
    fewer = paper("local:f", "The hearing of young owls", authors=by("Able, A"), provenance=Provenance("pdf"))
    assert relation_by_title(fewer, record) == "doubtful"


def test_a_guessed_title_says_nothing() -> None:
    one = paper("local:a", "scan0001", year=2020, authors=by("Able, Al"), is_title_certain=False)
    assert relation_by_title(one, paper("local:b", "scan0001", year=2020, authors=by("Able, Al"))) == "different"


@pytest.mark.parametrize(
    ("kind", "one", "other", "is_apart"),
    [
        ("report", {"institution": "Owl Society"}, {"institution": "Owl Society"}, True),
        ("book", {"publisher": "Barn Press"}, {"publisher": "Barn Press"}, True),
        ("proceedings", {"publisher": "Barn Press"}, {"publisher": "Barn Press"}, True),
        ("thesis", {"institution": "Owl School"}, {"institution": "Owl School"}, False),
    ],
)
def test_what_comes_out_each_year_is_told_apart_by_the_year(
    kind: PaperType, one: dict[str, str], other: dict[str, str], is_apart: bool
) -> None:
    first = paper("local:a", "State of the Owls", type=kind, year=2018, imprint=PublicationDetails(**one))
    second = paper("local:b", "State of the Owls", type=kind, year=2019, imprint=PublicationDetails(**other))
    assert are_published_apart(first, second) is is_apart


def test_columns_with_other_article_numbers_are_two_papers() -> None:
    columns = [
        paper(
            f"local:{number}",
            "The Owl Column",
            type="article",
            year=2018,
            imprint=PublicationDetails(journal="Owls", article_number=number),
        )
        for number in ("e101", "e202")
    ]
    assert are_published_apart(*columns)


@pytest.mark.parametrize(
    ("title", "venue", "other_venue", "is_apart"),
    [
        ("Editorial", "Journal of Owls", "Journal of Mice", True),
        ("Editorial", "Journal of Owls", "J of Owls", False),
        ("Editorial", "Journal of Owls", "JO", False),
        ("How an Owl Hunts", "Journal of Owls", "Journal of Mice", False),
    ],
)
def test_texts_named_after_their_kind_are_told_apart_by_the_venue(
    title: str, venue: str, other_venue: str, is_apart: bool
) -> None:
    first = paper("local:a", title, type="article", year=2018, imprint=PublicationDetails(journal=venue))
    second = paper("local:b", title, type="article", year=2018, imprint=PublicationDetails(journal=other_venue))
    assert are_published_apart(first, second) is is_apart
