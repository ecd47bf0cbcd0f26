"""What an agent is shown of a paper."""

from __future__ import annotations

from litterm.attribution.agent.actions import show_paper, verify_details
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, build_document

PAPER = Paper(PaperId("acl:A"), "Of zebras", "Zebras run.")


def test_a_text_without_a_section_is_shown_by_its_head() -> None:
    empty = build_document(PAPER.id, [], origin="jats", parser="x")
    shown = show_paper(PAPER, empty, {"zebra": 1.0})
    assert shown.startswith("Title: Of zebras\nAbstract: Zebras run.\n\nSections: without titles")


def test_without_a_text_that_is_said() -> None:
    assert show_paper(PAPER, None, {}).endswith("The full text is not here: this is all there is to read.")


def test_the_four_sections_nearest_to_the_words_are_shown_in_their_order() -> None:
    blocks = [
        block
        for name, text in (
            ("Alpha", "Zebras run and zebras rest."),
            ("Beta", "Lions sleep all day."),
            ("Gamma", "Some zebras drink."),
            ("Delta", "Many zebras eat grass."),
            ("Eta", "Old zebras die."),
        )
        for block in (Block("heading", name, level=1), Block("body", text))
    ]
    shown = show_paper(PAPER, build_document(PAPER.id, blocks, origin="jats", parser="x"), {"zebra": 1.0})
    assert [name for name in ("Alpha", "Beta", "Gamma", "Delta", "Eta") if f"\n\n{name}\n" in shown] == [
        "Alpha",
        "Gamma",
        "Delta",
        "Eta",
    ]
    assert "Sections: Alpha; Beta; Gamma; Delta; Eta" in shown


def test_a_detail_is_borne_out_by_one_sentence_or_its_missing_words_are_told() -> None:
    told = verify_details(["zebras run", "purple zebras", "of the"], PAPER, None)
    assert "“zebras run” appears (abstract): Zebras run." in told
    assert "“purple zebras” does not appear; these of its words stand nowhere: purple" in told
    assert "“of the”" not in told
