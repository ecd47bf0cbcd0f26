"""Inter-annotator agreement: decisions on the same cells, read from a co-author's sheet and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from litterm.core.errors import BadInput
from litterm.model.matrix import Agreement, CellDecision, CodedCell, CoderPair, DecisionSheet, Disagreement
from litterm.model.paper import PaperId
from litterm.text.spreadsheets import clean_value, read_rows

OWN_CODER = "you"
"""The name of the user among the coders."""

_REQUIRED_COLUMNS = ("paper", "hypothesis", "decision")
# Not "x": to one it is a tick, to another a cross.
_ACCEPTED = frozenset("accepted accept yes y 1 include included true ✓ ✔".split())
_REJECTED = frozenset("rejected reject no n 0 exclude excluded false ✗ ✘".split())
_DECISIONS: dict[str, CellDecision] = {
    **dict.fromkeys(_ACCEPTED, "accepted"),
    **dict.fromkeys(_REJECTED, "rejected"),
}
_UNDECIDED = frozenset(("", "undecided", "?", "open", "unsure", "na", "n/a"))
_MAX_FAULTS = 20

CellKey = tuple[PaperId, str]


def read_sheet(content: bytes, coder: str) -> DecisionSheet:
    """The decisions in a CSV that litterm wrote and a spreadsheet may have saved since.

    Any of comma, semicolon and tab separates; UTF-8, UTF-16 and the Western code page are understood; columns
    may have been moved, added and, but for paper, hypothesis and decision, deleted.

    Raises:
        BadInput: it is no such table.
    """
    rows = read_rows(content, coder)
    header = [name.strip().casefold() for name in next(rows, [])]
    missing = [name for name in _REQUIRED_COLUMNS if name not in header]
    if missing:
        raise BadInput(f"{coder}: no column {missing[0]!r} in the first line; is this a matrix written by litterm?")
    sheet = _SheetReader(coder, [header.index(name) for name in _REQUIRED_COLUMNS])
    for number, row in enumerate(rows, 2):
        if any(value.strip() for value in row):
            sheet.read_row(number, row)
    return DecisionSheet(coder, tuple(sheet.cells.values()), sheet.undecided, _limit_faults(sheet.faults, coder))


@dataclass(slots=True)
class _SheetReader:
    """Reads the lines of a sheet."""

    coder: str
    places: Sequence[int]
    """Of paper, hypothesis and decision in a row."""
    cells: dict[CellKey, CodedCell] = field(default_factory=dict)
    undecided: int = 0
    faults: list[str] = field(default_factory=list)

    def read_row(self, number: int, row: Sequence[str]) -> None:
        paper, hypothesis, word = (clean_value(row[place]) if place < len(row) else "" for place in self.places)
        key = (PaperId(paper), hypothesis)
        decision = _DECISIONS.get(word.casefold().strip(".!'\""))
        if not paper or not hypothesis:
            self._add_fault(number, "no paper or no hypothesis")
        elif word.casefold() in _UNDECIDED:
            self.undecided += 1
        elif decision is None:
            self._add_fault(number, f"{word!r} is not a decision; write accepted, rejected or nothing")
        # A line twice with one decision is no fault: sheets are joined by copying.
        elif key in self.cells and self.cells[key].decision != decision:
            self._add_fault(number, f"{paper} was decided differently on an earlier line, which counts")
        else:
            self.cells[key] = CodedCell(key[0], hypothesis, decision)

    def _add_fault(self, number: int, reason: str) -> None:
        self.faults.append(f"{self.coder}, line {number}: {reason}.")


def _limit_faults(faults: Sequence[str], coder: str) -> tuple[str, ...]:
    more = len(faults) - _MAX_FAULTS
    return (*faults[:_MAX_FAULTS], *([f"{coder}: {more} more lines like these."] if more > 0 else []))


def compare_coders(coders: Mapping[str, Sequence[CodedCell]]) -> Agreement:
    """Every two coders with kappa, and each cell that not all who decided on it decided alike.

    Cells come in the order of the first coder who decided on them.
    """
    by_coder = {
        coder: {(cell.paper_id, cell.hypothesis): cell.decision for cell in cells} for coder, cells in coders.items()
    }
    keys = dict.fromkeys(key for decided in by_coder.values() for key in decided)
    split = (
        Disagreement(*key, tuple((coder, decided[key]) for coder, decided in by_coder.items() if key in decided))
        for key in keys
    )
    return Agreement(
        coders=tuple(coders),
        pairs=tuple(
            _compare_pair(first, second, by_coder[first], by_coder[second])
            for first, second in combinations(by_coder, 2)
        ),
        disagreements=tuple(
            disagreement for disagreement in split if len({decision for _, decision in disagreement.decisions}) > 1
        ),
    )


def _compare_pair(
    first: str, second: str, by_first: Mapping[CellKey, CellDecision], by_second: Mapping[CellKey, CellDecision]
) -> CoderPair:
    shared = [(by_first[key], by_second[key]) for key in by_first if key in by_second]
    return CoderPair(first, second, len(shared), sum(a == b for a, b in shared), cohen_kappa(shared))


def cohen_kappa(pairs: Sequence[tuple[CellDecision, CellDecision]]) -> float | None:
    """Cohen's kappa of two people on the same cells, in [-1, 1].

    `None` without cells, and where both said one and the same every time: then chance explains everything.
    """
    if not pairs:
        return None
    total = len(pairs)
    first, second = (sum(pair[side] == "accepted" for pair in pairs) / total for side in (0, 1))
    by_chance = first * second + (1 - first) * (1 - second)
    observed = sum(a == b for a, b in pairs) / total
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)
