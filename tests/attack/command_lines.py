"""Odd command lines: every one ends with a known status and a sentence, never with a traceback."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from .outcome import Outcome

LIMIT_S = 120.0
"""Longest any of them may take; a bench over nothing and a search are done in a second."""
STATUSES = {0, 1, 2, 3, 4, 130}
ODD = (
    *("", " ", "-", "--", "---", "-k", "--json", "0", "-1", "1e9", "9" * 400, "٣", "½", "NaN", "inf", "null", "true"),
    *("a" * 5000, "\udcff\udcfe", "\x1b[31mred\x1b[0m", "‮evil", "​", "e\u0301", "漢字", "\U0001f984", "\n", "\t"),
    *("acl:../../x", "doi:10.1/%00", "/etc/passwd", "/dev/null", ".", "..", "/", "nowhere/at/all", "~", "*", "$(id)"),
    *("{}", "[]", "{'a': 1}", '{"excerpt": 1}', "<xml/>", "$x$", "\\input{x}", "%s%n", "'; DROP TABLE paper; --"),
    *('"', "'", '"unbalanced', "(", ")", "a AND", "year:", "year:9..1", "year:abc..", "author:", "like:", "like:x"),
    *("in:nowhere", "|| ||", "a || b || c", "aspect:", "-word", "field:value:more", "title:(a b", "venue:*", "a~b"),
    *(
        "[CITATION]",
        "text [CITATION] and [CITATION].",
        "(Smith, 2001)",
        "\\cite{}",
        "10.18653/v1/x",
        "arXiv:1706.03762",
    ),
    *(
        "PMC1",
        "https://127.0.0.1/",
        "http://[::1",
        "file:///etc/passwd",
        "2020..",
        "..2020",
        "2020..1990",
        "last",
        "all",
    ),
)
SOUND = tuple(
    line.split("|")
    for line in """search|parsing trees|-k|5|--json
search|parsing|--year|2001..2005|--why
search|trees || grammar|--sort|aspects
search|parsing|--one-hop|both
search|parsing|--like|doi:10.1000/3|--in-full-text
evidence|doi:10.1000/3|Parsing works|-k|3|--json
evidence|--query|parsing|-n|3|Parsing works|--format|csv
evidence|--list
cite|We parse with trees [CITATION].|-k|3|--json
cite|--file|draft.tex|--format|quickfix
cite|--file|draft.tex|--check
cite|--batch|batch.jsonl
cite|--batch|batch.csv|-o|answers.jsonl
show|doi:10.1000/3|--json
read|doi:10.1000/3|--plain
export|doi:10.1000/3|--bibtex
export|--all|--jsonl
refs|doi:10.1000/3|--local
cited-by|doi:10.1000/3|--local
watch|parsing
duplicates|--json
duplicates|--merge|doi:10.1000/3|doi:10.1000/4
remove|doi:10.1000/5|--undo
failures|--json
first|parsing|-k|3
add|papers.jsonl|--retry
add|folder|noise|empty
fetch|doi:10.1000/3|--json
sync|arxiv|cat:cs.CL|--limit|3
find|parsing|--in|arxiv|-k|3
config|model|--json
cache|--json
doctor|--json
completion|bash""".splitlines()
)
EVERYWHERE = ("--offline", "--plain", "--home", "--project", "--help", "--version", "--nosuch")


def attack(root: Path, chance: Random, count: int, finished: Sequence[str] = ()) -> list[Outcome]:
    """`count` command lines over a small library, without a network."""
    if finished:
        return []
    outcome = Outcome("odd command lines", "command lines")
    home, place = root / "home", root / "place"
    place.mkdir()
    _furnish(place)
    options = _options()
    environ = {**os.environ, "LITTERM_HOME": str(home), "LITTERM_OFFLINE": "1", "TERM": "dumb"}
    subprocess.run(
        [sys.executable, "-m", "litterm", "add", str(place / "papers.jsonl")],
        env={**environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        check=True,
        timeout=LIMIT_S,
    )
    statuses: Counter[int | None] = Counter()
    slowest = 0.0
    for number in range(count):
        argv = _drawn(chance, options, place)
        started = time.monotonic()
        status, told = _run(argv, place, environ, root / "told")
        slowest = max(slowest, time.monotonic() - started)
        statuses[status] += 1
        outcome.tried += 1
        if status not in STATUSES or "Traceback" in told or "this is a bug in litterm" in told:
            outcome.broken.append(f"{number}: status {status}: {json.dumps(argv)[:600]}: ...{told[-300:]!r}")
    ended = ", ".join(f"{status}: {times}" for status, times in sorted(statuses.items(), key=lambda pair: str(pair[0])))
    outcome.seen = f"by status {ended}; slowest {slowest:.1f} s"
    return [outcome]


def _furnish(place: Path) -> None:
    """Files that a command may be pointed at: a library's rows, a draft, a batch, and some that are nothing."""
    rows = [
        {
            "id": f"doi:10.1000/{n}",
            "title": f"Parsing with {n} trees",
            "abstract": "We parse. It works.",
            "year": 2000 + n,
        }
        for n in range(12)
    ]
    (place / "papers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (place / "draft.tex").write_text("\\section{A}\nWe parse with trees [CITATION]. See \\cite{nobody}.\n")
    (place / "batch.jsonl").write_text('{"excerpt": "We parse [CITATION]."}\n{"excerpt": 3}\n[]\nnonsense\n')
    (place / "batch.csv").write_text("id,excerpt\n1,We parse [CITATION].\n")
    (place / "empty").write_bytes(b"")
    (place / "noise").write_bytes(bytes(range(256)) * 40)
    (place / "folder").mkdir()


def _options() -> dict[str, list[tuple[str, bool]]]:
    """Of each verb its options, and whether they take a value; this also loads every verb before the first fork."""
    import litterm.engine.parts  # noqa: F401
    from litterm.cli.commands import COMMANDS
    from litterm.cli.parser import build_parser

    parser = build_parser()
    return {
        verb.name: [
            (name, action.nargs != 0)
            for action in parser.parser_of(verb.name).actions()
            for name in action.option_strings
            if name not in ("-h", "--help")
        ]
        for verb in COMMANDS
    }


def _drawn(chance: Random, options: dict[str, list[tuple[str, bool]]], place: Path) -> list[str]:
    files = sorted(path.name for path in place.iterdir())
    values = (*ODD, *files, "doi:10.1000/3", "parsing trees", "trees")
    if chance.random() < 0.7:
        return _bent(chance, options, list(chance.choice(SOUND)), values)
    verb = chance.choice(list(options)) if chance.random() < 0.97 else chance.choice(ODD)
    words: list[str] = []
    for _ in range(chance.choice((0, 1, 1, 2, 3, 5))):
        words.append(chance.choice(values))
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        name, valued = chance.choice(options.get(verb) or [("--json", False)])
        words += [name, chance.choice(values)] if valued and chance.random() < 0.9 else [name]
    if chance.random() < 0.1:
        words.insert(chance.randrange(len(words) + 1), chance.choice(EVERYWHERE))
    if chance.random() < 0.3:
        chance.shuffle(words)
    return [verb, *words]


def _bent(
    chance: Random, options: dict[str, list[tuple[str, bool]]], words: list[str], values: Sequence[str]
) -> list[str]:
    """A sound command line with one or two things wrong, odd or too much."""
    verb = words[0]
    for _ in range(chance.choice((1, 1, 2))):
        at = chance.randrange(1, len(words) + 1)
        name, valued = chance.choice(options[verb] or [("--json", False)])
        change = chance.randrange(4)
        if change == 0:
            words[at:at] = [name, chance.choice(values)] if valued else [name]
        elif change == 1:
            words[at:at] = [chance.choice(values)]
        else:
            # An option stays what it is; its value is what may be odd.
            plain = [n for n in range(1, len(words)) if not words[n].startswith("--")]
            if plain:
                words[chance.choice(plain)] = chance.choice(values)
    return words


def _run(argv: Sequence[str], place: Path, environ: dict[str, str], told: Path) -> tuple[int | None, str]:
    """The command in a fork, with everything loaded already; its status, `None` past the limit, and what it said."""
    pid = os.fork()
    if not pid:
        _be_the_command(argv, place, environ, told)
    end = time.monotonic() + LIMIT_S
    done, status = os.waitpid(pid, os.WNOHANG)
    while not done and time.monotonic() < end:
        time.sleep(0.01)
        done, status = os.waitpid(pid, os.WNOHANG)
    if not done:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    said = told.read_bytes().decode("utf-8", "replace") if told.exists() else ""
    return os.waitstatus_to_exitcode(status) if done else None, said


def _be_the_command(argv: Sequence[str], place: Path, environ: dict[str, str], told: Path) -> None:
    """In the fork: the command to its end, as `litterm` starts it, and no way back."""
    try:
        with contextlib.suppress(OSError):
            os.setsid()
        os.environ.clear()
        os.environ.update(environ)
        os.chdir(place)
        out = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.argv = ["litterm", *argv]
        from litterm.cli.main import entry

        status = 1
        try:
            entry()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:  # noqa: BLE001 - all that a command may let out
            # What the interpreter would do with it: the hook of the command line says it in its own way.
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    finally:
        os._exit(99)
