"""Highlights in files: each once, on the sentences that they cover."""

from __future__ import annotations

from dataclasses import replace

from litterm.model.document import Document
from litterm.model.paper import AnnotatedFile, FileAnnotation, Paper, PaperId, PublicationDetails
from litterm.text.documents.builder import Block, build_document
from litterm.text.file_annotations import annotation_line, annotations_of, locate

TEXT = (
    "Moss grows slowly on old stones. We measured its growth for nine years. The accuracy was 81.2 per cent in all of"
    " the gardens. Nothing else grew there. Moss grows slowly on old stones."
)


def document(*pages: tuple[int, int]) -> Document:
    blocks = [Block("title", "Moss"), Block("body", TEXT, pages=pages)]
    return build_document(PaperId("local:moss"), blocks, origin="pdf", parser="test")


def paper(*annotations: FileAnnotation) -> Paper:
    return Paper(
        PaperId("local:moss"), "Moss", imprint=PublicationDetails(annotated_files=(AnnotatedFile(annotations),))
    )


def sentences(quote: str, text: Document, page: str = "") -> tuple[int, ...]:
    (located,) = locate(paper(FileAnnotation(quote=quote, page=page)), text)
    return located.sentences


def test_a_part_of_a_sentence_and_several_sentences() -> None:
    text = document()
    assert sentences("measured its growth", text) == (2,)
    assert sentences("for nine years. The accu-\nracy", text) == (2, 3)


def test_words_that_stand_twice_are_told_apart_by_their_page_or_not_at_all() -> None:
    quote = "Moss grows slowly on old stones"
    assert sentences(quote, document()) == ()
    paged = document((0, 1), (TEXT.index("Nothing"), 4))
    assert sentences(quote, paged, "1") == (1,) and sentences(quote, paged, "4") == (5,)
    assert sentences(quote, paged, "9") == ()


def test_words_that_differ_a_little_are_found_other_numbers_are_not() -> None:
    text = document()
    assert sentences("The accuracy was 81.2 per cent in a1l of the gardens", text) == ()
    assert sentences("The acuracy was 81.2 per cent in all of the gardens", text) == (3,)
    assert sentences("The accuracy was 83.1 per cent in all of the gardens", text) == ()
    assert sentences("Lichens were not looked at in any of these gardens", text) == ()


def test_the_same_highlight_of_two_files_is_one() -> None:
    database = FileAnnotation(page="117", quote="Moss grows", comment="really?", colour="yellow")
    written = replace(database, page="2", comment="", quote="moss grows")
    note = FileAnnotation("note", "2", comment="really?")
    both = Paper(
        PaperId("local:moss"),
        "Moss",
        imprint=PublicationDetails(
            annotated_files=(AnnotatedFile((database,)), AnnotatedFile((written, note), "a.pdf"))
        ),
    )
    assert annotations_of(both) == (note, database)


def test_one_line_says_place_words_and_comment() -> None:
    assert annotation_line(FileAnnotation("underline", "3", "moss", "why?\nBob: so", "red")) == (
        "p. 3, red, underline: “moss” – why?; Bob: so"
    )
    assert annotation_line(FileAnnotation(page="3", colour="yellow", quote="moss")) == "p. 3, yellow: “moss”"
