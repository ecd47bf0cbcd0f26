"""A question with known answers, as all retrieval benches use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from litterm.core.tasks import Task
from litterm.model.paper import PaperId

Target: TypeAlias = frozenset[PaperId]
"""The ids under which a library holds one relevant paper; empty where it lacks it."""


@dataclass(frozen=True, slots=True)
class QueryCase:
    """One query. A method may read `query`, `until`, `exclude`, `pool` and `about` only."""

    key: str
    query: str
    targets: tuple[Target, ...]
    cluster: str
    """What it shares with others (a target paper, a reading list); cases of one cluster are resampled together."""
    parts: tuple[tuple[str, str], ...] = ()
    """Of which parts of the data it is: property and value, for example `("set", "manual_acl")`."""
    until: int | None = None
    """The newest year a candidate may have."""
    exclude: frozenset[PaperId] = frozenset()
    """Papers that are no candidates: the one that cites, the list's own."""
    pool: tuple[PaperId, ...] = ()
    """The only candidates; empty where the whole library is."""
    grades: Mapping[PaperId, float] = field(default_factory=dict)
    """Graded relevance within the pool; without it every target counts 1."""
    criteria: int = 0
    """Of how many criteria each grade is the mean; 0 where that is not known."""
    about: PaperId | None = None
    """The paper that is itself the query; `query` is then what is asked of it."""


Method: TypeAlias = Callable[[QueryCase], Task[Sequence[PaperId]]]
"""Case to a ranking, the best first."""


def earlier_year(case_until: int | None, until: int | None) -> int | None:
    """The earlier of two years, `None` being no limit."""
    years = [year for year in (case_until, until) if year is not None]
    return min(years) if years else None
