"""The child's job `pdf`: text and title page of one file as JSON, under a limit on memory; the parent reads it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

from litterm.core.errors import BadInput, ChildFailed
from litterm.importers.pdf.pdf_paper import PdfPaper
from litterm.library.workers.memory import limit_memory, peak_megabytes
from litterm.model.document import Reference, SectionKind
from litterm.model.paper import Author, FileAnnotation, FileAnnotationKind, PaperId
from litterm.text.documents.builder import Block, BlockKind

MAX_FILE_BYTES = 256 * 2**20


def answer(request: Mapping[str, object]) -> Mapping[str, object]:
    """The paper in the file `path`, and the child's largest size so far as `peak_mb`.

    `memory_mb` limits the address space: a file that needs more ends in an error, not in a swapping machine;
    `max_pages` the pages.

    Raises:
        BadInput: the file cannot be read, is too large, or holds no text that can be read.
    """
    # Only the child needs it: pypdf takes longer to import than a record takes to be added.
    from litterm.importers.pdf.decryption import import_pypdf

    import_pypdf()
    from litterm.importers.pdf.reader import read_pdf

    # Here and not at the start: limits come with the request, from the settings of the parent.
    limit_memory(_limit(request, "memory_mb", 1024))
    path = Path(str(request.get("path")))
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise BadInput(f"The PDF has {size / 2**20:,.0f} MB; more than {MAX_FILE_BYTES >> 20} are not read.")
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"The file cannot be read: {error.strerror}.") from error
    return {
        "paper": as_json(read_pdf(content, max_pages=_limit(request, "max_pages", 1000))),
        "peak_mb": peak_megabytes(),
    }


def _limit(request: Mapping[str, object], name: str, default: int) -> int:
    value = request.get(name)
    return value if isinstance(value, int) else default


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
            authors=tuple(map(_author, _maps(fields["authors"]))),
            abstract=str(fields["abstract"]),
            keywords=_strings(fields["keywords"]),
            year=_number(fields["year"]),
            ids=_ids(fields["ids"]),
            blocks=tuple(_block(item) for item in _maps(fields["blocks"])),
            references=tuple(_reference(item) for item in _maps(fields["references"])),
            references_known=fields["references_known"] is True,
            pages=_number(fields["pages"]) or 0,
            unverified_ids=_ids(fields["unverified_ids"]),
            is_title_certain=fields["is_title_certain"] is True,
            text_digest=str(fields["text_digest"]),
            annotations=tuple(map(_annotation, _maps(fields["annotations"]))),
            left_out_annotations=_whole(fields["left_out_annotations"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ChildFailed(f"The PDF child answered with something other than a paper ({error!r}).") from error


def _author(fields: Mapping[str, object]) -> Author:
    return Author(
        family=str(fields["family"]),
        given=str(fields["given"]),
        prefix=str(fields.get("prefix", "")),
        suffix=str(fields.get("suffix", "")),
        is_literal=fields.get("is_literal") is True,
    )


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


def _annotation(fields: Mapping[str, object]) -> FileAnnotation:
    return FileAnnotation(
        kind=cast(FileAnnotationKind, str(fields["kind"])),
        page=str(fields["page"]),
        quote=str(fields["quote"]),
        comment=str(fields["comment"]),
        colour=str(fields["colour"]),
        author=str(fields["author"]),
        changed=str(fields["changed"]),
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
