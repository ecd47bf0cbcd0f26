"""Line numbers of manuscripts go, and every other column of numbers stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

import pytest

from litterm.importers.pdf.line_numbers import without_line_numbers
from litterm.importers.pdf.pages import read_pages
from litterm.importers.pdf.reader import read_pdf
from tests.pdfs import Text, make_pdf

WORDS = """frogs of the northern lakes call at night when rain has fallen and the air is warm while toads keep to drier
ground and wait for the morning before they move to open water where herons stand""".split()
Page = list[Text]


def prose(lines: int, chars: int, begin: int = 0) -> list[str]:
    """So many lines of text, of about so many characters."""
    words = (WORDS[at % len(WORDS)] + ("." if at % 17 == 16 else "") for at in count(begin))
    result: list[str] = []
    for _ in range(lines):
        line = next(words)
        while len(line) < chars:
            line += f" {next(words)}"
        result.append(line)
    return result


def column(x: float, top: float, lines: Sequence[str], pitch: float) -> Page:
    return [Text(x, top - at * pitch, line) for at, line in enumerate(lines)]


def manuscript(pitch: float = 14.0) -> list[Page]:
    """A paper in one column, of three pages."""
    head = [
        Text(90, 720, "Calls of Frogs and Toads at Night", 16, "bold"),
        Text(90, 696, "Anna Alder and Bernd Birch", 12),
        Text(90, 670, "Abstract", 12, "bold"),
        *column(90, 650, prose(8, 70), pitch),
    ]
    below = head[-1].y - 24
    first = [*head, Text(90, below, "1 Introduction", 12, "bold")]
    first += column(90, below - 18, prose(int((below - 90) // pitch), 70), pitch)
    second = column(90, 720, prose(int(630 // pitch), 70, 5), pitch)
    references = [
        "[1] C. Cedar. 2019. Frogs at night. Journal of Frogs,",
        "12(3):4-15.",
        "[2] D. Dill. 2020. Toads at noon.",
    ]
    third = [*column(90, 720, prose(3, 70, 9), pitch), Text(90, 720 - 4 * pitch, "References", 12, "bold")]
    third += column(90, 720 - 6 * pitch, references, pitch)
    return [first, second, third]


def review_copy() -> list[Page]:
    """A paper in two columns, of three pages."""
    first = [
        Text(120, 730, "Calls of Frogs and Toads at Night", 16, "bold"),
        Text(200, 706, "Anna Alder and Bernd Birch", 12),
        Text(150, 660, "Abstract", 12, "bold"),
        *column(80, 640, prose(12, 40), 12),
        Text(80, 486, "1 Introduction", 12, "bold"),
        *column(80, 468, prose(30, 40, 3), 12),
        *column(330, 660, prose(46, 40, 7), 12),
    ]
    second = [*column(80, 720, prose(50, 40, 1), 12), *column(330, 720, prose(50, 40, 2), 12)]
    last = ["[1] C. Cedar. 2019. Frogs at night.", "Journal of Frogs, 12(3):4-15.", "[2] D. Dill. 2020. Toads at noon."]
    third = [*column(80, 720, prose(6, 40, 9), 12), Text(80, 636, "References", 12, "bold"), *column(80, 618, last, 12)]
    return [first, second, third]


def place(text: str, x: float, edge: str, y: float, size: float = 7.0) -> Text:
    # A digit of Times is half an em wide.
    return Text(x - len(text) * size / 2 if edge == "right" else x, y, text, size)


def numbered(
    pages: Sequence[Page],
    at: Callable[[Text, int], list[tuple[float, str]]],
    *,
    first: int = 1,
    every: int = 1,
    restarts: bool = False,
    form: str = "{}",
    from_page: int = 0,
    first_drawn: bool = False,
) -> bytes:
    """`pages` with a number beside each line, at the places that `at` gives for a line and its page."""
    value = first
    result: list[Page] = []
    for index, page in enumerate(pages):
        value = first if restarts else value
        drawn: Page = []
        numbers: Page = []
        for text in page:
            if index >= from_page:
                if value % every == 0 or (every > 1 and value == 1):
                    own = [place(form.format(value), x, edge, text.y) for x, edge in at(text, index)]
                    (numbers if first_drawn else drawn).extend(own)
                value += 1
            drawn.append(text)
        result.append([*numbers, *drawn])
    return make_pdf(result)


def left(_text: Text, _page: int) -> list[tuple[float, str]]:
    return [(70.0, "right")]


def flush_left(_text: Text, _page: int) -> list[tuple[float, str]]:
    return [(50.0, "left")]


def right(_text: Text, _page: int) -> list[tuple[float, str]]:
    return [(560.0, "left")]


def both(_text: Text, _page: int) -> list[tuple[float, str]]:
    return [(70.0, "right"), (560.0, "left")]


def outer(_text: Text, page: int) -> list[tuple[float, str]]:
    return [(560.0, "left")] if page % 2 else [(70.0, "right")]


def beside_columns(text: Text, _page: int) -> list[tuple[float, str]]:
    return [(62.0, "right")] if text.x < 300 else [(560.0, "left")]


def in_gutter(text: Text, _page: int) -> list[tuple[float, str]]:
    return [(62.0, "right")] if text.x < 300 else [(322.0, "right")]


@pytest.mark.parametrize("at", [left, flush_left, right, both, outer])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"first": 968},
        {"restarts": True},
        {"every": 2, "restarts": True},
        {"every": 5},
        {"every": 5, "restarts": True},
        {"every": 10},
        {"form": "{:03}", "first": 0},
        {"form": "{:04}"},
        {"from_page": 1},
        {"first_drawn": True},
    ],
)
def test_a_manuscript_with_line_numbers_is_read_as_without(
    how: dict[str, object], at: Callable[[Text, int], list[tuple[float, str]]]
) -> None:
    pages = manuscript()
    plain = read_pdf(make_pdf(pages))
    assert plain.title == "Calls of Frogs and Toads at Night"
    assert [author.family for author in plain.authors] == ["Alder", "Birch"]
    assert len(plain.references) == 2
    assert read_pdf(numbered(pages, at, **how)) == plain  # type: ignore[arg-type]


def test_lines_may_be_set_wide_and_running_heads_and_feet_bear_no_number() -> None:
    pages = manuscript(24.0)
    assert read_pdf(numbered(pages, left)) == read_pdf(make_pdf(pages))
    framed = [[*page, Text(90, 765, "Frogs and Toads", 8), Text(300, 40, str(at))] for at, page in enumerate(pages, 1)]

    def in_text(text: Text, page: int) -> list[tuple[float, str]]:
        return left(text, page) if 60 < text.y < 750 else []

    assert read_pdf(numbered(framed, in_text)) == read_pdf(make_pdf(framed))


@pytest.mark.parametrize("at", [beside_columns, in_gutter])
@pytest.mark.parametrize("how", [{}, {"form": "{:03}", "first": 0}, {"first": 990}, {"every": 5}, {"restarts": True}])
def test_a_review_copy_of_two_columns_is_read_as_without(
    how: dict[str, object], at: Callable[[Text, int], list[tuple[float, str]]]
) -> None:
    plain = read_pdf(make_pdf(review_copy()))
    assert plain.abstract and len(plain.references) == 2
    assert read_pdf(numbered(review_copy(), at, **how)) == plain  # type: ignore[arg-type]


def test_a_ruler_that_does_not_keep_to_the_lines_goes_too() -> None:
    pages = review_copy()
    values = count()
    ruled = [
        [*(Text(x, 733 - 11.5 * row, f"{next(values):03}", 7) for x in (40, 570) for row in range(56)), *page]
        for page in pages
    ]
    assert read_pdf(make_pdf(ruled)) == read_pdf(make_pdf(pages))


def kept(pages: Sequence[Page]) -> bool:
    """Whether all words of the pages are still there."""
    read = read_pages(make_pdf(pages)).pages
    return without_line_numbers(read) == read


def entries(begin: int, lines: int, x: float = 90.0, hanging: float = 18.0) -> Iterator[Text]:
    """A numbered list of entries of one to three lines each."""
    number, y = begin, 720.0
    while y > 720 - 14 * lines:
        yield Text(x, y, str(number))
        for line in prose(1 + number % 3, 60, number):
            yield Text(x + hanging, y, line)
            y -= 14
        number += 1


def short_list(begin: int, lines: int, step: float = 14.0) -> Page:
    rows = [
        (Text(90, 720 - at * step, str(begin + at)), Text(108, 720 - at * step, line))
        for at, line in enumerate(prose(lines, 50))
    ]
    return [text for row in rows for text in row]


def table(rows: int) -> Page:
    cells = [(90, "{}"), (140, "sample"), (240, "{}.5"), (340, "{}7")]
    return [Text(x, 720 - 13 * row, form.format(row + 1), 9) for row in range(rows) for x, form in cells]


@pytest.mark.parametrize("body", [manuscript, review_copy])
@pytest.mark.parametrize(
    "last",
    [
        [list(entries(1, 45)), list(entries(24, 45))],
        [short_list(1, 44), short_list(45, 44)],
        [table(45)],
        [[Text(60, 720 - 14 * at, f"{at + 1}  for each frog do") for at in range(40)]],
        [[*column(90, 720, prose(30, 60), 14), *(Text(540, 720 - 70 * at, f"({at})") for at in range(1, 7))]],
    ],
)
def test_lists_tables_programs_and_equations_keep_their_numbers(
    body: Callable[[], list[Page]], last: list[Page]
) -> None:
    assert kept([*body(), *last])


def test_a_list_alone_keeps_its_numbers() -> None:
    text = column(90, 720, prose(20, 70), 14)
    below = [Text(each.x, each.y - 300, each.text) for each in short_list(1, 24)]
    assert kept([[*text, *below]])
    assert kept([list(entries(1, 45)), list(entries(24, 45))])


def test_numbered_sections_and_years_stay() -> None:
    page: Page = []
    for number in range(1, 9):
        page += [
            Text(90, 740 - 80 * number, f"{number}", 12, "bold"),
            Text(112, 740 - 80 * number, "Frogs and Toads", 12, "bold"),
        ]
        page += column(90, 722 - 80 * number, prose(4, 70, number), 14)
    assert kept([page, page])
    years = [Text(90, 720 - 14 * at, str(1980 + at)) for at in range(40)]
    assert kept([*manuscript(), [*years, *column(140, 720, prose(40, 50), 14)]])
