"""The Markdown documents of the checkout, as tests read them."""

from __future__ import annotations

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
PAGES = tuple(sorted([CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *(CHECKOUT / "docs").rglob("*.md")]))
"""All but the changelog, which also tells of what is no more."""


def page(path: str) -> str:
    """The text of one page, by its path in the checkout."""
    return (CHECKOUT / path).read_text("utf-8")


def everything() -> str:
    """The text of all pages."""
    return "\n".join(each.read_text("utf-8") for each in PAGES)
