from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm.text.documents.page_alignment import align_pages

PAPER = PaperId("pmc:PMC1")

FIRST = "We asked ninety patients about their diet over ten years. Nobody had asked them before."
SECOND = "The answers were kept in sealed envelopes until the end. They were opened by two nurses."
THIRD = "Coffee was not related to any outcome in this group. Tea was related to most of them."
HEADING = "Coffee and tea"


def jats(*texts: str) -> Document:
    blocks = [Block("heading", text) if text == HEADING else Block("body", text) for text in texts]
    return build_document(PAPER, blocks, origin="jats", parser="test")


def pdf(*pages: str) -> Document:
    blocks = [Block("body", text, pages=((0, number),)) for number, text in enumerate(pages, 1) if text]
    return build_document(PAPER, blocks, origin="pdf", parser="test")


def pages(document: Document) -> list[int | None]:
    return [sentence.page for sentence in document.sentences]


def test_sentences_get_the_page_their_words_stand_on() -> None:
    assert pages(align_pages(jats(FIRST, SECOND, THIRD), pdf(FIRST, SECOND, THIRD))) == [1, 1, 2, 2, 3, 3]


def test_text_and_spans_stay_as_they_were() -> None:
    before = jats(FIRST, SECOND)
    after = align_pages(before, pdf(FIRST, SECOND))
    assert (after.text, after.id, [s.span for s in after.sentences]) == (
        before.text,
        before.id,
        [s.span for s in before.sentences],
    )


def test_citations_and_broken_words_do_not_hide_a_sentence() -> None:
    printed = "We asked nine- ty patients about their diet over ten years [12,13]. Nobody had asked them before."
    assert pages(align_pages(jats(FIRST, SECOND), pdf("", "", printed, SECOND))) == [3, 3, 4, 4]


def test_what_is_not_printed_gets_no_page() -> None:
    found = align_pages(
        jats(FIRST, "This sentence was added to the archive copy only, much later.", THIRD), pdf(FIRST, THIRD)
    )
    assert pages(found) == [1, 1, None, 2, 2]


def test_a_sentence_on_two_pages_is_on_the_page_it_begins_on_or_on_none() -> None:
    long = (
        "This is a long sentence that begins on the first page and is carried over to the second page of the article."
    )
    both = f"{FIRST} {long}"
    printed = Block("body", both, pages=((0, 1), (len(FIRST) + 60, 2)))
    source = build_document(PAPER, [printed, Block("body", THIRD, pages=((0, 2),))], origin="pdf", parser="t")
    found = align_pages(jats(both, THIRD), source)
    assert pages(found) == [1, 1, 1, 2, 2]
    halves = jats(
        FIRST, long[: long.index(" and")] + ".", "And is carried over to the second page of the article.", THIRD
    )
    assert pages(align_pages(halves, source))[3] is None


def test_a_short_heading_is_found_between_its_neighbours() -> None:
    printed = pdf(f"{HEADING}. {FIRST}", f"{SECOND} {HEADING}. {THIRD}")
    assert pages(align_pages(jats(FIRST, SECOND, HEADING, THIRD), printed)) == [1, 1, 2, 2, 2, 2, 2]


def test_a_sentence_printed_twice_is_on_neither_page() -> None:
    assert pages(align_pages(jats(SECOND), pdf(SECOND, THIRD, SECOND)))[0] is None


def test_a_page_already_known_stays() -> None:
    known = build_document(PAPER, [Block("body", FIRST, pages=((0, 9),))], origin="jats", parser="test")
    assert pages(align_pages(known, pdf(FIRST))) == [9, 9]


def test_without_a_text_layer_nothing_is_located() -> None:
    empty = build_document(PAPER, [], origin="pdf", parser="test")
    assert pages(align_pages(jats(FIRST), empty)) == [None, None]


SENTENCE = st.lists(st.sampled_from("red green blue cat dog tree house one two".split()), min_size=4, max_size=9)


@given(st.lists(SENTENCE, min_size=1, max_size=9), st.lists(SENTENCE, min_size=1, max_size=9))
def test_running_text_is_located_in_order(mine: list[list[str]], theirs: list[list[str]]) -> None:
    texts = [" ".join(words).capitalize() + "." for words in mine]
    printed = pdf(*(" ".join(words).capitalize() + "." for words in theirs))
    found = [page for page in pages(align_pages(jats(*texts), printed)) if page is not None]
    assert found == sorted(found)
    assert all(1 <= page <= len(theirs) for page in found)
