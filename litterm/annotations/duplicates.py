"""Which records are one paper, and which papers are not to be shown: the user's decisions, with undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.merged_records import APART, decision
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.interfaces import Records
from litterm.model.paper import Paper, PaperId


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two papers with one title that may be one."""

    one: Paper
    other: Paper


class RecordCuration:
    """The verbs on records; each is durable when it returns."""

    def __init__(
        self,
        undo_log: UndoLog,
        records: Callable[[], Records],
        doubtful: Callable[[], Sequence[tuple[PaperId, PaperId]]],
    ) -> None:
        """`records` are those shown; `doubtful` gives every doubtful pair of the library, decided on or not."""
        self._undo_log = undo_log
        self._records = records
        self._doubtful = doubtful

    def doubts(self) -> tuple[Doubt, ...]:
        """The pairs nobody has decided on, by id; none with a removed paper."""
        state, records = self._undo_log.state(), self._records()
        decided = state.decided()
        open_pairs = [
            pair
            for pair in self._doubtful()
            # `own` and not `value`: of a merged paper that would be what all its records hold together.
            if state.own("twin", PaperId(min(pair)), max(pair)) is None
            and decided.shown_id(pair[0]) != decided.shown_id(pair[1])
            and decided.removed.isdisjoint(map(decided.shown_id, pair))
        ]
        # One call for all the pairs, then taken two by two.
        papers = iter(records.by_id([paper_id for pair in open_pairs for paper_id in pair]) if open_pairs else ())
        return tuple(Doubt(paper, next(papers)) for paper in papers)

    def merge(self, paper: Paper, other: Paper) -> PaperId:
        """Shows two records as one paper from now on; the id under which.

        The fuller record is the one shown and searched (with an abstract, then with a full text, then the one named
        first), with the ids and fields of both. Nothing is lost: `apart` and undo separate them again.

        Raises:
            UsageError: they are one paper already, or belong to the starter library.
        """
        # The starter library is the package's: nothing in it can be decided for good.
        _own((paper, other))
        if paper.id == other.id:
            raise UsageError(f"These are already shown as one paper, {paper.id}.")
        shown, hidden = (other, paper) if _fullness(other) > _fullness(paper) else (paper, other)
        sentence = f"merged {hidden.id} into {shown.id}"
        self._undo_log.write(sentence, [decision(shown.id, hidden.id, shown.id)])
        return shown.id

    def apart(self, first_id: PaperId, second_id: PaperId) -> bool:
        """Keeps two records apart for good; separates them if they were merged. Whether that changed anything.

        The ids are those of the records themselves, also of one that is hidden in the other.
        """
        state = self._undo_log.state()
        decided = state.decided()
        changes = [decision(first_id, second_id, APART)]
        if (
            decided.shown_id(first_id) == decided.shown_id(second_id)
            and state.own("twin", min(first_id, second_id), max(first_id, second_id)) is None
        ):
            raise UsageError(
                f"{first_id} and {second_id} are one paper through a third; keep each apart from that one."
            )
        return self._undo_log.write(f"kept {first_id} and {second_id} apart", changes)

    def remove(self, papers: Sequence[Paper]) -> int:
        """Shows these papers no more, also after another import; how many were shown until now.

        Raises:
            UsageError: one of them belongs to the starter library.
        """
        _own(papers)
        state = self._undo_log.state()
        ids = [
            paper_id for paper_id in dict.fromkeys(paper.id for paper in papers) if not state.value("removed", paper_id)
        ]
        more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
        if ids:
            self._undo_log.write(
                f"removed {ids[0]}{more}", [RegisterChange("removed", paper_id, True) for paper_id in ids]
            )
        return len(ids)

    def restore(self, ids: Sequence[PaperId]) -> int:
        """Shows removed papers again; how many of `ids` were removed."""
        state = self._undo_log.state()
        removed = [paper_id for paper_id in dict.fromkeys(ids) if state.value("removed", paper_id)]
        if removed:
            sentence = f"restored {removed[0]}" + (f" and {len(removed) - 1} more" if len(removed) > 1 else "")
            self._undo_log.write(sentence, [RegisterChange("removed", paper_id, None) for paper_id in removed])
        return len(removed)

    def removed(self) -> tuple[PaperId, ...]:
        """The papers that are not shown, by id."""
        return tuple(sorted(self._undo_log.state().decided().removed))

    def undo_pair(self) -> str | None:
        """Takes back the last decision on a pair and says which; `None` if there is none."""
        sentence = self._undo_log.undo("twin")
        return None if sentence is None else f"Undone: {sentence}."

    def undo_removal(self) -> str | None:
        """Takes back the last removal and says which; `None` if there is none."""
        sentence = self._undo_log.undo("removed")
        return None if sentence is None else f"Undone: {sentence}."


def _fullness(paper: Paper) -> tuple[bool, bool]:
    return bool(paper.abstract), paper.full_text


def _own(papers: Sequence[Paper]) -> None:
    for paper in papers:
        if paper.id.startswith("starter:"):
            raise UsageError(f"{paper.id} belongs to the starter library; `starter = false` hides that as a whole.")
