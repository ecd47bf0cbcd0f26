"""Interfaces between features and the parts they are built from: small protocols, one module per feature."""

from __future__ import annotations

from litterm.interfaces.citations import CitationCounter, CitationGraph, CitedPapers
from litterm.interfaces.library import Library, PaperReader, PdfParser, Records, TitleLookup, WorkLookup
from litterm.interfaces.llm import ChatModel, TextEmbedder
from litterm.interfaces.search import (
    AspectScorer,
    Attributor,
    AttributorChoice,
    EvidenceExtractor,
    FacetSearcher,
    HopSearcher,
    PaperSearcher,
    Reranker,
    ScoredSearcher,
    Searcher,
    WeightedSearcher,
    WordFrequencies,
)

__all__ = [
    "AspectScorer",
    "Attributor",
    "AttributorChoice",
    "ChatModel",
    "CitationCounter",
    "CitationGraph",
    "CitedPapers",
    "EvidenceExtractor",
    "FacetSearcher",
    "HopSearcher",
    "Library",
    "PaperReader",
    "PaperSearcher",
    "PdfParser",
    "Records",
    "Reranker",
    "ScoredSearcher",
    "Searcher",
    "TextEmbedder",
    "TitleLookup",
    "WeightedSearcher",
    "WordFrequencies",
    "WorkLookup",
]
