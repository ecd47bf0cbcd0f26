"""The page of a package index: README with links that can be followed there.

An index shows one page and resolves no path of the checkout. With `Source` in `[project.urls]` the paths of README
become addresses below it. Without, a link becomes its text with the path in the source distribution, and pictures go.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def index_page(readme: str, source: str = "") -> str:
    """`readme` without paths of the checkout; `source` is the address of the files, empty where there is none."""

    def absolute(match: re.Match[str]) -> str:
        picture, text, path = match.groups()
        if source:
            return f"{picture}[{text}]({source.rstrip('/')}/{path})"
        return "" if picture else f"{text} (`{path}`)"

    return re.sub(r"\n{3,}", "\n\n", _LINK.sub(absolute, readme))


class CustomMetadataHook(MetadataHookInterface):
    """Sets `readme`, which `pyproject.toml` leaves to this file."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Puts the page into `metadata`."""
        source = metadata.get("urls", {}).get("Source", "")
        text = index_page((Path(self.root) / "README.md").read_text("utf-8"), source)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
