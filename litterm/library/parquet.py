"""Writes tables as Parquet files, which DuckDB does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from litterm.library.segments.connections import connect, quote_sql, translate_errors

_MEMORY_MB = 1024
_MAX_ROW_BYTES = 64_000_000


def write_parquet(rows: Path, types: Mapping[str, str], target: Path) -> None:
    """Writes the file `rows`, an object of JSON a line, as the Parquet file `target`, in the same order.

    `types` are DuckDB's types of the columns, by their names and in their order.

    Raises:
        DiskFull: there is no room.
        LibraryError: anything else DuckDB refuses.
    """
    columns = ", ".join(f"{name}: {quote_sql(kind)}" for name, kind in types.items())
    # One thread keeps the order, and holds one row at a time.
    with translate_errors(target), connect(threads=1, memory_mb=_MEMORY_MB) as cursor:
        cursor.execute(
            f"COPY (SELECT * FROM read_json({quote_sql(str(rows))}, format = 'newline_delimited', "
            f"columns = {{{columns}}}, maximum_object_size = {_MAX_ROW_BYTES})) "
            f"TO {quote_sql(str(target))} (FORMAT parquet, COMPRESSION zstd)"
        )
