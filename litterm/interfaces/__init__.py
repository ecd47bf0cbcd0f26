"""Interfaces between features and the parts they are built from: small protocols, by feature."""

from __future__ import annotations

from litterm.interfaces.annotations import Journal, Lease, MatrixStore, SessionFile
from litterm.interfaces.aspects import AspectGrader, AspectScorer, AspectSplitter, GradeBook, ScopedSearcher
from litterm.interfaces.attribution import CitablePool, CitableSearcher, TitleFacts
from litterm.interfaces.chat_model import ChatModel
from litterm.interfaces.citation_counts import CitationCounter, CitedPapers, CountStore
from litterm.interfaces.citation_graph import CitationBook, CitationGraph, Lists
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
from litterm.interfaces.rerank import HopSearcher, RankJudge
from litterm.interfaces.search import (
    Attributor,
    BodyScores,
    CountedWords,
    EvidenceExtractor,
    FacetSearcher,
    IndexReader,
    ScoredSearcher,
    Searcher,
    TermScores,
    WeightedSearcher,
)

__all__ = [
    "AspectGrader",
    "AspectScorer",
    "AspectSplitter",
    "Attributor",
    "BodyScores",
    "ChatModel",
    "CitablePool",
    "CitableSearcher",
    "CitationBook",
    "CitationCounter",
    "CitationGraph",
    "CitedPapers",
    "CountStore",
    "CountedWords",
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
    "WorkLookup",
]
