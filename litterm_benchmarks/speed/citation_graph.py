"""`python -m litterm_benchmarks.speed.citation_graph N`: what a citation graph of N made lists takes.

Each list cites 15 papers, a few of them cited by many, and keeps 60 hashes of what would change it. Prints a line of
JSON a measurement: processor seconds, and megabytes of the process that measured it.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from litterm.citations.graph import Graph
from litterm.citations.store import CitationStore
from litterm.library.workers.process import environment, module_command
from litterm.model.citations.graph import Edge, ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

_CITED_PAPERS: Final = 15
_WANTED_HASHES: Final = 60
_PAPERS_ASKED: Final = 50
_PUT_TOGETHER: Final = 64
_MODULE: Final = "litterm_benchmarks.speed.citation_graph"


def main(arguments: list[str]) -> int:
    """Measures on a graph of so many lists; with another option what that takes in a folder."""
    if arguments[:1] == ["--store"]:
        _print_cost("stored", lambda: _store(Path(arguments[1]), int(arguments[2])))
    elif arguments[:1] == ["--ask"]:
        _print_cost("opened and asked who cites 50 papers", lambda: _ask(Path(arguments[1])))
    elif arguments[:1] == ["--count"]:
        _print_cost(
            "opened and asked how often each is cited", lambda: _graph(Path(arguments[1])).citing_paper_counts()
        )
    else:
        with TemporaryDirectory(prefix="litterm-bench-") as folder:
            # A process each: what one held at most is told to its children as theirs.
            for option in ("--store", "--ask", "--count"):
                command = module_command(_MODULE, option, folder, arguments[0])
                subprocess.run(command, env=environment(), check=True)
    return 0


def _store(folder: Path, count: int) -> None:
    store = CitationStore(folder)
    for start in range(0, count, _PUT_TOGETHER):
        store.put([(_list(number, count), ()) for number in range(start, min(start + _PUT_TOGETHER, count))])
    store.settle(frozenset({"segment"}))


def _list(number: int, count: int) -> ResolvedList:
    dice = random.Random(number)
    paper = _paper(number)
    cited = [_paper(int(count * dice.random() ** 3)) for _ in range(_CITED_PAPERS)]
    edges = tuple(Edge(paper, other, 1, 2000, "text", (index,)) for index, other in enumerate(dict.fromkeys(cited)))
    unresolved_hashes = frozenset(dice.randrange(1 << 32) for _ in range(_WANTED_HASHES))
    return ResolvedList(ReferenceListHead(paper, f"document-{number}", 2000), True, edges, unresolved_hashes)


def _paper(number: int) -> PaperId:
    return PaperId(f"local:text-{number}")


def _graph(folder: Path) -> Graph:
    return Graph((), stored=CitationStore(folder))


def _ask(folder: Path) -> None:
    _graph(folder).citations([_paper(number * 100) for number in range(_PAPERS_ASKED)])


def _print_cost(what: str, work: Callable[[], object]) -> None:
    began = time.process_time()
    work()
    seconds = time.process_time() - began
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({"what": what, "cpu s": round(seconds, 3), "MB": round(held)}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
