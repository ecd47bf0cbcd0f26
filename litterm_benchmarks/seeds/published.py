"""What the five papers report, and which of our figures belongs beside each.

Figures are percentages, copied from the papers; what no source at hand gives is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from litterm_benchmarks.attribution.citeme import USES
from litterm_benchmarks.attribution.failures import BY_RULES, FAILURE_CLASSES, FAILURES

_NOT_YET: Final = "not measured yet"
TEXTS: Final = "texts"
"""The part of the questions with an answer whose full text is there, by what is searched."""
_NO_TEXTS: Final = "the note says why"
_NO_SINGLE_GRADES: Final = "needs the grades of single aspects, which only the published data have"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table, and where its figure lies in the report of a bench."""

    name: str
    metric: str = ""
    """Empty where it is not measured."""
    field: str = ""
    """Of a part of the data; empty for the whole."""
    value: str = ""
    """Of that part; `*` for a line for each value there is."""
    method: str = ""
    """Whose row it is in, shown in the column `litterm`; empty: the row of each column."""
    why: str = ""
    """Why it is not measured."""


@dataclass(frozen=True, slots=True)
class SeedTable:
    """The tables of one paper."""

    title: str
    size: str
    """The published data in words."""
    lines: tuple[Line, ...]
    published: Mapping[str, Mapping[str, float]]
    """By system, the figures by the names of lines."""
    ours: Mapping[str, str]
    """By column, the method of the bench."""
    cases: int = 0
    """Cases by which the published data is known."""
    not_run: Mapping[str, str] = field(default_factory=dict)
    """By column, why it has no figures."""


def _figures(lines: tuple[Line, ...], *values: float) -> dict[str, float]:
    """`values` for the first of `lines`."""
    return {line.name: value for line, value in zip(lines, values, strict=False)}


_LITSEARCH_LINES = (
    Line("broad: R@20", "recall@20", "specificity", "broad"),
    Line("specific: R@5", "recall@5", "specificity", "specific"),
    Line("specific, inline, quality 1: R@5", "recall@5", "cell of a quality", "inline, 1"),
    Line("specific, inline, quality 2: R@5", "recall@5", "cell of a quality", "inline, 2"),
    Line("specific, author, quality 1: R@5", "recall@5", "cell of a quality", "author, 1"),
    Line("specific, author, quality 2: R@5", "recall@5", "cell of a quality", "author, 2"),
    Line("inline, broad: R@20", "recall@20", "cell", "inline, broad"),
    Line("inline, broad: R@50", "recall@50", "cell", "inline, broad"),
    Line("inline, specific: R@5", "recall@5", "cell", "inline, specific"),
    Line("inline, specific: R@20", "recall@20", "cell", "inline, specific"),
    Line("author, broad: R@20", "recall@20", "cell", "author, broad"),
    Line("author, broad: R@50", "recall@50", "cell", "author, broad"),
    Line("author, specific: R@5", "recall@5", "cell", "author, specific"),
    Line("author, specific: R@20", "recall@20", "cell", "author, specific"),
    Line("all of a set: R@20", "recall@20", "set", "*"),
    Line("R@20, answers of", "recall@20", "years of the answer", "*"),
    *(Line(f"all: R@{k}", f"recall@{k}") for k in (1, 5, 10, 20, 50)),
    Line("all: NDCG@10", "ndcg@10"),
    *(
        Line(f"table 5, {texts}: {name}", metric, TEXTS, texts, "litterm", _NO_TEXTS)
        for texts in ("title and abstract", "full texts")
        for name, metric in (("R@5", "recall@5"), ("R@20", "recall@20"))
    ),
)
LITSEARCH: Final = SeedTable(
    title="LitSearch, tables 3 to 6",
    size="597 questions",
    cases=597,
    lines=_LITSEARCH_LINES,
    published={
        "BM25": _figures(_LITSEARCH_LINES, 39.9, 50.0, 36.4, 30.6, 62.2, 55.0),
        "BM25, reranked": _figures(_LITSEARCH_LINES, 59.9, 68.0),
        "BM25, one hop, reranked": _figures(_LITSEARCH_LINES, 64.8, 68.6),
        "GritLM": _figures(_LITSEARCH_LINES, 70.8, 74.8, 67.3, 58.7, 80.0, 76.6),
        "GritLM, reranked": _figures(_LITSEARCH_LINES, 75.3, 79.2),
    },
    ours={
        "bm25": "bm25",
        "one hop": "one-hop",
        "interleaved": "one-hop-interleaved",
        "best order": "ceiling",
        "litterm": "litterm",
    },
    not_run={
        "reranked": "asks a model for each question: `litterm bench litsearch PATH --method rerank --yes`",
        "one hop, reranked": "the same with `--method one-hop-rerank`",
        "random": "twenty drawn at random hold 20 / (papers in the library) of the answers",
    },
)

_OF_PLACE = "aspects in the first and last ten sentences"
_EVIDENCE_LINES = (
    Line("ER@Optimal", "er@optimal"),
    Line("ER@10", "er@10"),
    Line("Result-ER@Optimal", "result-er@optimal"),
    Line("Result-ER@5", "result-er@5"),
    Line("ER@Optimal, over 80 % in the first and last ten", "er@optimal", _OF_PLACE, "over 80 %"),
    Line("ER@Optimal, under 20 % there", "er@optimal", _OF_PLACE, "under 20 %"),
    Line("Result-ER@Optimal, paraphrased", "result-er@optimal", method="paraphrased"),
    Line("the same hypotheses as published", "result-er@optimal", "hypotheses", "as published", "paraphrased"),
    Line("ER@Optimal, negated", "er@optimal", method="negated"),
    Line("the same hypotheses as published, all aspects", "er@optimal", "hypotheses", "as published", "negated"),
)
_PARAPHRASED, _NEGATED = _EVIDENCE_LINES[6].name, _EVIDENCE_LINES[8].name
EVIDENCEBENCH: Final = SeedTable(
    title="EvidenceBench, tables 3, 4 and 14",
    size="293 test papers; paraphrases the mean of four by models",
    cases=293,
    lines=_EVIDENCE_LINES,
    published={
        "random": _figures(_EVIDENCE_LINES, 9.6, 22.3, 4.4, 11.4),
        "BM25": _figures(_EVIDENCE_LINES, 16.5, 34.4),
        "OpenAI": _figures(_EVIDENCE_LINES, 25.1, 42.2, 19.1, 33.1) | {_PARAPHRASED: 18.8},
        "GritLM": _figures(_EVIDENCE_LINES, 27.0, 46.4, 18.9, 39.1) | {_PARAPHRASED: 20.5},
        "GPT-4o, whole": _figures(_EVIDENCE_LINES, 48.1, 69.6) | {_NEGATED: 46.7},
        "GPT-4o, sections": _figures(_EVIDENCE_LINES, 50.9, 71.6),
        "GPT-4o, best": _figures(_EVIDENCE_LINES, 51.4, 71.6, 52.6, 70.8) | {_PARAPHRASED: 50.7},
        "upper bound": _figures(_EVIDENCE_LINES, 100.0, 99.3, 100.0, 99.8),
    },
    ours={
        "random": "random",
        "bm25": "bm25",
        "embeddings": "embeddings",
        "lead": "lead",
        "oracle": "oracle",
        "litterm": "litterm-hypothesis",
    },
    not_run={"with a model": "asks a model: `litterm bench evidencebench FILE --strategy sections`"},
)

_FAILURES = f"{FAILURES}: "
_CITEME_LINES = (
    Line("accuracy", "accuracy"),
    Line("among the first ten", "accuracy@10"),
    Line("technical trouble", "technical", method="agent", why="asks a model"),
    *(Line(f"{_FAILURES}{kind}", kind, FAILURES, BY_RULES) for kind in FAILURE_CLASSES),
    Line("found, not chosen (of failures)", "found, not chosen"),
    Line("seconds", "seconds"),
    Line("accuracy, excerpts of", "accuracy", "citing year", "*"),
    Line("accuracy, cited papers of", "accuracy", "target year", "*"),
)
CITEME: Final = SeedTable(
    title="CiteME, tables 4, 5 and 8, section 5.1",
    size="130 excerpts over Semantic Scholar; people on 100 of them, who also sorted 50 failures",
    cases=130,
    lines=_CITEME_LINES,
    published={
        "SPECTER2": _figures(_CITEME_LINES, 0.0),
        "GPT-4o alone": _figures(_CITEME_LINES, 0.0),
        "Claude 3 Opus alone": _figures(_CITEME_LINES, 18.5),
        "agent, GPT-4o": _figures(_CITEME_LINES, 35.3)
        | {
            "technical trouble": 5.8,
            f"{_FAILURES}misread the excerpt": 50.0,
            f"{_FAILURES}stopped at a near match": 32.0,
            f"{_FAILURES}took a paper that cites it": 18.0,
            # An eighth of those that stopped too early.
            "found, not chosen (of failures)": 4.0,
        },
        "people": _figures(_CITEME_LINES, 69.7),
    },
    ours={
        "random": "random",
        "in the library": "ceiling",
        **{name: name for name in USES if name != "litterm"},
        "litterm": "litterm",
    },
    not_run={"agent": "asks a model: `litterm bench citeme FILE --method agent --yes`"},
)

_DORIS_LINES = (
    Line("R@5", "recall@5"),
    Line("R@20", "recall@20"),
    Line("R-precision", "r-precision"),
    Line("NDCG at 10 %, exponential", "ndcg-exp%10"),
    Line("MRR@10 of the best-graded", "mrr-best@10"),
    Line("MAP", "map"),
    *(
        Line(f"two aspects: {name}", metric, "queries", "of two aspects", why=_NO_SINGLE_GRADES)
        for name, metric in (
            ("R@5", "recall@5"),
            ("R@20", "recall@20"),
            ("R-precision", "r-precision"),
            ("NDCG at 10 %", "ndcg-exp%10"),
            ("MRR@10", "mrr-best@10"),
            ("MAP", "map"),
        )
    ),
    Line("R@20, queries of", "recall@20", "kind of query", "*", why="these data do not tell the field of a query"),
)
DORIS_MAE: Final = SeedTable(
    title="DORIS-MAE, tables 2, 6, 7 and 14",
    size="100 queries",
    cases=100,
    lines=_DORIS_LINES,
    published={
        "random": _figures(_DORIS_LINES, 4.4, 18.5, 16.3, 7.3, 3.6, 19.6),
        "BM25": _figures(_DORIS_LINES, 8.5, 30.5, 21.9, 13.2, 9.2, 26.0),
        "SPECTER-v2": _figures(_DORIS_LINES, 14.5, 43.4, 33.4, 25.7, 17.2, 37.1),
        "ada-002": _figures(_DORIS_LINES, 15.4, 42.8, 35.8, 27.5, 19.9, 40.4),
        "RocketQA-v2": _figures(_DORIS_LINES, 15.6, 45.4, 34.4, 30.3, 20.9, 40.2),
        "E5-L-v2": _figures(_DORIS_LINES, 16.5, 43.8, 37.5, 25.9, 14.9, 40.5),
        "SentBERT": _figures(_DORIS_LINES, 14.1, 44.7, 33.8, 21.9, 13.2, 37.8),
        "SentBERT, gold aspects": _figures(_DORIS_LINES, 17.7, 45.3, 35.7, 25.0, 15.5, 39.9),
    },
    ours={
        "random": "random",
        "bm25": "bm25",
        "best order": "ceiling",
        "gold aspects": "gold aspects",
        "each gold aspect": "gold aspects, each",
        "each aspect": "each aspect",
        "aspects, sum": "aspects, sum",
        "sentences": "sentences",
        "litterm": "litterm",
    },
)

_LIST_LINES = (
    Line("in the Anthology: R@20", "recall@20"),
    Line("NDCG@20", "ndcg@20"),
    Line("MRR@20", "mrr@20"),
    Line("all references: R@20", "recall@20 all"),
    Line("NDCG@20, all", "ndcg@20 all"),
    Line("MRR@20, all", "mrr@20 all"),
    Line("R@20, annotator", "recall@20", "annotator", "*"),
    Line("R@20, year", "recall@20", "year", "*"),
)
_OF_ALL = _LIST_LINES[3:]
ACL_RLG: Final = SeedTable(
    title="ACL-rlg, tables 4, 5 and 8",
    size="85 lists, Anthology of July 2024",
    lines=_LIST_LINES,
    published={
        "Semantic Scholar": _figures(_LIST_LINES, 7.9, 5.6, 8.0),
        "most cited of 100": _figures(_LIST_LINES, 10.4, 7.1, 10.3),
        "BM25": _figures(_LIST_LINES, 9.7, 5.9, 8.1)
        | {f"R@20, annotator {name}": value for name, value in (("A1", 8.9), ("A2", 9.2), ("A3", 11.2))},
        "SPECTER2": _figures(_LIST_LINES, 6.6, 3.7, 4.6),
        "Google Scholar": _figures(_OF_ALL, 7.5, 6.4, 11.8),
        "GPT-4o": _figures(_OF_ALL, 11.0, 10.9, 20.5),
    },
    ours={
        "best order": "ceiling",
        "bm25": "bm25",
        "search": "litterm",
        "list": "list",
        "list, out of fold": "list, out of fold",
        "most cited": "most-cited",
    },
    not_run={"with a model": "asks a model: `litterm bench acl-rlg PATH --method list-model --yes`"},
)

TABLES: Final[Mapping[str, SeedTable]] = {
    "litsearch": LITSEARCH,
    "evidencebench": EVIDENCEBENCH,
    "citeme": CITEME,
    "doris-mae": DORIS_MAE,
    "acl-rlg": ACL_RLG,
}
"""By the name of the bench."""
