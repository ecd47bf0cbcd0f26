"""Citing sentences whose paper is known, as matrices: one row per candidate, one column per sign."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.features import FEATURE_NAMES, CitationContexts, Matrix, citation_context_features
from litterm.attribution.learned import LinearAttributor, ScoredPool
from litterm.attribution.weights import CONFIDENCE_FEATURES, FittedWeights
from litterm.core.errors import BadInput
from litterm.core.tasks import run
from litterm.interfaces.arrays import Column
from litterm.model.attribution.citation import CandidateBounds, Excerpt
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.search.citation_candidates import CitationCandidateSearcher


READ = 150
"""Candidates whose records are read for each excerpt; more than when it counts, for the weights of what they add."""
CITED_AS = "cited_as"
"""The sign that takes full texts of citing papers."""
SAME_AUTHOR, SAME_TOPIC = "same_author", "same_topic"
"""The features that take the citing paper."""
_SCHEME = "acl"
_PLAIN = {"text": 1.0}
"""What says whose records are read, before anything is fitted."""


@dataclass(frozen=True, slots=True)
class TrainingCitance:
    """A citing sentence of known target."""

    key: str
    excerpt: Excerpt
    target: PaperId
    citing: PaperId
    year: int | None
    """Of the citing paper."""


@dataclass(frozen=True, slots=True)
class CitanceCase:
    """The candidates of one citance in one library."""

    citance: TrainingCitance
    rows: Matrix
    features: dict[str, Column]
    """What presence is read from: `share`, `cosine`, `cover`, `cited_as`."""
    right: npt.NDArray[np.bool_]
    """Which row is the target; none where the library or the pool lacks it."""

    @property
    def hit(self) -> bool:
        """Whether the target is among the candidates."""
        return bool(self.right.any())

    def without_target(self) -> CitanceCase:
        """The case as if the library did not hold the paper."""
        is_other = ~self.right
        features = {name: column[is_other] for name, column in self.features.items()}
        return CitanceCase(self.citance, self.rows[is_other], features, self.right[is_other])

    def without_contexts(self) -> CitanceCase:
        """The case as if nobody who cites a candidate had a full text."""
        rows = self.rows.copy()
        rows[:, FEATURE_NAMES.index(CITED_AS)] = 0
        return replace(self, rows=rows, features={**self.features, **citation_context_features(rows)})

    def without_source(self) -> CitanceCase:
        """The case as if nobody knew who cites."""
        rows = self.rows.copy()
        rows[:, [FEATURE_NAMES.index(SAME_AUTHOR), FEATURE_NAMES.index(SAME_TOPIC)]] = 0
        return replace(self, rows=rows)


def read_citances(path: Path) -> list[TrainingCitance]:
    """Every line of a JSON Lines file with `id`, `excerpt`, `target_id`, `citing_id` and `citing_year`.

    Raises:
        BadInput: a line is not of that form.
    """
    citances = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            fields = json.loads(line)
            excerpt = read_excerpt(str(fields["excerpt"]))
            target, citing = (PaperId(f"{_SCHEME}:{fields[name]}") for name in ("target_id", "citing_id"))
            citances.append(TrainingCitance(str(fields["id"]), excerpt, target, citing, fields["citing_year"]))
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"{path}:{number}: not a citing sentence ({error!r}).") from error
    return citances


def cases(
    citances: Sequence[TrainingCitance], searcher: CitationCandidateSearcher, contexts: CitationContexts | None = None
) -> Iterator[CitanceCase]:
    """The candidates of each, as the attributor would weigh them; excerpts without any are left out."""
    plain = FittedWeights(
        np.array([_PLAIN.get(term, 0.0) for term in FEATURE_NAMES]), 1.0, *np.zeros((2, len(CONFIDENCE_FEATURES) + 1))
    )
    attributor = LinearAttributor(searcher, {"hybrid": plain, "bm25": plain}, contexts=contexts)
    for citance in citances:
        bounds = CandidateBounds(citance.year, exclude=(citance.citing,))
        weighed = run(attributor.score_pool(citance.excerpt, bounds, max_records=READ))
        if weighed is not None:
            yield _case(citance, weighed)


def _case(citance: TrainingCitance, weighed: ScoredPool) -> CitanceCase:
    right = np.zeros(len(weighed.rows), np.bool_)
    right[[number for number, paper_id in enumerate(weighed.pool.ids()) if paper_id == citance.target]] = True
    features = {
        name: weighed.pool.features[name] for name in ("share", "cosine", "cover") if name in weighed.pool.features
    }
    return CitanceCase(citance, weighed.rows, {**features, **citation_context_features(weighed.rows)}, right)
