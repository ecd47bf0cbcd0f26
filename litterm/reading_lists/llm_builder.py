"""Builds reading lists with a language model, which reasons and then picks candidates by number.

Titles that the model names beside the candidates are looked up in the library and, if allowed, online, and dropped if
they are not found: about a third of the titles that models write freely do not exist (ACL-rlg).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.core.errors import ModelError
from litterm.model.events import Progress
from litterm.model.llm import ModelRequest, Question, ReplyForm
from litterm.model.reading_list import MAX_PAPERS, ListEntry, ListRequest, ListSection, ReadingList
from litterm.reading_lists.builder import CITATIONS_UNKNOWN, ListBuilder, RankedCandidates, choose
from litterm.reading_lists.series import keep_first_of_each_series
from litterm.text.llm.prompts import Data, number_lines, prompt
from litterm.text.llm.reply_json import LineShape, ListField, OptionalField, Record, WholeNumber
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.llm.model import ChatModel
    from litterm.model.llm import CostEstimate
    from litterm.model.paper import Paper, PaperId

MAX_SHOWN, MAX_SHOWN_TO_LOCAL_MODEL = 100, 40
"""Numbers of candidates shown to a model; fewer to a model on this machine."""
_MAX_ABSTRACT_WORDS = 60
_MAX_TOPIC_CHARACTERS = 2_000
_MAX_REPLY_TOKENS = 4_095
_MAX_WHY_CHARACTERS, _MAX_HEADING_CHARACTERS, _MAX_TITLE_CHARACTERS = 200, 60, 300

_MAX_LOOKUPS = 10
"""Titles looked up online for one list; each takes one or more requests."""

OnlineTitleSearch = Callable[[str, "int | None"], "Task[Paper | None]"]
"""Finds a title online and adds the paper to the library. Takes the last year; `None` if it is not found."""
TitleSearch = Callable[[Sequence[str]], Sequence[Sequence["Paper"]]]
"""Maps titles to the papers of the library with that title."""


@dataclass(frozen=True, slots=True)
class PickedCandidate:
    """A candidate that the model picked."""

    number: int
    section: str
    why: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The reply of a model: reasoning, picked candidates, and titles missing among the candidates."""

    reason: str
    papers: tuple[PickedCandidate, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _OutsidePapers:
    """Papers found for the titles that the model named in addition to the candidates."""

    papers: tuple[tuple[Paper, str], ...] = ()
    """Each with the place where it was found, in words."""
    lost: int = 0
    """Titles without a paper that may be in the list."""


@dataclass(frozen=True, slots=True)
class ModelListBuilder:
    """Builds lists with a language model from the candidates and the list of `offline`."""

    offline: ListBuilder
    model: ChatModel
    find_by_title: TitleSearch
    find_online: OnlineTitleSearch | None = None
    """`None` if no service may be asked."""

    def build(self, request: ListRequest) -> Task[ReadingList]:
        """Builds the list of a request; if the model fails, the offline list with a notice.

        Raises:
            UsageError: the topic has no word to search for.
        """
        ranked = yield from self.offline.rank(request)
        plain = self.offline.arrange(request, ranked, *choose(ranked, request))
        indices = self._choose_shown(ranked, request)
        if not indices:
            return plain
        yield Progress(f"{self.model.name} chooses among {len(indices)} papers")
        try:
            answer = yield from self.model.answer(self._build_question(request, ranked, indices))
        except ModelError as error:
            notice = f"{error.failed_at}, so this is the list without one: {error}"
            return replace(plain, notices=(*plain.notices, notice))
        outside = yield from self._find_outside(request, answer.value.missing)
        return self._build_list(request, ranked, indices, answer.value, outside)

    def estimate(self, request: ListRequest) -> Task[CostEstimate]:
        """Estimates the maximum cost, without sending anything.

        Raises:
            UsageError: the topic has no word to search for.
        """
        ranked = yield from self.offline.rank(request)
        return self.model.estimate([self._build_question(request, ranked, self._choose_shown(ranked, request))])

    def _choose_shown(self, ranked: RankedCandidates, request: ListRequest) -> list[int]:
        max_shown = MAX_SHOWN_TO_LOCAL_MODEL if self.model.local else MAX_SHOWN
        # A stable sort shows the model the same list again, so that its cached reply is found.
        best = np.argsort(-ranked.points, kind="stable").tolist()
        pinned = [index for index in best if ranked.candidates.papers[index].id in request.include]
        return list(dict.fromkeys((*pinned, *best)))[:max_shown]

    def _build_question(
        self, request: ListRequest, ranked: RankedCandidates, indices: Sequence[int]
    ) -> Question[ModelChoice]:
        papers = [ranked.candidates.papers[index] for index in indices]
        message = prompt(
            "reading-list",
            topic=Data("topic", request.topic[:_MAX_TOPIC_CHARACTERS]),
            papers=Data("papers", number_lines([_describe_paper(paper) for paper in papers])),
            count=request.size,
            limit=f"; nothing later than {request.until}" if request.until else "",
        )
        form = ReplyForm("reading_list", _reply_shape(len(indices)))
        return Question(ModelRequest(message.purpose, message.messages, max_tokens=_MAX_REPLY_TOKENS), form)

    def _build_list(
        self,
        request: ListRequest,
        ranked: RankedCandidates,
        indices: Sequence[int],
        choice: ModelChoice,
        outside: _OutsidePapers,
    ) -> ReadingList:
        """Builds a list of the papers picked, in their order, and of pinned ones, filled up from the offline list."""
        # Reversed, so that the first pick counts if a candidate is picked twice.
        picks = {indices[pick.number - 1]: pick for pick in reversed(choice.papers)}
        picked = list(dict.fromkeys(indices[pick.number - 1] for pick in choice.papers))
        papers = ranked.candidates.papers
        included = [index for index, paper in enumerate(papers) if paper.id in request.include]
        keywords = ranked.candidates.topic.keywords
        singles = keep_first_of_each_series([*included, *picked], lambda index: papers[index], keywords)
        # Pinned papers are kept, even two of one series.
        usable = [index for index in picked if index in included or index in singles]
        named = usable[: request.size]
        pinned = [index for index in included if index not in named]
        chosen_indices = [*named[: max(0, request.size - len(pinned))], *pinned]
        # Picks count as pinned, so that the papers added cover the keywords which they leave out.
        filled, spares = choose(ranked, replace(request, include=tuple(papers[index].id for index in chosen_indices)))
        added = [index for index in filled if index not in chosen_indices]
        plain = self.offline.arrange(request, ranked, [*chosen_indices, *added], spares)
        entry_of = {entry.paper.id: entry for entry in plain.entries}
        entries = [_apply_pick(entry_of[papers[index].id], picks.get(index)) for index in (*chosen_indices, *added)]
        joining = _outside_entries([entry for _, entry in entries], outside, keywords)
        repeats = (
            len(picked) - len(usable) + sum(paper.id not in entry_of for paper, _ in outside.papers) - len(joining)
        )
        entries += [("", entry) for entry in joining][: max(request.size, MAX_PAPERS) - len(entries)]
        sections = (
            _group_by_heading(entries) if request.sections else (ListSection("", tuple(entry for _, entry in entries)),)
        )
        return replace(
            plain,
            sections=sections,
            by=self.model.name,
            links=self.offline.find_links([entry.paper.id for _, entry in entries]),
            notices=self._build_notices(plain, len(named), len(added), repeats, outside.lost),
            titles_named=len(choice.missing),
            titles_lost=outside.lost,
        )

    def _build_notices(self, plain: ReadingList, named: int, added: int, repeats: int, lost: int) -> tuple[str, ...]:
        """Builds the notices of the list; `named`, `added`, `repeats` and `lost` are numbers of papers."""
        # The model sorts the list, without citations.
        notices = [notice for notice in plain.notices if notice != CITATIONS_UNKNOWN]
        if added:
            notices.append(f"The model named {named} papers; {count_phrase(added, 'paper')} more fill the list.")
        if repeats:
            notices.append(f"Left out: {count_phrase(repeats, 'paper')} of a series that the list already has.")
        if lost:
            searched_place = "in the library" if self.find_online is None else "in the library or in a service"
            notices.append(f"Left out: {count_phrase(lost, 'title')} that the model named, not found {searched_place}.")
        return tuple(notices)

    def _find_outside(self, request: ListRequest, titles: Sequence[str]) -> Task[_OutsidePapers]:
        """Finds papers with these titles that may join the list, in the library or else online."""
        papers_with_origin: list[tuple[Paper, str]] = []
        lost = lookups = 0
        for title, papers in zip(titles, self.find_by_title(titles) if titles else (), strict=True):
            in_library = next((paper for paper in papers if _is_admissible(paper, request)), None)
            if in_library is not None:
                papers_with_origin.append((in_library, "the library"))
                continue
            # If the library has the title, it is too new or was dropped, and a service would only bring it again.
            if self.find_online is not None and not papers and lookups < _MAX_LOOKUPS:
                lookups += 1
                yield Progress(f"looking up “{title}”")
                online_paper = yield from self.find_online(title, request.until)
                if online_paper is not None and _is_admissible(online_paper, request):
                    papers_with_origin.append((online_paper, "a service"))
                    continue
            lost += 1
        # Two titles may belong to the same paper.
        by_id: dict[PaperId, tuple[Paper, str]] = {}
        for paper, origin in papers_with_origin:
            by_id.setdefault(paper.id, (paper, origin))
        return _OutsidePapers(tuple(by_id.values()), lost)


def _outside_entries(entries: Sequence[ListEntry], outside: _OutsidePapers, keywords: Sequence[str]) -> list[ListEntry]:
    """Entries for the papers from outside, without those among `entries` or of one series with one of them."""
    listed = [(entry.paper, "") for entry in entries]
    listed_ids = {paper.id for paper, _ in listed}
    joining = [(paper, origin) for paper, origin in outside.papers if paper.id not in listed_ids]
    distinct = keep_first_of_each_series([*listed, *joining], lambda pair: pair[0], keywords)
    # Nothing is known about the stage of a paper that is no candidate.
    return [
        ListEntry(paper, "method", (f"named by the model and found in {origin}",))
        for paper, origin in distinct
        if origin
    ]


def _apply_pick(entry: ListEntry, pick: PickedCandidate | None) -> tuple[str, ListEntry]:
    """The heading for an entry, and the entry with the model's reason; unchanged without a pick."""
    if pick is None:
        return "", entry
    return pick.section, replace(entry, why=(pick.why,) if pick.why else entry.why)


def _is_admissible(paper: Paper, request: ListRequest) -> bool:
    in_time = request.until is None or 0 < (paper.year or 0) <= request.until
    return paper.id not in request.exclude and in_time


def _reply_shape(count: int) -> Record[ModelChoice]:
    pick = Record(
        PickedCandidate,
        number=WholeNumber(1, count),
        section=OptionalField(LineShape("heading", _MAX_HEADING_CHARACTERS), ""),
        why=OptionalField(LineShape("why it is read here", _MAX_WHY_CHARACTERS), ""),
    )
    missing = OptionalField(ListField(LineShape("exact title", _MAX_TITLE_CHARACTERS), max_items=20), ())
    return Record(ModelChoice, reason=OptionalField(LineShape("thoughts"), ""), papers=ListField(pick), missing=missing)


def _describe_paper(paper: Paper) -> str:
    words = " ".join(paper.abstract.split()[:_MAX_ABSTRACT_WORDS])
    return f"({paper.year or 'no year'}) {paper.title}. {words}".strip()


def _group_by_heading(entries: Sequence[tuple[str, ListEntry]]) -> tuple[ListSection, ...]:
    """Groups entries by heading, in the order of first mention; entries without one come last."""
    groups: dict[str, list[ListEntry]] = {}
    for heading, entry in sorted(entries, key=lambda pair: not pair[0]):
        groups.setdefault(heading or "Further reading", []).append(entry)
    return tuple(ListSection(heading, tuple(entries)) for heading, entries in groups.items())
