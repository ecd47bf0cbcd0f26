"""The seams between the verbs and the parts. Small protocols; fakes fit them in five lines."""

from __future__ import annotations

from litterm.protocols.asking import ChatModel
from litterm.protocols.aspects import AspectGrader, AspectScorer, AspectSplitter, GradeBook, ScopedSearcher
from litterm.protocols.citing import CitablePool, CitableSearcher, TitleFacts
from litterm.protocols.desk import Journal, Lease, MatrixStore, SessionFile
from litterm.protocols.graph import CitationBook, CitationGraph, Lists
from litterm.protocols.judging import EvidenceJudge
from litterm.protocols.ranking import (
    Attributor,
    BodyScores,
    EvidenceExtractor,
    IndexReader,
    Searcher,
    TermScores,
    WeightedSearcher,
)
from litterm.protocols.records import (
    FailureBook,
    Library,
    PaperReader,
    PaperWriter,
    PdfText,
    Records,
    TitleLookup,
    WorkLookup,
)
from litterm.protocols.reranking import HopSearcher, RankJudge
from litterm.protocols.vectors import Embedder, StemVectors, TextEmbedder, VectorScores

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
    "CitationGraph",
    "Embedder",
    "EvidenceExtractor",
    "EvidenceJudge",
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
