"""Evidence matrices: the same hypotheses over many papers, filled in the background, and continued after a kill."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from litterm.annotations.matrix_decisions import MatrixDecisions
from litterm.core.errors import UnknownMatrix, UsageError
from litterm.core.tasks import Task
from litterm.evidence.matrix.cells import without_contradictions
from litterm.evidence.matrix.run import MatrixFill, papers_of, summary
from litterm.model.evidence import EvidenceLlmOptions, EvidenceScope
from litterm.model.llm import CostEstimate
from litterm.model.matrix import (
    Agreement,
    DecisionSheet,
    Matrix,
    MatrixId,
    MatrixRecord,
    MatrixRequest,
    MatrixRow,
    MatrixSummary,
)
from litterm.model.paper import PaperId
from litterm.text.tokens import FUNCTION_WORDS, words

if TYPE_CHECKING:
    from litterm.evidence.matrix.storage import MatrixStore

LAST = "last"
"""The id by which the newest matrix is meant."""


@dataclass(frozen=True, slots=True)
class Matrices:
    """Every matrix of the library; safe from any thread."""

    filling: MatrixFill
    annotations: MatrixDecisions

    @property
    def store(self) -> MatrixStore:
        """The storage of the matrices."""
        return self.filling.store

    def begin(
        self,
        keys: Sequence[str],
        hypotheses: Sequence[str],
        *,
        query: str = "",
        k: int = 10,
        scope: EvidenceScope = "all",
        options: EvidenceLlmOptions | None = None,
    ) -> Matrix:
        """The saved matrix of the same request by this version of litterm, else a new one without cells.

        With `options` a language model is asked; where cached replies may not answer, it is always a new one.

        Raises:
            UsageError: no paper, no hypothesis, one without a word to look for, `k` below 1, or no model is set.
            ModelError: the model that is set cannot be asked.
        """
        columns = tuple(dict.fromkeys(map(read_column, hypotheses)))
        if not keys or not columns or k < 1:
            raise UsageError("A matrix needs a paper, a hypothesis, and room for at least one sentence a cell.")
        if options is not None and options.negate:
            raise UsageError("A matrix has a column for each hypothesis: write the negated one as one more.")
        papers = tuple(dict.fromkeys(self._ids(keys)))
        request = MatrixRequest(papers, columns, query, k, scope, self.filling.method(options), options)
        anew = options is not None and not options.cached
        # Asking again for the same matrix continues with it: cells may have been paid for.
        same = next((r for r in self.store.all() if not anew and r.request == request and self._is_ours(r)), None)
        return self.open(same.id if same else self.store.begin(request))

    def fill(self, key: str) -> Task[Matrix]:
        """Computes what is missing, row by row; each cell is stored before its `CellFilled` is yielded.

        Cells that failed are tried again, as are those of papers of which there is more to read by now. While
        another litterm fills it, its cells are told as they come; what it leaves is computed here.

        Raises:
            UnknownMatrix: there is none.
        """
        matrix_id = self.find(key)
        yield from self.filling.fill(matrix_id)
        return self.open(matrix_id)

    def estimate(self, key: str) -> Task[CostEstimate | None]:
        """The most that `fill` would ask a model; sends nothing. `None` if it asks none.

        Raises:
            UnknownMatrix: there is none.
            UsageError: no model is set.
            ModelError: the model that is set cannot be asked.
        """
        return (yield from self.filling.estimate(self.find(key)))

    def preview(self, key: str) -> Task[tuple[str, ...]]:
        """The requests `fill` would send, to the letter, but for the last one of each cell.

        Raises:
            UnknownMatrix: there is none.
            UsageError: no model is set.
            ModelError: the model that is set cannot be asked.
        """
        return (yield from self.filling.preview(self.find(key)))

    def add_hypothesis(self, key: str, hypothesis: str) -> Matrix:
        """One more column, to be filled; one that is there already changes nothing.

        Raises:
            UsageError: it has no word to search for, or there is no such matrix.
        """
        matrix_id, column = self.find(key), read_column(hypothesis)
        if column not in self.store.open(matrix_id).request.hypotheses:
            self.store.add_hypothesis(matrix_id, column)
        return self.open(matrix_id)

    def open(self, key: str) -> Matrix:
        """The matrix as it is now, with the decisions as they are now.

        Raises:
            UnknownMatrix: there is none.
        """
        record = self.store.open(self.find(key))
        request = record.request
        papers = papers_of(self.filling.library, request.papers)
        cells = {(cell.paper_id, cell.hypothesis): cell for cell in record.cells}
        rows: list[MatrixRow] = []
        for paper_id in request.papers:
            row = without_contradictions([cells.get((paper_id, h)) for h in request.hypotheses])
            rows.append(MatrixRow(paper_id, papers.get(paper_id), row, (None,) * len(row)))
        return self.with_decisions(Matrix(record.id, record.begun_at, request, tuple(rows), record.runs))

    def with_decisions(self, matrix: Matrix) -> Matrix:
        """`matrix` with the user's decisions on its cells and their sentences as they are now."""
        hypotheses = matrix.request.hypotheses
        decisions = self.annotations.decisions([row.paper_id for row in matrix.rows], hypotheses)
        rows = (
            replace(row, decisions=decided, marks=self.annotations.sentence_marks(row.paper_id, hypotheses, row.cells))
            for row, decided in zip(matrix.rows, decisions, strict=True)
        )
        return replace(matrix, rows=tuple(rows))

    def all(self) -> tuple[MatrixSummary, ...]:
        """A line for every matrix, the newest first."""
        return tuple(map(summary, self.store.all()))

    def remove(self, key: str) -> MatrixId:
        """Deletes a matrix and says which; decisions on its cells stay, for other matrices.

        Raises:
            UnknownMatrix: there is none.
            LibraryError: another litterm is filling it.
        """
        matrix_id = self.find(key)
        self.store.remove(matrix_id)
        return matrix_id

    def merge(self, sheets: Sequence[DecisionSheet]) -> Agreement:
        """Keeps the decisions of co-authors in addition to the user's own, and compares all of them.

        Papers are the same under any id the library knows them by.

        Raises:
            DiskFull: they could not be kept.
        """
        from litterm.evidence.matrix.inter_annotator_agreement import OWN_CODER, compare_coders

        coders = {OWN_CODER: self.annotations.decisions_by_coder()[""]}
        faults: list[str] = []
        # As one entry of the undo log, however many co-authors there are.
        with self.annotations.undo_log.group_changes():
            for sheet in sheets:
                # Two sheets may bear one name, and neither may take the other's place.
                name = next(name for name in _free_names(sheet.coder) if name not in coders)
                ids = self._ids([cell.paper_id for cell in sheet.cells])
                coders[name] = tuple(
                    replace(cell, paper_id=known) for cell, known in zip(sheet.cells, ids, strict=True)
                )
                self.annotations.merge_coder_decisions(name, coders[name])
                faults += sheet.faults
        return replace(compare_coders(coders), faults=tuple(faults))

    def find(self, key: str) -> MatrixId:
        """The id that `key` is, starts or ends; `last` is the newest.

        Raises:
            UnknownMatrix: none fits, or several do.
        """
        ids = self.store.ids()
        if key == LAST and ids:
            return ids[0]
        folded = key.strip().casefold()
        fits = [paper_id for paper_id in ids if folded and (paper_id.startswith(folded) or paper_id.endswith(folded))]
        if len(fits) != 1:
            trouble = "Several matrices fit" if fits else "There is no matrix"
            raise UnknownMatrix(f"{trouble} {key!r}; `litterm evidence --list` shows all.")
        return fits[0]

    def _is_ours(self, record: MatrixRecord) -> bool:
        """Whether nothing of it was computed by another version."""
        return all(run.version == self.filling.version for run in record.runs)

    def _ids(self, keys: Sequence[str]) -> Iterator[PaperId]:
        """The ids of the papers that `keys` name; a key that names none or several stays as it is."""
        for key, ids in zip(keys, self.filling.library.find(keys), strict=True):
            yield ids[0] if len(ids) == 1 else PaperId(key.strip())


def _free_names(coder: str) -> Iterator[str]:
    """`coder`, then `coder 2`, `coder 3`, ..."""
    name = " ".join(coder.split()) or "co-author"
    yield name
    yield from (f"{name} {number}" for number in count(2))


def read_column(typed: str) -> str:
    """A hypothesis with blanks squeezed.

    Raises:
        UsageError: it has no word to search for.
    """
    column = " ".join(typed.split())
    if all(word in FUNCTION_WORDS for word in words(column)):
        raise UsageError(f"The hypothesis {column!r} has no word to search for; say what the papers should show.")
    return column
