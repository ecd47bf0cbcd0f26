"""The entries of a bibliography by key, and the text to append for new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.model.paper import Paper, PaperId
from litterm.render.bibliography.bibtex import entries
from litterm.render.bibliography.keys import STANDARD_KEYS, CitationKeys
from litterm.text.references.identity import identity_key, is_generic, paper_ids


class Bibliography:
    """The entries of a bibliography, in order; each paper's `imprint.bibkey` is its key there."""

    def __init__(self, papers: Sequence[Paper] = (), citation_keys: CitationKeys = STANDARD_KEYS) -> None:
        """`citation_keys` makes the keys of what is added."""
        self._citation_keys = citation_keys
        self._by_id: dict[PaperId, str] = {}
        self._by_title: dict[str, str] = {}
        self._taken: set[str] = set()
        for paper in papers:
            self._register(paper, paper.imprint.bibkey)

    def key_of(self, paper: Paper) -> str | None:
        """The key of `paper`, found by a common id, or else by title and numerals; `None` if it has no entry."""
        key = next((self._by_id[paper_id] for paper_id in paper_ids(paper) if paper_id in self._by_id), None)
        # "Editorial" or "Preface" is the title of many papers: those are known by their ids only.
        if key is not None or is_generic(paper.title):
            return key
        return self._by_title.get(identity_key(paper.title))

    def add(self, papers: Sequence[Paper]) -> tuple[dict[PaperId, str], str]:
        """The key of each of `papers` by id, new or as held, and the text to append for those that are new.

        The bibliography holds them from then on.
        """
        keys: dict[PaperId, str] = {}
        fresh: list[Paper] = []
        for paper in papers:
            key = self.key_of(paper)
            if key is None:
                # Chosen beside the keys that are there: an entry must not take another's place.
                key = self._citation_keys.free_key(paper, self._taken)
                fresh.append(replace(paper, imprint=replace(paper.imprint, bibkey=key)))
                self._register(paper, key)
            keys[paper.id] = key
        return keys, entries(fresh)

    def _register(self, paper: Paper, key: str) -> None:
        # Also the key without the characters that no key of ours has: a new paper could get just that one.
        keyed = replace(paper, imprint=replace(paper.imprint, bibkey=key))
        self._taken |= {key.lower(), STANDARD_KEYS.key(keyed).lower()}
        for paper_id in paper_ids(paper):
            self._by_id.setdefault(paper_id, key)
        if (title := identity_key(paper.title)) and not is_generic(paper.title):
            self._by_title.setdefault(title, key)
