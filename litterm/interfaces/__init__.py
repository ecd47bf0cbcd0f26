"""Interfaces between features and the parts they are built from: small protocols, a module a feature."""

from __future__ import annotations

from litterm.interfaces.annotations import Journal, Lease, MatrixStore, SessionFile
from litterm.interfaces.attribution import TitleFacts
from litterm.interfaces.chat_model import ChatModel
from litterm.interfaces.citation_counts import CitationCounter, CitedPapers
from litterm.interfaces.citation_graph import CitationGraph, Lists
from litterm.interfaces.embeddings import Embedder, StemVectors, TextEmbedder, VectorScores
from litterm.interfaces.evidence import EvidenceJudge
from litterm.interfaces.library import (
    FailureBook,
    Library,
    PaperReader,
    PaperWriter,
    PdfText,
    Records,
    TitleLookup,
    WorkLookup,
)
from litterm.interfaces.search import (
    AspectScorer,
    Attributor,
    BodyScores,
    EvidenceExtractor,
    FacetSearcher,
    GradeBook,
    HopSearcher,
    IndexReader,
    PaperSearcher,
    RankJudge,
    ScopedSearcher,
    ScoredSearcher,
    Searcher,
    TermScores,
    WeightedSearcher,
    WordFrequencies,
)

__all__ = [
    "AspectScorer",
    "Attributor",
    "BodyScores",
    "ChatModel",
    "CitationCounter",
    "CitationGraph",
    "CitedPapers",
    "Embedder",
    "EvidenceExtractor",
    "EvidenceJudge",
    "FacetSearcher",
    "FailureBook",
    "GradeBook",
    "HopSearcher",
    "IndexReader",
    "Journal",
    "Lease",
    "Library",
    "Lists",
    "MatrixStore",
    "PaperReader",
    "PaperSearcher",
    "PaperWriter",
    "PdfText",
    "RankJudge",
    "Records",
    "ScopedSearcher",
    "ScoredSearcher",
    "Searcher",
    "SessionFile",
    "StemVectors",
    "TermScores",
    "TextEmbedder",
    "TitleFacts",
    "TitleLookup",
    "VectorScores",
    "WeightedSearcher",
    "WordFrequencies",
    "WorkLookup",
]
