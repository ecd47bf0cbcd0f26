"""Reasons for a candidate's place in the ranking, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.attribution.features.candidate_features import TERMS
from litterm.attribution.features.name_match import naming, states_authors
from litterm.model.attribution.citation import Excerpt
from litterm.model.paper import Paper
from litterm.text.escape import plain

_REASONS = {
    "text": "similar wording and meaning",
    "phrase": "shares a phrase",
    "conference": "main venue",
    "journal": "journal of the field",
    "author": "prolific author",
    "followers": "influential title",
    "age": "age",
    "log_age": "age",
    "same_author": "shares an author with the citing paper",
    "same_topic": "near the citing paper's topic",
    "acronym": "its title abbreviates to “{}”",
    "cited_as": "others cite it in such words",
}
_MOST = 4
"""Reasons of one candidate."""
_ENOUGH = 0.25
"""Points over the average candidate that are worth a word."""


def reasons(excerpt: Excerpt, paper: Paper, lead: Sequence[float]) -> tuple[str, ...]:
    """At most four reasons, the weightiest first; `lead` is what each of `TERMS` gives over the average candidate."""
    sentences = []
    match = naming(excerpt, paper)
    if match.title:
        sentences.append("the excerpt names its title")
    if states_authors(excerpt, paper) > 0:
        sentences.append("authors at the mark agree")
    if match.coined:
        sentences.append(f"introduced “{plain(match.coined_name)}”")
    for term in sorted(range(len(TERMS)), key=lambda term: -lead[term]):
        reason = _REASONS.get(TERMS[term], "").format(plain(match.acronym_name))
        if lead[term] >= _ENOUGH and reason and reason not in sentences:
            sentences.append(reason)
    return tuple(sentences[:_MOST])
