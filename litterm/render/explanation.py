"""Explanations of a paper's rank, and of what moved it there, in words and as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from litterm.model.paper import PaperId
from litterm.model.search import RankedPaper, Ranking
from litterm.text.queries.query_kind import SPECIFIC_SCREEN_PAPERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litterm.model.search import QueryKind, RetrieverShare, Rewrite, WordSources
    from litterm.render.lines import LineOptions


class ShareData(TypedDict):
    """What one retriever adds to a score."""

    name: str
    rank: int
    score: float
    points: float


class PriorData(TypedDict):
    """What a prior adds to a score."""

    name: str
    points: float


class RankReasonsData(TypedDict):
    """The parts of a score."""

    parts: list[ShareData]
    priors: list[PriorData]


class WordSourcesData(TypedDict):
    """Where the meaning of each word of a query is known from."""

    model: list[str]
    library: list[str]
    unknown: list[str]


class RewriteData(TypedDict):
    """Other queries that were searched, too."""

    by: str
    queries: list[str]


QUERY_KIND_WORDS: dict[QueryKind, str] = {
    "keywords": "keywords",
    "question": "a question",
    "excerpt": "an excerpt with a citation in it",
    "long": "a long description",
    "paper": "papers like this one",
}
_MAX_WORDS_SHOWN = 12
"""Words listed at most; a pasted text has hundreds."""
_RETRIEVER_WORDS = {
    "words": "by the words of title and abstract",
    "title": "by the words of the title alone",
    "meaning": "by similarity in meaning",
    "typed": "by similarity in meaning to the text beside it",
    "encoder": "by your encoder",
    "every word": "by how well each query word is matched",
    "like the first": "by similarity to the first papers",
    "full text": "by the words of its full text",
}


def rank_reasons(item: RankedPaper) -> tuple[str, ...]:
    """Sentences that explain the rank of a paper; none if its score has no parts."""
    if item.why is None:
        return ()
    # What moved the paper most is said first.
    shares = sorted(item.why.shares, key=lambda share: -share.points)
    sentences = [f"{_share_words(share)}." for share in shares]
    sentences += [
        f"{prior.name[:1].upper()}{prior.name[1:]}: {_format_signed(prior.points)}." for prior in item.why.priors
    ]
    if item.score is None:
        return tuple(sentences)
    return (*sentences, f"Together {item.score:.1f} points; comparable only within one list.")


def rank_reasons_data(item: RankedPaper) -> RankReasonsData | None:
    """The parts of a score for JSON, by retriever and prior; `None` if it has no parts."""
    if item.why is None:
        return None
    return {
        "parts": [_share_data(share) for share in item.why.shares],
        "priors": [{"name": prior.name, "points": prior.points} for prior in item.why.priors],
    }


def interpretation(kind: QueryKind, first: int) -> str:
    """One sentence on how a query was interpreted."""
    few = f"; the answer is most likely among the first {first}" if first == SPECIFIC_SCREEN_PAPERS else ""
    return f"Interpreted as {QUERY_KIND_WORDS[kind]}{few}."


def word_sources(sources: WordSources) -> tuple[str, ...]:
    """Sentences on where the meaning of each word of the query comes from."""
    sentences = []
    if sources.model:
        sentences.append(f"Meaning known to the built-in model: {_join_words(sources.model)}.")
    if sources.library:
        sentences.append(f"Meaning learned from the papers of this library: {_join_words(sources.library)}.")
    if sources.unknown:
        sentences.append(f"Meaning not known, matched as written: {_join_words(sources.unknown)}.")
    return tuple(sentences)


def word_sources_data(sources: WordSources | None) -> WordSourcesData | None:
    """The origin of each word's meaning for JSON; `None` if meaning did not affect the order."""
    if sources is None:
        return None
    return {"model": list(sources.model), "library": list(sources.library), "unknown": list(sources.unknown)}


def _join_words(words: Sequence[str]) -> str:
    remainder = f" and {len(words) - _MAX_WORDS_SHOWN} more" if len(words) > _MAX_WORDS_SHOWN else ""
    return ", ".join(words[:_MAX_WORDS_SHOWN]) + remainder


def _share_words(share: RetrieverShare) -> str:
    rank_words = f"Number {share.rank:,}" if share.rank else "Not among the best"
    return f"{rank_words} {_RETRIEVER_WORDS.get(share.name, share.name)}: {_format_signed(share.points)}"


def _format_signed(points: float) -> str:
    return f"{points:+.1f} points"


def _share_data(share: RetrieverShare) -> ShareData:
    return {"name": share.name, "rank": share.rank, "score": round(share.score, 4), "points": round(share.points, 4)}


_MAX_TITLE_CHARS = 60


def titles_by_id(ranking: Ranking) -> dict[PaperId, str]:
    """Title by id, for naming the papers whose citations led to others."""
    return {item.paper.id: item.paper.title for item in ranking.papers}


def via_words(item: RankedPaper, titles: Mapping[PaperId, str]) -> str:
    """`via one-hop from “Attention is all…” and 2 more`; empty for a paper that the search itself found."""
    if not item.via:
        return ""
    # A paper that led here may have left the list since; its id still names it.
    first_title = titles.get(item.via[0], item.via[0])
    title = first_title if len(first_title) <= _MAX_TITLE_CHARS else f"{first_title[: _MAX_TITLE_CHARS - 1].rstrip()}…"
    remainder = f" and {len(item.via) - 1} more" if len(item.via) > 1 else ""
    return f"via one-hop from “{title}”{remainder}"


def place_words(item: RankedPaper) -> str:
    """`found by your query (place 3) and query 2 (place 1)`; empty if only one query was searched."""
    names = [f"{f'query {place.query}' if place.query else 'your query'} (place {place.rank})" for place in item.places]
    if not names:
        return ""
    return f"found by {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}"


def rewrite_data(rewrite: Rewrite | None) -> RewriteData | None:
    """The other queries for JSON; `None` if there were none."""
    return None if rewrite is None else {"by": rewrite.by, "queries": list(rewrite.queries)}


def rewrite_lines(rewrite: Rewrite) -> tuple[str, ...]:
    """Who wrote the other queries that were searched, and each with its number."""
    origin = f"rewritten by {rewrite.by}" if rewrite.by else "written by you"
    return (f"Also searched, {origin}:", *(f"{number}. {query}" for number, query in enumerate(rewrite.queries, 1)))


def former_rank(item: RankedPaper) -> str:
    """`was 14`: the rank before a paper was moved; empty if it was not."""
    return "" if item.local_rank in (None, item.rank) else f"was {item.local_rank}"


def move_lines(ranking: Ranking, options: LineOptions) -> dict[PaperId, list[str]]:
    """Lines below the results that were moved, by paper."""
    titles = titles_by_id(ranking)
    lines_of = {}
    for item in ranking.papers:
        reason = options.join(
            [options.text(via_words(item, titles)), former_rank(item), options.text(item.reason), place_words(item)]
        )
        if reason:
            lines_of[item.paper.id] = [f"     {options.paint(reason, 'dim')}"]
    return lines_of
