"""The contents of a PDF as JSON and back: the form in which they cross from the child."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import cast

from litterm.core.errors import ChildFailed
from litterm.importers.pdf.pdf_paper import PdfPaper
from litterm.model.document import Reference, SectionKind
from litterm.model.paper import Author, PaperId
from litterm.text.documents.builder import Block, BlockKind


def as_json(paper: PdfPaper) -> Mapping[str, object]:
    """`paper` in lists, strings and numbers; empty fields of blocks are left out."""
    fields = asdict(paper)
    fields["blocks"] = [{name: value for name, value in block.items() if value} for block in fields["blocks"]]
    return fields


def from_json(fields: Mapping[str, object]) -> PdfPaper:
    """The paper that `as_json` wrote.

    Raises:
        ChildFailed: it is something else.
    """
    try:
        return PdfPaper(
            title=str(fields["title"]),
            authors=tuple(Author(str(item["family"]), str(item["given"])) for item in _maps(fields["authors"])),
            abstract=str(fields["abstract"]),
            keywords=_strings(fields["keywords"]),
            year=_number(fields["year"]),
            ids=_ids(fields["ids"]),
            blocks=tuple(_block(item) for item in _maps(fields["blocks"])),
            references=tuple(_reference(item) for item in _maps(fields["references"])),
            references_known=fields["references_known"] is True,
            pages=_number(fields["pages"]) or 0,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ChildFailed(f"The PDF child answered with something else than a paper ({error!r}).") from error


def _block(fields: Mapping[str, object]) -> Block:
    return Block(
        kind=cast(BlockKind, str(fields["kind"])),
        text=str(fields.get("text", "")),
        number=str(fields.get("number", "")),
        level=_number(fields.get("level")) or 1,
        section_kind=cast(SectionKind, str(fields.get("section_kind", "other"))),
        label=str(fields.get("label", "")),
        caption=str(fields.get("caption", "")),
        cells=tuple(_strings(row) for row in _list(fields.get("cells", ()))),
        pages=tuple((_whole(pair[0]), _whole(pair[1])) for pair in map(_list, _list(fields.get("pages", ())))),
    )


def _reference(fields: Mapping[str, object]) -> Reference:
    return Reference(
        index=_whole(fields["index"]),
        text=str(fields["text"]),
        label=str(fields["label"]),
        title=str(fields["title"]),
        families=_strings(fields["families"]),
        year=_number(fields["year"]),
        ids=_ids(fields["ids"]),
    )


def _list(value: object) -> list[object]:
    if isinstance(value, (list, tuple)):
        return list(value)
    raise TypeError(f"a list, not {value!r:.40}")


def _maps(value: object) -> Iterable[Mapping[str, object]]:
    for item in _list(value):
        if not isinstance(item, dict):
            raise TypeError(f"an object, not {item!r:.40}")
        yield item


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in _list(value))


def _ids(value: object) -> tuple[PaperId, ...]:
    return tuple(PaperId(string) for string in _strings(value))


def _number(value: object) -> int | None:
    return None if value is None else _whole(value)


def _whole(value: object) -> int:
    if isinstance(value, int):
        return value
    raise TypeError(f"a number, not {value!r:.40}")
