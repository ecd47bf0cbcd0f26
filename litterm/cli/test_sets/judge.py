"""`litterm make judge FILE`: a person looks at each question of a test set, and grades it with two keys."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.cli.test_sets.set_file import SetFile
from litterm.core.durable_files import replace_file
from litterm.core.errors import BadInput, UsageError
from litterm.core.user_files import resolve_target
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.cli.context import Context

SPECIFICITY: Final = "specificity: 0 broad (up to 20 papers of the library would fit), 1 specific (up to 5)"
QUALITY: Final = "quality: 0 leave it out (wrong, odd, too broad or too easy), 1 acceptable, 2 good"
"""The scales of LitSearch (Ajith et al. 2024, table 1)."""
_SKIP, _QUIT = "s", "q"
_KEYS = f"{_SKIP} skips, {_QUIT} stops"


def judge(path: Path, context: Context) -> int:
    """Asks about each question that is not judged yet; each answer is in the file before the next is asked.

    Raises:
        UsageError: there is no terminal to ask on.
        BadInput: the file holds no questions.
    """
    if sys.stdin is None or not (sys.stdin.isatty() or context.plain):
        raise UsageError(
            "`litterm make judge` asks on a terminal; with --plain it reads answers from stdin, one a line"
        )
    if not SetFile(path).read_keys():
        raise BadInput(f"{path}: holds no questions of `litterm make questions`.")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    remaining = [number for number, row in enumerate(rows) if "quality" not in row]
    context.output.say(f"{count_phrase(len(remaining), 'question')} to judge; {_KEYS}.")
    for place, number in enumerate(remaining, 1):
        _show(rows[number], f"{place} of {len(remaining)}", context)
        answer = _ask_both(context)
        if answer == _QUIT:
            break
        if isinstance(answer, tuple):
            rows[number] |= {"specificity": answer[0], "quality": answer[1]}
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            replace_file(resolve_target(path), lines.encode("utf-8", "replace"))
    judged = [row["quality"] for row in rows if "quality" in row]
    kept = sum(quality > 0 for quality in judged)
    context.output.say(f"{len(judged)} of {len(rows)} are judged, and {kept} of these are measured.")
    return 0


def _show(row: Mapping[str, object], place: str, context: Context) -> None:
    options = context.line_options()
    titles = row.get("titles")
    lines = ["", options.text(f"{place}: {row.get('query', '')}")]
    lines += [options.text(f"  answer: {title}") for title in (titles if isinstance(titles, list) else ())]
    lines.append(options.text(f"  made from: {row.get('passage', '')}"))
    context.output.write_lines(lines)


def _ask_both(context: Context) -> tuple[int, int] | str:
    """Both grades, or `s` or `q`."""
    specificity = _ask(SPECIFICITY, "01", context)
    if specificity in (_SKIP, _QUIT):
        return specificity
    quality = _ask(QUALITY, "012", context)
    return quality if quality in (_SKIP, _QUIT) else (int(specificity), int(quality))


def _ask(question: str, digits: str, context: Context) -> str:
    """One of `digits`, `s` or `q`; the end of the input stops."""
    while True:
        context.output.say(question)
        line = sys.stdin.readline()
        answer = line.strip().lower()
        if not line or answer == _QUIT:
            return _QUIT
        if answer and answer in (*digits, _SKIP):
            return answer
        context.output.say(f"Type one of {', '.join(digits)}; {_KEYS}.")
