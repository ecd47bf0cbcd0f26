r"""Finds the places where a draft takes in other files: `\input`, `\include`, `\subfile`, `\import` and their like."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from litterm.model.attribution.draft import DraftForm, Inclusion, InclusionKind
from litterm.model.document import Span
from litterm.text.drafts.hidden_text import HiddenSpan, find_hidden_spans

_LATEX = re.compile(
    r"(?<!\\)(?:\\\\)?\\(?P<command>input|include|subfile|subfileinclude|InputIfFileExists|includeonly)\s?"
    r"\{(?P<name>[^{}]{1,1000})\}"
    r"|\\(?P<from>(?:sub)?(?:import|inputfrom|includefrom)\*?)\s?\{(?P<folder>[^{}]{0,500})\}\s?\{(?P<file>[^{}]{1,500})\}"
    # As plain TeX writes it, up to a blank.
    r"|\\input[ \t]+(?P<bare>[\w./:+-]{1,300})"
)
_SHORTCODE = re.compile(r"\{\{<\s?include\s+(?P<name>[^\s<>{}]{1,300})\s?>\}\}")
_MAX_ENDING_CHARS = 4
"""Letters of an ending such as `.tex`; what is longer belongs to the name."""
_KINDS: dict[str, InclusionKind] = {"include": "include", "InputIfFileExists": "optional", "includeonly": "only"}


def find_inclusions(text: str, form: DraftForm, hidden_spans: Sequence[HiddenSpan]) -> tuple[Inclusion, ...]:
    """In order, without those in comments and behind the end of the document."""
    if form == "text":
        return ()
    places = bytearray(len(text) + 1)
    for stretch in hidden_spans:
        if stretch.kind == "cut":
            places[stretch.span.start : stretch.span.end] = b"\x01" * (stretch.span.end - stretch.span.start)
    outside = [stretch.span for stretch in hidden_spans if stretch.kind == "outside"]
    preamble = next((span.end for span in outside if span.start == 0), 0)
    last = next((span.start for span in outside if span.start > 0), len(text))
    pattern = _LATEX if form == "tex" else _SHORTCODE
    return tuple(
        inclusion
        for match in pattern.finditer(text)
        if match.start() < last and not places[match.end() - 1]
        for inclusion in _inclusions(match, has_text=match.start() >= preamble)
    )


def _inclusions(match: re.Match[str], *, has_text: bool) -> list[Inclusion]:
    groups = match.groupdict()
    if groups.get("from"):
        kind: InclusionKind = "subimport" if groups["from"].startswith("sub") else "import"
        return [Inclusion(kind, match["file"].strip(), Span(*match.span("file")), match["folder"].strip(), has_text)]
    if groups.get("bare"):
        return [Inclusion("input", match["bare"], Span(*match.span("bare")), has_text=has_text)]
    kind = _KINDS.get(groups.get("command") or "", "input")
    if kind != "only":
        return [Inclusion(kind, match["name"].strip(' \t\r\n"'), Span(*match.span("name")), has_text=has_text)]
    names, start = [], match.start("name")
    for name in match["name"].split(","):
        lead = len(name) - len(name.lstrip())
        if name.strip():
            names.append(
                Inclusion(kind, name.strip(), Span(start + lead, start + lead + len(name.strip())), "", has_text)
            )
        start += len(name) + 1
    return names


def with_copies(text: str, form: DraftForm, numbers: Collection[int], suffix: str) -> str:
    """`text` that takes in copies, `one.cited.tex` for `one` with a `suffix`, at the inclusions of these `numbers`."""
    inclusions = find_inclusions(text, form, find_hidden_spans(text, form))
    copied = {_stem(item.name) for number, item in enumerate(inclusions) if number in numbers}
    pieces, position = [], 0
    for number, item in enumerate(inclusions):
        if number not in numbers and not (item.kind == "only" and _stem(item.name) in copied):
            continue
        written = text[item.span.start : item.span.end].strip()
        stem, dot, ending = written.rpartition(".")
        if not dot or "/" in ending or len(ending) > _MAX_ENDING_CHARS:
            # `\\include` and `\\includeonly` add the ending themselves, always.
            stem, ending = written, "" if item.kind in ("include", "only") else "tex"
        pieces += [text[position : item.span.start], f"{stem}{suffix}{'.' if ending else ''}{ending}"]
        position = item.span.end
    return "".join([*pieces, text[position:]])


def _stem(name: str) -> str:
    return name.removesuffix(".tex")
