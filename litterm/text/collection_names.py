r"""The names of the user's collections: `Thesis/Methods` lies in `Thesis`; a slash within a name is written `\/`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from litterm.text.clean import clean_line

SEPARATOR = "/"
MAX_PART_CHARS = 255
"""Characters of the name between two slashes; as many as Zotero allows."""
_PART = re.compile(r"(?:\\.|[^\\/]|\\$)+", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\/])")
_QUOTES = re.compile(r"[\"“”„]")


def split_collection(name: str) -> tuple[str, ...]:
    r"""The parts of a name, from the outermost: `A\/B/C` is `A/B` and `C`. Blank parts are left out."""
    parts = (clean_part(_ESCAPED.sub(r"\1", part)) for part in _PART.findall(name))
    return tuple(part for part in parts if part)


def join_collection(parts: Sequence[str]) -> str:
    r"""The name made of `parts`, which `split_collection` takes apart again."""
    return SEPARATOR.join(part.replace("\\", "\\\\").replace("/", "\\/") for part in parts)


def clean_part(part: str) -> str:
    """A part on one line, without blanks at its ends, and not longer than it may be."""
    return clean_line(part)[:MAX_PART_CHARS].strip()


def fold_collection(parts: Sequence[str]) -> tuple[str, ...]:
    """`parts` as they are compared: in one case, and without quotes, which a query cannot hold."""
    return tuple(" ".join(_QUOTES.sub(" ", part).casefold().split()) for part in parts)
