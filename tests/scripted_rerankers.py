"""Rankings to be put in order by a model, and models that do it by a rule of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from libraries import paper

from litterm.model.search import Query, RankedPaper, Ranking

_ITEM = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


def ranking(titles: Sequence[str], *, abstract: str = "", query: str = "what is asked") -> Ranking:
    """A local ranking with these titles, the best first."""
    papers = tuple(
        RankedPaper(rank, paper(f"P{rank}", title, abstract=abstract), 10.0 - rank, "bm25")
        for rank, title in enumerate(titles, 1)
    )
    return Ranking(Query(query, words=tuple(query.split())), papers, len(papers), "bm25", searched=len(papers))


def titles(found: Ranking) -> list[str]:
    """In the order of the ranking."""
    return [each.paper.title for each in found.papers]


def shown(prompt: str) -> list[str]:
    """The papers of a request, in the order they were shown, whatever else stands in it."""
    return [text for _, text in _ITEM.findall(prompt.split("<<<papers", 1)[1].split("<<<end papers", 1)[0])]


def sorting(key: Callable[[str], object]) -> Callable[[str], str]:
    """Says the order that sorts what was shown by `key`, and why the first is first."""

    def say(prompt: str) -> str:
        there = list(enumerate(shown(prompt), 1))
        order = [number for number, text in sorted(there, key=lambda item: key(item[1]))]  # type: ignore[arg-type,return-value]
        return json.dumps({"reasons": [{"number": order[0], "reason": "it fits"}], "order": order})

    return say
