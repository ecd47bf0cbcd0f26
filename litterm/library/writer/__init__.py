"""What only the one process that holds the write lock does: records into segments, and segments into larger ones.

`library_writer` collects the records of an import, `batch` matches them against the library and each other
(`deduplicate`, `merge`), and what is new becomes a segment. `import_log` knows which files came in; `compaction` joins
small segments.
"""
