"""Takes over the collections of Zotero, and its papers in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from litterm.annotations.collections import Collections, taking_summary
from litterm.core.errors import BadInput
from litterm.importers.zotero.collections import database_in, read_collections
from litterm.interfaces import WorkLookup


def file_as_in_zotero(collections: Collections, works: WorkLookup, paths: Sequence[Path]) -> tuple[str, ...]:
    """Takes over the collections of each database of Zotero among `paths`, once its items are in the library.

    Safe to repeat: only what has changed in Zotero changes here, and nothing that the user decided. Returns a sentence
    for each database of which something was taken over.

    Raises:
        DiskFull: the journal could not be written.
    """
    sentences: list[str] = []
    for database in filter(None, map(database_in, paths)):
        try:
            read = read_collections(database)
        except BadInput:
            # What is wrong with the database is in the report on its items.
            continue
        aliases = list(dict.fromkeys(paper_id for collection in read for paper_id in collection.papers))
        known = {alias: ids[0] for alias, ids in zip(aliases, works.find(aliases), strict=True) if ids}
        taken = collections.take_imported(
            [
                replace(collection, papers=tuple(dict.fromkeys(known[it] for it in collection.papers if it in known)))
                for collection in read
            ],
            str(database.resolve()),
            lambda papers: {paper_id for paper_id, ids in zip(papers, works.find(papers), strict=True) if ids},
        )
        if summary := taking_summary(taken):
            sentences.append(f"{database}: {summary}, as in Zotero.")
    return tuple(sentences)
