"""The names that stand for a paper, and those of them that the user says are wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.library.citation_facts.names import join_names
from litterm.library.citation_facts.shipped import name_key, title_id

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.library.citation_facts.shipped import ShippedFacts
    from litterm.model.citations.facts import NameFact
    from litterm.model.paper import Paper, PaperId


class KnownNames:
    """Names of single papers; every change is durable when the method returns."""

    def __init__(
        self,
        annotations: Annotations,
        facts: Callable[[], ShippedFacts],
        own: Callable[[Sequence[PaperId]], Sequence[NameFact]] = lambda ids: (),
    ) -> None:
        """`own` gives the names that the user's own texts use for the paper with any of some ids."""
        self._annotations = annotations
        self._facts = facts
        self._own = own

    def of_paper(self, paper: Paper) -> tuple[NameFact, ...]:
        """The names that stand for a paper, those of the user's texts first, without those that the user has hidden."""
        hidden = self._annotations.hidden_names()
        ids = (paper.id, *paper.aliases)
        shipped = list(self._facts().names_of((*ids, title_id(paper.title))))
        facts: list[NameFact] = []
        for own in self._own(ids):
            same = [fact for fact in shipped if name_key(fact.name) == name_key(own.name)]
            shipped = [fact for fact in shipped if fact not in same]
            # All are of this paper, whatever ids it has there.
            facts += join_names((own,), [replace(fact, ids=(*own.ids, *fact.ids)) for fact in same])
        return tuple(fact for fact in (*facts, *shipped) if (paper.id, name_key(fact.name)) not in hidden)

    def hide(self, paper: Paper, name: str) -> None:
        """Says that `name` does not stand for a paper; undo takes it back.

        Raises:
            UsageError: the paper is not known by that name.
        """
        key = name_key(name)
        if key not in {name_key(fact.name) for fact in self.of_paper(paper)}:
            raise UsageError(f"{paper.id} is not known as “{name}”; `litterm show {paper.id}` lists its names.")
        self._annotations.hide_name(paper.id, key)
