from __future__ import annotations

from litterm.model.document import Document, Reference
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, References, build_document
from litterm.text.references.citation_marks import add_contexts


def document(text: str, *references: Reference) -> Document:
    listed = References(references, known=bool(references))
    return build_document(PaperId("local:x"), [Block("body", text)], origin="pdf", parser="t", references=listed)


def cited(found: Document) -> list[tuple[str, int, int]]:
    return [(found.text[c.span.start : c.span.end], c.reference, c.sentence) for c in found.contexts]


NUMBERED = tuple(Reference(index, f"Entry {index + 1}.", label=str(index + 1)) for index in range(9))


def test_numbers_in_brackets_point_at_their_entries_and_ranges_are_written_out() -> None:
    found = add_contexts(document("It is known [2, 4–6]. So is that [9], but not [77].", *NUMBERED))
    assert cited(found) == [("[2, 4–6]", n, 0) for n in (1, 3, 4, 5)] + [("[9]", 8, 1)]


def test_raised_numbers_cite_where_the_text_cites_so_and_powers_do_not() -> None:
    found = add_contexts(document("It is known.¹,³ The area is 5 m² or 10⁻⁶ of that.²", *NUMBERED))
    assert cited(found) == [("¹,³", 0, 0), ("¹,³", 2, 0), ("²", 1, 1)]


def test_parentheses_cite_only_where_nothing_else_does() -> None:
    assert cited(add_contexts(document("It is known (1, 2) and (7).", *NUMBERED)))[0] == ("(1, 2)", 0, 0)
    found = add_contexts(document("Group (2) was large [1]. Group (3) was not [4]. Nobody knows why [5].", *NUMBERED))
    assert {mark for mark, _, _ in cited(found)} == {"[1]", "[4]", "[5]"}


def test_names_and_years_point_at_their_entries() -> None:
    references = (
        Reference(0, "a", families=("Gale", "Church"), year=1991),
        Reference(1, "b", families=("Brown", "Lai", "Mercer"), year=1993),
    )
    found = add_contexts(
        document("We follow Brown et al. (1993) and others (Gale and Church, 1991; Nobody, 1999).", *references)
    )
    assert cited(found) == [("Brown et al. (1993", 1, 0), ("Gale and Church, 1991", 0, 0)]


def test_without_a_list_every_work_named_is_kept_once() -> None:
    found = add_contexts(
        document("It began with Brown et al. (1993). Later (Brown et al., 1993; Miller, 2001) it grew.")
    )
    assert [(r.label, r.families, r.year) for r in found.references] == [
        ("Brown et al., 1993", ("Brown",), 1993),
        ("Miller, 2001", ("Miller",), 2001),
    ]
    assert [(reference, sentence) for _, reference, sentence in cited(found)] == [(0, 0), (0, 1), (1, 1)]
    assert not found.references_known


def test_marks_of_the_source_are_left_alone() -> None:
    once = add_contexts(document("It is known [2].", *NUMBERED))
    assert add_contexts(once) is once
