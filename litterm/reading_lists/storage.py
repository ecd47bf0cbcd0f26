"""A reading list as text for the journal, written and read: papers by their ids, which the library resolves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, cast, get_args

from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import ListEntry, ListRequest, ListSection, ListStage, ReadingList
from litterm.text.plural import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

Resolve = Callable[["Sequence[PaperId]"], Mapping[PaperId, Paper]]
"""Ids to the papers that are still there."""


def written(reading_list: ReadingList) -> str:
    """The list on one line; the same list gives the same text."""
    body = {
        # Journals are never rewritten: these keys are read as long as there are lists.
        "topic": reading_list.request.topic,
        "size": reading_list.request.size,
        "until": reading_list.request.until,
        "by_sections": reading_list.request.sections,
        "seeds": list(reading_list.request.seeds),
        "by": reading_list.by,
        "made": reading_list.made,
        "sections": [
            {"name": section.name, "sub": section.subsection, "entries": [_entry(entry) for entry in section.entries]}
            for section in reading_list.sections
        ],
        "links": [list(link) for link in reading_list.links],
        "spares": list(reading_list.spares),
        "dropped": list(reading_list.dropped),
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def read(text: str, list_id: str, resolve: Resolve) -> ReadingList | None:
    """The list in `text` as `written` gave it; `None` where `text` is damaged or of another form."""
    try:
        body = cast("Mapping[str, object]", json.loads(text))
        sections = [cast("Mapping[str, object]", item) for item in _items(body["sections"])]
        ids = [PaperId(str(_fields(item)["id"])) for section in sections for item in _items(section["entries"])]
        papers = resolve(ids)
        lost = len(ids) - len(papers)
        request = ListRequest(
            topic=str(body["topic"]),
            size=int(str(body["size"])),
            until=None if body["until"] is None else int(str(body["until"])),
            sections=bool(body["by_sections"]),
            seeds=tuple(PaperId(str(item)) for item in _items(body["seeds"])),
        )
        read_sections = [_section(section, papers) for section in sections]
        return ReadingList(
            id=list_id,
            request=request,
            sections=tuple(read_section for read_section in read_sections if read_section.entries),
            by=str(body["by"]),
            links=tuple(
                (PaperId(str(citing)), PaperId(str(cited))) for citing, cited in map(_pair, _items(body["links"]))
            ),
            spares=tuple(PaperId(str(item)) for item in _items(body["spares"])),
            dropped=tuple(PaperId(str(item)) for item in _items(body["dropped"])),
            made=str(body["made"]),
            notices=(f"{counted(lost, 'paper')} of this list left the library.",) if lost else (),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _entry(entry: ListEntry) -> dict[str, object]:
    return {
        "id": entry.paper.id,
        "stage": entry.stage,
        "why": list(entry.why),
        "pinned": entry.pinned,
        "note": entry.note,
    }


def _section(body: Mapping[str, object], papers: Mapping[PaperId, Paper]) -> ListSection:
    entries = []
    for item in map(_fields, _items(body["entries"])):
        paper = papers.get(PaperId(str(item["id"])))
        if paper is not None:
            stage = str(item["stage"])
            if stage not in get_args(ListStage):
                # A stage of a newer litterm has no place in the order, so that the whole list is left unread, not
                # wrong.
                raise ValueError(stage)
            why = tuple(map(str, _items(item["why"])))
            entries.append(
                ListEntry(paper, cast("ListStage", stage), why, pinned=bool(item["pinned"]), note=str(item["note"]))
            )
    return ListSection(str(body["name"]), tuple(entries), str(body["sub"]))


def _items(value: object) -> Iterable[object]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _fields(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _pair(value: object) -> tuple[object, object]:
    first, second = _items(value)
    return first, second
