"""The parts shared by all HTML files: a head that forbids scripts and fetching, escaping, links to papers."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from litterm.text.escape import plain

# Titles and abstracts come from strangers: should markup of theirs slip through, it can load and run nothing.
_CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_LANDING_PAGES = (
    ("acl:", "https://aclanthology.org/{}"),
    ("pmc:", "https://pmc.ncbi.nlm.nih.gov/articles/{}/"),
    ("arxiv:", "https://arxiv.org/abs/{}"),
    ("doi:", "https://doi.org/{}"),
    ("pmid:", "https://pubmed.ncbi.nlm.nih.gov/{}/"),
    ("iclr:", "https://openreview.net/forum?id={}"),
)


def page_head(kind: str, subject: str, style: str) -> list[str]:
    """The lines of a page up to the start of its body, titled `kind: subject`; `style` is CSS."""
    return [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_CONTENT_SECURITY_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # A link to a paper does not tell its publisher which file it was followed from.
        '<meta name="referrer" content="no-referrer">',
        f"<title>{kind}: {escape_line(subject)}</title>",
        f"<style>{style}</style></head><body>",
    ]


def escape_line(text: str) -> str:
    """`text` on one line, for the content of an element or an attribute."""
    return escape(plain(text), quote=True)


def landing_page(paper_id: str, *, safe: str = "/") -> str:
    """The page on the web that an id names; empty for ids that name none. `safe` are characters left as they are."""
    return next(
        (
            form.format(quote(paper_id[len(scheme) :], safe=safe))
            for scheme, form in _LANDING_PAGES
            if paper_id.startswith(scheme)
        ),
        "",
    )
