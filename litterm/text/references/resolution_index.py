"""Hash keys by which new papers that may change the resolution of a reference are found; other lists stay resolved.

Two things with no key in common cannot have to do with each other; a common key proves nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from litterm.model.document import Reference
from litterm.model.paper import Paper
from litterm.text.references.identity import bare_key, identity_key, paper_ids
from litterm.text.references.resolution import read_entry
from litterm.text.tokens import words


def wanted_keys(reference: Reference, resolved_to: str = "") -> Iterator[int]:
    """The keys of which a paper must have one to be the target of `reference`, or to compete with its target.

    `resolved_to` is the title of the target it has now; empty where it has none.
    """
    for paper_id in reference.ids:
        yield _hash("id", bare_key(paper_id))
    entry = read_entry(reference)
    keys = [identity_key(title) for title in entry.titles]
    for key in keys:
        yield _hash("title", key)
    # Names are looked at only where ids and titles have found nothing. Of a frequent author's name every list of its
    # year would be read again otherwise.
    if entry.families and entry.year is not None and identity_key(resolved_to) not in keys:
        # The longest word of a name: particles and initials are written in one place and left out in another.
        family = max(words(entry.families[0]), key=lambda word: (len(word), word), default="")
        yield _hash("name", f"{family} {entry.year}")


def offered_keys(paper: Paper) -> Iterator[int]:
    """The keys of `paper`."""
    for paper_id in paper_ids(paper):
        yield _hash("id", bare_key(paper_id))
    yield _hash("title", identity_key(paper.title))
    if paper.year is None:
        return
    # The first author's alone: neither a mention nor a misread title is taken for a paper by another one.
    names = {word for author in paper.authors[:1] for word in words(f"{author.given} {author.surname}")}
    for word in sorted(names):
        # `WorkLookup.find_by_first_author` takes in the years beside the one asked for.
        for year in range(paper.year - 1, paper.year + 2):
            yield _hash("name", f"{word} {year}")


def _hash(kind: str, key: str) -> int:
    return zlib.crc32(f"{kind}\0{key}".encode("utf-8", "surrogatepass"))
