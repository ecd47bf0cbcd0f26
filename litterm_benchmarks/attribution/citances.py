"""Citation attribution: does the cited paper come back for the sentence that cites it.

As CiteME does, only papers up to the citing year are candidates, and never the citing paper itself. No score may
come from a candidate's own full text: the control shows what merely knowing who has one would give.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from pathlib import Path

from litterm.attribution.weights import WEIGHTS_FILE
from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.attribution.agent import AgentOptions
from litterm.model.events import Notice
from litterm.model.llm import CostEstimate
from litterm.model.paper import PaperId
from litterm_benchmarks.attribution.citeme import USES
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.readers.citances import MaskedCitance, citance
from litterm_benchmarks.report import BenchReport
from litterm_benchmarks.search.cases import Method, QueryCase, earlier_year
from litterm_benchmarks.search.library_records import papers_by_key, with_versions
from litterm_benchmarks.search.litterm_methods import CONTROL, DEPTH, RERANK, Subject, leak_note
from litterm_benchmarks.search.retrieval import choose_methods, rank_cases, report_rows
from litterm_benchmarks.search.training_overlap import overlap_note

AGENTS = {name: options for name, options in USES.items() if options is not None}
"""Methods that have a model search, by name."""
_COUNTERPARTS = {RERANK: "search", **dict.fromkeys(AGENTS, "litterm")}
METHODS = ("litterm", "search", "bm25", CONTROL, RERANK, *AGENTS)
_CANDIDATES = 20
"""Candidates asked of the attributor: each gets a supporting sentence, which the other methods do not look for."""
_OUT_OF_FOLD = {
    "scores": "without full texts",
    "scores_with_texts": "with those of citing papers",
    "scores_without_source": "where nobody knows who cites",
}


def measure(
    path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None
) -> Task[BenchReport]:
    """`litterm` is the attributor, `search` the excerpt pasted into plain search, `bm25` the same by bm25s.

    Where they are named, `rerank` is plain search in the order of a language model, and `agent` and its variants have
    a model search, as `litterm cite --agent` does.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: it holds no citing sentence, or a method is not known.
    """
    selected = choose_methods(_methods(subject), methods, {RERANK: subject.rerank, **_agents(subject)}, _COUNTERPARTS)
    citances = list(read_rows(path, citance))
    if not citances:
        raise UsageError(f"{path} holds no citing sentence")
    queries = cases(citances, subject, until)
    answers = yield from rank_cases(queries, selected, subject.at_once(RERANK, *AGENTS))
    notes = [
        f"mrr and map over the first {DEPTH} results, of the attributor over its first {_CANDIDATES} candidates",
        f"the papers that {_with_text(citances, subject)} of the excerpts are from have a full text here",
        *fitted_note(path),
        leak_note(subject),
        overlap_note(queries, subject.holdings),
    ]
    return BenchReport(
        "citance",
        path.name,
        len(queries),
        report_rows(queries, answers, subject.holdings, counterparts=_COUNTERPARTS),
        tuple(notes),
    )


def estimate_cost(path: Path, engine: Engine, methods: Sequence[str]) -> CostEstimate | None:
    """What asking the agent about every excerpt would cost at most; `None` where it is not to be asked.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: no model is set.
        ModelError: it cannot be asked.
    """
    wanted = [AGENTS[name] for name in AGENTS if name in methods]
    costs = [
        engine.citing.estimate(engine.excerpt(item.excerpt), options, before=item.citing_year)
        for options in wanted
        for item in read_rows(path, citance)
    ]
    return reduce(CostEstimate.plus, costs) if costs else None


def fitted_note(path: Path, weights: Path = WEIGHTS_FILE) -> tuple[str, ...]:
    """What the shipped weights reach out of fold, where they were fitted on these very excerpts."""
    fitted = json.loads(weights.read_text("utf-8"))
    if hashlib.sha256(path.read_bytes()).hexdigest() not in {source["sha256"] for source in fitted["data"]}:
        return ()
    hybrid = fitted["fits"]["hybrid"]
    scores = "; ".join(f"{name} {_figures(hybrid[field])}" for field, name in _OUT_OF_FOLD.items() if field in hybrid)
    return (f"the weights of litterm were fitted on these excerpts; out of fold, by cited paper: {scores}",)


def _figures(metrics: Mapping[str, Mapping[str, float]]) -> str:
    return ", ".join(f"{name} {value['mean']}±{value['se']}" for name, value in metrics.items())


def _with_text(citances: Sequence[MaskedCitance], subject: Subject) -> int:
    """How many excerpts are from a paper whose full text is here: it might hold the very sentence."""
    papers = papers_by_key(subject.library, [item.citing for item in citances])
    return sum(bool(subject.holdings.full_text[subject.holdings.rows(ids)].any()) for ids in papers)


def cases(citances: Sequence[MaskedCitance], subject: Subject, until: int | None) -> list[QueryCase]:
    """The excerpts, each with its target if the library holds it and the citing paper left out."""
    targets = with_versions(subject.library, papers_by_key(subject.library, [item.target for item in citances]))
    citing = papers_by_key(subject.library, [item.citing for item in citances])
    queries: list[QueryCase] = []
    for item, target, source in zip(citances, targets, citing, strict=True):
        year = earlier_year(item.citing_year, until)
        queries.append(
            QueryCase(
                key=item.key,
                query=item.excerpt,
                targets=subject.holdings.candidates([target], year),
                cluster=item.target,
                until=year,
                exclude=source,
            )
        )
    return queries


def _agents(subject: Subject) -> dict[str, Method]:
    """By name, methods that have a model search."""

    def ask(options: AgentOptions, case: QueryCase) -> Task[Sequence[PaperId]]:
        citing, source = subject.engine.citing, min(case.exclude, default="")
        excerpt = subject.engine.excerpt(case.query)
        answer = yield from citing.find(excerpt, options, k=_CANDIDATES, before=case.until, source=source)
        if not answer.by.startswith("agent"):
            yield Notice(f"{case.key}: counted in the offline order, for the model gave none.")
        return [candidate.paper.id for candidate in answer.candidates]

    return {name: partial(ask, options) for name, options in AGENTS.items()}


def _methods(subject: Subject) -> dict[str, Method]:
    def attribute(case: QueryCase) -> Task[Sequence[PaperId]]:
        source = min(case.exclude, default="")
        answer = yield from subject.engine.cite(case.query, k=_CANDIDATES, before=case.until, source=source)
        return [candidate.paper.id for candidate in answer.candidates]

    return {"litterm": attribute, "search": subject.search, "bm25": subject.plain, CONTROL: subject.control}
