"""`litterm agree grade FILE`: a person grades one cell after the other with keys, without seeing the model's grade."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from litterm.agreement.drawn_set import find_neighbours
from litterm.annotations.people_grades import now
from litterm.core.errors import UnknownPaper, UsageError
from litterm.model.agreement import PersonGrade
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.agreement import CellKind, GradedCell, GradedSet

QUESTIONS: Final[Mapping[CellKind, str]] = {
    "aspects": "is it met? 2 all key parts, directly; 1 some, or by inference; 0 no help",
    "evidence": "does the sentence say so? y supports it, n refutes it, 0 neither",
}
"""The scale of DORIS-MAE, in which two labels are 1, and that of the stances of evidence."""
_KEYS: Final[Mapping[CellKind, Mapping[str, str]]] = {
    "aspects": {"0": "0", "1": "1", "2": "2"},
    "evidence": {"y": "supports", "n": "refutes", "0": "neither"},
}
_SKIP, _UNDO, _QUIT = "s", "u", "q"
_OTHER_KEYS: Final = f"{_SKIP} skips, {_UNDO} takes the last one back, {_QUIT} stops"


def grade(drawn: GradedSet, grader: str, context: Context) -> int:
    """Asks about each cell that `grader` has not graded, the development cells first; each answer is kept at once.

    Raises:
        UsageError: there is no terminal to ask on, or the name cannot be one.
    """
    if sys.stdin is None or not (sys.stdin.isatty() or context.plain):
        raise UsageError("`litterm agree grade` asks on a terminal; with --plain it reads answers from stdin")
    grader = " ".join(grader.split())
    if not grader:
        raise UsageError("--as needs a name")
    engine = context.engine()
    grades, cells = engine.people_grades, drawn.development + drawn.test
    known = grades.grades_of(cells).get(grader, {})
    waiting = [cell for cell in cells if cell not in known]
    context.output.say(f"{count_phrase(len(waiting), 'cell')} to grade; {_OTHER_KEYS}.")
    context.output.say("Words typed after a key are kept as a note.")
    session = _Session(waiting, grader, engine, context)
    while session.place < len(waiting) and session.ask_next():
        pass
    if session.missing:
        left_out = count_phrase(len(session.missing), "cell")
        context.output.say(f"{left_out} left out: this library does not hold the paper.")
    count = len(grades.grades_of(cells).get(grader, {}))
    context.output.say(f"{count:,} of {len(cells):,} are graded. Next: litterm agree report")
    return 0


@dataclass(slots=True)
class _Session:
    """The cells that one person is asked about."""

    waiting: Sequence[GradedCell]
    grader: str
    engine: Engine
    context: Context
    place: int = 0
    """Of the next cell in `waiting`."""
    answered: list[int] = field(default_factory=list)
    missing: set[int] = field(default_factory=set)
    """Places of cells whose paper the library does not hold."""

    def ask_next(self) -> bool:
        """Asks about the next cell; false when the person stops."""
        cell = self.waiting[self.place]
        shown = _lines(cell, f"{self.place + 1} of {len(self.waiting)}", self.engine, self.context)
        if shown is None:
            self.missing.add(self.place)
            self.place += 1
            return True
        self.context.output.write_lines(shown)
        key, note = _ask(cell.kind, self.context)
        if key == _UNDO:
            self._take_back()
            return True
        if key in _KEYS[cell.kind]:
            self.engine.people_grades.grade(cell, PersonGrade(_KEYS[cell.kind][key], note, now()), self.grader)
            self.answered.append(self.place)
        self.place += 1
        return key != _QUIT

    def _take_back(self) -> None:
        if not self.answered:
            self.context.output.say("Nothing to take back here; `litterm undo` takes back what was graded earlier.")
            return
        self.place = self.answered.pop()
        self.engine.people_grades.grade(self.waiting[self.place], None, self.grader)


def _lines(cell: GradedCell, place: str, engine: Engine, context: Context) -> Sequence[str] | None:
    """The cell as shown; `None` where the library does not hold its paper."""
    from litterm.render.agreement import cell_lines

    try:
        (paper,) = engine.records.by_id([cell.paper_id])
    except UnknownPaper:
        return None
    around = ("", "")
    if cell.sentence:
        around = find_neighbours(cell, context.run(engine.read(paper.id)))
    return cell_lines(cell, paper, around, place, context.line_options())


def _ask(kind: CellKind, context: Context) -> tuple[str, str]:
    """A key, and the note after it; the end of the input stops."""
    while True:
        context.output.say(QUESTIONS[kind])
        line = sys.stdin.readline()
        key, _, note = line.strip().partition(" ")
        key = key.lower()
        if not line or key == _QUIT:
            return _QUIT, ""
        if key in (*_KEYS[kind], _SKIP, _UNDO):
            return key, " ".join(note.split())
        context.output.say(f"Type one of {', '.join(_KEYS[kind])}; {_OTHER_KEYS}.")
