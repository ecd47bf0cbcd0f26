"""References and mentions to papers: what is certain is linked, everything else is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.core.tasks import run
from litterm.model.document import Reference
from litterm.model.paper import Author, Paper, PaperId
from litterm.text.references.resolution import find_mentions, match_reference, resolve_mention, resolve_references
from litterm_benchmarks.attribution.references import PaperList, anthology, judge, read_verdicts

VERDICTS = Path(__file__).parents[3] / "data" / "mention_verdicts.tsv"


def paper(key: str, title: str, year: int, *families: str) -> Paper:
    return Paper(PaperId(f"acl:{key}"), title, year=year, authors=tuple(Author(family, "X.") for family in families))


WORKS = PaperList(
    [
        paper("P1", "Parsing with Zebras and Giraffes", 2001, "Miller"),
        paper("P2", "Aligning Parallel Sentences by Length", 1991, "Gale", "Church"),
        paper("P3", "Translation by Statistics of Words", 1993, "Brown", "Lai", "Mercer"),
        paper("P4", "Translation by Statistics of Phrases", 1993, "Brown", "Cocke", "Jelinek"),
        paper("P5", "Book Reviews: Zebras in Captivity", 2004, "Jones"),
        paper("P6", "Preface", 1999, "Smith"),
        paper("P7", "Überlegungen zur Änderung von Bäumen", 1998, "Müller", "Große"),
    ]
)


def mention(text: str, context: str = "") -> PaperId | None:
    (found,) = find_mentions(text)
    return resolve_mention(found, context or text, WORKS)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("as shown (Gale and Church, 1991)", [(("Gale", "Church"), False, 1991, "")]),
        ("Gale & Church (1991b) show", [(("Gale", "Church"), False, 1991, "b")]),
        ("by Brown, Lai, and Mercer (1993)", [(("Brown", "Lai", "Mercer"), False, 1993, "")]),
        ("(Brown et al., 1993; Miller, 2001)", [(("Brown",), True, 1993, ""), (("Miller",), False, 2001, "")]),
        ("van der Berg et al. [2002] say", [(("van der Berg",), True, 2002, "")]),
        (
            "Callison-Burch (2007) and O’Hara 1999",
            [(("Callison-Burch",), False, 2007, ""), (("O’Hara",), False, 1999, "")],
        ),
        ("Collins (1997, 1999a)", [(("Collins",), False, 1997, ""), (("Collins",), False, 1999, "a")]),
        ("in May 1999, Section 2001 of Figure 1900", []),
        ("the year 2001 and (see 1999)", []),
    ],
)
def test_mentions_are_found(text: str, expected: list[tuple[tuple[str, ...], bool, int, str]]) -> None:
    assert [(m.families, m.others, m.year, m.letter) for m in find_mentions(text)] == expected


@given(st.text(st.sampled_from("AbB and&et al.,()[]12906;é"), max_size=60))
def test_a_mention_is_where_it_says(text: str) -> None:
    for found in find_mentions(text):
        assert 0 <= found.span.start < found.span.end <= len(text)
        assert found.families[0].split()[-1] in text[found.span.start : found.span.end]
        assert str(found.year) in text[found.span.start : found.span.end]


def test_all_names_given_are_proof_enough() -> None:
    assert mention("(Gale and Church, 1991)") == "acl:P2"
    assert mention("(Gale and Church, 1992)") is None
    assert mention("(Church and Gale, 1991)") is None
    assert mention("(Gale, 1991)", "Parallel sentences are aligned by length.") is None


def test_a_lone_name_needs_its_subject_nearby() -> None:
    assert mention("(Miller, 2001)", "Nobody likes that (Miller, 2001).") is None
    assert mention("(Miller, 2001)", "Zebras and giraffes were parsed (Miller, 2001).") == "acl:P1"


def test_between_two_papers_only_a_clear_lead_decides() -> None:
    assert mention("(Brown et al., 1993)", "Statistics of translation are old.") is None
    assert mention("(Brown, Lai and Mercer, 1993)") == "acl:P3"


def test_a_review_is_not_the_book() -> None:
    assert mention("(Jones, 2004)", "Zebras live in captivity (Jones, 2004).") is None


def target(reference: Reference) -> PaperId | None:
    (found,) = resolve_references([reference], WORKS)
    return found.target


def entry(text: str, **fields: object) -> Reference:
    return Reference(0, text, **fields)  # type: ignore[arg-type]


def test_a_reference_is_resolved_by_title_and_author() -> None:
    found = target(entry("W. Gale and K. Church. 1991. Aligning parallel sentences by length. In ACL."))
    assert found == "acl:P2"
    other = entry("A. Nobody. 1991. Aligning parallel sentences by length. In ACL.")
    assert target(other) is None
    late = entry("W. Gale and K. Church. 2009. Aligning parallel sentences by length. In ACL.")
    assert target(late) is None


def test_stated_fields_and_ids_come_first() -> None:
    by_id = entry("?", ids=(PaperId("acl:P1"),))
    by_fields = entry("?", title="Überlegungen zur Änderung von Bäumen", families=("Mueller", "Müller"), year=1998)
    assert target(by_id) == "acl:P1"
    assert target(by_fields) == "acl:P7"


def test_a_misread_title_is_known_by_its_author_and_year() -> None:
    broken = entry("K. Miller. 2001. Parsing with Zebras and Girafles. In Proceedings of the Zoo.")
    assert target(broken) == "acl:P1"


def test_generic_titles_resolve_to_nothing() -> None:
    assert target(entry("A. Smith. 1999. Preface. In Things.")) is None


def test_targets_already_known_stay() -> None:
    known = entry("?", target=PaperId("acl:P6"))
    assert list(resolve_references([known], WORKS)) == [known]


def test_a_mention_finds_its_entry_in_the_papers_own_list() -> None:
    references = [
        Reference(0, "a", families=("Gale", "Church"), year=1991),
        Reference(1, "b", families=("Gale", "Church"), year=1991),
        Reference(2, "c", families=("Brown", "Lai", "Mercer"), year=1993),
    ]

    def found(text: str) -> int | None:
        (only,) = find_mentions(text)
        return match_reference(only, references)

    assert found("Brown et al. (1993)") == 2
    assert found("Gale and Church (1991b)") == 1
    assert found("Gale and Church (1991)") is None
    assert found("Gale (1991)") is None


def test_mentions_judged_by_hand(shared: Path) -> None:
    verdicts = read_verdicts(VERDICTS)
    assert len(verdicts) == 200
    right, wrong, held = judge(run(anthology(shared, 2014)), shared, verdicts)
    assert right / (right + wrong) >= 0.95
    assert right / held >= 0.6


@pytest.mark.parametrize(
    ("text", "names", "start"),
    [
        ("As deSilva 2001 says", ("Silva",), 5),
        ("see x1Adams et al., 2003", ("Adams",), 6),
        ("by van den Berg (1999)", ("van den Berg",), 3),
        ("by McDonald (1999)", ("McDonald",), 3),
    ],
)
def test_a_name_is_found_where_it_begins_inside_a_word_too(text: str, names: tuple[str, ...], start: int) -> None:
    (mention,) = find_mentions(text)
    assert (mention.families, mention.span.start) == (names, start)
