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
from litterm.model.reading_list import ListEntry, ListRequest, ListSection, ReadingList
from litterm.reading_lists.builder import CITATIONS_UNKNOWN, ListBuilder, RankedCandidates, choose
from litterm.reading_lists.candidates import CITED, USERS
from litterm.reading_lists.selection import find_covered_keywords
from litterm.reading_lists.series import analyse_title, is_event_report, keep_first_of_each_series
from litterm.render.names import short_authors, venue_and_year
from litterm.text.genres import is_participant, is_tutorial
from litterm.text.llm.prompts import Data, number_lines, prompt
from litterm.text.llm.reply_json import LineShape, ListField, OptionalField, Record, WholeNumber
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.llm.model import ChatModel
    from litterm.model.llm import CostEstimate, ReplyShape
    from litterm.model.paper import Paper, PaperId
    from litterm.reading_lists.candidates import ListCandidates

MAX_SHOWN, MAX_SHOWN_TO_LOCAL_MODEL = 100, 40
"""Numbers of candidates shown to a model; fewer to a model on this machine."""
_MAX_ABSTRACT_WORDS = 60
_MAX_TOPIC_CHARACTERS = 2_000
_MAX_REPLY_TOKENS = 4_095
_MAX_WHY_CHARACTERS, _MAX_HEADING_CHARACTERS, _MAX_TITLE_CHARACTERS = 200, 60, 300

_OVERVIEW_SHARE = 8
"""One in so many of the candidates shown is a survey, a tutorial or a report of a shared task, where there are any."""
_OUTSIDE_SHARE = 4
"""At most one in so many papers of a list is one that the model named beside the candidates, but one at least."""
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
    heading: str
    why: str


@dataclass(frozen=True, slots=True)
class MissingTitle:
    """A paper that the model misses among the candidates."""

    title: str
    heading: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The reply of a model: its thoughts, picked candidates, and titles missing among the candidates."""

    thoughts: str
    papers: tuple[PickedCandidate, ...]
    missing: tuple[MissingTitle, ...] = ()


@dataclass(frozen=True, slots=True)
class _OutsidePaper:
    """A paper found for a title that the model named in addition to the candidates."""

    paper: Paper
    origin: str
    """Where it was found, in words."""
    named: MissingTitle


@dataclass(frozen=True, slots=True)
class _OutsidePapers:
    """The papers found for the titles that the model named."""

    papers: tuple[_OutsidePaper, ...] = ()
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
        first = list(dict.fromkeys((*pinned, *best)))[:max_shown]
        # What a newcomer begins with is not what points favour: most surveys of a field are cited little.
        papers = ranked.candidates.papers
        overviews = [index for index in best if _is_overview_of_topic(ranked.candidates, index)]
        shown = [index for index in overviews if index in first]
        joining: list[int] = []
        for index in overviews:
            title = analyse_title(papers[index].title)
            # The reports of a yearly task mostly have other authors, and one of them is enough here.
            taken = (analyse_title(papers[other].title) for other in (*shown, *joining))
            if index not in first and not any(title.is_alike(other) for other in taken):
                joining.append(index)
        joining = joining[: max(0, max_shown // _OVERVIEW_SHARE - len(shown))]
        kept = [*first[: max(len(pinned), max_shown - len(joining))], *joining]
        return [index for index in dict.fromkeys((*pinned, *best)) if index in kept]

    def _build_question(
        self, request: ListRequest, ranked: RankedCandidates, indices: Sequence[int]
    ) -> Question[ModelChoice]:
        message = prompt(
            "reading-list",
            topic=Data("topic", request.topic[:_MAX_TOPIC_CHARACTERS]),
            papers=Data("papers", number_lines([_describe_paper(ranked.candidates, index) for index in indices])),
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
        places = _divide_places(request, ranked.candidates, picked, outside)
        chosen_indices, joining = places.chosen, places.joining
        # Picks count as pinned, so that the papers added cover the keywords which they leave out.
        filled, spares = choose(ranked, replace(request, include=tuple(papers[index].id for index in chosen_indices)))
        joined_ids = {each.paper.id for each in joining}
        added = [index for index in filled if index not in chosen_indices and papers[index].id not in joined_ids]
        added = added[: max(0, request.size - len(chosen_indices) - len(joining))]
        # Without the places of those from outside: the library is not short of papers because of them.
        offline_request = replace(request, size=request.size - len(joining))
        plain = self.offline.arrange(offline_request, ranked, [*chosen_indices, *added], spares)
        entry_of = {entry.paper.id: entry for entry in plain.entries}
        entries = [_apply_pick(entry_of[papers[index].id], picks.get(index)) for index in chosen_indices]
        entries += [(each.named.heading, _outside_entry(each)) for each in joining]
        entries += [("", entry_of[papers[index].id]) for index in added]
        sections = (
            _group_by_heading(entries) if request.sections else (ListSection("", tuple(entry for _, entry in entries)),)
        )
        return replace(
            plain,
            request=request,
            sections=sections,
            by=self.model.name,
            links=self.offline.find_links([entry.paper.id for _, entry in entries]),
            notices=self._build_notices(plain, places.named, len(added), places.repeats, outside.lost),
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

    def _find_outside(self, request: ListRequest, missing: Sequence[MissingTitle]) -> Task[_OutsidePapers]:
        """Finds papers with these titles that may join the list, in the library or else online."""
        found: list[_OutsidePaper] = []
        lost = lookups = 0
        titles = [named.title for named in missing]
        for named, papers in zip(missing, self.find_by_title(titles) if titles else (), strict=True):
            title = named.title
            in_library = next((paper for paper in papers if _is_admissible(paper, request)), None)
            if in_library is not None:
                found.append(_OutsidePaper(in_library, "the library", named))
                continue
            # If the library has the title, it is too new or was dropped, and a service would only bring it again.
            if self.find_online is not None and not papers and lookups < _MAX_LOOKUPS:
                lookups += 1
                yield Progress(f"looking up “{title}”")
                online_paper = yield from self.find_online(title, request.until)
                if online_paper is not None and _is_admissible(online_paper, request):
                    found.append(_OutsidePaper(online_paper, "a service", named))
                    continue
            lost += 1
        # Two titles may belong to the same paper.
        by_id: dict[PaperId, _OutsidePaper] = {}
        for each in found:
            by_id.setdefault(each.paper.id, each)
        return _OutsidePapers(tuple(by_id.values()), lost)


@dataclass(frozen=True, slots=True)
class _Places:
    """Which papers the model and the reader put on a list."""

    chosen: Sequence[int]
    """Indices of candidates: those that the model named, in its order, then those pinned besides."""
    joining: Sequence[_OutsidePaper]
    named: int
    """How many of `chosen` the model named."""
    repeats: int
    """Papers left out, as one of their series is on the list."""


def _divide_places(
    request: ListRequest, candidates: ListCandidates, picked: Sequence[int], outside: _OutsidePapers
) -> _Places:
    """Divides the places of a list: pinned papers first, then those from outside, then the candidates `picked`."""
    papers, keywords = candidates.papers, candidates.topic.keywords
    included = [index for index, paper in enumerate(papers) if paper.id in request.include]
    singles = keep_first_of_each_series([*included, *picked], lambda index: papers[index], keywords)
    # Pinned papers are kept, even two of one series.
    usable = [index for index in picked if index in included or index in singles]
    listed = [papers[index] for index in dict.fromkeys((*included, *usable))]
    outside_singles = _join_outside(listed, outside, keywords)
    joining = outside_singles[: max(1, request.size // _OUTSIDE_SHARE)]
    room = request.size - len(included) - len(joining)
    free = [index for index in usable if index not in included][: max(0, room)]
    named = [index for index in usable if index in included or index in free]
    listed_ids = {paper.id for paper in listed}
    others = sum(each.paper.id not in listed_ids for each in outside.papers)
    repeats = len(picked) - len(usable) + others - len(outside_singles)
    chosen = [*named, *(index for index in included if index not in named)]
    return _Places(chosen, joining, len(named), repeats)


def _join_outside(listed: Sequence[Paper], outside: _OutsidePapers, keywords: Sequence[str]) -> list[_OutsidePaper]:
    """The papers from outside without those that are `listed`, or of one series with one of them."""
    listed_ids = {paper.id for paper in listed}
    joining = [each for each in outside.papers if each.paper.id not in listed_ids]
    items: list[tuple[Paper, _OutsidePaper | None]] = [
        *((paper, None) for paper in listed),
        *((each.paper, each) for each in joining),
    ]
    return [each for _, each in keep_first_of_each_series(items, lambda item: item[0], keywords) if each is not None]


def _outside_entry(each: _OutsidePaper) -> ListEntry:
    found = f"named by the model and found in {each.origin}"
    # Nothing is known about the stage of a paper that is no candidate.
    return ListEntry(each.paper, "method", (each.named.why, found) if each.named.why else (found,))


def _apply_pick(entry: ListEntry, pick: PickedCandidate | None) -> tuple[str, ListEntry]:
    """The heading for an entry, and the entry with the model's reason; unchanged without a pick."""
    if pick is None:
        return "", entry
    return pick.heading, replace(entry, why=(pick.why,) if pick.why else entry.why)


def _is_admissible(paper: Paper, request: ListRequest) -> bool:
    in_time = request.until is None or 0 < (paper.year or 0) <= request.until
    return paper.id not in request.exclude and in_time


def _reply_shape(count: int) -> Record[ModelChoice]:
    # The names of the fields are the words of the prompt: a model that is given no schema answers in these.
    heading = OptionalField(LineShape("heading", _MAX_HEADING_CHARACTERS), "")
    why = OptionalField(LineShape("why it is read here", _MAX_WHY_CHARACTERS), "")
    pick = Record(PickedCandidate, number=WholeNumber(1, count), heading=heading, why=why)
    missing = OptionalField(ListField(_MissingShape(heading, why), max_items=20), ())
    thoughts = OptionalField(LineShape("thoughts"), "")
    return Record(ModelChoice, thoughts=thoughts, papers=ListField(pick), missing=missing)


class _MissingShape(Record[MissingTitle]):
    """A missing paper; a title alone is taken, too."""

    def __init__(self, heading: ReplyShape[str], why: ReplyShape[str]) -> None:
        super().__init__(MissingTitle, title=LineShape("exact title", _MAX_TITLE_CHARACTERS), heading=heading, why=why)

    def read(self, value: object, field_path: str, dropped: list[str]) -> MissingTitle:
        """The paper."""
        return super().read({"title": value} if isinstance(value, str) else value, field_path, dropped)


def _is_overview_of_topic(candidates: ListCandidates, index: int) -> bool:
    """Whether it is a survey, a tutorial or the report of a shared task, on what the list is about."""
    paper = candidates.papers[index]
    is_report = is_event_report(paper.title) and not is_participant(paper.title)
    is_overview = candidates.columns["overview"][index] or is_tutorial(paper.title) or is_report
    return bool(is_overview) and bool(find_covered_keywords(paper, candidates.topic.keywords))


def _describe_paper(candidates: ListCandidates, index: int) -> str:
    """One line: year, title, who and where, how often it is cited and named here, the beginning of the abstract."""
    paper, columns = candidates.papers[index], candidates.columns
    cited, users = int(columns[CITED][index]), int(columns[USERS][index])
    facts = [
        ", ".join(filter(None, (short_authors(paper), venue_and_year(replace(paper, year=None))))),
        f"Cited by {count_phrase(cited, 'paper')} of this library" if cited else "",
        f"Named by {count_phrase(users, 'paper')} on the topic" if users else "",
        " ".join(paper.abstract.split()[:_MAX_ABSTRACT_WORDS]),
    ]
    return ". ".join([f"({paper.year or 'no year'}) {paper.title}", *filter(None, facts)])


def _group_by_heading(entries: Sequence[tuple[str, ListEntry]]) -> tuple[ListSection, ...]:
    """Groups entries by heading, in the order of first mention; entries without one come last."""
    groups: dict[str, list[ListEntry]] = {}
    for heading, entry in sorted(entries, key=lambda pair: not pair[0]):
        groups.setdefault(heading or "Further reading", []).append(entry)
    return tuple(ListSection(heading, tuple(entries)) for heading, entries in groups.items())
