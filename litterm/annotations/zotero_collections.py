"""Files papers under the collections in which Zotero has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from litterm.annotations.collections import Collections
from litterm.core.errors import BadInput
from litterm.importers.zotero.collections import database_in, read_collections
from litterm.interfaces import WorkLookup
from litterm.text.plural import count_phrase


def file_as_in_zotero(collections: Collections, works: WorkLookup, paths: Sequence[Path]) -> tuple[str, ...]:
    """Takes over the collections of each database of Zotero among `paths`, once its items are in the library.

    Safe to repeat: papers are filed where they never were. Returns a sentence for each database of which papers were
    filed.

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
        filed = collections.take_imported(
            [
                replace(collection, papers=tuple(dict.fromkeys(known[it] for it in collection.papers if it in known)))
                for collection in read
            ]
        )
        if filed:
            sentences.append(f"{database}: {count_phrase(filed, 'paper')} filed under collections, as in Zotero.")
    return tuple(sentences)
