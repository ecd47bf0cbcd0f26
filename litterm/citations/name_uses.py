"""Which names the text of one list uses for the papers that it cites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from litterm.citations.name_store import NameUse
from litterm.library.citation_facts.shipped import name_key
from litterm.model.citations.graph import Citance
from litterm.model.paper import Paper, PaperId
from litterm.text.references.names_before_marks import introduces_name, is_of_authors, name_before_mark


def find_name_uses(citances: Sequence[Citance], papers: Mapping[PaperId, Paper]) -> tuple[NameUse, ...]:
    """The names right before the marks of a text, each once for a paper; `papers` are those that it cites.

    A mark of several works names none of them, and what an author is called is no name of a paper.
    """
    cited_together = Counter((citance.sentence, citance.mark) for citance in citances)
    uses = (
        _use_of(papers[citance.cited], citance)
        for citance in citances
        if citance.cited in papers
        and citance.cited != citance.citing
        and cited_together[citance.sentence, citance.mark] == 1
    )
    return tuple(dict.fromkeys(use for use in uses if use is not None))


def _use_of(paper: Paper, citance: Citance) -> NameUse | None:
    name = name_before_mark(citance.text, citance.mark) if citance.mark is not None else ""
    if not name or is_of_authors(name, paper):
        return None
    return NameUse(paper.id, name_key(name), name, introduces_name(paper, name))


def cited_ids(lists: Iterable[Sequence[Citance]]) -> list[PaperId]:
    """The papers that any of `lists` cites at a mark, ascending."""
    return sorted({citance.cited for citances in lists for citance in citances if citance.mark is not None})
