"""The verb *first*: where a topic comes from, by age and by what later papers say."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.interfaces import CitationGraph, PaperSearcher
from litterm.model.first_papers import FirstPaper, FirstPapers
from litterm.model.graph import Citance
from litterm.model.search import Query, RankedPaper, relevant
from litterm.text.origin_phrases import names_an_origin
from litterm.text.tokens import tokens

LOOKED_AT = 60
"""Of how many of the most relevant papers it is asked whether they were first; of fewer where fewer are relevant."""
_NO_CITANCES = "No citing sentences found. Showing the oldest of the {} most relevant papers."


def first_of(query: Query, *, k: int, searcher: PaperSearcher, graph: Task[CitationGraph]) -> Task[FirstPapers]:
    """The `k` papers a topic most likely began with, of the most relevant ones.

    Raises:
        UsageError: `query` has no word to search for.
    """
    if not query.words and not query.like:
        raise UsageError("Give the topic whose origin you look for.")
    ranking = yield from searcher.search(query, k=LOOKED_AT)
    known = yield from graph
    own = [each for each in ranking.papers if not each.starter]
    near = own[: max(k, relevant([each.score or 0.0 for each in own]))]
    citances = known.citances([each.paper.id for each in near])
    topic = set(tokens(" ".join(query.words)))
    found = [
        FirstPaper(each, tuple(_naming(sentences, topic, each.paper.title)))
        for each, sentences in zip(near, citances, strict=True)
    ]
    read = sum(map(len, citances))
    notices = () if read else (_NO_CITANCES.format(len(near)),)
    return FirstPapers(
        query, tuple(sorted(found, key=_order)[: max(k, 0)]), len(near), read, (*ranking.notices, *notices)
    )


def _naming(sentences: Sequence[Citance], topic: set[str], title: str) -> list[Citance]:
    """Sentences that name an origin of the topic, the oldest citing paper first.

    Half of the topic's words stand in the sentence or in the `title` it cites: of "semantic role labeling", an origin
    of something semantic is none.
    """
    said = topic & set(tokens(title))
    naming = [
        each
        for each in sentences
        if names_an_origin(each.text, each.mark)
        and not topic.isdisjoint(about := set(tokens(each.text)))
        and 2 * len(said | topic & about) >= len(topic)
    ]
    return sorted(naming, key=lambda each: (each.year or 9999, each.citing, each.sentence or 0))


def _order(first: FirstPaper) -> tuple[int, str, int]:
    return (-len({each.citing for each in first.named}), _date(first.paper), first.paper.rank)


def _date(ranked: RankedPaper) -> str:
    # What has no date comes last.
    return ranked.paper.date or (str(ranked.paper.year) if ranked.paper.year else "~")
