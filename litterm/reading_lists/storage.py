"""Encodes and decodes reading lists for the journal, with papers as ids that the library resolves."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast, get_args

from litterm.core.json_fields import items, mapping
from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import ListEntry, ListRequest, ListSection, ListStage, ReadingList
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

PaperResolver = Callable[["Sequence[PaperId]"], Mapping[PaperId, Paper]]
"""Maps ids to papers, without those that have left the library."""


def dumps(reading_list: ReadingList) -> str:
    """Encodes a list on one line; equal lists give equal texts."""
    body = {
        # Journals are never rewritten, so these keys must not change.
        "topic": reading_list.request.topic,
        "size": reading_list.request.size,
        "until": reading_list.request.until,
        "by_sections": reading_list.request.sections,
        "seeds": list(reading_list.request.seeds),
        **({"queries": list(reading_list.request.queries)} if reading_list.request.queries else {}),
        "by": reading_list.by,
        "made": reading_list.made,
        "sections": [
            {
                "name": section.name,
                "sub": section.subsection,
                "entries": [_encode_entry(entry) for entry in section.entries],
            }
            for section in reading_list.sections
        ],
        "links": [list(link) for link in reading_list.links],
        "spares": list(reading_list.spares),
        "dropped": list(reading_list.dropped),
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def loads(text: str, list_id: str, resolve: PaperResolver) -> ReadingList | None:
    """Decodes what `dumps` wrote; `None` if it is damaged or of a newer format."""
    try:
        body = cast("Mapping[str, object]", json.loads(text))
        sections = [cast("Mapping[str, object]", item) for item in items(body["sections"])]
        ids = [PaperId(str(mapping(item)["id"])) for section in sections for item in items(section["entries"])]
        papers = resolve(ids)
        missing_count = len(ids) - len(papers)
        request = ListRequest(
            topic=str(body["topic"]),
            size=int(str(body["size"])),
            until=None if body["until"] is None else int(str(body["until"])),
            sections=bool(body["by_sections"]),
            seeds=tuple(PaperId(str(item)) for item in items(body["seeds"])),
            queries=tuple(str(item) for item in items(body.get("queries", []))),
        )
        read_sections = [_decode_section(section, papers) for section in sections]
        return ReadingList(
            id=list_id,
            request=request,
            sections=tuple(read_section for read_section in read_sections if read_section.entries),
            by=str(body["by"]),
            links=tuple(
                (PaperId(str(citing)), PaperId(str(cited))) for citing, cited in map(_as_pair, items(body["links"]))
            ),
            spares=tuple(PaperId(str(item)) for item in items(body["spares"])),
            dropped=tuple(PaperId(str(item)) for item in items(body["dropped"])),
            made=str(body["made"]),
            notices=(f"{count_phrase(missing_count, 'paper')} of this list left the library.",)
            if missing_count
            else (),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _encode_entry(entry: ListEntry) -> dict[str, object]:
    return {
        "id": entry.paper.id,
        "stage": entry.stage,
        "why": list(entry.why),
        "pinned": entry.pinned,
        "note": entry.note,
    }


def _decode_section(body: Mapping[str, object], papers: Mapping[PaperId, Paper]) -> ListSection:
    entries = []
    for item in map(mapping, items(body["entries"])):
        paper = papers.get(PaperId(str(item["id"])))
        if paper is not None:
            stage = str(item["stage"])
            if stage not in get_args(ListStage):
                # A stage that only a newer litterm knows: rather no list than one with a paper out of order.
                raise ValueError(stage)
            reasons = tuple(map(str, items(item["why"])))
            entries.append(
                ListEntry(paper, cast("ListStage", stage), reasons, pinned=bool(item["pinned"]), note=str(item["note"]))
            )
    return ListSection(str(body["name"]), tuple(entries), str(body["sub"]))


def _as_pair(value: object) -> tuple[object, object]:
    first, second = items(value)
    return first, second
