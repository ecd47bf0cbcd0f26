"""Finds the first papers of a topic, by age and by what later papers say of its origin."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.interfaces import CitationGraph, PaperSearcher
from litterm.model.citations.graph import Citance, FirstPaper, FirstPapers
from litterm.model.search import Query, RankedPaper, count_relevant
from litterm.text.origin_phrases import names_an_origin
from litterm.text.tokens import tokens

MAX_CANDIDATES = 60
"""Number of the most relevant papers that are candidates."""
_NO_CITANCES_MESSAGE = "No citing sentences found. Showing the oldest of the {} most relevant papers."


def find_first_papers(
    query: Query, *, k: int, searcher: PaperSearcher, graph: Task[CitationGraph]
) -> Task[FirstPapers]:
    """The `k` papers with which a topic most likely began, among the most relevant ones.

    Raises:
        UsageError: `query` has no word to search for.
    """
    if not query.words and not query.like:
        raise UsageError("Give the topic whose origin you look for.")
    ranking = yield from searcher.search(query, k=MAX_CANDIDATES)
    known = yield from graph
    # The starter library is a sample: that its papers are old says nothing.
    library_papers = [ranked for ranked in ranking.papers if ranked.is_own]
    # The oldest of sixty would mostly be off the topic: only what is clearly relevant may be first.
    relevant_papers = library_papers[: max(k, count_relevant([ranked.score or 0.0 for ranked in library_papers]))]
    citances = known.citances([ranked.paper.id for ranked in relevant_papers])
    topic = set(tokens(" ".join(query.words)))
    first_papers = [
        FirstPaper(ranked, tuple(_names_topic(sentences, topic, ranked.paper.title)))
        for ranked, sentences in zip(relevant_papers, citances, strict=True)
    ]
    citance_count = sum(map(len, citances))
    notices = () if citance_count or not relevant_papers else (_NO_CITANCES_MESSAGE.format(len(relevant_papers)),)
    return FirstPapers(
        query,
        tuple(sorted(first_papers, key=_order)[: max(k, 0)]),
        len(relevant_papers),
        citance_count,
        (*ranking.notices, *notices),
    )


def _names_topic(sentences: Sequence[Citance], topic: set[str], title: str) -> list[Citance]:
    """Sentences that name an origin of the topic, the oldest citing paper first.

    Half of the topic's words are in the sentence or in the `title` it cites: of "semantic role labeling", an origin
    of something semantic is not.
    """
    title_words = topic & set(tokens(title))
    naming = [
        citance
        for citance in sentences
        if names_an_origin(citance.text, citance.mark)
        and not topic.isdisjoint(citance_stems := set(tokens(citance.text)))
        # The sentence may leave to the title what it takes for granted, but must itself hold a word of the topic.
        and 2 * len(title_words | topic & citance_stems) >= len(topic)
    ]
    return sorted(naming, key=lambda citance: (citance.year or 9999, citance.citing, citance.sentence or 0))


def _order(first: FirstPaper) -> tuple[bool, int, str, int]:
    # What the name typed stands for is the origin that was asked about.
    # Papers and not sentences are counted: a paper that repeats the claim counts once.
    return (
        not first.paper.name,
        -len({citance.citing for citance in first.named}),
        _date(first.paper),
        first.paper.rank,
    )


def _date(ranked: RankedPaper) -> str:
    # What has no date comes last.
    return ranked.paper.date or (str(ranked.paper.year) if ranked.paper.year else "~")
