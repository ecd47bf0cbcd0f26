"""The names that stand for a paper, and those of them that the user says are wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.library.citation_facts.shipped import name_key, title_id

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.library.citation_facts.shipped import ShippedFacts
    from litterm.model.citations.facts import NameFact
    from litterm.model.paper import Paper


class KnownNames:
    """Names of single papers; every change is durable when the method returns."""

    def __init__(self, annotations: Annotations, facts: Callable[[], ShippedFacts]) -> None:
        self._annotations = annotations
        self._facts = facts

    def of_paper(self, paper: Paper) -> tuple[NameFact, ...]:
        """The names that stand for a paper by the citation facts, without those that the user has hidden."""
        hidden = self._annotations.hidden_names()
        facts = self._facts().names_of((paper.id, *paper.aliases, title_id(paper.title)))
        return tuple(fact for fact in facts if (paper.id, name_key(fact.name)) not in hidden)

    def hide(self, paper: Paper, name: str) -> None:
        """Says that `name` does not stand for a paper; undo takes it back.

        Raises:
            UsageError: the paper is not known by that name.
        """
        key = name_key(name)
        if key not in {name_key(fact.name) for fact in self.of_paper(paper)}:
            raise UsageError(f"{paper.id} is not known as “{name}”; `litterm show {paper.id}` lists its names.")
        self._annotations.hide_name(paper.id, key)
