"""BibTeX entries to records, each on its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from litterm.formats.bibtex import decoded, read_bibtex
from litterm.formats.contents import memory_content
from litterm.formats.people import author_from_name
from litterm.model.library import Failure, Parsed, Reading
from litterm.model.paper import Author


def test_entries_and_their_failures(samples: Path, read: Callable[[Path], list[Reading]]) -> None:
    found = read(samples / "entries.bib")
    first, second, third = (each.paper for each in found if isinstance(each, Parsed))
    assert (first.id, first.imprint.bibkey, first.type) == ("doi:10.9999/bib.1", "lovelace2031", "inproceedings")
    assert first.title == "BERT and Émile: ß at 95% – a very long story"
    assert first.authors == (
        Author("Łovelace", "Ada"),
        Author("van der Berg", "Jan"),
        Author("The Demo Group"),
        Author("Müller", "Jé"),
    )
    assert (first.venue, first.imprint.booktitle) == ("DemoConf", "Demo Conference (DemoConf 2031)")
    assert (first.date, first.imprint.pages) == ("2031-07", "1–9")
    assert (second.id, second.venue, second.type) == ("arxiv:2101.00001", "arXiv", "preprint")
    assert second.authors == (Author("Thompson Jr.", "Ken"), Author("Doe", "Jane"))
    assert (third.type, third.date, third.authors) == ("book", "2019-05-02", (Author("Roe", "Mary"),))
    failures = [(each.origin.rpartition(":")[2], each.cause) for each in found if isinstance(each, Failure)]
    assert failures == [
        ("13", "A BibTeX entry with unbalanced braces or quotes."),
        ("14", "The entry “untitled” has no title."),
    ]


def test_a_repeated_key_is_two_entries() -> None:
    text = b"@article{a, title={One}, year=2001}\n@article{a, title={Two}, year=2002}"
    found = list(read_bibtex(memory_content("x.bib", text)))
    assert [each.paper.title for each in found if isinstance(each, Parsed)] == ["One", "Two"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("{The {NASA} Way}", "The NASA Way"),
        (r"G{\"o}del, Escher, B{\'a}ch", "Gödel, Escher, Bách"),
        ("``quoted'' --- or not", "“quoted” — or not"),
        (r"100\% \& more", "100% & more"),
        (r"\texteuro{} and \textperiodcentered{} \textdaggerdbl", "€ and · ‡"),
    ],
)
def test_values_are_decoded(value: str, text: str) -> None:
    assert decoded(value) == text


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("Ada Lovelace", Author("Lovelace", "Ada")),
        ("Lovelace, Ada", Author("Lovelace", "Ada")),
        ("Ludwig van Beethoven", Author("van Beethoven", "Ludwig")),
        ("Martin Luther King Jr.", Author("King Jr.", "Martin Luther")),
        ("King, Jr., Martin Luther", Author("King Jr.", "Martin Luther")),
        ("Plato", Author("Plato")),
        ("van Dyck", Author("van Dyck")),
        (" ", None),
    ],
)
def test_names(name: str, author: Author | None) -> None:
    assert author_from_name(name) == author
