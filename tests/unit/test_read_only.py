"""A library that may only be read, another user's or a snapshot: everything that reads works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from libraries import record, store

READING = [
    ["search", "trees"],
    ["search", "trees", "--one-hop"],
    ["search", "trees", "--json"],
    ["first", "parsing"],
    ["refs", "a1", "--local"],
    ["cited-by", "b1", "--local"],
    ["read", "a1", "--plain"],
    ["show", "a1"],
    ["export", "a1", "--bibtex"],
    ["export", "--all", "--jsonl"],
    ["cite", "Trees are parsed [CITATION]."],
    ["evidence", "a1", "trees are parsed"],
    ["duplicates"],
    ["failures"],
    ["watch"],
]
RUN = """
import sys, json
from litterm.cli.main import main
for argv in json.loads(sys.argv[1]):
    status = main(["--offline", *argv])
    print("STATUS", status, *argv, flush=True)
"""


@pytest.fixture
def only_read(tmp_path: Path) -> Iterator[list[str]]:
    """What a command has to begin with to find the library below `tmp_path / "kept"` read-only."""
    kept = tmp_path / "kept"
    store(kept / "library", [record("a1", "Parsing of trees"), record("b1", "Parsing of forests")])
    if os.getuid() == 0:
        # For root the rights of files do not count.
        unshare = shutil.which("unshare")
        mount = f'mount --bind "{kept}" "{kept}" && mount -o remount,bind,ro "{kept}" && exec "$@"'
        prefix = [str(unshare), "-m", "sh", "-c", mount, "sh"]
        if unshare is None or subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
            pytest.skip("root needs mount namespaces to see a file system read-only")
        yield prefix
        return
    for path in (kept, *kept.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield []
    for path in (kept, *(each for each in kept.rglob("*") if each.is_dir())):
        path.chmod(0o755)


def run(prefix: list[str], home: Path, argvs: list[list[str]]) -> tuple[str, str]:
    import json

    environ = {**os.environ, "LITTERM_HOME": str(home / "own"), "LITTERM_LIBRARY": str(home / "kept" / "library")}
    argv = [*prefix, sys.executable, "-c", RUN, json.dumps(argvs)]
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def test_everything_that_reads_works(only_read: list[str], tmp_path: Path) -> None:
    told, trouble = run(only_read, tmp_path, READING)
    statuses = {line.partition(" ")[2] for line in told.splitlines() if line.startswith("STATUS ")}
    assert statuses == {" ".join(["0", *argv]) for argv in READING}, trouble
    assert "Cannot write" not in trouble and "Traceback" not in trouble


def test_what_writes_says_that_it_cannot(only_read: list[str], tmp_path: Path) -> None:
    papers = tmp_path / "more.jsonl"
    papers.write_text('{"id": "c1", "title": "A third paper"}\n')
    told, trouble = run(only_read, tmp_path, [["add", str(papers)]])
    assert told.splitlines()[-1].startswith("STATUS 1 ")
    assert "Cannot write" in trouble and "Traceback" not in trouble
