"""Reasons for a candidate's place in the ranking, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.attribution.features.candidate_features import FEATURE_NAMES
from litterm.attribution.features.name_match import (
    introduced_names,
    introduction_strength,
    match_names,
    name_at_mark,
    stated_author_score,
)
from litterm.model.attribution.citation import Excerpt
from litterm.model.paper import Paper
from litterm.text.escape import plain
from litterm.text.tokens import fold

_REASONS = {
    "text": "similar wording and meaning",
    "phrase": "shares a phrase",
    "conference": "main venue",
    "leading": "main venue",
    "journal": "journal of the field",
    "author": "prolific author",
    "first_author": "prolific author",
    "followers": "influential title",
    "age": "age",
    "log_age": "age",
    "same_year": "age",
    "same_author": "shares an author with the citing paper",
    "same_topic": "near the citing paper's topic",
    "acronym": "its title abbreviates to “{}”",
    "cited_as": "others cite it in such words",
}
_MAX_REASONS = 4
"""Reasons of one candidate."""
_MIN_POINTS = 0.25
"""Points over the average candidate that are worth a word."""


def explain_candidate(excerpt: Excerpt, paper: Paper, points_over_average: Sequence[float]) -> tuple[str, ...]:
    """At most four reasons, the weightiest first; `points_over_average` are those of each feature."""
    sentences = []
    match = match_names(excerpt, paper)
    if match.title:
        sentences.append("the excerpt names its title")
    if stated_author_score(excerpt, paper) > 0:
        sentences.append("authors at the mark agree")
    if match.coined:
        # Many titles use a name that another paper introduced: "A case study of BERT".
        is_introduced = fold(match.coined_name) in introduced_names(paper.title)
        sentences.append(f"{'introduced' if is_introduced else 'its title has'} “{plain(match.coined_name)}”")
    elif (name := name_at_mark(excerpt)) and (strength := introduction_strength(name, paper)):
        sentences.append(f"{'introduced' if strength == 1.0 else 'its abstract introduces'} “{plain(name)}”")
    for term in sorted(range(len(FEATURE_NAMES)), key=lambda term: -points_over_average[term]):
        reason = _REASONS.get(FEATURE_NAMES[term], "").format(plain(match.acronym_name))
        if points_over_average[term] >= _MIN_POINTS and reason and reason not in sentences:
            sentences.append(reason)
    return tuple(sentences[:_MAX_REASONS])
