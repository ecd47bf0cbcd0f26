"""Citing sentences whose paper is known, as matrices: one row per candidate, one column per sign."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.fact_features import FACT_FEATURES, FactFeatures
from litterm.attribution.features import FEATURE_NAMES, CitationContexts, Matrix, known_from_others
from litterm.attribution.learned import POOL_SIZE, LinearAttributor, ScoredPool
from litterm.attribution.weights import CONFIDENCE_FEATURES, FittedWeights
from litterm.core.errors import BadInput
from litterm.core.tasks import run
from litterm.interfaces.arrays import Column
from litterm.model.attribution.citation import CandidateBounds, Excerpt
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.search.citation_candidates import CitationCandidateSearcher


READ = 60
"""Candidates whose records are read for each excerpt, as when it counts."""
COUNT_FEATURES = ("count_rank", "lone_count_rank")
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
    """Of the citing paper; `None` where the excerpt is asked about as if it were not known."""
    text: str = ""
    """The text it was taken from, by which the citation facts are asked what they know without it."""

    @property
    def group(self) -> str:
        """What never parts into folds: the text it is from or, where that is unknown, the cited paper."""
        return self.text or self.target


@dataclass(frozen=True, slots=True)
class CitanceCase:
    """The candidates of one citance in one library."""

    citance: TrainingCitance
    rows: Matrix
    features: dict[str, Column]
    """What presence is read from: `share`, `cosine`, `cover`, `cited_as`."""
    right: npt.NDArray[np.bool_]
    """Which row is the target; none where the library or the pool lacks it."""
    covered: bool = False
    """Whether the facts know which words stand near the marks of the target."""

    @property
    def hit(self) -> bool:
        """Whether the target is among the candidates."""
        return bool(self.right.any())

    def without_target(self) -> CitanceCase:
        """The case as if the library did not hold the paper."""
        is_other = ~self.right
        features = {name: column[is_other] for name, column in self.features.items()}
        return replace(self, rows=self.rows[is_other], features=features, right=self.right[is_other])

    def without_contexts(self) -> CitanceCase:
        """The case as if nobody who cites a candidate had a full text."""
        rows = self.rows.copy()
        rows[:, FEATURE_NAMES.index(CITED_AS)] = 0
        return replace(self, rows=rows, features={**self.features, **known_from_others(rows)})

    @property
    def by_words(self) -> bool:
        """Whether the target is a candidate by its words, and not by its profile alone."""
        text = self.rows[:, FEATURE_NAMES.index("text")]
        return len(text) <= POOL_SIZE or bool((text[self.right] > text.min()).any())

    def without_facts(self, names: Sequence[str] = FACT_FEATURES) -> CitanceCase:
        """The case as if the facts knew nothing of the target, and all they know of the other candidates."""
        rows = self.rows.copy()
        for name in names:
            rows[self.right, FEATURE_NAMES.index(name)] = 0
        features = {**self.features, **known_from_others(rows)}
        return replace(self, rows=rows, features=features, covered=self.covered and "profiled" not in names)

    def without_profile(self) -> CitanceCase:
        """The case as if the facts knew no words near the marks of the target, but its count."""
        case = self.without_facts([name for name in FACT_FEATURES if name not in COUNT_FEATURES])
        case.rows[self.right, FEATURE_NAMES.index("lone_count_rank")] = case.rows[
            self.right, FEATURE_NAMES.index("count_rank")
        ]
        return case

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
    citances: Sequence[TrainingCitance],
    searcher: CitationCandidateSearcher,
    contexts: CitationContexts | None = None,
    facts: Callable[[str], FactFeatures] | None = None,
) -> Iterator[CitanceCase]:
    """The candidates of each, as the attributor would weigh them; excerpts without any are left out.

    `facts` gives what is known without the text that it is called with. It is asked anew where the text changes.
    """
    plain = FittedWeights(
        np.array([_PLAIN.get(term, 0.0) for term in FEATURE_NAMES]), 1.0, *np.zeros((2, len(CONFIDENCE_FEATURES) + 1))
    )
    fits = {"hybrid": plain, "bm25": plain}
    for text, same in groupby(citances, key=lambda citance: citance.text):
        known = facts(text) if facts is not None else None
        attributor = LinearAttributor(searcher, fits, contexts=contexts, facts=known)
        for citance in same:
            bounds = CandidateBounds(citance.year, exclude=(citance.citing,) if citance.citing else ())
            weighed = run(attributor.score_pool(citance.excerpt, bounds, max_records=READ))
            if weighed is not None:
                yield _case(citance, weighed, covered=known is not None and known.has_profile(citance.target))


def _case(citance: TrainingCitance, weighed: ScoredPool, *, covered: bool) -> CitanceCase:
    right = np.zeros(len(weighed.rows), np.bool_)
    right[[number for number, paper_id in enumerate(weighed.pool.ids()) if paper_id == citance.target]] = True
    features = {
        name: weighed.pool.features[name] for name in ("share", "cosine", "cover") if name in weighed.pool.features
    }
    return CitanceCase(citance, weighed.rows, {**features, **known_from_others(weighed.rows)}, right, covered)
