"""`python -m tests.attack`: every suite with the counts of a release, a table at the end, and 1 if anything broke.

With `--log FILE` every row that is finished is a line of FILE, and the next call with it goes on from there.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from . import (  # noqa: E402 - they import what lies beside this folder
    answers,
    bombs,
    command_lines,
    keys,
    kills,
    pdfs,
    records,
    requests,
    server,
)
from .log import Log  # noqa: E402
from .outcome import Outcome  # noqa: E402

Suite = Callable[[Path, Random, int, Sequence[str]], Iterable[Outcome]]
SUITES: dict[str, tuple[Suite, int, str]] = {
    # Command lines run in forks of this process, which must have one thread until then.
    "commands": (command_lines.attack, 500, "odd command lines"),
    "kills": (kills.attack, 50, "kills per kind of write"),
    "keys": (keys.attack, 50, "kills just after a key"),
    "records": (records.attack, 1000, "hostile records"),
    "requests": (requests.attack, 1000, "small requests to a server"),
    "answers": (answers.attack, 300, "answers of a hostile server"),
    "bombs": (bombs.attack, 100, "percent of the full size of bombs"),
    "pdfs": (pdfs.attack, 300, "damaged PDFs"),
    "server": (server.attack, 200, "searches beside hostile readers"),
}


def main() -> int:
    """Runs the suites that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"any of {', '.join(SUITES)} (all of them)")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn (1)")
    for name, (_, count, what) in SUITES.items():
        parser.add_argument(f"--{name}", type=int, default=count, metavar="N", help=f"{what} ({count})")
    parser.add_argument("--log", type=Path, help="file of finished rows; what stands there already is not run again")
    given = parser.parse_args()
    if unknown := set(given.suites) - SUITES.keys():
        parser.error(f"there is no suite {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    log = Log(given.log, given.seed)
    with tempfile.TemporaryDirectory(prefix="litterm-attack-") as folder:
        for name, (attack, _, what) in SUITES.items():
            if given.suites and name not in given.suites:
                continue
            root = Path(folder) / name
            root.mkdir()
            count = getattr(given, name)
            print(f"== {count:,} {what}", flush=True)
            for outcome in attack(root, Random(f"{given.seed} {name}"), count, log.finished(name, count)):
                log.keep(name, count, outcome)
                print(outcome.line(), flush=True)
                for line in outcome.broken:
                    print(f"   {line}", flush=True)
    outcomes = log.outcomes
    print("\n".join(["", "== all", *(outcome.line() for outcome in outcomes)]))
    return int(any(outcome.broken for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
