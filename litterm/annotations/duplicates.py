"""The user's decisions on records, with undo: which ones are the same paper, and which are hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.merged_records import APART, make_pair_change
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.interfaces import Records
from litterm.model.paper import Paper, PaperId, library_name_of
from litterm.text.plural import count_phrase
from litterm.text.references.identity import folded_id, paper_ids, scheme_of, title_key


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two papers with a common title or id that may be duplicates."""

    one: Paper
    other: Paper

    @property
    def shared_id(self) -> PaperId | None:
        """An id that both state, though it is not certain to be that of both; `None` where they share a title only."""
        stated = [{folded_id(name): name for name in _stated_ids(paper)} for paper in (self.one, self.other)]
        return next((name for folded, name in stated[0].items() if folded in stated[1]), None)

    @property
    def shared(self) -> str:
        """What both share, in words."""
        is_equal = title_key(self.one.title) == title_key(self.other.title)
        if self.shared_id is None:
            return "the same title" if is_equal else "almost the same title"
        return f"{'the same title, and ' if is_equal else ''}both state {self.shared_id}"


class RecordCuration:
    """Merges, separates, hides and restores records; every change is durable when the method returns."""

    def __init__(
        self,
        undo_log: UndoLog,
        records: Callable[[], Records],
        doubtful: Callable[[], Sequence[tuple[PaperId, PaperId]]],
    ) -> None:
        """`records` are the visible ones; `doubtful` returns every possible duplicate, decided or not."""
        self._undo_log = undo_log
        self._records = records
        self._doubtful = doubtful

    def doubts(self) -> tuple[Doubt, ...]:
        """Possible duplicates without a decision, sorted by id, without removed papers."""
        state, records = self._undo_log.state(), self._records()
        decided = state.record_decisions()
        open_pairs = [
            pair
            for pair in self._doubtful()
            # `own_value`, because `value` joins the values of all records of a merged paper.
            if state.own_value("twin", PaperId(min(pair)), max(pair)) is None
            and decided.shown_id(pair[0]) != decided.shown_id(pair[1])
            and decided.removed.isdisjoint(map(decided.shown_id, pair))
        ]
        # Loaded in one call, then taken two by two.
        papers = iter(records.by_id([paper_id for pair in open_pairs for paper_id in pair]) if open_pairs else ())
        return tuple(Doubt(paper, next(papers)) for paper in papers)

    def merge(self, paper: Paper, other: Paper) -> PaperId:
        """Merges two records into one paper and returns its id.

        The more complete record is shown and searched (with an abstract, then with a full text, then the first),
        with the ids and fields of both. `apart` and undo separate them again.

        Raises:
            UsageError: they are one paper already, or belong to the starter library.
        """
        # The starter library is part of the package and cannot be changed.
        _check_own((paper, other))
        if paper.id == other.id:
            raise UsageError(f"These are already shown as one paper, {paper.id}.")
        shown, hidden = (other, paper) if _completeness(other) > _completeness(paper) else (paper, other)
        sentence = f"merged {hidden.id} into {shown.id}"
        self._undo_log.write(sentence, [make_pair_change(shown.id, hidden.id, shown.id)])
        return shown.id

    def apart(self, first_id: PaperId, second_id: PaperId) -> bool:
        """Keeps two records apart, and separates them if they were merged. Returns whether anything changed.

        The ids are those of the records themselves, even if one is hidden in the other.
        """
        state = self._undo_log.state()
        decided = state.record_decisions()
        changes = [make_pair_change(first_id, second_id, APART)]
        if (
            decided.shown_id(first_id) == decided.shown_id(second_id)
            and state.own_value("twin", min(first_id, second_id), max(first_id, second_id)) is None
        ):
            raise UsageError(
                f"{first_id} and {second_id} are one paper through a third; keep each apart from that one."
            )
        return self._undo_log.write(f"kept {first_id} and {second_id} apart", changes)

    def remove(self, papers: Sequence[Paper]) -> int:
        """Hides papers, also after another import. Returns how many were visible.

        Raises:
            UsageError: one of them belongs to the starter library.
        """
        _check_own(papers)
        return len(self._hide(dict.fromkeys(paper.id for paper in papers)))

    def remove_records(self, ids: Sequence[PaperId]) -> tuple[PaperId, ...]:
        """Hides these records, and nothing that the user merged them with. Returns those that were visible.

        A record merged with another that stays is taken out of it first.
        """
        decided = self._undo_log.state().record_decisions()
        leaving = set(ids)
        apart = [
            make_pair_change(paper_id, other, APART)
            for paper_id in leaving
            if not leaving.issuperset(members := decided.merged_ids(paper_id))
            for other in members
            if other not in leaving
        ]
        if apart:
            # Before the removal, which would otherwise be that of the paper shown.
            self._undo_log.write(f"took {count_phrase(len(apart), 'record')} apart to remove them", apart)
        decided = self._undo_log.state().record_decisions()
        return self._hide(dict.fromkeys(decided.shown_id(paper_id) for paper_id in ids))

    def _hide(self, ids: Iterable[PaperId]) -> tuple[PaperId, ...]:
        """Hides papers; returns those that were visible."""
        state = self._undo_log.state()
        visible = tuple(paper_id for paper_id in ids if not state.value("removed", paper_id))
        if visible:
            more = f" and {len(visible) - 1} more" if len(visible) > 1 else ""
            changes = [RegisterChange("removed", paper_id, True) for paper_id in visible]
            self._undo_log.write(f"removed {visible[0]}{more}", changes)
        return visible

    def restore(self, ids: Sequence[PaperId]) -> int:
        """Shows removed papers again. Returns how many of `ids` were removed."""
        state = self._undo_log.state()
        removed = [paper_id for paper_id in dict.fromkeys(ids) if state.value("removed", paper_id)]
        if removed:
            sentence = f"restored {removed[0]}" + (f" and {len(removed) - 1} more" if len(removed) > 1 else "")
            self._undo_log.write(sentence, [RegisterChange("removed", paper_id, None) for paper_id in removed])
        return len(removed)

    def removed_papers(self) -> tuple[PaperId, ...]:
        """The removed papers, sorted by id."""
        return tuple(sorted(self._undo_log.state().record_decisions().removed))

    def undo_pair(self) -> str | None:
        """Undoes the last decision on a pair. Returns a message, or `None` if there is none."""
        sentence = self._undo_log.undo("twin")
        return None if sentence is None else f"Undone: {sentence}."

    def undo_removal(self) -> str | None:
        """Undoes the last removal. Returns a message, or `None` if there is none."""
        sentence = self._undo_log.undo("removed")
        return None if sentence is None else f"Undone: {sentence}."


def _stated_ids(paper: Paper) -> tuple[PaperId, ...]:
    return tuple(name for name in (*paper_ids(paper), *paper.unverified_ids) if scheme_of(name) != "local")


def _completeness(paper: Paper) -> tuple[bool, bool]:
    return bool(paper.abstract), paper.full_text


def _check_own(papers: Sequence[Paper]) -> None:
    for paper in papers:
        if library_name_of(paper.id) == "starter":
            raise UsageError(f"{paper.id} belongs to the starter library; `starter = false` hides that as a whole.")
