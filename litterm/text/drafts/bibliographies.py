"""Adds the name of another bibliography to a draft, so that keys of new entries are found when it is compiled."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from litterm.model.attribution.draft import DraftForm
from litterm.model.document import Span
from litterm.text.drafts.hidden_text import find_hidden_spans
from litterm.text.drafts.parser import read_draft

_RESOURCE = re.compile(r"\\add(?:bibresource|globalbib)(?:\[[^\[\]]{0,200}\])?\{[^{}]{1,2000}\}")
_BIBLIOGRAPHY_COMMAND = re.compile(r"\\bibliography\{[^{}]{1,2000}(\})")
_BEGIN_DOCUMENT, _END_DOCUMENT = re.compile(r"\\begin\{document\}"), re.compile(r"\\end\{document\}")
_STYLE, _PRINTED = re.compile(r"\\bibliographystyle\{"), re.compile(r"\\printbibliography\b")
_BIBLATEX = re.compile(r"\\usepackage(?:\[[^\[\]]{0,500}\])?\{biblatex\}")
_OWN_LIST = re.compile(r"\\begin\{thebibliography\}")
_INLINE = re.compile(r"^bibliography:[ \t]*(?P<listed>\[)?(?P<names>[^\n\r\]]{1,2000})\]?[ \t]*$", re.MULTILINE)
_ITEMS = re.compile(r"^bibliography:[ \t]*\r?\n(?:[ \t]*-[ \t][^\n]{1,500}\n?){1,50}", re.MULTILINE)


def with_bibliography(text: str, form: DraftForm, name: str) -> str | None:
    """`text` that names the file `name` (`paper.cited.bib`) too; unchanged where it does, `None` where it has no place.

    In LaTeX beside the others, else at the end of a whole document; in Markdown in the front matter that names one.
    """
    file_stems = {file_name.removesuffix(".bib") for file_name in read_draft(text, form).bibliographies}
    if name.removesuffix(".bib") in file_stems:
        return text
    if form == "tex":
        return _add_to_latex(text, name)
    return _add_to_front_matter(text, name) if form == "markdown" else None


def _add_to_latex(text: str, name: str) -> str | None:
    comments = [stretch.span for stretch in find_hidden_spans(text, "tex") if stretch.kind == "cut"]

    def last(pattern: re.Pattern[str]) -> re.Match[str] | None:
        matches = [match for match in pattern.finditer(text) if not _is_inside(match.start(), comments)]
        return matches[-1] if matches else None

    newline = "\r\n" if "\r\n" in text else "\n"
    if resource := last(_RESOURCE):
        end = resource.end()
        return f"{text[:end]}{newline}\\addbibresource{{{name}}}{text[end:]}"
    if command := last(_BIBLIOGRAPHY_COMMAND):
        return f"{text[: command.start(1)]},{name.removesuffix('.bib')}{text[command.start(1) :]}"
    return _add_to_whole_document(text, name, newline, last)


def _add_to_whole_document(
    text: str, name: str, newline: str, last: Callable[[re.Pattern[str]], re.Match[str] | None]
) -> str | None:
    begin, end = last(_BEGIN_DOCUMENT), last(_END_DOCUMENT)
    # A bibliography inside the draft has no file to name.
    if begin is None or end is None or last(_OWN_LIST):
        return None
    body, tail = text[begin.start() : end.start()], text[end.start() :]
    if last(_BIBLATEX):
        printed = "" if last(_PRINTED) else f"\\printbibliography{newline}"
        return f"{text[: begin.start()]}\\addbibresource{{{name}}}{newline}{body}{printed}{tail}"
    style = "" if last(_STYLE) else f"\\bibliographystyle{{plain}}{newline}"
    return f"{text[: end.start()]}{style}\\bibliography{{{name.removesuffix('.bib')}}}{newline}{tail}"


def _is_inside(position: int, spans: Sequence[Span]) -> bool:
    return any(span.start <= position < span.end for span in spans)


def _add_to_front_matter(text: str, name: str) -> str | None:
    if not text.removeprefix("\ufeff").startswith("---"):
        return None
    # `find_hidden_spans` gives the front matter first where there is one.
    hidden_spans = find_hidden_spans(text, "markdown")
    front = text[: hidden_spans[0].span.end] if hidden_spans else ""
    if inline := _INLINE.search(front):
        names = inline["names"].strip()
        return f"{text[: inline.start()]}bibliography: [{names}, {name}]{text[inline.end() :]}"
    if items := _ITEMS.search(front):
        item_lines = items.group().rstrip()
        dash = re.match(r"[ \t]*-[ \t]", item_lines.splitlines()[-1])
        lead = dash.group() if dash else "  - "
        return f"{text[: items.start()]}{item_lines}\n{lead}{name}{text[items.start() + len(item_lines) :]}"
    return None
