from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from litterm.model.document import Document, Reference
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, InlineCitation, References, abstract_document, build_document

PAPER = PaperId("local:abc")


def build(*blocks: Block, references: References | None = None) -> Document:
    return build_document(PAPER, blocks, origin="jats", parser="test-1", references=references or References())


def test_the_title_row_comes_first_wherever_its_block_stands() -> None:
    document = build(Block("heading", "Methods", number="2"), Block("body", "We ran it."), Block("title", "A title"))
    assert [(s.kind, s.text) for s in document.sentences] == [
        ("title", "A title"),
        ("heading", "2 Methods"),
        ("body", "We ran it."),
    ]
    assert document.sections[0].kind == "front"
    assert (document.sections[1].number, document.sections[1].title) == ("2", "Methods")


def test_locators_count_paragraphs_within_a_section_and_sentences_within_a_paragraph() -> None:
    document = build(
        Block("heading", "One"),
        Block("body", "First here. Second here."),
        Block("body", "Third here."),
        Block("heading", "Two"),
        Block("body", "Fourth here."),
    )
    assert [(s.section, s.paragraph, s.position) for s in document.sentences] == [
        (0, 0, 0),
        (0, 1, 1),
        (0, 1, 2),
        (0, 2, 1),
        (1, 0, 0),
        (1, 1, 1),
    ]


def test_sentences_split_by_the_source_are_kept_and_joined_by_one_blank() -> None:
    document = build(Block("body", sentences=("i.e. one", "two  and\na half", " ", "Three.")))
    assert [s.text for s in document.sentences] == ["i.e. one", "two and a half", "Three."]
    assert document.text == "i.e. one two and a half Three."


def test_a_heading_without_text_opens_a_section_that_shows_no_row() -> None:
    document = build(Block("title", "T"), Block("heading", section_kind="abstract"), Block("abstract", "We did."))
    assert [s.kind for s in document.sentences] == ["title", "abstract"]
    assert document.sections[document.sentences[1].section].kind == "abstract"


def test_a_sentence_takes_the_page_its_first_character_stands_on() -> None:
    text = "One is here.  Two begins here and goes on. Three is there."
    document = build(Block("body", text, pages=((0, 4), (text.index("goes"), 5))))
    assert [s.page for s in document.sentences] == [4, 4, 5]
    assert build(Block("body", text)).sentences[0].page is None


def test_table_rows_are_sentences_and_cells_are_kept() -> None:
    document = build(
        Block("caption", "Table 1. Scores."),
        Block("table", label="Table 1", caption="Scores.", cells=(("Model", "F1"), ("", " "), ("Ours", "88.1"))),
    )
    table = document.tables[0]
    assert table.rows == (("Model", "F1"), ("Ours", "88.1"))
    rows = document.sentences[table.first_sentence : table.first_sentence + len(table.rows)]
    assert [(s.kind, s.text) for s in rows] == [("table", "Model | F1"), ("table", "Ours | 88.1")]


def test_a_citation_mark_keeps_its_place_when_blanks_are_squeezed() -> None:
    raw = " It  began.\n  Others [1]   follow [2]. "
    cites = tuple(InlineCitation(n, raw.index(f"[{n + 1}]"), raw.index(f"[{n + 1}]") + 3) for n in (0, 1))
    document = build(Block("title", "T"), Block("body", raw, cites=cites))
    marks = [document.text[c.span.start : c.span.end] for c in document.contexts]
    assert marks == ["[1]", "[2]"]
    assert [document.sentences[c.sentence].text for c in document.contexts] == ["Others [1] follow [2]."] * 2


def test_an_absent_reference_list_is_unknown_and_an_empty_one_is_not() -> None:
    assert not build(Block("body", "Text.")).references_known
    assert build(Block("body", "Text."), references=References((), known=True)).references_known
    assert build(Block("body", "Text."), references=References((Reference(0, "A."),))).references_known


def test_the_id_follows_text_and_parser() -> None:
    one, same, other = (build(Block("body", t)) for t in ("A text.", "A text.", "B text."))
    assert one.id == same.id != other.id
    assert build_document(PAPER, [Block("body", "A text.")], origin="jats", parser="test-2").id != one.id


def test_a_paper_without_full_text_reads_as_title_and_abstract() -> None:
    document = abstract_document(Paper(PAPER, "A title", abstract="One thing. Another thing."))
    assert [s.kind for s in document.sentences] == ["title", "heading", "abstract", "abstract"]
    assert document.origin == "abstract"


BLOCKS = st.builds(
    Block,
    st.sampled_from(["title", "heading", "abstract", "body", "caption", "table"]),
    st.text(st.sampled_from("aB. \n\t(1)é。 "), max_size=30),
    number=st.sampled_from(["", "1", "2.3"]),
    sentences=st.lists(st.text(st.sampled_from("aB. \n"), max_size=8), max_size=3).map(tuple),
    cells=st.lists(st.lists(st.text("ab ", max_size=3), max_size=3).map(tuple), max_size=3).map(tuple),
    cites=st.lists(st.builds(InlineCitation, st.just(0), st.integers(0, 30), st.integers(0, 40)), max_size=2).map(
        tuple
    ),
)


@given(st.lists(BLOCKS, max_size=8))
def test_every_row_is_the_text_under_its_span(blocks: list[Block]) -> None:
    document = build(*blocks)
    end = 0
    for index, sentence in enumerate(document.sentences):
        assert sentence.index == index
        assert sentence.span.start >= end
        assert document.text[end : sentence.span.start].strip() == ""
        assert document.text[sentence.span.start : sentence.span.end] == sentence.text != ""
        assert 0 <= sentence.section < len(document.sections)
        end = sentence.span.end
    assert end == len(document.text)
    for context in document.contexts:
        assert 0 <= context.span.start <= context.span.end <= len(document.text)
        assert 0 <= context.sentence < len(document.sentences)
