"""How much the tests notice: random one-line changes of the program, each run against the tests that reach its line.

`python tools/mutate.py` (or `just mutate`) works on a copy of the checkout under `.mutants/`, and goes on where it was
stopped; `--fresh` begins anew. Each mutant gets a forked process with the test libraries loaded already, so that one
costs a few seconds; the whole run is half an hour on two cores. It is not a part of CI.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mutants import Mutant, drawn

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGES = ("importers", "search", "attribution", "evidence", "llm", "library")
"""Folders of litterm/ that are mutated unless others are named; segments, index and workers are folders of
`library`.
"""
REACHING = (*PACKAGES, "annotations", "citations", "reading_lists", "cli", "test_machines.py")
"""Folders and files of tests/unit whose tests may notice a change."""
IN_CHILDREN = {
    "litterm/library/workers/records.py": "test_record_parser.py",
    "litterm/library/workers/segments.py": "test_build.py",
    "litterm/library/workers/pdf.py": "test_pdf_pool.py",
    "litterm/library/workers/__main__.py": "test_process.py",
}
"""Modules that run in child processes, whose lines nobody sees, and the tests that start these."""
LEFT_OUT = ("test_real_data.py", "test_crash.py")
"""Files of tests that take minutes, mostly in other processes whose lines nobody sees; so do tests of kills."""
LIMIT_S = 600
"""Longest run of the tests of one mutant, however busy the machine is."""
SPARE_S = 60
"""Seconds of processor time that the tests of a mutant may take beside three times what they take without it; one that
takes more counts as noticed, as a loop without end does."""
ENOUGH_S = 60.0
"""Of the tests that reach a line so many seconds are run: those named for the module first, then the package's own, the
fastest first."""
FLAGS = ("-x", "-q", "-n0", "-p", "no:cacheprovider", "--assert=plain", "--no-header", "--tb=no")


@dataclass(frozen=True, slots=True)
class Reached:
    """Which tests reach which lines, and how long each takes."""

    lines: dict[str, dict[int, set[str]]]
    seconds: dict[str, float]

    def tests(self, mutant: Mutant, source: str) -> list[str]:
        """The tests to run for `mutant`: those of its line, else of its function, else of its file.

        A line that runs when the module is imported is seen in one test alone, whichever was the first; such a one is
        tried by the tests of the functions that use it.
        """
        covered = self.lines.get(mutant.path, {})
        for lines in (*nearest(source, mutant.line), list(covered)):
            if found := {test for line in lines for test in covered.get(line, ())}:
                return self._in_order(found, mutant)
        beside = IN_CHILDREN.get(mutant.path)
        return self._in_order({test for test in self.seconds if beside and f"/{beside}::" in test}, mutant)

    def _in_order(self, tests: set[str], mutant: Mutant) -> list[str]:
        """Those that reach the line, then the others of their files: a fixture of several is only seen in the first."""
        own, named = f"tests/unit/{Path(mutant.path).parts[1]}/", f"test_{Path(mutant.path).stem}.py::"
        files = {test.partition("::")[0] for test in tests}
        beside = {test for test in self.seconds if test.partition("::")[0] in files and test.startswith(own)}
        ordered = sorted(
            tests | beside,
            key=lambda test: (
                *(test not in tests, named not in test, not test.startswith(own)),
                self.seconds.get(test, 1.0),
                test,
            ),
        )
        total, chosen = 0.0, []
        for test in ordered:
            total += self.seconds.get(test, 1.0)
            if chosen and total > ENOUGH_S:
                break
            chosen.append(test)
        return chosen


def nearest(source: str, line: int) -> list[list[int]]:
    """Groups of lines that tell which tests meet `line`, the best first; only lines inside of functions."""
    tree = ast.parse(source)
    bodies = {node: _body(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    around = [body for body in bodies.values() if line in body]
    if around:
        return [[line], list(min(around, key=len))]
    groups = [
        [each for node, body in bodies.items() if _uses(node, name) for each in body] for name in _named(tree, line)
    ]
    whole = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and line in _statement(node)]
    inside = [
        [each for node, body in bodies.items() if node in ast.walk(outer) for each in body] for outer in whole[::-1]
    ]
    return [*groups, *inside]


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> range:
    return range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)


def _statement(node: ast.stmt) -> range:
    """The lines of a statement, its decorators among them."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    return range(first, (node.end_lineno or node.lineno) + 1)


def _named(tree: ast.Module, line: int) -> Iterator[str]:
    """What a statement of the module itself at `line` gives a name."""
    for node in tree.body:
        if line in _statement(node):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            yield from (
                each.id for target in targets if target for each in ast.walk(target) if isinstance(each, ast.Name)
            )


def _uses(function: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(function))


class Workshop:
    """A copy of the checkout in which the mutants live, and what was seen of the tests without any."""

    def __init__(self, folder: Path, number: int = 0) -> None:
        self.folder = folder
        self.copy = folder / (f"copy-{number}" if number else "copy")
        self.results = folder / "results.jsonl"

    def prepare(self) -> None:
        """Copies what git tracks."""
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, check=True).stdout
        for name in filter(None, tracked.decode().split("\0")):
            target = self.copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, target)
        (self.folder / "reach").mkdir(exist_ok=True)

    def measure(self, folders: Sequence[str]) -> None:
        """Runs every file of tests once that has not been run as it is now, to see what it reaches."""
        places = [self.copy / "tests/unit" / name for name in folders]
        for path in [path for place in places for path in (sorted(place.rglob("test_*.py")) or [place])]:
            kept = self._kept(path)
            if kept.exists() or path.name in LEFT_OUT:
                continue
            if self.run(["-k", "not kill", str(path.relative_to(self.copy))], limit_s=1800, kept=kept) != 0:
                raise SystemExit(f"{path.name} fails without any mutant; mend it first.")
            print(f"measured {path.relative_to(self.copy)}", flush=True)

    def _kept(self, tests: Path) -> Path:
        return self.folder / "reach" / f"{tests.stem}-{hashlib.sha256(tests.read_bytes()).hexdigest()[:12]}.json"

    def run(self, tests: Sequence[str], *, limit_s: float, busy_s: float = 0.0, kept: Path | None = None) -> int | None:
        """`tests` in a fork: the status of pytest, or `None` after `limit_s` or, unless it is 0, `busy_s` of processor
        time; what they reach goes to `kept`."""
        pid = os.fork()
        if not pid:
            self._run_tests(tests, kept, busy_s)
        descriptor = os.pidfd_open(pid)
        ready, _, _ = select.select([descriptor], [], [], limit_s)
        os.close(descriptor)
        if not ready:
            os.killpg(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        return code if ready and code != -signal.SIGXCPU else None

    def _run_tests(self, tests: Sequence[str], kept: Path | None, busy_s: float) -> None:
        """In the fork: pytest in the copy, nothing printed, and no way back."""
        import pytest
        from reach import Reach

        status = 1
        try:
            os.setsid()
            if busy_s:
                spent_s = time.process_time()
                resource.setrlimit(resource.RLIMIT_CPU, (int(spent_s + busy_s) + 1, resource.RLIM_INFINITY))
            os.environ.update(self._environ())
            sys.dont_write_bytecode = True
            sys.path.insert(0, str(self.copy))
            os.chdir(self.copy)
            said = os.open(self.folder / f"said-{os.getppid()}", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for stream in (1, 2):
                os.dup2(said, stream)
            status = int(pytest.main([*FLAGS, *tests], plugins=[Reach(self.copy / "litterm", kept)] if kept else []))
        except BaseException:  # noqa: BLE001 - told, whatever it is: the fork must not go on as its parent
            traceback.print_exc()
        finally:
            os._exit(status)

    def _environ(self) -> dict[str, str]:
        """So that the copy is what is imported, here and in every child."""
        shared = os.environ.get("LITTERM_SHARED") or str(CHECKOUT.parent / "shared")
        return {"PYTHONPATH": str(self.copy), "LITTERM_SHARED": shared, "PYTHONDONTWRITEBYTECODE": "1"}

    def reached(self) -> Reached:
        """What the runs of `measure` have shown of the tests that are there now."""
        lines: dict[str, dict[int, set[str]]] = {}
        seconds: dict[str, float] = {}
        for path in (self.copy / "tests/unit").rglob("test_*.py"):
            kept = self._kept(path)
            if not kept.exists():
                continue
            found = json.loads(kept.read_text("utf-8"))
            seconds |= found["seconds"]
            for file, told in found["lines"].items():
                covered = lines.setdefault(file, {})
                for line, tests in told.items():
                    covered.setdefault(int(line), set()).update(tests)
        return Reached(lines, seconds)


def warm_up() -> None:
    """Loads what every test needs, but nothing of litterm, so that a fork begins with it."""
    import bm25s  # noqa: F401
    import duckdb  # noqa: F401
    import httpx  # noqa: F401
    import hypothesis  # noqa: F401
    import lxml.html  # noqa: F401
    import numpy  # noqa: F401
    import openai  # noqa: F401
    import pytest  # noqa: F401
    import rapidfuzz  # noqa: F401


def examine(shop: Workshop, mutant: Mutant, reached: Reached) -> dict[str, object]:
    """What became of one mutant, as a line of the results."""
    path = shop.copy / mutant.path
    source = path.read_text("utf-8")
    before = path.stat()
    changed = mutant.of(source)
    tests = reached.tests(mutant, source)
    started = time.monotonic()
    outcome = "unreached"
    if tests:
        try:
            path.write_text(changed, "utf-8")
            busy_s = SPARE_S + 3 * sum(reached.seconds.get(test, 1.0) for test in tests)
            outcome = {None: "timeout", 0: "survived"}.get(shop.run(tests, limit_s=LIMIT_S, busy_s=busy_s), "killed")
        finally:
            path.write_text(source, "utf-8")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    diff = [line for line in difflib.ndiff(source.splitlines(), changed.splitlines()) if line[:2] in ("- ", "+ ")]
    took = round(time.monotonic() - started, 1)
    return {**mutant.as_row(), "outcome": outcome, "tests": len(tests), "seconds": took, "diff": diff}


def share_out(mutants: Sequence[Mutant], folder: Path, reached: Reached, jobs: int) -> None:
    """Examines `mutants` in `jobs` processes; each takes the next as soon as it has finished one."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as file:
        file.writelines(number.to_bytes(4, "big") for number in range(len(mutants)))
    workers = [_worker(Workshop(folder, job), mutants, reached, reading) for job in range(jobs)]
    os.close(reading)
    if failed := [pid for pid in workers if os.waitpid(pid, 0)[1]]:
        raise SystemExit(f"{len(failed)} of {jobs} processes ended early; what is finished is kept, so start it again.")


def _worker(shop: Workshop, mutants: Sequence[Mutant], reached: Reached, numbers: int) -> int:
    """The id of a process that examines those whose numbers it reads."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        shop.prepare()
        while told := os.read(numbers, 4):
            number = int.from_bytes(told, "big")
            row = {"key": mutants[number].key, **examine(shop, mutants[number], reached)}
            with shop.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{number + 1}/{len(mutants)} {row['outcome']} {row['key']} {row['seconds']} s", flush=True)
        status = 0
    except BaseException:  # noqa: BLE001 - told, whatever it is: the fork must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(status)


def report(rows: Sequence[dict[str, object]]) -> str:
    """The table, then every mutant that no test noticed."""
    told = ["| package | mutants | noticed | of these by time | not noticed |", "|---|---|---|---|---|"]
    packages = sorted({Path(str(row["path"])).parts[1] for row in rows})
    for name in (*packages, ""):
        mine = Counter(row["outcome"] for row in rows if name in ("", Path(str(row["path"])).parts[1]))
        all_of, caught = sum(mine.values()), mine["killed"] + mine["timeout"]
        told.append(f"| {name or 'all'} | {all_of} | {caught} | {mine['timeout']} | {all_of - caught} |")
    told.append("")
    for row in sorted(rows, key=lambda row: (str(row["path"]), int(str(row["line"])))):
        if row["outcome"] in ("survived", "unreached"):
            told += [f"{row['path']}:{row['line']} {row['operator']} {row['outcome']} ({row['tests']} tests)"]
            told += [f"    {line}" for line in row["diff"]]  # type: ignore[attr-defined]
    return "\n".join(told)


def main() -> None:
    """Draws the mutants, examines those that have no result yet, and prints the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "packages", nargs="*", default=PACKAGES, metavar="PACKAGE", help="folders of litterm/, such as evidence/llm"
    )
    parser.add_argument("-n", "--size", type=int, default=200, help="mutants (200)")
    parser.add_argument("--seed", type=int, default=10, help="of the draw (10)")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="mutants tried at once, each in a copy (1)")
    parser.add_argument("--fresh", action="store_true", help="forget results and what the tests reach")
    parser.add_argument("--survivors", action="store_true", help="examine again what was not noticed")
    parser.add_argument("--own", action="store_true", help="only the tests of the packages themselves")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="only these folders or files of tests/unit")
    parser.add_argument("--measure", action="store_true", help="see what the tests reach, and stop")
    given = parser.parse_args()
    shop = Workshop(CHECKOUT / ".mutants")
    if given.fresh:
        shutil.rmtree(shop.folder, ignore_errors=True)
    shop.prepare()
    warm_up()
    shop.measure(given.tests or (given.packages if given.own else REACHING))
    if given.measure:
        return
    reached = shop.reached()
    found = (path for name in given.packages for path in (shop.copy / "litterm" / name).rglob("*.py"))
    chosen = drawn(shop.copy, sorted(found), given.size, given.seed)
    done = _kept(shop.results, again=given.survivors)
    share_out([mutant for mutant in chosen if mutant.key not in done], shop.folder, reached, given.jobs)
    rows = _kept(shop.results, again=False)
    print(report([rows[mutant.key] for mutant in chosen]))


def _kept(results: Path, *, again: bool) -> dict[str, dict[str, object]]:
    """Results of earlier runs; the last of each mutant counts."""
    lines = results.read_text("utf-8").splitlines() if results.exists() else []
    rows = {row["key"]: row for row in map(json.loads, lines)}
    return {key: row for key, row in rows.items() if not again or row["outcome"] not in ("survived", "unreached")}


if __name__ == "__main__":
    main()
