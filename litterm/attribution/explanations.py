"""Why a candidate stands where it does, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.attribution.features import TERMS
from litterm.attribution.name_match import naming, states_authors
from litterm.model.citation import Excerpt
from litterm.model.paper import Paper

_SAID = {
    "text": "similar wording and meaning",
    "phrase": "shares a phrase",
    "conference": "main venue",
    "journal": "journal of the field",
    "author": "prolific author",
    "followers": "influential title",
    "age": "age",
    "log_age": "age",
    "same_author": "shares an author with the citing paper",
    "acronym": "its title abbreviates to a name in the excerpt",
    "cited_as": "others cite it in such words",
}
_MOST = 4
_ENOUGH = 0.25
"""Points over the average candidate that are worth a word."""


def reasons(excerpt: Excerpt, paper: Paper, lead: Sequence[float]) -> tuple[str, ...]:
    """At most four reasons, the weightiest first; `lead` is what each of `TERMS` gives over the average candidate."""
    said = []
    if naming(excerpt, paper).title:
        said.append("the excerpt names its title")
    if states_authors(excerpt, paper) > 0:
        said.append("authors at the mark agree")
    if naming(excerpt, paper).coined:
        said.append("introduced a name in the excerpt")
    for at in sorted(range(len(TERMS)), key=lambda place: -lead[place]):
        reason = _SAID.get(TERMS[at], "")
        if lead[at] >= _ENOUGH and reason and reason not in said:
            said.append(reason)
    return tuple(said[:_MOST])
