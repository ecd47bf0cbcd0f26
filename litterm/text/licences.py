"""The short names of licences: `CC BY 4.0` for the address of its deed."""

from __future__ import annotations

import re
from typing import Final

_LICENCE_URL: Final = re.compile(r"creativecommons\.org/licenses/(by(?:-nc)?(?:-(?:nd|sa))?)/(\d\.\d)", re.IGNORECASE)
_ZERO: Final = re.compile(r"creativecommons\.org/publicdomain/zero/(\d\.\d)", re.IGNORECASE)
_OPEN_LICENCE: Final = re.compile(r"cc[ -]?(by(?:[ -]nc)?(?:[ -](?:nd|sa))?|0|zero)(?:[ -](\d\.\d))?", re.IGNORECASE)
_ARXIV: Final = re.compile(r"arxiv\.org/licenses/|arxiv\.org perpetual", re.IGNORECASE)
_ARXIV_LICENCE: Final = "arXiv's licence: to read, not to pass on"


def licence_name(stated: str) -> str:
    """`CC BY 4.0` of an address of Creative Commons, or of `cc-by`; anything else stays as it was stated."""
    licence = stated.strip()
    if match := _LICENCE_URL.search(licence):
        return f"CC {match.group(1).upper()} {match.group(2)}"
    if match := _ZERO.search(licence):
        return f"CC0 {match.group(1)}"
    if match := _OPEN_LICENCE.fullmatch(licence):
        kind = match.group(1).upper().replace(" ", "-")
        name = "CC0" if kind in ("0", "ZERO") else f"CC {kind}"
        return f"{name} {match.group(2) or ''}".rstrip()
    return _ARXIV_LICENCE if _ARXIV.search(licence) else licence
