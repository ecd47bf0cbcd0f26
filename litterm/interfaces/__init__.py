"""Interfaces that have several implementations, which each names, or that a lower layer needs of a higher one."""

from __future__ import annotations

from litterm.interfaces.citations import CitationCounter, CitationGraph, CitedPapers
from litterm.interfaces.library import Library, PdfParser, Records, WorkLookup
from litterm.interfaces.llm import TextEmbedder
from litterm.interfaces.search import (
    AspectScorer,
    Attributor,
    EvidenceExtractor,
    HopSearcher,
    PaperSearcher,
    Reranker,
    Searcher,
    WordFrequencies,
)

__all__ = [
    "AspectScorer",
    "Attributor",
    "CitationCounter",
    "CitationGraph",
    "CitedPapers",
    "EvidenceExtractor",
    "HopSearcher",
    "Library",
    "PaperSearcher",
    "PdfParser",
    "Records",
    "Reranker",
    "Searcher",
    "TextEmbedder",
    "WordFrequencies",
    "WorkLookup",
]
