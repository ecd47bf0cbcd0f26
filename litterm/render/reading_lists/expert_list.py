"""The reading list that a tutorial or survey prints, as lines and in the published form of ACL-rlg."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from litterm.text.escape import plain

if TYPE_CHECKING:
    from litterm.model.document import Reference
    from litterm.model.reading_list import ExpertList
    from litterm.render.lines import LineOptions


class ExpertReferenceData(TypedDict):
    """A work of a printed reading list."""

    title: str
    year: int | None
    section: str
    acl_id: str
    in_acl: bool
    paper: str | None


class ExpertListData(TypedDict):
    """The answer of `list --expert`."""

    id: str
    title: str
    year: int | None
    references: list[ExpertReferenceData]


def expert_lines(found: ExpertList, options: LineOptions) -> list[str]:
    """The paper; below each heading its works with a number, and the id of those that the library holds."""
    lines = [*options.block(found.paper.title, indent=0, style="bold"), options.text(found.title)]
    number = 0
    for section in found.sections:
        lines += ["", options.paint(section.name, "strong")] if section.name else [""]
        for reference in section.references:
            number += 1
            year = str(reference.year or "")
            where = options.paint(reference.target or "not in your library", "dim")
            lines += options.block(reference.title or reference.text, indent=5, first=f"{number:>3}  ")
            lines.append(f"     {options.join([options.text(year), where])}")
    return lines


def expert_data(found: ExpertList) -> ExpertListData:
    """A list as a row of ACL-rlg, without queries: works in order, each with its heading and what the library holds."""
    return {
        "id": found.paper.id,
        "title": plain(found.paper.title),
        "year": found.paper.year,
        "references": [
            _reference(reference, section.name) for section in found.sections for reference in section.references
        ],
    }


def _reference(reference: Reference, heading: str) -> ExpertReferenceData:
    target = reference.target or ""
    return {
        "title": plain(reference.title or reference.text),
        "year": reference.year,
        "section": plain(heading),
        "acl_id": target.removeprefix("acl:") if target.startswith("acl:") else "",
        # The bench counts what the library holds.
        "in_acl": bool(target),
        "paper": target or None,
    }
