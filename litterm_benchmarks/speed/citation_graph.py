"""`python -m litterm_benchmarks.speed.citation_graph N`: what a citation graph of N made lists takes, packed and not.

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

from litterm.citations.graph import Graph, GraphQueries
from litterm.citations.storage.codec import list_line
from litterm.citations.storage.graph_files import GraphFiles
from litterm.citations.storage.log_state import LISTS_FILE
from litterm.citations.storage.pack_job import pack_lists
from litterm.citations.storage.stored_graph import StoredGraph
from litterm.library.workers.interpreter import environment, module_command
from litterm.model.citations.graph import Edge, ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

_CITED_PAPERS: Final = 15
_WANTED_HASHES: Final = 60
_PAPERS_ASKED: Final = 50
_MODULE: Final = "litterm_benchmarks.speed.citation_graph"


def main(arguments: list[str]) -> int:
    """Measures on a graph of so many lists; with `--ask` or `--pack` what that takes in a folder."""
    if arguments[:1] == ["--ask"]:
        _print_cost("opened and asked who cites 50 papers", lambda: _ask(Path(arguments[1])))
        return 0
    if arguments[:1] == ["--pack"]:
        _print_cost("packed", lambda: pack_lists(Path(arguments[1])))
        return 0
    with TemporaryDirectory(prefix="litterm-bench-") as name:
        folder = Path(name)
        _write(folder, int(arguments[0]))
        # A process each: what one held at most is told to its children as theirs.
        for option in ("--ask", "--pack", "--ask"):
            subprocess.run(module_command(_MODULE, option, str(folder)), env=environment(), check=True)
    return 0


def _write(folder: Path, count: int) -> None:
    with (folder / LISTS_FILE).open("w", encoding="utf-8") as stream:
        stream.write(json.dumps({"against": ["segment"]}) + "\n")
        for number in range(count):
            stream.write(json.dumps({"list": list_line(_list(number, count))}, separators=(",", ":")) + "\n")
        stream.write(json.dumps({"settled": ["segment"]}) + "\n")


def _list(number: int, count: int) -> ResolvedList:
    dice = random.Random(number)
    paper = _paper(number)
    cited = [_paper(int(count * dice.random() ** 3)) for _ in range(_CITED_PAPERS)]
    edges = tuple(Edge(paper, other, 1, 2000, "text", (index,)) for index, other in enumerate(dict.fromkeys(cited)))
    unresolved_hashes = frozenset(dice.randrange(1 << 32) for _ in range(_WANTED_HASHES))
    return ResolvedList(ReferenceListHead(paper, f"document-{number}", 2000), True, edges, unresolved_hashes)


def _paper(number: int) -> PaperId:
    return PaperId(f"local:text-{number}")


def _ask(folder: Path) -> None:
    book = GraphFiles(folder)
    kept = book.read_kept()
    graph: GraphQueries
    if kept.base is None:
        graph = Graph(kept.lists(), book.citances)
    else:
        graph = StoredGraph(kept.base, kept.hidden, kept.fresh.values(), book.citances)
    graph.citations([_paper(number * 100) for number in range(_PAPERS_ASKED)])


def _print_cost(what: str, work: Callable[[], object]) -> None:
    began = time.process_time()
    work()
    seconds = time.process_time() - began
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({"what": what, "cpu s": round(seconds, 3), "MB": round(held)}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
