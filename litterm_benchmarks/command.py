"""`litterm bench NAME`: every measurement in one form, as a table or as JSON."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.build import build_engine
from litterm.cli.context import Context
from litterm.core.errors import UsageError
from litterm_benchmarks.attribution.citeme import run_citeme
from litterm_benchmarks.search import retrieval_command
from litterm_benchmarks.search.retrieval_command import (
    RetrievalBench,
    Run,
    has_own_options,
    pool_bench,
    require_one_path,
    search_bench,
)

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.evidence.llm.extractor import LlmExtractor
    from litterm.llm.model import ChatModel
    from litterm.model.evidence import EvidenceLlmOptions
    from litterm.search.aspects.sentence_similarity import SentenceEmbedder
    from litterm_benchmarks.evidence.llm_settings import JudgeOf
    from litterm_benchmarks.report import BenchReport


@dataclass(frozen=True, slots=True)
class _Bench:
    """One measurement; `run` gets what to measure on and the options typed."""

    name: str
    meaning: str
    data: str
    """Where its data lies below the folder with the test data."""
    run: Run
    needs_data: bool = True
    """False where the bench has something of its own to ask when its data is not there."""
    beside: tuple[str, ...] = ()
    """Where more of its data lies, measured together with the first."""


def _speed(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.speed import full_text_library, large_library, search_speed

    path = _alone(paths, args)
    if args.texts is not None:
        data = path if path.is_dir() else path.parent.parent.parent
        return context.run(full_text_library.measure(data, args.texts))
    questions = path if path.is_file() else None
    if args.scale is not None:
        measured = large_library.measure(context.settings, args.scale, questions, distinct=args.distinct)
        return context.run(measured)
    archive = path.parent.parent.parent / "acl-anthology-xml.tar.gz"
    existing = archive if archive.is_file() else None
    return context.run(search_speed.measure(context.settings, questions, archive=existing))


def _server(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.speed import group_server

    _alone(paths, args)
    return context.run(group_server.measure(context.settings, args.clients, args.seconds))


def _cluster(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.speed import cluster

    _alone(paths, args)
    return context.run(cluster.measure(context.settings))


def _evidencebench(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import evidencebench, study_cover
    from litterm_benchmarks.evidence.llm_settings import options_of

    if has_own_options(args) or args.scale is not None:
        raise UsageError("bench evidencebench has strategies: --method and its like are for benches of retrieval")
    judge = _ask_model_consent(paths, args, context) if any(map(options_of, args.strategy)) else None
    measured = evidencebench.measure(
        paths,
        strategies=args.strategy,
        settings=args.setting,
        body=args.body_only,
        judge=judge,
        model=_ask_study_consent(paths, args, context) if study_cover.MODEL_NAME in args.strategy else None,
        embedders=_encoders(context),
    )
    return context.run(measured)


def _encoders(context: Context) -> Mapping[str, SentenceEmbedder]:
    """The sentence encoder of the settings, with its instructions and without; empty where none is set."""
    from litterm_benchmarks.evidence.evidencebench import ENCODERS

    settings = context.settings.encoder
    if not settings.folder:
        return {}
    from litterm.library.encoder.instructions import Instructions
    from litterm.library.encoder.model_folder import read_folder
    from litterm.library.encoder.sentence_encoder import SentenceEncoder

    files = read_folder(Path(settings.folder), query=settings.query, passage=settings.passage)
    plain = replace(files, instructions=Instructions())
    return dict(zip(ENCODERS, (SentenceEncoder(files), SentenceEncoder(plain)), strict=True))


def _ask_study_consent(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> ChatModel:
    """The model that is to split and align study aspects, once the user agrees to what asking it may cost."""
    from litterm.cli.llm_consent import ask_consent
    from litterm.evidence.llm.study import StudyModel
    from litterm_benchmarks.readers.evidencebench import as_document, read_items

    model = context.engine().studies.build_model()
    items = [item for path in paths for item in read_items(path)]
    costs = [StudyModel(model).estimate(as_document(item)[0], item.hypothesis, None) for item in items]
    if costs:
        ask_consent(reduce(lambda total, cost: total.plus(cost), costs), args, context)
    return model


def _ask_model_consent(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> JudgeOf:
    """The model of the settings, once the user agrees to what asking it may cost."""
    from litterm.cli.llm_consent import ask_consent
    from litterm_benchmarks.evidence.evidencebench import METRICS
    from litterm_benchmarks.evidence.llm_settings import estimate_cost, options_of
    from litterm_benchmarks.readers.evidencebench import read_items

    build_extractor = context.engine().model_evidence.build_extractor

    def judge(options: EvidenceLlmOptions) -> LlmExtractor:
        # What is accepted in a library is not the same for everyone who measures.
        return build_extractor(options).without_marks()

    items = [item for path in paths for item in read_items(path)]
    metrics = [METRICS[setting] for setting in args.setting]
    costs = [
        context.run(estimate_cost(items, judge(options), metrics))
        for options in filter(None, map(options_of, args.strategy))
    ]
    # Once for all strategies: who agrees to the first expects no further question.
    ask_consent(reduce(lambda total, cost: total.plus(cost), costs), args, context)
    return judge


def _claims(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import claims

    if has_own_options(args) or args.scale is not None or args.setting or args.body_only:
        raise UsageError("bench claims knows --strategy only")
    if len(paths) != 1:
        raise UsageError("bench claims takes one file")
    return context.run(claims.measure(paths[0], strategies=args.strategy))


def _stance(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import stance

    if has_own_options(args) or args.scale is not None or args.setting or args.body_only or args.strategy:
        raise UsageError("bench stance takes files and no options")
    return context.run(stance.measure(paths))


def _restatements(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import restatements

    if has_own_options(args) or args.scale is not None or args.setting or args.body_only:
        raise UsageError("bench restatements knows --strategy only")
    if len(paths) != 1:
        raise UsageError("bench restatements takes one file")
    return context.run(restatements.measure(paths[0], strategies=args.strategy))


def _ask(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import ask

    if has_own_options(args) or args.scale is not None or args.setting or args.body_only or args.strategy:
        raise UsageError("bench ask takes files and no options")
    return context.run(ask.measure(paths))


def _ask_check(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import ask_check

    if has_own_options(args) or args.scale is not None or args.setting or args.body_only:
        raise UsageError("bench ask-check knows --strategy only")
    if unknown := [name for name in args.strategy if name not in ask_check.METHODS]:
        raise UsageError(f"--strategy {unknown[0]}: bench ask-check knows {', '.join(ask_check.METHODS)}")
    model = None
    if "model" in args.strategy:
        from litterm.cli.llm_consent import ask_consent

        asked = context.engine().written_answers.build_model(False)
        sentences = context.run(ask_check.planted(paths))
        ask_consent(asked.estimate(ask_check.questions(sentences)), args, context)
        model = asked
    return context.run(ask_check.measure(paths, model))


def _cited_span(path: Path, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import cited_spans

    return context.run(cited_spans.measure(path))


def _columns(path: Path, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import quantities

    return context.run(quantities.measure(path))


def _litsearch() -> RetrievalBench:
    from litterm_benchmarks.search import litsearch

    return RetrievalBench(litsearch.measure, litsearch.METHODS)


def _known_items() -> RetrievalBench:
    from litterm_benchmarks.search import known_items, litsearch

    return RetrievalBench(known_items.measure, litsearch.METHODS)


def _names() -> RetrievalBench:
    from litterm_benchmarks.search import names

    return RetrievalBench(names.measure, names.METHODS)


def _seeds(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.seeds.command import run_seeds

    return run_seeds(paths, args, context)


def _made_up_names(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.search import made_up_names

    if has_own_options(args) or args.scale is not None:
        raise UsageError(f"--method, --until, --corpus, --full-texts and --scale are not for {args.name}")
    return context.run(made_up_names.measure(paths, context.settings))


def _search_weights(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.search import search_weights as weights

    if args.method or args.corpus or args.full_texts or args.scale is not None:
        raise UsageError("search-weights takes --until alone, for questions over your own library")
    own = [weights.set_of_library(file, context.settings.library, args.until) for file in paths[1:]]
    return context.run(weights.measure([*own, *weights.sets_below(paths[0])], paths[0].name))


def _full_text(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.search import full_text_field

    args.full_texts = True
    bench = RetrievalBench(full_text_field.measure, full_text_field.METHODS)
    return search_bench(lambda: bench)(paths, args, context)


def _citance() -> RetrievalBench:
    from litterm_benchmarks.attribution import citances

    return RetrievalBench(citances.measure, citances.METHODS, citances.estimate_cost)


def _check(path: Path, context: Context) -> BenchReport:
    from litterm_benchmarks.attribution import bibliographies

    engine = context.engine()
    return context.run(bibliographies.measure(path, engine.bibliographies, bibliographies.sampler(engine.sql)))


def _reading_lists() -> RetrievalBench:
    from litterm_benchmarks.reading_lists import acl_rlg

    return RetrievalBench(acl_rlg.measure, acl_rlg.METHODS)


def _doris_mae() -> Callable[..., Task[BenchReport]]:
    from litterm_benchmarks.search import reranking_pools

    return reranking_pools.measure_doris_mae


def _csfcube() -> Callable[..., Task[BenchReport]]:
    from litterm_benchmarks.search import reranking_pools

    return reranking_pools.measure_csfcube


def _sentences(path: Path, context: Context) -> BenchReport:
    from litterm_benchmarks import sentences

    return context.run(sentences.measure(path))


def _pdf(path: Path, context: Context) -> BenchReport:
    from litterm_benchmarks import pdf

    return context.run(pdf.measure(path))


def _pdf_files(path: Path, context: Context) -> BenchReport:
    from litterm_benchmarks import pdf

    return context.run(pdf.survey(path))


def _of_one(run: Callable[[Path, Context], BenchReport]) -> Run:
    """A bench of one file or folder, without options of its own."""

    def runs(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
        if args.scale is not None:
            raise UsageError(f"--scale is for speed, not for {args.name}")
        return run(_alone(paths, args), context)

    return runs


def _alone(paths: Sequence[Path], args: argparse.Namespace) -> Path:
    """The one path of a bench that takes no options of others."""
    if has_own_options(args):
        raise UsageError(f"--method, --until, --corpus, --full-texts and --cluster are not for {args.name}")
    return require_one_path(paths, args)


_KNOWN_ITEMS = Path(__file__).resolve().parent / "search" / "known-items.jsonl"
"""Our own data, which is always there."""
_SETTINGS = ("er-optimal", "er-10", "result-optimal", "result-5")
BENCHES = (
    _Bench(
        "seeds",
        "the five papers that litterm is built on: their main tables and ours, of the sets that lie in a folder",
        "data/bench",
        _seeds,
    ),
    _Bench(
        "speed", "times of your own library and of other engines", "data/bench/litsearch-style/dev.jsonl", _speed, False
    ),
    _Bench("cluster", "your own library on two nodes of a Ray cluster", ".", _cluster, False),
    _Bench("server", "a group of clients of a server of your own library", ".", _server, False),
    _Bench(
        "evidencebench",
        "evidence sentences for a hypothesis: aspect recall",
        "data/bench/evidencebench/evidencebench.json",
        _evidencebench,
    ),
    _Bench(
        "claims",
        "evidence sentences for a claim, and the verdict on abstracts without any",
        "data/bench/scifact-evidence/claims.jsonl.gz",
        _claims,
    ),
    _Bench(
        "ask",
        "sentences of several papers that answer a question, each set left out of the fit in turn",
        "data/bench/scifact-evidence/claims.jsonl.gz",
        _ask,
        beside=("data/bench/evidencebench/evidencebench.json", "data/bench2/qasper/questions.jsonl.gz"),
    ),
    _Bench(
        "ask-check",
        "faults planted into sentences made from quotes: struck out by rule, or by a model (--strategy model)",
        "data/acl-recent.jsonl.gz",
        _ask_check,
        beside=("data/biomedical-text/abstracts.jsonl.gz", "data/bench/scifact-evidence/claims.jsonl.gz"),
    ),
    _Bench(
        "stance",
        "likely stances told on several sets of claims, each set left out of the fit in turn",
        "data/bench/scifact-evidence/claims.jsonl.gz",
        _stance,
        beside=("data/bench2/covidfact/pairs.jsonl.gz", "data/bench2/healthver/pairs.jsonl.gz"),
    ),
    _Bench(
        "restatements",
        "the first evidence sentence of a full text: does it state the claim",
        "data/biomedical-text/fulltext.jsonl.gz",
        _restatements,
    ),
    _Bench(
        "cited-span", "the sentences that a citing sentence is about", "data/bench/cited-span", _of_one(_cited_span)
    ),
    _Bench(
        "columns",
        "values and units of quantities, by article",
        "data/bench2/measeval/paragraphs.jsonl",
        _of_one(_columns),
    ),
    _Bench(
        "litsearch",
        "search questions over your own library: recall, nDCG",
        "data/bench/litsearch-style/dev.jsonl",
        search_bench(_litsearch),
    ),
    _Bench("known-items", "well-known papers by a few words: MRR", str(_KNOWN_ITEMS), search_bench(_known_items)),
    _Bench(
        "names",
        "papers by a name of theirs, the source that says so left out: first, among two",
        "data/citation-facts/names.jsonl.gz",
        search_bench(_names),
    ),
    _Bench(
        "made-up-names",
        "papers by an invented name that is planted in them",
        "data/bench/other-domains/scifact/corpus.jsonl.gz",
        _made_up_names,
    ),
    _Bench(
        "search-weights",
        "the weights of search, each set of questions left out in turn; takes a folder of sets, then files over your "
        "own library",
        "data/bench/other-domains",
        _search_weights,
    ),
    _Bench(
        "full-text",
        "search with and without full texts as a field",
        "data/bench/litsearch-style/dev.jsonl",
        _full_text,
    ),
    _Bench("doris-mae", "long queries, each with a pool of abstracts", "data/bench/doris-mae", pool_bench(_doris_mae)),
    _Bench("csfcube", "papers that are like a facet of a paper, in a pool", "data/bench/csfcube", pool_bench(_csfcube)),
    _Bench(
        "citance",
        "the cited papers of excerpts, in your own library: recall, MRR",
        "data/bench/citance-attr/citances.jsonl",
        search_bench(_citance),
    ),
    _Bench(
        "acl-rlg",
        "reading lists from your own library: recall at 20",
        "data/bench/acl-rlg/lists.jsonl",
        search_bench(_reading_lists),
    ),
    _Bench(
        "check",
        "bibliographies against your own library: changes planted in entries, altered and invented references",
        "data/bench2",
        _of_one(_check),
    ),
    _Bench("citeme", "CiteME's published file, in your own library: accuracy", "data/bench/citeme.csv", run_citeme),
    _Bench("sentences", "sentence boundaries: F1", ".", _of_one(_sentences)),
    _Bench("pdf", "text of PDFs against the JATS of the same papers", ".", _of_one(_pdf)),
    _Bench("pdf-files", "what is read from each PDF of a folder, or why nothing is", "data/pdf", _of_one(_pdf_files)),
)


class _LineHelpFormatter(argparse.HelpFormatter):
    """Keeps the line breaks of a help text, as of the list of benchmarks."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        split = super()._split_lines
        return [line for part in text.split("\n") for line in split(part, width)]


def declare(_verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the name of the bench and what to measure on."""
    meanings = "\n".join(["one of", *(f"{bench.name}: {bench.meaning}" for bench in BENCHES)])
    parser.usage = "%(prog)s NAME [PATH ...]"
    parser.formatter_class = _LineHelpFormatter
    parser.add_argument("name", choices=[bench.name for bench in BENCHES], metavar="NAME", help=meanings)
    parser.add_argument("data", nargs="*", metavar="PATH", help="the data (default: the test data in LITTERM_SHARED)")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    parser.add_argument(
        "--scale",
        type=_count,
        metavar="N",
        help="speed: over N papers made from your own; a million take 10 minutes or more, and 6 GB of disk",
    )
    parser.add_argument(
        "--distinct",
        type=_count,
        metavar="N",
        help="speed --scale: make and import only N papers, and copy their segments for the others",
    )
    parser.add_argument(
        "--texts",
        type=_count,
        metavar="N",
        help="speed: over N full texts made from those of the test data; 10,000 take 3 GB of disk",
    )
    parser.add_argument(
        "--clients", type=_count, default=50, metavar="N", help="server: number of clients (default 50)"
    )
    parser.add_argument(
        "--seconds", type=_count, default=60, metavar="N", help="server: how long they ask (default 60)"
    )
    retrieval_command.declare(parser)
    group = parser.add_argument_group("evidencebench, claims, ask-check and restatements")
    group.add_argument(
        "--strategy", action="append", default=[], metavar="NAME", help="measure only this strategy (may be repeated)"
    )
    group.add_argument(
        "--setting",
        action="append",
        default=[],
        choices=_SETTINGS,
        help="evidencebench: measure only this setting (may be repeated)",
    )
    group.add_argument("--body-only", action="store_true", help="do not choose sentences of the abstract")
    group.add_argument(
        "--yes", action="store_true", help="accept the cost estimate of strategies and methods that ask a model"
    )


def _count(value: str) -> int:
    number = int(value.replace(",", "").replace("_", ""))
    if number < 1:
        raise ValueError(value)
    return number


def run(_verb: str, args: argparse.Namespace, context: Context) -> int:
    """The report of one bench."""
    from litterm_benchmarks.report import as_json, as_lines

    bench = next(bench for bench in BENCHES if bench.name == args.name)
    paths = [_path(bench, typed) for typed in args.data] or [_path(bench, None), *_paths_beside(bench)]
    # Whatever is measured must not have been told by the facts about the papers of benchmarks.
    if context.build is build_engine:
        context = replace(context, build=partial(build_engine, facts="bench"))
    report = bench.run(paths, args, context)
    report = replace(report, notes=(*report.notes, "citation facts: bench build"))
    if args.json:
        context.output.write_json(as_json(report))
    else:
        context.output.write_lines(as_lines(report))
    return 0


def _paths_beside(bench: _Bench) -> list[Path]:
    return [_path(replace(bench, data=data), None) for data in bench.beside]


def _path(bench: _Bench, typed_path: str | None) -> Path:
    """The data to measure on: the path typed, else the place of the bench in the test data."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    path = Path(typed_path) if typed_path else Path(os.environ.get("LITTERM_SHARED") or beside) / bench.data
    if not path.exists() and (typed_path or bench.needs_data):
        raise UsageError(f"bench {bench.name} needs its data, but {path} is not there; name it, or set LITTERM_SHARED")
    return path
