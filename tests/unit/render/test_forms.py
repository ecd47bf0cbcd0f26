"""RIS, CSL-JSON, JSON, Markdown and locators say what is so, in each form's own way."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace

import pytest
from fakes import OWNED, TEXTS, ZEBRA, document
from hypothesis import given
from hypothesis import strategies as st

from litterm.model.document import Section, Sentence, Span
from litterm.model.paper import Author, PaperId, PublicationDetails
from litterm.render import lines
from litterm.render.bibliography import bibtex, csl, ris
from litterm.render.bibliography.keys import STANDARD_KEYS
from litterm.render.export import markdown
from litterm.render.json import dumps
from litterm.render.lines import LineOptions
from litterm.render.locator import locator, section_of
from litterm.render.names import short_authors, status_warning


def test_ris_has_a_tag_a_line_and_ends_each_record() -> None:
    text = ris.entries([ZEBRA, OWNED, ZEBRA])
    first, second = text.split("\n\n")
    assert first.splitlines()[0] == "TY  - CONF"
    assert "AU  - Müller, Änne\nAU  - Okafor, Chidi" in first
    assert "SP  - 1\nEP  - 9\nPY  - 2018\nDA  - 2018/07//" in first
    assert first.endswith("\nER  - ")
    assert second.startswith("TY  - UNPB")
    assert "N1  - Submitted to ICLR 2020; rejected" in second
    assert all(line[2:6] == "  - " for line in first.splitlines())


def test_csl_is_json_with_the_types_processors_know() -> None:
    first, second = json.loads(csl.entries([ZEBRA, OWNED]))
    assert (first["type"], first["container-title"], first["DOI"]) == (
        "paper-conference",
        "Proceedings of ACL",
        "10.1/zebra",
    )
    assert first["issued"] == {"date-parts": [[2018, 7]]}
    assert first["author"][0] == {"family": "Müller", "given": "Änne"}
    assert (second["type"], second["note"]) == ("manuscript", "Submitted to ICLR 2020; rejected")
    assert "container-title" not in second


def test_a_group_is_a_literal_name() -> None:
    (item,) = json.loads(csl.entries([replace(ZEBRA, authors=(Author("World Health Organization"),))]))
    assert item["author"] == [{"literal": "World Health Organization"}]


def test_every_form_uses_the_same_key() -> None:
    key = STANDARD_KEYS.keys_of([ZEBRA])[ZEBRA.id]
    assert f"{{{key}," in bibtex.entries([ZEBRA])
    assert f"ID  - {key}\n" in ris.entries([ZEBRA])
    assert json.loads(csl.entries([ZEBRA]))[0]["id"] == key
    assert f"[@{key}]" in markdown.citation(markdown.Quote(ZEBRA, "x"), key)


@pytest.mark.parametrize("form", [bibtex, ris])
def test_no_papers_are_no_text(form: object) -> None:
    assert form.entries([]) == ""  # type: ignore[attr-defined]
    assert json.loads(csl.entries([])) == []


@given(st.recursive(st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=6))
def test_json_says_the_same_and_harms_no_terminal(value: object) -> None:
    for ascii_only in (False, True):
        text = dumps({"value": value}, ascii_only=ascii_only)
        assert json.loads(text) == {"value": value}
        acting = [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
        assert acting + [c for c in text if c in "\u200b\u202e\u2066\ufeff\u00ad"] == []
        assert not ascii_only or text.isascii()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (0, "Title"),
        (1, "Results §4"),
        (2, "Results §4 ¶1 s1"),
        (3, "Results §4 ¶1 s2 p.6"),
    ],
)
def test_a_locator_says_only_what_is_known(row: int, said: str) -> None:
    assert locator(document(), document().sentences[row]) == said


def test_a_locator_outside_every_section_names_the_row() -> None:
    odd = Sentence(7, "x", Span(0, 1), "body", 99, 0, 0)
    assert locator(document(), odd) == "row 7"
    assert section_of(document(), odd) == ""


def test_an_abstract_without_a_heading_is_called_so() -> None:
    front = replace(document(), sections=(Section(0, ""),))
    assert locator(front, Sentence(1, "x", Span(0, 1), "abstract", 0, 1, 2)) == "Abstract ¶1 s2"


def test_quotes_are_grouped_by_hypothesis_and_carry_key_and_locator() -> None:
    made = document()
    items = [markdown.quote(ZEBRA, made, made.sentences[index], hypothesis="Zebras *win*") for index in (2, 3)]
    items.append(markdown.Quote(ZEBRA, "- lost [one]"))
    text = markdown.quotes(items, STANDARD_KEYS.keys_of(item.paper for item in items))
    assert text.count("## Zebras \\*win\\*") == 1
    assert "> Zebras are ten times faster.\n>\n> [@muller-okafor-2018-zebra] Results §4 ¶1 s1\n" in text
    assert "[@muller-okafor-2018-zebra, p. 6] Results §4 ¶1 s2" in text
    assert "> \\- lost \\[one\\]\n>\n> [@muller-okafor-2018-zebra] not located in the present text" in text
    assert "\x1b" not in text


def test_quotes_use_the_keys_of_the_bibliography_beside_them() -> None:
    twin = replace(ZEBRA, id=PaperId("acl:P99"))
    text = markdown.quotes([markdown.Quote(ZEBRA, "x")], STANDARD_KEYS.keys_of([twin, ZEBRA]))
    assert "[@muller-okafor-2018-zebraa]" in text
    assert "{muller-okafor-2018-zebraa," in bibtex.entries([twin, ZEBRA])


@pytest.mark.parametrize(("families", "said"), [(0, ""), (1, "A"), (4, "A, B, C, D"), (5, "A et al.")])
def test_authors_are_shortened_to_a_line(families: int, said: str) -> None:
    assert short_authors(replace(ZEBRA, authors=tuple(map(Author, "ABCDE"[:families])))) == said


def test_retraction_and_refusal_stand_beside_the_title() -> None:
    assert status_warning(replace(ZEBRA, retraction="retracted: made up")) == "RETRACTED"
    assert status_warning(OWNED) == "rejected"
    assert status_warning(replace(OWNED, decision="accept")) == ""


def test_a_page_holds_every_sentence_once_and_nothing_that_acts() -> None:
    text = "\n".join(lines.full_text(document(), ZEBRA, LineOptions()))
    assert text.count(TEXTS[2]) == 1
    assert "\x1b" not in text
    assert text.splitlines()[0] == ZEBRA.title


def test_lines_are_wrapped_to_the_terminal_and_coloured_only_where_asked() -> None:
    paper = replace(ZEBRA, title="word " * 60)
    wrapped = lines.show(paper, None, notes(), LineOptions(columns=40, terminal=True))
    assert max(map(len, wrapped[:5])) <= 40
    assert "\x1b[1m" in lines.show(paper, None, notes(), LineOptions(colour=True))[0]
    assert not any("\x1b" in line for line in lines.show(paper, None, notes(), LineOptions()))


def test_show_names_what_the_source_said_and_what_is_not_certain() -> None:
    details = PublicationDetails(
        **{
            "series": "LNCS",
            "edition": "2nd",
            "article_number": "e77",
            "thesis": "master",
            "institution": "Univ. of Y",
        },
        **{"isbn": "978", "issn": "1234", "note": "Best\x1b[1m", "files": ("a.pdf", "b.pdf"), "bibkey": "Lee(2020)"},
        editors=(Author("Doe", "Ed"),),
        has_more_editors=True,
    )
    paper = replace(ZEBRA, imprint=details, is_title_certain=False, unverified_ids=(PaperId("doi:10.1/other"),))
    said = lines.show(paper, None, notes(), LineOptions())
    told = {
        *("series: LNCS", "edition: 2nd", "article number: e77", "thesis: Master’s thesis", "institution: Univ. of Y"),
        *("ISBN: 978", "ISSN: 1234", "note of the source: Best", "files: a.pdf, b.pdf", "citation key: Lee(2020)"),
        *("editors: Ed Doe, et al.", "ids not verified: doi:10.1/other"),
        "title: not found in the file, whose name is shown; `litterm edit` corrects it",
    }
    assert told - set(said) == set()


def test_marks_are_ascii_where_the_terminal_wants_it() -> None:
    made = lines.show(replace(ZEBRA, authors=(Author("Lee"),)), None, notes(), LineOptions(ascii=True))
    assert "\n".join(made).isascii()


def test_a_summary_of_ours_is_never_called_an_abstract() -> None:
    said = "\n".join(lines.show(replace(ZEBRA, abstract_by="litterm"), None, notes(), LineOptions()))
    assert "summary by litterm" in said
    assert "abstract" not in said


def notes() -> object:
    from litterm.model.annotations import PaperNotes

    return PaperNotes()
