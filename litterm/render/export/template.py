"""Templates that users write: placeholders in double braces, filled with values; nothing in them is executed.

`{{title}}` is a value, `{{?doi}}...{{/doi}}` stays only if there is one, and `{{#tags}}...{{/tags}}` is repeated for
each item of a list. What a value contains is never read as a template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from litterm.core.errors import BadInput

Value = str | int | Sequence[Mapping[str, "str | int"]]
"""A text, a number, or the items of a list, each with the placeholders of its own."""
_TAG = re.compile(r"\{\{([?#/]?)\s*([\w.-]+)\s*\}\}")
_TAG_ALONE = re.compile(r"^[ \t]*(\{\{[?#/]\s*[\w.-]+\s*\}\})[ \t]*\n", re.MULTILINE)
"""A condition alone in its line, which leaves no empty line behind."""
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a template: text, a placeholder, or a block that is shown on a condition or repeated."""

    text: str = ""
    name: str = ""
    kind: str = ""
    """`?`, `#`, or empty for a placeholder."""
    parts: tuple[_Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """A template that was read; it can be filled any number of times."""

    parts: tuple[_Part, ...]

    def fill(self, values: Mapping[str, Value], write: Callable[[str, Value], str]) -> str:
        """The text with `write(name, value)` in the place of each placeholder."""
        return "".join(_fill(self.parts, values, write))


def read_template(text: str, names: Collection[str], items: Mapping[str, Collection[str]]) -> Template:
    """The template `text`, in which `names` may be used, and inside of a list that of `items`.

    Raises:
        BadInput: it has an unknown placeholder, or a block that is not closed.
    """
    tokens = _TAG.split(_TAG_ALONE.sub(r"\1", text))
    opened: list[tuple[_Part, list[_Part]]] = [(_Part(), [])]
    known = set(names)
    for index in range(0, len(tokens), 3):
        opened[-1][1].append(_Part(tokens[index]))
        if index + 1 == len(tokens):
            break
        kind, name = tokens[index + 1 : index + 3]
        if kind == "/":
            _close(opened, name)
        else:
            inside = {item for part, _ in opened if part.kind == "#" for item in items[part.name]}
            _require_known(kind, name, known | inside, items)
            part = _Part(name=name, kind=kind)
            if kind:
                opened.append((part, []))
            else:
                opened[-1][1].append(part)
        if len(opened) > _MAX_DEPTH:
            raise BadInput(f"The template has more than {_MAX_DEPTH} blocks inside of one another.")
    if len(opened) > 1:
        part = opened[-1][0]
        raise BadInput(f"{{{{{part.kind}{part.name}}}}} has no {{{{/{part.name}}}}} in the template.")
    return Template(tuple(opened[0][1]))


def _close(opened: list[tuple[_Part, list[_Part]]], name: str) -> None:
    part, parts = opened[-1]
    if part.name != name or len(opened) == 1:
        raise BadInput(f"{{{{/{name}}}}} in the template closes nothing that is open.")
    opened.pop()
    opened[-1][1].append(replace(part, parts=tuple(parts)))


def _require_known(kind: str, name: str, known: Collection[str], lists: Mapping[str, Collection[str]]) -> None:
    if name not in known:
        from difflib import get_close_matches

        nearest = get_close_matches(name, list(known), n=1)
        advice = f"; did you mean {{{{{nearest[0]}}}}}?" if nearest else "."
        raise BadInput(f"{{{{{kind}{name}}}}} in the template is no placeholder{advice}")
    if kind == "#" and name not in lists:
        raise BadInput(f"{{{{#{name}}}}} in the template is no list; lists are {', '.join(lists)}.")


def _fill(parts: Sequence[_Part], values: Mapping[str, Value], write: Callable[[str, Value], str]) -> Iterator[str]:
    for part in parts:
        if not part.name:
            yield part.text
            continue
        value = values[part.name]
        if not part.kind:
            yield write(part.name, value)
        elif part.kind == "?" and value:
            yield from _fill(part.parts, values, write)
        elif part.kind == "#" and not isinstance(value, (str, int)):
            for item in value:
                yield from _fill(part.parts, {**values, **item}, write)
