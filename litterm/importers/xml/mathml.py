"""Converts MathML to TeX, which `text.latex.prose` then reads like any other formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from litterm.text.clean import clean_line
from litterm.text.latex.symbols import FUNCTIONS

_ACCENTS: Final = {
    "^": "hat",
    "ˆ": "hat",
    "̂": "hat",
    "~": "tilde",
    "˜": "tilde",
    "∼": "tilde",
    "¯": "bar",
    "‾": "bar",
    "―": "bar",
    "_": "bar",
    "→": "vec",
    "⃗": "vec",
    "˙": "dot",
    "¨": "ddot",
    "ˇ": "check",
}
_INVISIBLE_OPERATORS: Final = str.maketrans("", "", "\u2061\u2062\u2063\u2064")
_LARGE_OPERATORS: Final = frozenset("∑∏∐∫∮⋃⋂⨁⨂") | {
    "lim",
    "max",
    "min",
    "sup",
    "inf",
    "arg max",
    "arg min",
    "argmax",
    "argmin",
}
_TEX_ESCAPES: Final = {
    "{": "\\{",
    "}": "\\}",
    "%": "\\%",
    "#": "\\#",
    "&": "\\&",
    "$": "\\$",
    "_": "\\_",
    "\\": "\\backslash ",
}


def tex_from_mathml(math: Element) -> str:
    """TeX for a `math` element without namespaces; Unicode letters and operators stay as they are."""
    return " ".join(_row(math).split())


def _tex(element: Element) -> str:
    convert = _CONVERTERS.get(element.tag)
    return convert(element) if convert else _row(element)


def _row(element: Element) -> str:
    if not len(element):
        return _leaf(element)
    return "".join(_tex(child) for child in element)


def _leaf(element: Element) -> str:
    # Function application and invisible times are characters that print nothing.
    text = clean_line((element.text or "").translate(_INVISIBLE_OPERATORS))
    return "".join(_TEX_ESCAPES.get(character, character) for character in text)


def _identifier(element: Element) -> str:
    text = _leaf(element)
    if text in FUNCTIONS:
        return f"\\{text} "
    return text if len(text) == 1 or not text.isalpha() else f"\\mathrm{{{text}}}"


def _text(element: Element) -> str:
    text = "".join(element.itertext())
    if not any(character.isalpha() for character in text):
        return text or " "
    return f"\\text{{{text}}}"


def _operator(element: Element) -> str:
    text = _leaf(element)
    if text in FUNCTIONS:
        return f"\\{text} "
    if text.isalpha() and len(text) > 1:
        return f" \\mathrm{{{text}}} "
    return f" {text} " if text in "=<>≤≥≠≈∼∝→←↔⇒±∈+" and text else text


def _parts(element: Element, count: int) -> list[str]:
    parts = [_tex(child) for child in element][:count]
    return parts + [""] * (count - len(parts))


def _group(tex: str) -> str:
    tex = tex.strip()
    return tex if len(tex) == 1 else f"{{{tex}}}"


def _sub(element: Element) -> str:
    base, low = _parts(element, 2)
    return f"{_group(base)}_{_group(low)}"


def _sup(element: Element) -> str:
    base, high = _parts(element, 2)
    return f"{_group(base)}^{_group(high)}"


def _sub_sup(element: Element) -> str:
    base, low, high = _parts(element, 3)
    return f"{_group(base)}_{_group(low)}^{_group(high)}"


def _fraction(element: Element) -> str:
    top, bottom = _parts(element, 2)
    return f"\\frac{{{top}}}{{{bottom}}}"


def _root(element: Element) -> str:
    base, degree = _parts(element, 2)
    return f"\\sqrt[{degree}]{{{base}}}"


def _over(element: Element) -> str:
    base, mark = _parts(element, 2)
    accent = _ACCENTS.get(mark.strip())
    if accent:
        return f"\\{accent}{{{base}}}"
    return f"{base}^{{{mark}}}" if base.strip() in _LARGE_OPERATORS else f"\\overset{{{mark}}}{{{base}}}"


def _under(element: Element) -> str:
    base, mark = _parts(element, 2)
    if base.strip() in _LARGE_OPERATORS or base.strip().startswith("\\mathrm"):
        return f"{base}_{{{mark}}}"
    return f"\\underset{{{mark}}}{{{base}}}"


def _fenced(element: Element) -> str:
    joint = element.get("separators", ",").strip()[:1]
    content = joint.join(_tex(child) for child in element)
    marks = (element.get("open", "("), element.get("close", ")"))
    opening, closing = ("".join(_TEX_ESCAPES.get(character, character) for character in mark) for mark in marks)
    return f"{opening}{content}{closing}"


def _table(element: Element) -> str:
    rows = [" & ".join(_tex(cell) for cell in row) for row in element]
    if len(rows) == 1:
        # An equation and its number.
        return rows[0].replace(" & ", " ")
    body = " \\\\ ".join(rows)
    return f"\\begin{{matrix}}{body}\\end{{matrix}}"


def _first(element: Element) -> str:
    return _tex(element[0]) if len(element) else ""


_CONVERTERS: Final[Mapping[str, Callable[[Element], str]]] = {
    "mi": _identifier,
    "mn": _leaf,
    "mo": _operator,
    "mtext": _text,
    "ms": _text,
    "mspace": lambda element: " ",
    "msub": _sub,
    "msup": _sup,
    "msubsup": _sub_sup,
    "mfrac": _fraction,
    "msqrt": lambda element: f"\\sqrt{{{_row(element)}}}",
    "mroot": _root,
    "mover": _over,
    "munder": _under,
    "munderover": _sub_sup,
    "mfenced": _fenced,
    "mtable": _table,
    "semantics": _first,
    "maction": _first,
    "annotation": lambda element: "",
    "annotation-xml": lambda element: "",
    "mphantom": lambda element: "",
}
