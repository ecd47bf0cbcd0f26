"""Papers in one of the formats of an export, part by part, so that a whole library never is in memory at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from litterm.model.annotations import PaperNotes
from litterm.model.export import ExportFormat
from litterm.model.paper import Paper, PaperId
from litterm.render.bibliography.keys import citation_keys
from litterm.render.export import paper_list
from litterm.render.export.markdown import Quote, quotes


class Export:
    """One export: `part` for each batch of papers, in order, then `end`; no two papers get the same key."""

    def __init__(self, form: ExportFormat) -> None:
        self._format = form
        self._taken: set[str] = set()
        self._keys: dict[PaperId, str] = {}
        self._quotes: list[Quote] = []
        self._has_started = False

    def render_batch(
        self, papers: Sequence[Paper], notes: Mapping[PaperId, PaperNotes], quotes_of: Mapping[PaperId, Sequence[Quote]]
    ) -> str:
        """The text of some more papers with what the user noted about them and quoted from them."""
        # A paper may stand in two batches, as in two lists that are exported together.
        fresh = list({paper.id: paper for paper in papers if paper.id not in self._keys}.values())
        if not fresh:
            return ""
        joint, self._has_started = self._separator(), True
        if self._format in ("markdown", "csv"):
            keys = citation_keys(fresh, self._taken)
            self._keys |= keys
            self._quotes += [quote for paper in fresh for quote in quotes_of.get(paper.id, ())]
            if self._format == "markdown":
                return joint + paper_list.markdown_list(fresh, keys, notes)
            return joint + paper_list.csv_rows(fresh, keys, notes, quotes_of)
        # The modules of bibliographies make the keys themselves, from the same `taken`; here only the ids are noted.
        self._keys |= {paper.id: "" for paper in fresh}
        # By name, so that only the format asked for is loaded.
        text: str = import_module(f"litterm.render.bibliography.{self._format}").entries(fresh, notes, self._taken)
        # A CSL file is one list: `_joint` and `end` write its brackets, so those of each batch come off.
        return joint + (text.strip().removeprefix("[").removesuffix("]").strip("\n") if self._format == "csl" else text)

    def render_end(self) -> str:
        """What stands behind the last paper."""
        if self._format == "csl":
            return "\n]\n" if self._has_started else "[]\n"
        if self._format == "markdown" and self._quotes:
            by_hypothesis = sorted(self._quotes, key=lambda quote: quote.hypothesis)
            return f"\n# Quotes\n\n{quotes(by_hypothesis, keys=self._keys)}"
        return "" if self._has_started or self._format != "csv" else paper_list.csv_header()

    def _separator(self) -> str:
        """What stands before the first paper, or between two batches."""
        first = {"csl": "[\n", "markdown": "# Papers\n\n", "csv": paper_list.csv_header()}
        later = {"csl": ",\n", "bibtex": "\n", "ris": "\n"}
        return (later if self._has_started else first).get(self._format, "")
