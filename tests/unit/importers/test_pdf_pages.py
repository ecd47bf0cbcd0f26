"""PDF bytes to placed words, and what is refused."""

from __future__ import annotations

import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from litterm.core.errors import BadInput
from litterm.importers.pdf.content_stream import strip_paths
from litterm.importers.pdf.fonts import _text_of_glyph, _text_of_glyph_name
from litterm.importers.pdf.lines import page_lines
from litterm.importers.pdf.pages import read_pages
from tests.pdfs import Text, column, make_pdf


def words(content: bytes) -> list[str]:
    return [word.text for page in read_pages(content).pages for word in page.words]


def lines(content: bytes) -> list[str]:
    return [line.text for page in read_pages(content).pages for line in page_lines(page)]


def test_a_word_has_its_place_its_size_and_its_face() -> None:
    (page,) = read_pages(make_pdf([[Text(100, 700, "Hello", 12, "bold")]])).pages
    (word,) = page.words
    assert (word.text, word.x0, word.y, word.size, word.bold, word.italic) == ("Hello", 100, 700, 12, True, False)
    assert 120 < word.x1 < 140
    assert (page.width, page.height) == (612, 792)


@pytest.mark.parametrize(
    ("matrix", "size"),
    [
        ("1 0 0 1 100 500", (612, 792)),
        ("-1 0 0 -1 512 292", (612, 792)),
        ("0 1 -1 0 112 100", (792, 612)),
        ("0 -1 1 0 500 692", (792, 612)),
    ],
)
def test_on_a_page_that_is_turned_places_count_from_where_the_writing_begins(
    matrix: str, size: tuple[int, int]
) -> None:
    (page,) = read_pages(make_pdf([f"BT /F0 10 Tf {matrix} Tm (Hello) Tj ET".encode()])).pages
    (word,) = page.words
    assert (page.width, page.height) == size
    assert (word.x0, word.y) == pytest.approx((100, 500))
    assert 120 < word.x1 < 130


def test_gaps_part_words_and_kerning_does_not() -> None:
    kerned = b"BT /F0 10 Tf 72 700 Td [(W)80(ord)-250(t)-10(w)-10(o)] TJ ET"
    assert words(make_pdf([kerned])) == ["Word", "two"]


def test_letters_set_apart_are_one_word() -> None:
    assert words(make_pdf([b"BT /F0 10 Tf 3 Tc 72 700 Td (WIDE) Tj ET"])) == ["WIDE"]


def test_columns_are_lines_of_their_own() -> None:
    content = make_pdf([[Text(72, 700, "left column"), Text(320, 700, "right column")]])
    assert lines(content) == ["left column", "right column"]


def test_a_raised_number_is_written_raised() -> None:
    content = make_pdf([[Text(72, 700, "As shown", 10), Text(107.5, 704, "12", 6), Text(116, 700, "before", 10)]])
    assert lines(content) == ["As shown¹² before"]


def test_forms_are_read_and_endless_ones_end() -> None:
    writer = PdfWriter(clone_from=io.BytesIO(make_pdf([b"/X Do"])))
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    form = DecodedStreamObject()
    form.set_data(b"BT /F0 10 Tf 72 700 Td (inside) Tj ET /X Do")
    form[NameObject("/Subtype")] = NameObject("/Form")
    reference = writer._add_object(form)
    resources = writer.pages[0]["/Resources"]
    assert isinstance(resources, DictionaryObject)
    resources[NameObject("/XObject")] = DictionaryObject({NameObject("/X"): reference})
    buffer = io.BytesIO()
    writer.write(buffer)
    assert set(words(buffer.getvalue())) == {"inside"}


def test_a_page_turned_on_its_side_is_read_upright() -> None:
    turned = b"BT /F0 10 Tf 0 1 -1 0 100 72 Tm (one two) Tj 0 1 -1 0 112 72 Tm (three) Tj ET"
    (page,) = read_pages(make_pdf([turned])).pages
    assert [line.text for line in page_lines(page)] == ["one two", "three"]
    assert (page.width, page.height) == (792, 612)


def test_a_stamp_in_the_margin_stands_apart() -> None:
    page = column(72, 700, ["This is the text of", "the paper itself."])
    stamped = b"\n".join(text.operators().encode() for text in page) + (
        b" BT /F0 10 Tf 0 1 -1 0 30 300 Tm (arXiv:1706.03762v5) Tj ET"
    )
    (read,) = read_pages(make_pdf([stamped])).pages
    assert read.marginal == "arXiv:1706.03762v5"
    assert "arXiv" not in " ".join(word.text for word in read.words)


def test_curves_are_left_out_and_words_stay_where_they_are() -> None:
    drawing = b"q 1 0 0 1 10 20 cm\n" + b"0 0 m 10.5 20 l 1 2 3 4 5 6 c S\n" * 50
    content = drawing + b"BT /F0 10 Tf 72 700 Td (in \\(ET\\) it) Tj ET\n" + drawing + b"Q BT /F0 9 Tf (end) Tj ET"
    lean = strip_paths(content)
    assert len(lean) < len(content) / 5
    assert read_pages(make_pdf([lean])).pages[0].words == read_pages(make_pdf([content])).pages[0].words


def test_glyphs_are_told_by_their_names() -> None:
    assert [_text_of_glyph(name) for name in ("A", "#28", "C4", "CT", "#0C", "alpha")] == ["A", "(", "L", "e", "fi", ""]
    assert [_text_of_glyph_name(name) for name in ("/T_h", "/f_f_i", "/uni20AC", "/g123")] == ["Th", "ffi", "€", ""]


@pytest.mark.parametrize(
    "content, cause",
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "HTML"),
        (b"\n<?xml version='1.0'?><article/>", "XML"),
        (b"PK\x03\x04 something", "not a PDF"),
        (b"%PDF-1.4\nnothing that follows makes sense", "damaged"),
        (make_pdf([[Text(72, 700, "x")]])[:200], "damaged"),
    ],
)
def test_what_is_no_pdf_is_refused_in_one_sentence(content: bytes, cause: str) -> None:
    with pytest.raises(BadInput, match=cause) as refusal:
        read_pages(content)
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize("mark", [b"%%EOF", b"startxref", b"trailer", b"xref\n0 "])
def test_a_file_without_its_end_is_read_whole(mark: bytes) -> None:
    whole = make_pdf([column(72, 700, ["One line of words.", "And another."]), column(72, 700, ["The second page."])])
    cut = whole[: whole.rfind(mark)]
    assert read_pages(cut).pages == read_pages(whole).pages


@pytest.mark.parametrize("mark", [b"endstream", b"9 0 obj", b"10 0 obj"])
def test_a_file_that_lacks_more_than_its_end_is_refused(mark: bytes) -> None:
    # The catalogue and the list of pages stand first there, so that pages without their text could be counted.
    whole = make_pdf([column(72, 700, ["One line of words."]), column(72, 700, ["The second page."])])
    with pytest.raises(BadInput, match="The PDF is damaged"):
        read_pages(whole[: whole.rfind(mark)])


def test_ten_thousand_pages_are_refused_unread() -> None:
    with pytest.raises(BadInput, match="10,000 pages"):
        read_pages(make_pdf([[Text(72, 700, "x")]], copies=10_000))


def test_a_password_is_asked_for_in_the_refusal() -> None:
    assert words(_locked("")) == ["secret"]
    with pytest.raises(BadInput, match="encrypted"):
        read_pages(_locked("opensesame"))


def _locked(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf([[Text(72, 700, "secret")]]))))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


WORD = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzABC()\\0123456789.,-"), min_size=1, max_size=9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WORD, min_size=1, max_size=7), min_size=1, max_size=6))
def test_words_come_back_in_the_order_they_were_set(rows: list[list[str]]) -> None:
    content = make_pdf([column(72, 700, [" ".join(row) for row in rows])])
    assert lines(content) == [" ".join(row) for row in rows]


WHOLE = make_pdf([column(72, 700, ["One line of text,", "and a second one."]), [Text(72, 700, "Another page.")]])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(WHOLE) - 1), st.binary(max_size=12), st.integers(0, 12))
@example(at=len(WHOLE) - 60, put=b"", cut=12)
def test_a_damaged_file_is_read_in_part_or_refused(at: int, put: bytes, cut: int) -> None:
    damaged = WHOLE[:at] + put + WHOLE[at + cut :]
    try:
        pages = read_pages(damaged)
    except BadInput:
        return
    assert len(pages.pages) <= 1000
