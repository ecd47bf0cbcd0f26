"""What the engine gives of language models: evidence, rankings, aspects and citations, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.attribution.agent.runs import AgentAttribution
    from litterm.engine.parts import Parts
    from litterm.evidence.llm.llm_evidence import LlmEvidence
    from litterm.interfaces import ChatModel
    from litterm.model.llm import ModelCost
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.rerank.rerank import ModelRanking


class EngineModels:
    """The part of the engine that asks a language model."""

    _parts: Parts

    @property
    def model(self) -> ChatModel | None:
        """The language model of the settings; `None` if none is set, or it may not be asked offline."""
        return self._parts.model

    def spent(self) -> ModelCost:
        """What this process has spent on models so far; for a running total on the screen."""
        return self._parts.spent

    @property
    def aspects(self) -> Aspects:
        """Queries in several parts: split, scored a part, muted and weighed; graded where there is a model."""
        return self._parts.aspects

    @property
    def model_ranking(self) -> ModelRanking:
        """Rankings by a model: their cost, the requests, the answer in place of the local order."""
        return self._parts.model_ranking

    @property
    def citing(self) -> AgentAttribution:
        """Citations by a model that searches and reads: begun, gone on with, replayed."""
        return self._parts.citing

    @property
    def model_evidence(self) -> LlmEvidence:
        """Evidence with a model: its cost, its requests, the answer, another try at what failed."""
        return self._parts.model_evidence
