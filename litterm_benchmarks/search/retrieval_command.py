"""Options of the retrieval benches (`litterm bench litsearch`), and the library each is measured over."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from litterm.cli import cluster
from litterm.cli.context import Context
from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.engine import Engine
    from litterm.model.llm import CostEstimate
    from litterm_benchmarks.report import BenchReport
    from litterm_benchmarks.search.litterm_methods import Subject

_MODEL_COMMANDS: Final = {
    "rerank": "search --rerank",
    "one-hop-rerank": "search --one-hop --rerank",
    "list-model": "list --model",
}
"""By the name of a method that asks a model, the command that estimates one question."""
Run: TypeAlias = "Callable[[Sequence[Path], argparse.Namespace, Context], BenchReport]"


class Measure(Protocol):
    """A bench of one file over one library."""

    def __call__(
        self, path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None
    ) -> Task[BenchReport]:
        """Its report."""
        ...


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds what only benches of retrieval take."""
    group = parser.add_argument_group("litsearch, known-items, full-text, citance, acl-rlg, doris-mae, csfcube")
    group.add_argument(
        "--method", action="append", default=[], metavar="NAME", help="measure only this method (may be repeated)"
    )
    group.add_argument("--until", type=int, metavar="YEAR", help="leave out papers newer than this year")
    group.add_argument("--corpus", type=Path, metavar="PATH", help="search these papers instead of your own library")
    cluster.declare(parser)
    group.add_argument(
        "--full-texts", action="store_true", help="use the library's full texts, too, as sources of citing sentences"
    )


def has_own_options(args: argparse.Namespace) -> bool:
    """Whether any of these options was typed."""
    return bool(args.cluster is not None or args.method or args.until is not None or args.corpus or args.full_texts)


@dataclass(frozen=True, slots=True)
class RetrievalBench:
    """A bench over one library, and what can be refused before anything is read."""

    measure: Measure
    methods: Sequence[str]
    """All that it knows."""
    estimate: Callable[[Path, Engine, Sequence[str]], CostEstimate | None] | None = None
    """What the methods named would cost at most; `None` where none of them tells."""


def search_bench(open_bench: Callable[[], RetrievalBench]) -> Run:
    """A bench over the user's own library or a corpus; `open_bench` is called when it is run."""

    def runs(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
        from litterm.cli.llm_consent import ask_consent
        from litterm_benchmarks.search.retrieval import require_known

        path = _path_to_search(paths, args, context)
        if args.corpus is not None and not args.corpus.exists():
            raise UsageError(f"there is no corpus at {args.corpus}")
        bench = open_bench()
        require_known(args.method, bench.methods)
        context = cluster.apply_cluster_option(args, context)
        if bench.estimate is not None and (cost := bench.estimate(path, context.engine(), args.method)) is not None:
            ask_consent(cost, args, context, cheaper="a file of fewer cases asks for less")
        return context.run(_over_library(bench.measure, path, args, context))

    return runs


def pool_bench(measure: Callable[[], Callable[..., Task[BenchReport]]]) -> Run:
    """A bench that brings its own corpus and ranks given pools of it."""

    def runs(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
        path = _path_to_search(paths, args, context)
        if args.until is not None or args.corpus or args.full_texts or args.cluster is not None:
            raise UsageError(
                f"bench {args.name} ranks the pools of its own papers: --until, --corpus, --full-texts and --cluster "
                "are not for it"
            )
        return context.run(measure()(path, context.settings, methods=args.method))

    return runs


def _over_library(measure: Measure, path: Path, args: argparse.Namespace, context: Context) -> Task[BenchReport]:
    from litterm.library.segments.library import DuckLibrary
    from litterm_benchmarks.search.bench_library import corpus_beside, reader_of, reader_of_library, with_library
    from litterm_benchmarks.search.litterm_methods import open_subject

    def measure_library(subject: Subject) -> Task[BenchReport]:
        return measure(path, replace(subject, may_ask_model=args.yes), methods=args.method, until=args.until)

    settings = context.settings
    corpus = args.corpus or corpus_beside(path)
    if corpus is not None:
        return (
            yield from with_library(reader_of(corpus, settings), corpus, settings, measure_library, until=args.until)
        )
    library = DuckLibrary(settings.library)
    if library.status().documents and not args.full_texts:
        return (
            yield from with_library(
                reader_of_library(library), settings.library, settings, measure_library, until=args.until
            )
        )
    return (yield from measure_library((yield from open_subject(settings, until=args.until))))


def require_one_path(paths: Sequence[Path], args: argparse.Namespace) -> Path:
    """The one path of a bench that is not of evidence.

    Raises:
        UsageError: there are several, or options of other benches.
    """
    if args.strategy or args.setting or args.body_only:
        raise UsageError(f"--strategy, --setting and --body-only are for evidencebench, not for {args.name}")
    if len(paths) > 1:
        raise UsageError(f"bench {args.name} measures on one PATH")
    return paths[0]


def _path_to_search(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> Path:
    if args.scale is not None:
        raise UsageError(f"--scale is for speed, not for {args.name}")
    asking = next((name for name in _MODEL_COMMANDS if name in args.method), "")
    if asking and not args.yes:
        command = _MODEL_COMMANDS[asking]
        raise UsageError(f"{asking} asks the model for every question: `litterm {command}` estimates one, --yes agrees")
    if asking and not context.settings.model.is_set:
        raise UsageError(f"{asking} needs a model, which `litterm config model` sets up")
    return require_one_path(paths, args)
