"""The matrix that the learned ranking weighs: a row for each candidate, a column for each of `FEATURE_NAMES`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from litterm.attribution.features.name_match import (
    introduction_strength,
    match_names,
    name_at_mark,
    stated_author_score,
    uses_name,
)
from litterm.attribution.features.shared_names import best_supported, support_names
from litterm.interfaces.arrays import Column
from litterm.model.attribution.citation import Excerpt
from litterm.model.paper import Paper, PaperId

POOL_FEATURES = (
    "text",
    "phrase",
    "length",
    "age",
    "log_age",
    "same_year",
    "conference",
    "leading",
    "workshop",
    "journal",
    "author",
    "first_author",
    "followers",
    "same_author",
    "same_topic",
)
"""Known of every paper of the pool, from the index alone."""
RECORD_FEATURES = ("acronym", "cited_as")
"""Known once the paper's record, and how others cite it, has been read: for the first of the pool."""
FEATURE_NAMES = (*POOL_FEATURES, *RECORD_FEATURES)
"""In the order of the weights."""

NAMED_POINTS, COINED_POINTS, STATED_POINTS, CONTRADICTED_POINTS = 6.0, 3.0, 5.0, -2.0
"""Points for a title that is in the claim, for having coined the name right at the mark, and for authors and year
beside the mark that agree, or do not. Set by hand: the excerpts that weights are fitted on have names taken out, and
in few of them a coined name is at the mark (19 of 600; right in 9, and R@1 gains .2)."""

INTRODUCED_POINTS = 8.0
"""For the first paper that introduces the name right at the mark in its title; half where only its abstract does. Set
by hand on typed sentences about 30 well-known works of the Anthology, see docs/benchmarks-history.md."""
_MAX_EARLIER_USERS = 2
"""Candidates of earlier years that may hold a new name by chance."""
_LATER_FACTOR = 0.75
"""Of the points of a later one with that name in its title, where too few words are around the mark to tell."""
_RIVAL_FACTOR = 0.25
"""Of the points of another work of that name, for which the words around the mark speak less."""

RARE_WORD_POINTS = 40.0
"""For a rare word near the mark that the semantic model does not know and the paper holds: more than all else says for
others. A long abstract that holds no other word of the excerpt has 20 points less than the best of a hundred thousand
papers, and its rivals up to 8 more by venue and authors; with 6 such a paper came first in half of the cases there,
with 24 in 197 of 200 (made-up names). On the excerpts that weights are fitted on 6 to 24 give the same."""
RARE_WORD_POINTS_WITH_AUTHORS = 6.0
"""The same where the mark states authors, who say more; and for the confidence, which was fitted on few such words."""

Matrix = npt.NDArray[np.float64]


def pool_features(features: Mapping[str, Column]) -> Matrix:
    """The features of a pool with every term as a column; what is not known yet, or not at all, is 0."""
    count = len(next(iter(features.values())))
    return np.column_stack([features[name] if name in features else np.zeros(count) for name in FEATURE_NAMES])


def add_record_features(
    rows: Matrix, places: Sequence[int], excerpt: Excerpt, papers: Sequence[Paper], cited_as: Column
) -> Matrix:
    """`rows` of the pool with what the records of `papers`, which are at `places`, and those who cite them add."""
    matrix = rows.copy()
    first = len(POOL_FEATURES)
    for place, paper, likeness in zip(places, papers, cited_as.tolist(), strict=True):
        matrix[place, first:] = (match_names(excerpt, paper).acronym, likeness)
    return matrix


def citation_context_features(rows: Matrix) -> dict[str, Column]:
    """How others cite each candidate, for `confidence`."""
    return {"cited_as": rows[:, FEATURE_NAMES.index("cited_as")]}


def named_points(excerpt: Excerpt, paper: Paper) -> float:
    """Points for what names the paper outright, or somebody else."""
    agreeing = stated_author_score(excerpt, paper)
    stated = agreeing * (STATED_POINTS if agreeing > 0 else -CONTRADICTED_POINTS)
    named = match_names(excerpt, paper)
    return NAMED_POINTS * named.title + COINED_POINTS * (named.coined == 1.0) + stated


def introduction_points(excerpt: Excerpt, papers: Sequence[Paper], known_by_name: Collection[PaperId] = ()) -> Column:
    """Points for those of `papers` that introduce the name at the mark, most for the first.

    Those `known_by_name` are known to have introduced it, whatever their records say.
    """
    points = np.zeros(len(papers))
    name = name_at_mark(excerpt)
    strengths = np.array([introduction_strength(name, paper) for paper in papers])
    if known_by_name and not (strengths == 1.0).any():
        # As much as for a paper whose title has the name: its record lacks only what is known from elsewhere.
        return (INTRODUCED_POINTS + COINED_POINTS) * np.array([float(paper.id in known_by_name) for paper in papers])
    if not name or not strengths.any():
        return points
    users = sorted(paper.year for paper in papers if paper.year and uses_name(name, paper))
    # Whoever explains a name that was in use already did not introduce it.
    is_new = [bool(paper.year) and bisect_left(users, paper.year or 0) <= _MAX_EARLIER_USERS for paper in papers]
    introducing = np.flatnonzero(strengths * is_new).tolist()
    support = support_names(excerpt, papers)
    if support.rivals > 1 and (support.is_telling or any(support.shares)):
        # Several works have that name: the words around the mark tell which is meant, and not who was first.
        points = INTRODUCED_POINTS * _RIVAL_FACTOR * (strengths == 1.0)
        points[best_supported(support, papers)] = INTRODUCED_POINTS
    elif introducing:
        # Of one year, the one with the name in its title; an abstract may repeat what another title says.
        first = min(introducing, key=lambda place: (papers[place].year or 0, -strengths[place]))
        if strengths[first] == 1.0:
            points = INTRODUCED_POINTS * _LATER_FACTOR * (strengths == 1.0)
        points[first] = INTRODUCED_POINTS * strengths[first]
    return points


def rare_word_points(excerpt: Excerpt) -> float:
    """What a rare word near the mark counts."""
    return RARE_WORD_POINTS_WITH_AUTHORS if excerpt.stated.families else RARE_WORD_POINTS
