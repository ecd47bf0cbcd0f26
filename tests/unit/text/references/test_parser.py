"""What a printed reference says."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.text.references.parser import read_ids, read_reference

PRINTED = [
    (
        "Ido Dagan and Alon Itai. 1994. Word sense disambiguation using a second language. Comp. Ling., 20(4):563-596.",
        ("Dagan", "Itai"),
        1994,
        "Word sense disambiguation using a second language",
    ),
    (
        "12. Smith JA, van Doe B, et al. Green tea and other things in rats. J Tea. 2004;12:3-4.",
        ("Smith", "van Doe"),
        2004,
        "Green tea and other things in rats",
    ),
    (
        "Smith, J., & Doe, A. B. (2004). A title of this very work. Journal of Things, 12(3), 4-5.",
        ("Smith", "Doe"),
        2004,
        "A title of this very work",
    ),
    (
        "Abdoulaye D, Acevedo I (2001) Biodiversity of basil in gardens. J Bot 12:3-4",
        ("Abdoulaye", "Acevedo"),
        2001,
        "Biodiversity of basil in gardens",
    ),
    (
        "[7] J. Devlin and M.-W. Chang, “Training of deep things,” in Proc. Things, 2018, pp. 1-9.",
        ("Devlin", "Chang"),
        2018,
        "Training of deep things",
    ),
    (
        "Geffet, Maayan and Ido Dagan. 2005. The distributional hypotheses of inclusion. In Proceedings of ACL.",
        ("Geffet", "Dagan"),
        2005,
        "The distributional hypotheses of inclusion",
    ),
    (
        "Daniel S. Weld. 2019a. What is left of planning? In Proceedings of the Meeting.",
        ("Weld",),
        2019,
        "What is left of planning",
    ),
]


@pytest.mark.parametrize("text, families, year, title", PRINTED)
def test_names_year_and_title_are_read_in_every_style(
    text: str, families: tuple[str, ...], year: int, title: str
) -> None:
    fields = read_reference(text)
    assert (fields.families, fields.year, fields.title) == (families, year, title)


def test_labels_and_ids_are_read() -> None:
    fields = read_reference(
        "[12] A. Smith. A title of some kind. arXiv preprint arXiv:1810.04805v2, 2018. doi:10.1000/Ab1."
    )
    assert fields.label == "12"
    assert fields.ids == ("doi:10.1000/ab1", "arxiv:1810.04805")


def test_what_is_not_there_is_left_empty() -> None:
    fields = read_reference("Personal communication.")
    assert (fields.families, fields.year, fields.ids) == ((), None, ())


@given(st.text(max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    fields = read_reference(text)
    assert fields.year is None or 1800 <= fields.year < 2100
    assert all(title in text.replace("\n", "\n") for title in fields.titles)


@pytest.mark.parametrize("unit", ["A, ", "Smith J, ", "(2001) ", "“", "[1] ", "10.1000/", "Aa. B", "arXiv:"])
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    def cpu_s(size: int) -> float:
        begun = time.process_time()
        read_reference(unit * (size // len(unit)))
        return time.process_time() - begun

    assert min(cpu_s(40_000) for _ in range(2)) < 32 * min(cpu_s(5_000) for _ in range(2)) + 0.2


@pytest.mark.parametrize(
    ("printed", "paper_id"),
    [
        ("Lee A. Owls. CoRR abs/1807.00002, 2018.", "arxiv:1807.00002"),
        ("Lee A. Owls. https://arxiv.org/pdf/1807.00002v2", "arxiv:1807.00002"),
        ("Lee A. Owls. http://www.ncbi.nlm.nih.gov/pubmed/12345678", "pmid:12345678"),
        ("Lee A. Owls. https://pubmed.ncbi.nlm.nih.gov/12345678/", "pmid:12345678"),
        (
            "Lee A. Owls. doi:10.1002/(SICI)1096-9861(19960129)365:1<113::AID-CNE9>3.0.CO;2-6.",
            "doi:10.1002/(sici)1096-9861(19960129)365:1<113::aid-cne9>3.0.co;2-6",
        ),
    ],
)
def test_ids_in_the_habits_of_reference_lists(printed: str, paper_id: str) -> None:
    assert read_ids(printed) == (paper_id,)
