"""Lists of references in a CSL style, formatted by citeproc-py, which is the extra `csl`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from litterm.core.errors import BadInput, UsageError
from litterm.core.installation import install_command
from litterm.render.html_page import page_head

# Citation processors read markup in values, and citeproc-py hands it on to HTML: characters of no use stand for it.
_HIDE_MARKUP = {ord("<"): "\ue0f0", ord(">"): "\ue0f1", ord("&"): "\ue0f2"}
_AS_TEXT = {0xE0F0: "<", 0xE0F1: ">", 0xE0F2: "&"}
_AS_HTML = {0xE0F0: "&lt;", 0xE0F1: "&gt;", 0xE0F2: "&amp;"}
_NUMBER = re.compile(r"^([\[(]?\d+[\]).]{0,2})(?=\S)")
_PARENT = re.compile(rb'<link\s[^>]*rel="independent-parent"')
_PAGE_STYLE = "body{max-width:46em;margin:2em auto;font-family:serif}p{padding-left:2em;text-indent:-2em}"
_MAX_STYLE_BYTES = 2_000_000


def find_style(name: str, folder: Path) -> Path:
    """The style `name`: a file, a file `NAME.csl` in `folder`, or one that comes with citeproc-py.

    Raises:
        UsageError: citeproc-py is not installed.
        BadInput: there is no such style, or it is one that only refers to another.
    """
    try:
        from citeproc import STYLES_PATH
    except ImportError:
        raise UsageError(f"a CSL style needs citeproc-py: {install_command('csl')}") from None
    places = [Path(name)] if "/" in name or name.lower().endswith(".csl") else []
    if not places:
        places = [folder / f"{name}.csl", Path(STYLES_PATH) / f"{name}.csl"]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise BadInput(
            f"There is no style {name}: save it from https://www.zotero.org/styles, and give that file or put it in "
            f"{folder}."
        )
    _require_independent(path)
    return path


def style_names(folder: Path) -> tuple[str, ...]:
    """The names that `find_style` knows: those in `folder`, then those of citeproc-py; none where that is missing."""
    # Without importing it, which takes longer than a key may.
    spec = find_spec("citeproc")
    if spec is None or spec.origin is None:
        return ()
    places = (folder, Path(spec.origin).parent / "data" / "styles")
    return tuple(dict.fromkeys(path.stem for place in places for path in sorted(place.glob("*.csl"))))


def _require_independent(path: Path) -> None:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_STYLE_BYTES)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    if _PARENT.search(content):
        parent = re.search(rb'href="[^"]*/([\w.-]+)"[^>]*rel="independent-parent"', content)
        named = f" {parent[1].decode()}" if parent else ""
        raise BadInput(f"{path} only refers to another style{named}; give that one.")


def format_references(items: Sequence[Mapping[str, object]], style: Path, *, html: bool) -> str:
    """The list of references for `items` of CSL-JSON in `style`: one a line, or a page of HTML.

    Their order is that of the style, or where it has none that of `items`.

    Raises:
        BadInput: citeproc-py cannot use the style.
    """
    import warnings

    from lxml import etree

    try:
        with warnings.catch_warnings():
            # What a style asks for and citeproc-py does not know is left out.
            warnings.simplefilter("ignore")
            entries = _entries(items, style, html=html)
    except (etree.LxmlError, ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError) as error:
        raise BadInput(f"{style}: citeproc-py cannot use this style ({type(error).__name__}: {error}).") from error
    if not html:
        return "".join(f"{entry}\n" for entry in entries)
    lines = [*page_head("References", style.stem, _PAGE_STYLE), *(f"<p>{entry}</p>" for entry in entries)]
    return "\n".join([*lines, "</body></html>", ""])


def _entries(items: Sequence[Mapping[str, object]], path: Path, *, html: bool) -> list[str]:
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON

    style = CitationStylesStyle(str(path), validate=False)
    # Keys are compared in small letters there, and two of ours may differ by nothing else.
    numbered = [{**_hidden(item), "id": str(number)} for number, item in enumerate(items)]
    bibliography = CitationStylesBibliography(
        style, CiteProcJSON(numbered), formatter.html if html else formatter.plain
    )
    for item in numbered:
        bibliography.register(Citation([CitationItem(item["id"])]))
    bibliography.sort()
    texts = [
        _NUMBER.sub(r"\1 ", str(entry)) if _has_numbers(style) else str(entry) for entry in bibliography.bibliography()
    ]
    return [" ".join(text.translate(_AS_HTML if html else _AS_TEXT).split()) for text in texts]


def _has_numbers(style: Any) -> bool:
    return any(element.get("second-field-align") for element in style.root.iter("{*}bibliography"))


def _hidden(value: Any) -> Any:
    """`value` with nothing in its texts that is read as markup."""
    if isinstance(value, str):
        return value.translate(_HIDE_MARKUP)
    if isinstance(value, Mapping):
        return {name: _hidden(part) for name, part in value.items()}
    return [_hidden(part) for part in value] if isinstance(value, list) else value
