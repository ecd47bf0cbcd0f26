"""Filters that fit the library and the papers shown, each with how much it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from litterm.model.index import DECISIONS, PAPER_TYPES
from litterm.model.search import Facet
from litterm.text.plural import count_phrase
from litterm.tui.input.completion import FILTER_MEANINGS, Completion
from litterm.tui.state import ResultRow

_PAPER_LISTS = (
    ("mine", "papers that an import of yours brought"),
    ("starred", "papers you starred"),
    ("included", "papers you included"),
    ("excluded", "papers you excluded"),
    ("read", "papers you marked as read"),
)


def known_filters(
    rows: Sequence[ResultRow],
    sources: Sequence[tuple[str, int]],
    tags: Iterable[str],
    facets: Sequence[Facet] = (),
    collections: Iterable[str] = (),
) -> tuple[Completion, ...]:
    """The names of filters, then values: of the papers found, of the library's `sources`, and those of the user.

    `facets` count all papers found, `rows` are the first of them.
    """
    filters = [Completion(name, meaning) for name, meaning in FILTER_MEANINGS.items()]
    venues = Counter(key for row in rows for key in row.paper.venue_keys)
    authors = Counter(author.surname.lower() for row in rows for author in row.paper.authors if author.surname)
    filters += [
        Completion(f"venue:{facet.value}", count_phrase(facet.count, "paper"))
        for facet in facets
        if facet.field == "venue"
    ]
    filters += [Completion(f"venue:{key}", _results_count(count)) for key, count in venues.most_common()]
    filters += [Completion(f"author:{name}", _results_count(count)) for name, count in authors.most_common()]
    # Not the counts of `sources`, which tell under which of its ids a paper is listed: the filter finds every one that
    # has such an id.
    filters += [Completion(f"source:{scheme}", _source_meaning(scheme)) for scheme, _ in sources]
    filters += [Completion(f"type:{name}") for name in PAPER_TYPES]
    filters += [Completion(f"decision:{name}") for name in DECISIONS if name]
    filters += [Completion(f"tag:{tag}", "your tag") for tag in sorted(set(tags))]
    filters += [Completion(f"collection:{name}", "your collection") for name in collections]
    filters += [Completion(f"is:{name}", meaning) for name, meaning in _PAPER_LISTS]
    filters += [
        Completion("status:to-read", "papers you want to read"),
        Completion("status:reading", "papers you are reading"),
        Completion("status:read", "papers you have read"),
    ]
    filters += [
        Completion("has:fulltext", "with full text"),
        Completion("has:note", "papers with a note of yours"),
        Completion("has:annotation", "papers with a highlight or note in their PDF"),
        Completion("in:fulltext", "also search full texts"),
    ]
    # A value with a blank would end the filter at the blank; of equal ones the first listed stays.
    single_words = {completion.text: completion for completion in reversed(filters) if " " not in completion.text}
    return tuple(reversed(single_words.values()))


def _results_count(count: int) -> str:
    return f"{count_phrase(count, 'paper')} of these results"


def _source_meaning(scheme: str) -> str:
    return "papers without an id of their own" if scheme == "local" else f"papers whose id begins with {scheme}:"
