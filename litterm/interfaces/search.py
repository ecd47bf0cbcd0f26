"""Interfaces of what ranks papers, sentences and citations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from litterm.model.search import DEFAULT_RESULTS

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.aspects import AspectScores
    from litterm.model.attribution.citation import Attribution, CandidateBounds, Excerpt
    from litterm.model.document import Document
    from litterm.model.evidence import Evidence, EvidenceScope
    from litterm.model.llm import CostEstimate
    from litterm.model.paper import PaperId
    from litterm.model.search import HopOptions, Query, Ranking, SortOrder


class WordFrequencies(Protocol):
    """Words with how often each is there: what an unfinished or misspelt word may mean.

    `SegmentIndex` for titles and abstracts, `FullTextIndex` for full texts, `ShardWords` for those of a cluster.
    """

    def expand(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        """Words that start with `prefix` (folded), the most frequent first."""
        ...

    def similar_words(self, word: str, slips: int) -> tuple[tuple[str, int], ...]:
        """Words with the first letter of `word` that may be up to `slips` slips away; some are further."""
        ...


class Searcher(Protocol):
    """Query to ranking: `HybridSearcher`, and `LexicalSearcher` by words alone."""

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; ties by id; with words, only papers that have a score.

        A paper's score does not depend on the other papers in `within`.
        """
        ...


class HopSearcher(Protocol):
    """A search that takes in papers one citation away: `OneHopSearcher`, and `RemoteHops` of a server."""

    def search(self, query: Query, *, k: int, hop: HopOptions) -> Task[Ranking]:
        """The best `k` papers of the first and their neighbours."""
        ...


class PaperSearcher(Protocol):
    """What was typed to a ranking of all papers: `SearchPapers`, and `RemoteSearcher` of a server."""

    def search(
        self,
        typed: str | Query,
        *,
        k: int = DEFAULT_RESULTS,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; the user's own first.

        Raises:
            QueryError: `typed` cannot be read.
            UnknownPaper: `like:` or `unlike:` names a paper that does not exist.
        """
        ...


class EvidenceExtractor(Protocol):
    """Hypothesis and document to evidence sentences.

    `LinearExtractor`, `LexicalExtractor` where its weights cannot be read, `LlmExtractor`, and `RemoteExtractor`.
    """

    name: str

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        """At most `k` sentences that jointly cover most; yields `EvidenceFound` as sections are done.

        Fewer, or none, where the method finds that the paper says less on the hypothesis; `everything` asks
        for `k` regardless.
        """
        ...


class Attributor(Protocol):
    """Excerpt to the paper it cites: `LinearAttributor`, `LexicalAttributor`, and `RemoteAttributor` of a server."""

    name: str

    def attribute(self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds) -> Task[Attribution]:
        """At most `k` candidates within `bounds`, the likeliest first."""
        ...


class Reranker(Protocol):
    """A model that orders a ranking, `LlmReranker` or `EmbeddingReranker`; one run, whose caps count over all calls."""

    def rank(self, ranking: Ranking) -> Task[Ranking]:
        """`ranking` in the model's order, every paper kept; where it fails the local order, and a notice says so."""
        ...

    def estimate(self, ranking: Ranking) -> CostEstimate:
        """What `rank` would cost at most; sends nothing."""
        ...


class AspectScorer(Protocol):
    """Aspects and papers to scores, offline: `SearchAspectScorer`, and `RemoteAspects` of a server."""

    def scores(self, texts: Sequence[str], papers: Sequence[PaperId]) -> Task[AspectScores]:
        """A score in [0, 1] for every text and paper."""
        ...
