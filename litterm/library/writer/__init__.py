"""Writes segments and merges them into larger ones; only the process that holds the write lock does this.

`library_writer` collects the records of an import, `batch` matches them against the library and each other
(`deduplicate`, `merge`), and what is new becomes a segment. `compaction` joins small segments.
"""
