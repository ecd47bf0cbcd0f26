"""How Markdown that pandoc reads writes a citation key."""

from __future__ import annotations

import re
from typing import Final

_BARE_KEY: Final = re.compile(r"\w(?:\w|[:.#$%&+?<>~/-](?=\w))*")


def pandoc_key(key: str) -> str:
    """`key` as it stands behind the `@`: in braces where pandoc would end it too early."""
    return key if _BARE_KEY.fullmatch(key) else f"{{{key}}}"
