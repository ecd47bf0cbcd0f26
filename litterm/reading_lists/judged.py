"""A reading list by a language model: it reasons, then names candidates by number; the offline list stands under it.

Only papers of the library come in. A title the model names beside the candidates is looked up there, and left out where
it is not found: about a third of the titles that models write down freely do not exist (ACL-rlg).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.errors import ModelError
from litterm.model.events import Progress
from litterm.model.llm import Form, ModelRequest, Question
from litterm.model.reading_list import ListEntry, ListRequest, ListSection, ReadingList
from litterm.reading_lists.builder import ListBuilder, Ranked, chosen
from litterm.text.counted import counted
from litterm.text.prompts import Data, listed, prompt
from litterm.text.shapes import Maybe, Record, Several, Whole, Words

if TYPE_CHECKING:
    from litterm.model.llm import Estimate
    from litterm.model.paper import Paper
    from litterm.protocols import ChatModel
    from litterm.tasks import Task

SHOWN, SHOWN_HERE = 100, 40
"""Candidates a model is shown; one on this machine fewer."""
_WORDS = 60
_LONGEST_TOPIC = 2_000
_REPLY_TOKENS = 4_095
_LONGEST_WHY, _LONGEST_HEADING, _LONGEST_TITLE = 200, 60, 300

Titled = Callable[[Sequence[str]], Sequence[Sequence["Paper"]]]
"""Titles to the papers of the library that bear them."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A candidate a model named."""

    number: int
    section: str
    why: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What a model said."""

    reason: str
    papers: tuple[Pick, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelListBuilder:
    """Makes lists with a language model, upon the candidates and the list of `offline`."""

    offline: ListBuilder
    model: ChatModel
    titled: Titled

    def build(self, request: ListRequest) -> Task[ReadingList]:
        """The list of a request; the offline one, with a notice, where the model fails.

        Raises:
            UsageError: the topic has no word to search for.
        """
        ranked = yield from self.offline.rank(request)
        plain = self.offline.arranged(request, ranked, *chosen(ranked, request))
        places = self._shown(ranked, request)
        if not places:
            return plain
        yield Progress(f"{self.model.name} chooses among {len(places)} papers")
        try:
            answer = yield from self.model.answer(self._question(request, ranked, places))
        except ModelError as error:
            told = f"The model could not be asked, so this is the list without one: {error}"
            return replace(plain, notices=(*plain.notices, told))
        return self._arranged(request, ranked, places, answer.value)

    def estimate(self, request: ListRequest) -> Task[Estimate]:
        """What asking would cost at most; sends nothing.

        Raises:
            UsageError: the topic has no word to search for.
        """
        ranked = yield from self.offline.rank(request)
        return self.model.estimate([self._question(request, ranked, self._shown(ranked, request))])

    def _shown(self, ranked: Ranked, request: ListRequest) -> list[int]:
        most = SHOWN_HERE if self.model.local else SHOWN
        best = np.argsort(-ranked.points, kind="stable").tolist()
        pinned = [place for place in best if ranked.candidates.papers[place].id in request.include]
        return list(dict.fromkeys((*pinned, *best)))[:most]

    def _question(self, request: ListRequest, ranked: Ranked, places: Sequence[int]) -> Question[Choice]:
        papers = [ranked.candidates.papers[place] for place in places]
        asked = prompt(
            "reading-list",
            topic=Data("topic", request.topic[:_LONGEST_TOPIC]),
            papers=Data("papers", listed([_shown_as(paper) for paper in papers])),
            count=request.size,
            limit=f"; nothing later than {request.until}" if request.until else "",
        )
        form = Form("reading_list", _shape(len(places)))
        return Question(ModelRequest(asked.purpose, asked.messages, max_tokens=_REPLY_TOKENS), form)

    def _arranged(self, request: ListRequest, ranked: Ranked, places: Sequence[int], choice: Choice) -> ReadingList:
        """The model's papers in its order, pinned ones among them, filled up from the offline choice."""
        picks = {places[pick.number - 1]: pick for pick in reversed(choice.papers)}
        named = list(dict.fromkeys(places[pick.number - 1] for pick in choice.papers))[: request.size]
        papers = ranked.candidates.papers
        pinned = [place for place, paper in enumerate(papers) if paper.id in request.include and place not in named]
        kept = [*named[: max(0, request.size - len(pinned))], *pinned]
        filled, spares = chosen(ranked, replace(request, include=tuple(papers[place].id for place in kept)))
        more = [place for place in filled if place not in kept]
        plain = self.offline.arranged(request, ranked, [*kept, *more], spares)
        entry_of = {entry.paper.id: entry for entry in plain.entries}
        told: list[tuple[str, ListEntry]] = []
        for place in (*kept, *more):
            pick, entry = picks.get(place), entry_of[papers[place].id]
            told.append(
                (pick.section, replace(entry, why=(pick.why,) if pick.why else entry.why)) if pick else ("", entry)
            )
        found, lost = self._missing(request, choice.missing, {paper.id for paper in papers if paper.id in entry_of})
        told += [("", ListEntry(paper, "method", ("named by the model and found in the library",))) for paper in found]
        notices = [notice for notice in plain.notices if not notice.startswith("Who cites")]
        if more:
            notices.append(f"The model named {len(named)} papers; {counted(len(more), 'paper')} more fill the list.")
        if lost:
            notices.append(f"{counted(lost, 'title')} the model named beside them are not in the library: left out.")
        sections = _sections(told) if request.sections else (ListSection("", tuple(entry for _, entry in told)),)
        return replace(plain, sections=sections, by=self.model.name, notices=tuple(notices))

    def _missing(self, request: ListRequest, titles: Sequence[str], there: set[str]) -> tuple[list[Paper], int]:
        """Papers of the library with these titles that may join the list, and how many titles led to none."""
        found: list[Paper] = []
        lost = 0
        for papers in self.titled(titles) if titles else ():
            fitting = [
                paper
                for paper in papers
                if paper.id not in request.exclude and (request.until is None or 0 < (paper.year or 0) <= request.until)
            ]
            lost += not fitting
            if fitting and fitting[0].id not in there and len(there) < max(request.size, 20):
                there.add(fitting[0].id)
                found.append(fitting[0])
        return found, lost


def _shape(count: int) -> Record[Choice]:
    pick = Record(
        Pick,
        number=Whole(1, count),
        section=Maybe(Words("heading", _LONGEST_HEADING), ""),
        why=Maybe(Words("why it is read here", _LONGEST_WHY), ""),
    )
    missing = Maybe(Several(Words("exact title", _LONGEST_TITLE), most=20), ())
    return Record(Choice, reason=Maybe(Words("thoughts"), ""), papers=Several(pick), missing=missing)


def _shown_as(paper: Paper) -> str:
    words = " ".join(paper.abstract.split()[:_WORDS])
    return f"({paper.year or 'no year'}) {paper.title}. {words}".strip()


def _sections(told: Sequence[tuple[str, ListEntry]]) -> tuple[ListSection, ...]:
    """Headings in the order in which they are first named; what has none comes last."""
    groups: dict[str, list[ListEntry]] = {}
    for heading, entry in sorted(told, key=lambda each: not each[0]):
        groups.setdefault(heading or "Further reading", []).append(entry)
    return tuple(ListSection(heading, tuple(entries)) for heading, entries in groups.items())
